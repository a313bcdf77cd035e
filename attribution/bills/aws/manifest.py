"""How the files of AWS exports make deliveries: period folders, assemblies or executions, and manifests that name both.

Three layouts have one shape. A period's files lie in its folder or, where older versions are kept, in a folder for
each version; the period's manifest, in one of the folders named here, says which version counts:

    20261001-20261101/[<assembly>/]<report>-00001.csv.gz                  its own folder
    <report>/year=2026/month=10/<report>-00001.snappy.parquet             20261001-20261101/ beside or above <report>
    data/BILLING_PERIOD=2026-10/[<time>-<execution>/]<export>-00001.*     metadata/BILLING_PERIOD=2026-10/

The surprise: a manifest's keys carry the bucket's own prefix, which a sync may have dropped, so a key is matched by
its tail.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

from attribution.bills.deliveries import not_named, one_by_one, read_manifests
from attribution.bills.listing import delivery_digest
from schemas.bills import BillFile, BillKey, Delivery, HeldBack
from schemas.workspace import Source

_DATES = re.compile(r"^(\d{4})(\d{2})\d{2}-\d{8}$")
_BILLING_PERIOD = re.compile(r"^billing_period=(\d{4})-(\d{2})$", re.IGNORECASE)
_MONTH = re.compile(r"^year=(\d{4})/month=(\d{1,2})$")
_DECEMBER = 12
_ARN_ACCOUNT = 4
# A version's folder may begin with when it was made; ids that merely look like dates are no times.
_TIME = re.compile(r"^(\d{4}-?\d{2}-?\d{2}T\d{2}:?\d{2}:?\d{2}(?:\.\d+)?)Z?(?:-|$)")


@dataclass(frozen=True)
class Manifest:
    """What one manifest says. `parts` are the tails (folder, file) of its keys."""

    name: str
    version: str
    account: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Period:
    """A period's folder, and the folders in which its manifests may lie."""

    folder: Path
    start: date
    manifests: tuple[Path, ...]


@dataclass(frozen=True)
class _Group:
    """Files that may be one delivery: of one folder, inside a period's or not."""

    folder: Path
    period: _Period | None
    files: tuple[BillFile, ...]


def of_data_export(file: BillFile) -> bool:
    """Whether a file lies as Data Exports deliver it, in a folder `BILLING_PERIOD=2026-10` or in one below."""
    return any(_BILLING_PERIOD.match(folder.name) for folder in list(file.path.parents)[:2])


def group_files(
    source: Source, files: Sequence[BillFile], reader: str, version: int
) -> tuple[list[Delivery], list[HeldBack]]:
    """Deliveries and what is held back: parts named by a manifest and missing, files that no manifest names."""
    made: list[Delivery] = []
    held: list[HeldBack] = []
    periods: dict[_Period | None, list[_Group]] = defaultdict(list)
    for group in _groups(files):
        periods[group.period].append(group)
    for period, groups in periods.items():
        if period is None:
            made.extend(one_by_one(source, [file for group in groups for file in group.files], reader, version))
            continue
        top = [manifest for folder in period.manifests for manifest in read_manifests(folder, _manifest)]
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
        counting = {manifest.version for manifest in top}
        settled = any(manifest and manifest.version in counting for _, manifest in complete)
        for group, manifest in complete:
            counts = bool(manifest and manifest.version in counting) if settled else None
            made.append(_delivery(source, group, manifest, current=counts, reader=reader, version=version))
            if manifest:
                held += not_named(source, group.files, manifest.name, {name for _, name in manifest.parts})
    return made, held


def _groups(files: Sequence[BillFile]) -> list[_Group]:
    folders: dict[Path, list[BillFile]] = defaultdict(list)
    for file in files:
        folders[file.path.parent].append(file)
    return [_Group(folder, _period_of(folder), tuple(found)) for folder, found in sorted(folders.items())]


def _period_of(folder: Path) -> _Period | None:
    """The period that a file belongs to: its own folder's or the one's above (its own is then a version)."""
    for one in (folder, folder.parent):
        dates, exported = _DATES.match(one.name), _BILLING_PERIOD.match(one.name)
        month = _MONTH.match(f"{one.parent.name}/{one.name}")
        found = dates or exported or month
        if not found or not 1 <= int(found[2]) <= _DECEMBER:
            continue
        start = date(int(found[1]), int(found[2]), 1)
        places = [one]
        if exported:
            places.append(one.parent.parent / "metadata" / one.name)
        if month:
            following = date(start.year + start.month // _DECEMBER, start.month % _DECEMBER + 1, 1)
            report = one.parent.parent
            places += [above / f"{start:%Y%m%d}-{following:%Y%m%d}" for above in (report, report.parent)]
        return _Period(one, start, tuple(places))
    return None


def _manifest(name: str, text: dict[str, Any]) -> Manifest:
    """A report's manifest has keys and an assembly, an export's the addresses of its files and an execution."""
    keys = [PurePosixPath(key) for key in (text["reportKeys"] if "reportKeys" in text else text["dataFiles"])]
    parts = tuple((key.parent.name, key.name) for key in keys)
    version = text.get("assemblyId") or text.get("executionId") or "/".join(map(str, keys))
    # arn:aws:bcm-data-exports:<region>:<account>:export/<name>
    arn = str(text.get("exportArn") or "").split(":")
    account = text.get("account") or (arn[_ARN_ACCOUNT] if len(arn) > _ARN_ACCOUNT else "")
    return Manifest(name, str(version), str(account), parts)


def _manifest_of(group: _Group, top: list[Manifest]) -> Manifest | None:
    """The manifest of a version: its own folder's, else the period's where it speaks of this one."""
    period = group.period
    own: list[Manifest] = []
    if period and group.folder != period.folder:
        places = [group.folder, *(place / group.folder.name for place in period.manifests)]
        own = [manifest for place in dict.fromkeys(places) for manifest in read_manifests(place, _manifest)]
    name = group.folder.name
    speaking = [one for one in [*own, *top] if one.version == name or any(folder == name for folder, _ in one.parts)]
    return next(iter([*speaking, *own]), None)


def _missing(group: _Group, manifest: Manifest | None) -> list[str]:
    present = {file.path.name for file in group.files}
    return [name for _, name in manifest.parts if name not in present] if manifest else []


def _absent(source: Source, top: list[Manifest], groups: list[_Group]) -> list[HeldBack]:
    """A manifest that names a version of which no file is there."""
    folders = {group.folder.name for group in groups}
    return [
        HeldBack(source.name, manifest.version, f"incomplete: {manifest.name} names it, and no file of it is there")
        for manifest in top
        if manifest.parts and not any(folder in folders for folder, _ in manifest.parts)
    ]


def _delivery(
    source: Source, group: _Group, manifest: Manifest | None, *, current: bool | None, reader: str, version: int
) -> Delivery:
    named = {name for _, name in manifest.parts} if manifest else None
    files = tuple(file for file in group.files if named is None or file.path.name in named)
    time = _TIME.match(group.folder.name)
    return Delivery(
        source,
        reader,
        files,
        delivery_digest(reader, version, source, files),
        order_key=re.sub(r"\D", "", time[1]) if time else None,
        current=current,
        mode="snapshot",
        empty_keys=_empty_keys(source, group, manifest),
    )


def _empty_keys(source: Source, group: _Group, manifest: Manifest | None) -> tuple[BillKey, ...]:
    """Which bill it is, should it hold no row: the period folder and the manifest's account tell."""
    if not group.period or not manifest or not manifest.account:
        return ()
    return (BillKey(source.name, manifest.account, group.period.start),)
