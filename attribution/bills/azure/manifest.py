"""How the files of Azure exports make deliveries, cost details and FOCUS alike: runs, their parts, their manifests.

    <export>/20260901-20260930/[<time>/]<run id>/part_0_0001.csv, manifest.json      partitioned, with a manifest
    <export>/20260901-20260930/<export>_<id>.csv                                     one file a run, without

A run is the whole of its days. Runs of one scope replace each other, newest first, but a run of fewer days never
replaces one of more. Source: "Create and manage Cost Management exports" in Azure's public documentation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

from attribution.bills.deliveries import not_named, order_key, read_manifests
from schemas.bills import BillFile, HeldBack
from schemas.paths import fixed_parts
from schemas.workspace import Source

_PERIOD = re.compile(r"^(\d{4})(\d{2})(\d{2})-(\d{4})(\d{2})(\d{2})$")
_PART = re.compile(r"^part_\d+_\d+$", re.IGNORECASE)
_SCOPE_END = "/providers/microsoft.costmanagement/"
# Below the period's folder lie at most the time's and the run's.
_DEPTH = 3

Days = tuple[date, date]


@dataclass(frozen=True)
class Manifest:
    """What a run says of itself. `blobs`: file name -> bytes, where stated."""

    name: str
    dataset: str
    scope: str
    submitted: str
    days: Days | None
    blobs: dict[str, int | None]
    rows: int | None


@dataclass(frozen=True)
class Run:
    """Files that hold one dataset together.

    `export`: the folder above the period's, else the files' own. `dataset`, `scope`, `rows`: as the manifest says,
    blank or None without one. `order`: sorts runs by time, None where nothing tells. `days`: first and last.
    """

    files: tuple[BillFile, ...]
    export: str
    period: str
    days: Days | None
    order: str | None
    dataset: str = ""
    scope: str = ""
    rows: int | None = None

    @property
    def identity(self) -> str:
        """What two runs have in common that tell of the same charges: their scope, else their export."""
        return self.scope or self.export


def has_manifest(folder: Path) -> bool:
    """Whether a manifest of an Azure run lies in a folder."""
    return _manifest(folder) is not None


def find_runs(source: Source, files: Sequence[BillFile]) -> tuple[list[Run], list[HeldBack]]:
    """Group files to runs.

    Returns:
        Complete runs, and what is held back: parts that a manifest names and that are missing or of another size,
        files that it does not name.
    """
    folders: dict[Path, list[BillFile]] = defaultdict(list)
    for file in files:
        folders[file.path.parent].append(file)
    runs: list[Run] = []
    held: list[HeldBack] = []
    for folder, members in sorted(folders.items()):
        manifest = _manifest(folder)
        if manifest is None:
            parts = [file for file in members if _PART.match(_stem(file))]
            groups = [[file] for file in members if file not in parts] + ([parts] if parts else [])
            runs += [_run(source, group, None) for group in groups]
            continue
        named = [file for file in members if file.path.name in manifest.blobs]
        held += not_named(source, members, manifest.name, manifest.blobs)
        gone = _gone(manifest, named)
        if gone:
            held.append(HeldBack(source.name, (named or members)[0].name, f"incomplete: {gone}"))
        elif named:
            runs.append(_run(source, named, manifest))
    return runs, held


def is_narrower(run: Run, other: Run) -> bool:
    """Whether a run tells of fewer days of one month than another of its scope, which it must not replace.

    An older run of fewer days is replaced anyway, as its time says.
    """
    if run.identity != other.identity or not run.days or not other.days:
        return False
    (first, last), (start, end) = run.days, other.days
    one_month = {(day.year, day.month) for day in (first, last, start, end)}
    older = bool(run.order and other.order and run.order < other.order)
    return len(one_month) == 1 and start <= first and last <= end and run.days != other.days and not older


def _gone(manifest: Manifest, named: Sequence[BillFile]) -> str:
    """What is missing of a run, in words; blank where nothing is."""
    present = {file.path.name: file.size for file in named}
    missing = [name for name in manifest.blobs if name not in present]
    if missing:
        return f"{manifest.name} names {', '.join(missing)}, which is not there"
    short = [name for name, size in manifest.blobs.items() if size is not None and size != present[name]]
    told = [f"{name} has {present[name]} bytes of {manifest.blobs[name]}" for name in short]
    return f"by {manifest.name} {', '.join(told)}" if told else ""


def _run(source: Source, files: Sequence[BillFile], manifest: Manifest | None) -> Run:
    above = list(files[0].path.parents)[:_DEPTH]
    period = next((folder for folder in above if _PERIOD.match(folder.name)), None)
    named = PurePosixPath(files[0].name).parents
    export = named[above.index(period) + 1] if period else named[0]
    order = order_key(files[0].name, len(fixed_parts(source.path)))
    return Run(
        tuple(files),
        export.as_posix(),
        period.name if period else "",
        (manifest and manifest.days) or (_days(period.name) if period else None),
        (manifest and manifest.submitted) or order,
        manifest.dataset if manifest else "",
        manifest.scope if manifest else "",
        manifest.rows if manifest else None,
    )


def _manifest(folder: Path) -> Manifest | None:
    return next(iter(read_manifests(folder, _read_manifest)), None)


def _read_manifest(name: str, said: dict[str, Any]) -> Manifest:
    blobs = {PurePosixPath(blob["blobName"]).name: blob.get("byteCount") for blob in said["blobs"]}
    config, run = said.get("exportConfig") or {}, said["runInfo"]
    scope = str(config.get("resourceId") or "").lower().rpartition(_SCOPE_END)[0]
    try:
        days = date.fromisoformat(str(run["startDate"])[:10]), date.fromisoformat(str(run["endDate"])[:10])
    except (KeyError, ValueError):
        days = None
    submitted = re.sub(r"\D", "", str(run.get("submittedTime") or ""))
    dataset = str(config.get("type") or "")
    return Manifest(name, dataset, scope, submitted, days, blobs, said.get("dataRowCount"))


def _days(period: str) -> Days | None:
    found = _PERIOD.match(period)
    try:
        return (date(*map(int, found.groups()[:3])), date(*map(int, found.groups()[3:]))) if found else None
    except ValueError:
        return None


def _stem(file: BillFile) -> str:
    return file.path.name.split(".", 1)[0]
