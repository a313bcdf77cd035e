"""How files of the legacy CUR make deliveries: period folders, assemblies, and the manifests that name both.

The surprise: a manifest's keys carry the bucket's own prefix, which a sync may have dropped, so a key is matched by
its tail. The manifest of the period folder says which assembly counts; older ones stay beside it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath

from attribution.bills.listing import delivery_digest
from schemas.bills import BillFile, BillKey, Delivery, HeldBack
from schemas.workspace import Source

_PERIOD = re.compile(r"^(\d{4})(\d{2})(\d{2})-\d{8}$")


@dataclass(frozen=True)
class Manifest:
    """What one manifest says. `parts` are the tails (folder, file) of its keys."""

    name: str
    assembly: str
    account: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Group:
    """Files that may be one delivery: of one folder, inside a period folder or not."""

    folder: Path
    period: Path | None
    files: tuple[BillFile, ...]


def group_files(
    source: Source, files: Sequence[BillFile], reader: str, version: int
) -> tuple[list[Delivery], list[HeldBack]]:
    """Deliveries and what is held back: parts named by a manifest and missing, files that no manifest names."""
    made: list[Delivery] = []
    held: list[HeldBack] = []
    periods: dict[Path | None, list[_Group]] = defaultdict(list)
    for group in _groups(files):
        periods[group.period].append(group)
    for period, groups in periods.items():
        if period is None:
            continue
        top = _manifests(period)
        current = {manifest.assembly for manifest in top}
        complete: list[tuple[_Group, Manifest | None]] = []
        for group in groups:
            manifest = _manifest_of(group, top)
            gone = _missing(group, manifest)
            if manifest and gone:
                reason = f"incomplete: {manifest.name} names {', '.join(gone)}, which is not there"
                held.append(HeldBack(source.name, group.files[0].name, reason))
                continue
            complete.append((group, manifest))
        held.extend(_absent(source, top, groups))
        settled = any(manifest and manifest.assembly in current for _, manifest in complete)
        for group, manifest in complete:
            counts = manifest.assembly in current if manifest and settled else (False if settled else None)
            made.append(_delivery(source, group, manifest, current=counts, reader=reader, version=version))
            held.extend(_unnamed(source, group, manifest))
    for group in periods.get(None, []):
        made.extend(
            Delivery(source, reader, (file,), delivery_digest(reader, version, source, [file])) for file in group.files
        )
    return made, held


def _groups(files: Sequence[BillFile]) -> list[_Group]:
    folders: dict[Path, list[BillFile]] = defaultdict(list)
    for file in files:
        folders[file.path.parent].append(file)
    return [_Group(folder, _period_of(folder), tuple(found)) for folder, found in sorted(folders.items())]


def _period_of(folder: Path) -> Path | None:
    """The period folder that a file lies in: its own folder or the one above (its own is then an assembly)."""
    return next((one for one in (folder, folder.parent) if _PERIOD.match(one.name)), None)


def _manifests(folder: Path) -> list[Manifest]:
    """Manifests in a folder; a JSON file that is none is passed over."""
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            text = json.loads(path.read_text(encoding="utf-8-sig"))
            keys = [PurePosixPath(key) for key in text["reportKeys"]]
            parts = tuple((key.parent.name, key.name) for key in keys)
            found.append(Manifest(path.name, str(text["assemblyId"]), str(text.get("account") or ""), parts))
        except (ValueError, KeyError, TypeError, OSError):
            continue
    return found


def _manifest_of(group: _Group, top: list[Manifest]) -> Manifest | None:
    """The manifest of an assembly: its own folder's, else the period folder's where it speaks of this one."""
    if group.folder == group.period:
        return next(iter(top), None)
    own = _manifests(group.folder)
    return next((one for one in [*own, *top] if one.assembly == group.folder.name), next(iter(own), None))


def _missing(group: _Group, manifest: Manifest | None) -> list[str]:
    present = {file.path.name for file in group.files}
    return [name for _, name in manifest.parts if name not in present] if manifest else []


def _absent(source: Source, top: list[Manifest], groups: list[_Group]) -> list[HeldBack]:
    """A manifest that names an assembly of which no file is there."""
    folders = {group.folder.name for group in groups}
    return [
        HeldBack(source.name, manifest.assembly, f"incomplete: {manifest.name} names it, and no file of it is there")
        for manifest in top
        if manifest.assembly not in folders and not any(group.folder == group.period for group in groups)
    ]


def _unnamed(source: Source, group: _Group, manifest: Manifest | None) -> list[HeldBack]:
    if manifest is None:
        return []
    named = {name for _, name in manifest.parts}
    reason = f"{manifest.name} does not name it"
    return [HeldBack(source.name, file.name, reason) for file in group.files if file.path.name not in named]


def _delivery(
    source: Source, group: _Group, manifest: Manifest | None, *, current: bool | None, reader: str, version: int
) -> Delivery:
    named = {name for _, name in manifest.parts} if manifest else None
    files = tuple(file for file in group.files if named is None or file.path.name in named)
    return Delivery(
        source,
        reader,
        files,
        delivery_digest(reader, version, source, files),
        current=current,
        empty_keys=_empty_keys(source, group, manifest),
    )


def _empty_keys(source: Source, group: _Group, manifest: Manifest | None) -> tuple[BillKey, ...]:
    """Which bill it is, should it hold no row: the period folder and the manifest's account tell."""
    found = _PERIOD.match(group.period.name) if group.period else None
    if not found or not manifest or not manifest.account:
        return ()
    return (BillKey(source.name, manifest.account, date(int(found[1]), int(found[2]), 1)),)
