"""A folder of exports nobody described yet: which files are bills, of which format, and the globs that tell them apart.

Only headers are read. Where one folder holds one format, its glob takes all of it; else names have to tell.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from attribution.bills import generic_csv, own_costs
from attribution.bills.focus import periods as focus_periods
from attribution.bills.listing import Head, list_files, read_head
from attribution.bills.readers import READERS
from schemas.bills import BillFile
from schemas.faults import InputError, in_one_line
from schemas.paths import relative_name
from schemas.workspace import Source

_ENDINGS = (".csv.gz", ".csv.zip", ".csv.zst", ".jsonl.gz", ".json.gz")
# A shorter beginning that names share is chance.
_TELLING = 3
_NEVER_FOUND = (generic_csv.NAME, own_costs.NAME)
_EVERYWHERE = "**/*"


@dataclass(frozen=True)
class Stream:
    """Bills of one format that one glob takes; `pattern` is relative to the folder looked at."""

    reader: str
    pattern: str
    files: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Unknown:
    """A table that no reader knows, or a file that cannot be read; `columns` are blank where it has none."""

    name: str
    reason: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Survey:
    """What lies in a folder."""

    streams: tuple[Stream, ...]
    unknown: tuple[Unknown, ...]


@dataclass(frozen=True)
class _Seen:
    path: Path
    reader: str | None


def survey(folder: Path, apart: Sequence[Path] = ()) -> Survey:
    """Look at every table of a folder and below.

    Args:
        folder: where exports lie.
        apart: folders inside whose files are none of them.

    Raises:
        InputError: there is no file at all.
    """
    source = Source("survey", _EVERYWHERE)
    paths, packed = list_files(source, folder)
    seen: list[_Seen] = []
    unknown = [Unknown(held.name, held.reason) for held in packed]
    for path in paths:
        if any(path.is_relative_to(one) for one in apart):
            seen.append(_Seen(path, None))  # so that no glob takes it
            continue
        name = relative_name(path, folder)
        try:
            head = read_head(BillFile(path, name, "", path.stat().st_size), source)
        except InputError as error:
            unknown.append(Unknown(name, in_one_line(error.faults)))
            seen.append(_Seen(path, None))
            continue
        claims = _claims(head)
        seen.append(_Seen(path, claims[0] if len(claims) == 1 else None))
        if len(claims) != 1:
            reason = f"{' and '.join(claims)} both claim it" if claims else "no reader knows it"
            unknown.append(Unknown(name, reason, head.columns))
    streams = sorted(_streams(folder, folder, seen), key=lambda one: one.pattern)
    return Survey(tuple(streams), tuple(unknown))


def _claims(head: Head) -> list[str]:
    if focus_periods.identify(head):
        return ["focus"]
    return [name for name, one in READERS.items() if name not in _NEVER_FOUND and one.identify(head)]


def _streams(root: Path, folder: Path, seen: Sequence[_Seen]) -> Iterable[Stream]:
    """The streams of one folder: one that takes all of it, or those of its folders and of its own files."""
    readers = {one.reader for one in seen}
    if len(readers) == 1 and None not in readers:
        ending = _ending(seen)
        pattern = f"{_EVERYWHERE}{ending}"
        yield _stream(root, seen, _below(root, folder, pattern))
        return
    inner = sorted({path for one in seen if (path := _folder_below(folder, one.path))})
    for below in inner:
        yield from _streams(root, below, [one for one in seen if one.path.is_relative_to(below)])
    here = [one for one in seen if one.path.parent == folder]
    for reader in sorted({one.reader for one in here if one.reader}):
        mine = [one for one in here if one.reader == reader]
        others = [one for one in here if one.reader != reader]
        telling = _telling_pattern(mine, others)
        if telling:
            yield _stream(root, mine, _below(root, folder, telling))
            continue
        for one in mine:
            yield _stream(root, [one], _below(root, folder, glob.escape(one.path.name)))


def _telling_pattern(mine: Sequence[_Seen], others: Sequence[_Seen]) -> str | None:
    """A glob over names that takes these files and none of the others, where their names tell."""
    ending = _ending(mine)
    if ending and not any(one.path.name.endswith(ending) for one in others):
        return f"*{ending}"
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*(one.path.name for one in mine), strict=False))
    start = "".join(letters[0] for letters in alike)
    if len(mine) > 1 and len(start) >= _TELLING and not any(one.path.name.startswith(start) for one in others):
        return f"{glob.escape(start)}*{ending}"
    return None


def _stream(root: Path, seen: Sequence[_Seen], pattern: str) -> Stream:
    names = tuple(relative_name(one.path, root) for one in seen)
    return Stream(str(seen[0].reader), pattern, names, sum(one.path.stat().st_size for one in seen))


def _below(root: Path, folder: Path, pattern: str) -> str:
    parts = [glob.escape(part) for part in folder.relative_to(root).parts]
    return "/".join([*parts, pattern])


def _folder_below(folder: Path, path: Path) -> Path | None:
    parts = path.relative_to(folder).parts
    return folder / parts[0] if len(parts) > 1 else None


def _ending(seen: Sequence[_Seen]) -> str:
    """The ending that all these names share; blank where they differ."""
    endings = {_ending_of(one.path.name) for one in seen}
    return endings.pop() if len(endings) == 1 else ""


def _ending_of(name: str) -> str:
    return next((ending for ending in _ENDINGS if name.endswith(ending)), Path(name).suffix)
