"""Files that appear whole or not at all: written beside their place, synced, renamed.

Whatever carries the temporary ending was left by a crash and is nobody's.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

WRITING = ".writing"
PUBLISHED = "costs.duckdb"


def charges_folder(store: Path) -> Path:
    """Where the parts lie."""
    return store / "charges"


def charge_files(store: Path, parts: Iterable[tuple[str, int]]) -> list[Path]:
    """The files of parts' charges, in order.

    Args:
        store: the ledger's folder.
        parts: name and number of files of each part.
    """
    folder = charges_folder(store)
    return [folder / part / f"charges-{number:04}.parquet" for part, files in parts for number in range(files)]


def write_rows(rows: pl.DataFrame, path: Path) -> None:
    """Write a Parquet file; without minima and maxima, for what lies here is read whole, and they cost a tenth."""
    rows.write_parquet(path, compression="zstd", compression_level=1, statistics=False)


def sync(path: Path) -> None:
    """Have the file or folder on the disk, not in a buffer only."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def put_folder(written: Path, final: Path) -> None:
    """Give a finished folder its name; one of that name which nobody registered gives way."""
    for entry in written.rglob("*"):
        sync(entry)
    sync(written)
    if final.exists():
        shutil.rmtree(final)
    written.rename(final)
    sync(final.parent)


def put_file(written: Path, final: Path) -> None:
    """Give a finished file its name, over what had it before; who has the old one open keeps it."""
    sync(written)
    written.replace(final)
    sync(final.parent)


def part_sizes(store: Path) -> dict[str, int]:
    """Bytes of each part's folder, its roll-ups included; what is removed meanwhile is passed over."""
    sizes: dict[str, int] = {}
    for part in charges_folder(store).iterdir():
        for file in part.rglob("*.parquet"):
            with suppress(FileNotFoundError):
                sizes[part.name] = sizes.get(part.name, 0) + file.stat().st_size
    return sizes


def remove_leftovers(store: Path, registered: Collection[str], rollups: Collection[tuple[str, str]]) -> None:
    """Remove what a crashed run left: unfinished files, and finished parts that no transaction registered.

    Args:
        store: the store's folder, whose lock is held.
        registered: part_ids in the ledger.
        rollups: (part_id, name of the roll-up folder) in the ledger.
    """
    for unfinished in store.glob(f"*{WRITING}*"):
        unfinished.unlink()
    kept = set(rollups)
    for part in charges_folder(store).iterdir():
        if part.name not in registered:
            shutil.rmtree(part)
            continue
        for entry in part.iterdir():
            if entry.is_dir() and (part.name, entry.name) not in kept:
                shutil.rmtree(entry)
