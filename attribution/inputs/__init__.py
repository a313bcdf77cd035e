"""Inputs: the operators' own CSVs and their clusters' exports of usage to checked frames and rejects."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from attribution.inputs.checkpoints import read_checkpoints
from attribution.inputs.csv_file import Read
from attribution.inputs.invoices import read_invoices
from attribution.inputs.jobs import placed, read_jobs
from attribution.inputs.measures import read_measure
from attribution.inputs.people import read_people
from attribution.inputs.plans import read_planned, read_rates
from attribution.inputs.recognise import recognise
from attribution.inputs.resources import read_resources
from attribution.inputs.runs import read_runs
from attribution.inputs.tags import read_tags
from attribution.inputs.usage import read_usage
from attribution.inputs.utilization import read_utilization
from schemas.bills import no_rejects
from schemas.faults import Fault, InputError
from schemas.inputs import (
    CHECKPOINT_COLUMNS,
    INVOICE_COLUMNS,
    JOB_COLUMNS,
    NODE_STATE_COLUMNS,
    PEOPLE_COLUMNS,
    POD_COLUMNS,
    RESOURCE_COLUMNS,
    RUN_COLUMNS,
    TAG_COLUMNS,
    USAGE_COLUMNS,
    UTILIZATION_COLUMNS,
)
from schemas.paths import matching
from schemas.plans import PLANNED_COLUMNS, RATE_COLUMNS
from schemas.workspace import Inputs

__all__ = [
    "InputFrames",
    "Read",
    "digests",
    "read_checkpoints",
    "read_inputs",
    "read_invoices",
    "read_jobs",
    "read_measure",
    "read_people",
    "read_planned",
    "read_rates",
    "read_resources",
    "read_runs",
    "read_tags",
    "read_usage",
    "read_utilization",
    "recognise",
]

_READERS: dict[str, tuple[dict[str, pl.DataType], Callable[..., Read]]] = {
    "tags": (TAG_COLUMNS, read_tags),
    "resources": (RESOURCE_COLUMNS, read_resources),
    "utilization": (UTILIZATION_COLUMNS, read_utilization),
    "jobs": (JOB_COLUMNS, read_jobs),
    "invoices": (INVOICE_COLUMNS, read_invoices),
    "people": (PEOPLE_COLUMNS, read_people),
    "usage": (USAGE_COLUMNS, read_usage),
    "runs": (RUN_COLUMNS, read_runs),
    "checkpoints": (CHECKPOINT_COLUMNS, read_checkpoints),
    "planned": (PLANNED_COLUMNS, read_planned),
    "rates": (RATE_COLUMNS, read_rates),
}
"""Input -> its columns and who reads it."""
_MADE_BESIDE = {"node_states": pl.DataFrame(schema=NODE_STATE_COLUMNS), "pods": pl.DataFrame(schema=POD_COLUMNS)}
"""Frames made of the files of another input, as they are without such files."""

_WITH_CLOCKS = ("resources", "usage", "jobs", "runs", "checkpoints")
"""Inputs with instants; their readers are given the workspace's time zone."""


@dataclass(frozen=True)
class InputFrames:
    """All inputs of a workspace; one that is not configured is an empty frame of its schema."""

    tags: pl.DataFrame
    resources: pl.DataFrame
    utilization: pl.DataFrame
    jobs: pl.DataFrame
    invoices: pl.DataFrame
    people: pl.DataFrame
    node_states: pl.DataFrame
    pods: pl.DataFrame
    usage: pl.DataFrame
    runs: pl.DataFrame
    checkpoints: pl.DataFrame
    planned: pl.DataFrame
    rates: pl.DataFrame
    rejects: pl.DataFrame


def read_inputs(inputs: Inputs, root: Path, timezone: str = "UTC", store: Path | None = None) -> InputFrames:
    """Read every configured input.

    Args:
        inputs: the globs.
        root: the workspace they are relative to.
        timezone: the zone of instants that name none, and of days of usage.
        store: where the ledger lies; reports in it are no inputs, however wide a glob is.

    Raises:
        InputError: a glob that matches nothing, or a file without its required columns; all such faults at once.
    """
    faults: list[Fault] = []
    read: dict[str, Read] = {}
    for name, (columns, reader) in _READERS.items():
        pattern: str | None = getattr(inputs, name)
        try:
            paths = matching(root, pattern, f"[inputs] {name}", store) if pattern else []
            if not paths:
                read[name] = Read(pl.DataFrame(schema=columns), no_rejects())
            elif name in _WITH_CLOCKS:
                read[name] = reader(paths, root, timezone)
            else:
                read[name] = reader(paths, root)
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    rejects = pl.concat([one.rejects for one in read.values()])
    frames = _MADE_BESIDE | {name: frame for one in read.values() for name, frame in one.more.items()}
    frames |= {name: one.frame for name, one in read.items()}
    frames |= {name: placed(frames[name], frames["resources"]) for name in ("jobs", *_MADE_BESIDE)}
    return InputFrames(**frames, rejects=rejects)


_ATTRIBUTING = ("tags", "resources", "usage", "pods", "jobs", "node_states", "runs")
"""Inputs that say whose money it is; the others tell of it."""


def digests(inputs: InputFrames) -> dict[str, str]:
    """What attribution is given besides bills and rules, a digest each, so that a run can say what changed since.

    The order of rows does not matter. A digest holds within one version of polars, whose hash of a row it is made of.
    """
    found = {}
    for name in _ATTRIBUTING:
        rows = getattr(inputs, name).hash_rows(seed=1).sort()
        found[name] = hashlib.sha256(rows.to_arrow().buffers()[1] or b"").hexdigest()[:16]
    return found
