"""Runs of experiments: what was trained, when, how far it came. One row a run.

The surprise: statuses are told in many words (`finished`, `CANCELLED by 1004`); each is read as one of RUN_STATUSES.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import Rows, finish_once, read_instants, read_numbers, read_whole, start
from schemas.dimensions import fold
from schemas.inputs import RUN_COLUMNS, RUN_STATUSES, Runs

WHAT = "runs"
_REQUIRED = ("run_id", "experiment", "status", "started_at")
_ALSO = {
    "pending": "queued",
    "active": "running",
    "finished": "completed",
    "success": "completed",
    "succeeded": "completed",
    "done": "completed",
    "crashed": "failed",
    "error": "failed",
    "canceled": "cancelled",
    "killed": "cancelled",
    "aborted": "cancelled",
    "timedout": "timeout",
    "oom": "out_of_memory",
    "oomkilled": "out_of_memory",
}
"""Words of trackers and schedulers -> ours."""
_STATUS = {fold(word): word for word in RUN_STATUSES} | _ALSO


def read_runs(paths: Sequence[Path], root: Path, timezone: str = "UTC") -> Read:
    """Runs of all files together, extra columns kept as text after those of the contract.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.
        timezone: the zone of instants that name none.

    Raises:
        InputError: a required column is missing.
    """
    columns = list(RUN_COLUMNS)
    rows = start(WHAT, [read_sheet(path, root, WHAT, columns, _REQUIRED) for path in paths], columns, ())
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    rows.need("run_id", "experiment", "started_at")
    _read_status(rows)
    read_instants(rows, "started_at", timezone, required=True)
    read_instants(rows, "ended_at", timezone)
    for column in ("gpus", "mfu", "metric_value"):
        read_numbers(rows, column, required=False)
    for column in ("steps", "tokens"):
        read_whole(rows, column)
    return finish_once(
        rows, Runs, [*columns, *rows.beyond(columns)], ("run_id",), "one row a run; an earlier row says otherwise"
    )


def _read_status(rows: Rows) -> None:
    told = rows.frame.get_column("status")
    # Slurm adds who did it: `CANCELLED by 1004`.
    words = [None if one is None else _STATUS.get(fold(one.split(" by ")[0])) for one in told]
    rows.read("status", pl.Series(words, dtype=pl.String), f"one of {', '.join(RUN_STATUSES)}", required=False)
