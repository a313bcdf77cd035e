"""Checkpoints that lie in buckets and on volumes. One row a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import Rows, finish_once, read_instants, read_numbers, read_whole, start
from schemas.inputs import CHECKPOINT_COLUMNS, Checkpoints

WHAT = "checkpoints"
_REQUIRED = ("uri", "experiment", "step", "size_bytes", "created_at")
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def read_checkpoints(paths: Sequence[Path], root: Path, timezone: str = "UTC") -> Read:
    """Checkpoints of all files together, extra columns kept as text after those of the contract.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.
        timezone: the zone of instants that name none.

    Raises:
        InputError: a required column is missing.
    """
    columns = list(CHECKPOINT_COLUMNS)
    sheets = [read_sheet(path, root, WHAT, columns, _REQUIRED) for path in paths]
    rows = start(WHAT, sheets, columns, ("resource_id",))
    rows.frame = rows.frame.with_columns(pl.col("uri", "experiment", "run_id").str.strip_chars())
    rows.need(*_REQUIRED)
    read_instants(rows, "created_at", timezone, required=True)
    for column in ("step", "size_bytes"):
        read_whole(rows, column, required=True)
    read_numbers(rows, "metric_value", required=False)
    _read_pinned(rows)
    return finish_once(
        rows,
        Checkpoints,
        [*columns, *rows.beyond(columns)],
        ("uri",),
        "one row a checkpoint; an earlier row says otherwise",
    )


def _read_pinned(rows: Rows) -> None:
    told = rows.frame.get_column("pinned").str.strip_chars().str.to_lowercase()
    read = told.replace_strict(_WORDS, default=None, return_dtype=pl.Boolean)
    rows.read("pinned", read, "yes or no", required=False)
