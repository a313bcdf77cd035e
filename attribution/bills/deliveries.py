"""How the files of most sources make deliveries: each is one, ordered by a date or run id in its path if it has one."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from attribution.bills.listing import delivery_digest
from schemas.bills import BillFile, Delivery, HeldBack
from schemas.faults import Fault, InputError
from schemas.paths import fixed_parts
from schemas.workspace import Mode, Source

_M = TypeVar("_M")
_RUN = re.compile(r"(?:run(?:[_-]?id)?[=_-])?(\d{4}-?\d{2}-?\d{2}(?:[T_-]?\d{2}:?\d{2}(?::?\d{2})?Z?)?)$")
# BigQuery numbers the files of one export with twelve digits; a date of as many never starts with four zeros.
_SHARD = re.compile(r"^(.*?)[-_.]?(0000\d{8})((?:\.\w+)*)$")
_PARTITION = re.compile(r"^_?partition_?(date|time)?=.", re.IGNORECASE)
_RUN_NAMED = re.compile(r"^run(?:[_-]?id)?[=_-](.+)$", re.IGNORECASE)


def one_by_one(
    source: Source,
    files: Sequence[BillFile],
    reader: str,
    version: int,
    mode: Mode | None = None,
    *,
    beside: tuple[BillFile, ...] = (),
) -> list[Delivery]:
    """Each file is a delivery; a date or run id in its path orders deliveries of one bill.

    Args:
        source: whose files.
        files: all of one layout.
        reader: the reader's name.
        version: the reader's version.
        mode: how deliveries of one bill belong together, where the provider's layout says so.
        beside: what each is read with.
    """
    fixed = len(fixed_parts(source.path))
    return [
        Delivery(
            source,
            reader,
            (file,),
            delivery_digest(reader, version, source, [file, *beside]),
            order_key(file.name, fixed),
            mode=mode,
            beside=beside,
        )
        for file in files
    ]


def by_shards(
    source: Source, files: Sequence[BillFile], reader: str, version: int
) -> tuple[list[Delivery], list[HeldBack]]:
    """Files that BigQuery wrote in one export are one delivery; of any other each is one.

    The folders of a partitioned table (`partition_date=2026-11-02/`) hold rows of their own each, so they add up.

    Returns:
        Deliveries, and exports of which a numbered file is missing.
    """
    exports: dict[tuple[str, str, str], dict[int, BillFile]] = defaultdict(dict)
    alone: list[BillFile] = []
    for file in files:
        folder, _, name = file.name.rpartition("/")
        shard = _SHARD.match(name)
        if shard:
            exports[folder, shard.group(1), shard.group(3)][int(shard.group(2))] = file
        else:
            alone.append(file)
    fixed = len(fixed_parts(source.path))
    found: list[Delivery] = []
    held: list[HeldBack] = []
    for (folder, stem, ending), numbered in exports.items():
        missing = sorted(set(range(max(numbered) + 1)) - numbered.keys())
        named = f"{folder}/{stem}{ending}".removeprefix("/")
        if missing:
            reason = f"file {missing[0]:012} of this export is missing, so it was not wholly delivered"
            held.append(HeldBack(source.name, named, reason))
            continue
        together = [numbered[at] for at in sorted(numbered)]
        found.append(_delivery(source, together, reader, version, order_key(named, fixed)))
    found += [_delivery(source, [file], reader, version, order_key(file.name, fixed)) for file in alone]
    return found, held


def read_manifests(folder: Path, read: Callable[[str, dict[str, Any]], _M]) -> list[_M]:
    """Manifests in a folder, by name; a JSON file that speaks of something else is passed over.

    Args:
        folder: need not be there.
        read: makes one of a file's name and its object; raises ValueError, KeyError, TypeError or AttributeError
            where the object is something else.

    Raises:
        InputError: a file that its name calls a manifest holds no JSON object, so it was cut or is damaged.
    """
    found: list[_M] = []
    for path in sorted(folder.glob("*.json")):
        said = _json_object(path)
        if said is None:
            if "manifest" in path.name.casefold():
                name = f"{folder.name}/{path.name}"
                what = f"{name} holds no JSON object: it was cut or is damaged, so which files count is unknown"
                raise InputError(Fault(name, what, hint="Deliver it again."))
            continue
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            found.append(read(path.name, said))
    return found


def _json_object(path: Path) -> dict[str, Any] | None:
    try:
        said = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, OSError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def not_named(source: Source, files: Sequence[BillFile], manifest: str, named: Container[str]) -> list[HeldBack]:
    """Files beside a manifest that it does not name."""
    reason = f"{manifest} does not name it"
    return [HeldBack(source.name, file.name, reason) for file in files if file.path.name not in named]


def _delivery(source: Source, files: Sequence[BillFile], reader: str, version: int, key: str | None) -> Delivery:
    folders = Path(files[0].name).parts[len(fixed_parts(source.path)) : -1]
    mode: Mode | None = "append" if key is None and any(map(_PARTITION.match, folders)) else None
    return Delivery(source, reader, tuple(files), delivery_digest(reader, version, source, files), key, mode=mode)


def order_key(name: str, fixed: int) -> str | None:
    """A run id or date from the folders below the glob's fixed part, else from the end of the file's name.

    Args:
        name: the file's, relative to the workspace.
        fixed: how many of its folders the source's path names without a wildcard.
    """
    folders = Path(name).parts[fixed:-1]
    stem = Path(name).name.split(".", 1)[0]
    keys = [key for key in map(_key, folders) if key]
    if keys:
        return "/".join(keys)
    tail = re.search(r"(?:^|[_.-])((?:run(?:[_-]?id)?[=_-])?\d{4}-?\d{2}-?\d{2}[T\dZ:_-]*)$", stem)
    return _key(tail.group(1)) if tail else None


def _key(part: str) -> str | None:
    """A date or run id as text that sorts by time: digits alone where it is a date."""
    dated = _RUN.fullmatch(part)
    if dated:
        return re.sub(r"\D", "", dated.group(1))
    named = _RUN_NAMED.match(part)
    return named.group(1) if named else None
