"""Lists of jobs to one row a job, node and start. A job that is told again once it ended counts once.

The surprise: lists are exported while jobs run, so one job may stand in an older file without its end. The row
that has an end replaces the one that has none; two different ends contradict each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import polars as pl

from attribution.inputs.csv_file import PLACE, Read, Sheet, empty_sheet, read_sheet, sheets_by_kind
from attribution.inputs.jobs.node_states import read_states, state_names
from attribution.inputs.jobs.reservations import is_scontrol, listed_names, placed_reservations, scontrol_sheet
from attribution.inputs.jobs.sacct import is_sacct, sacct_sheet
from attribution.inputs.rows import finish_once, read_instants, read_numbers, start
from schemas.cell_checks import MISSING
from schemas.inputs import JOB_COLUMNS, RUNNING_STATES, Jobs
from schemas.paths import relative_name
from schemas.text_file import head_line, header_columns

WHAT = "jobs"
_REQUIRED = ("job_id", "resource_id", "start", "end", "gpus", "state")
_KEYS = ("job_id", "resource_id", "start")


def read_jobs(paths: Sequence[Path], root: Path, timezone: str = "UTC") -> Read:
    """Jobs of all files together, extra columns kept as text after those of the contract.

    Args:
        paths: the files.
        root: the workspace.
        timezone: the zone of instants that name none.

    Returns:
        JOB_COLUMNS and what a file has beyond; of rows that contradict each other the first stays. `more` has
        `node_states`.

    Raises:
        InputError: files without a required column; all such files at once.
    """
    sheets = sheets_by_kind(paths, root, _sheet)
    states = read_states(sheets.get("states", ()), WHAT, timezone)
    jobs = _read_jobs(sheets.get("jobs", ()), timezone)
    return Read(jobs.frame, pl.concat([jobs.rejects, states.rejects]), {"node_states": states.frame})


def _read_jobs(sheets: Sequence[Sheet], timezone: str) -> Read:
    columns = list(JOB_COLUMNS)
    rows = start(WHAT, sheets or [empty_sheet(columns)], columns, ("resource_id",))
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    rows.frame = rows.frame.with_columns(
        pl.col("state").str.to_uppercase().str.extract(r"^([^ +]+)"),  # CANCELLED by 1000, CANCELLED+
        pl.when(pl.col("end").str.to_lowercase() != "unknown").then("end").alias("end"),
    )
    rows.need(*(name for name in _REQUIRED if name != "end"))
    runs = pl.col("state").is_in(RUNNING_STATES)
    rows.refuse(pl.col("end").is_null() & ~runs, "end", f"{MISSING}: a job that does not run has ended")
    for column, required in (("submit", False), ("start", True), ("end", True)):
        read_instants(rows, column, timezone, required=required)
    read_numbers(rows, "gpus", required=True)
    rows.refuse(pl.col("end") < pl.col("start"), "end", "not before the start")
    ended = pl.col("end").is_not_null().any().over(_KEYS)
    rows.frame = rows.frame.filter(pl.col("end").is_not_null() | ~ended)
    return finish_once(
        rows,
        Jobs,
        [*columns, *rows.beyond(columns)],
        _KEYS,
        "one row a job, node and start; an earlier row says otherwise",
    )


def _sheet(path: Path, root: Path) -> tuple[Literal["jobs", "states"], Sheet]:
    """A file as rows of the plain list of jobs, or of states of nodes; its header says which it is."""
    first = head_line(path, relative_name(path, root))
    if is_scontrol(first):
        return "states", scontrol_sheet(path, root, WHAT)
    columns = header_columns(first)
    if is_sacct(columns):
        return "jobs", sacct_sheet(path, root, WHAT)
    if names := state_names(columns):
        return "states", _renamed(read_sheet(path, root, WHAT, (), ()), names)
    if names := listed_names(columns):
        return "states", placed_reservations(_renamed(read_sheet(path, root, WHAT, (), ()), names), WHAT)
    return "jobs", read_sheet(path, root, WHAT, list(JOB_COLUMNS), _REQUIRED)


def _renamed(sheet: Sheet, names: dict[str, str]) -> Sheet:
    """The columns that are known, under our names; others of one of these names say something else."""
    own = sheet.frame.select(*PLACE, *names).rename(names)
    return Sheet(sheet.name, own, sheet.rejects)
