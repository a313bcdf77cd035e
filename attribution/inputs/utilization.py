"""How busy resources were: one row a resource, day and metric. A missing row is no measurement, never a zero."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import finish_once, read_days, read_numbers, read_whole, start
from schemas.inputs import UTILIZATION_COLUMNS, Utilization

WHAT = "utilization"
_REQUIRED = ("resource_id", "date", "metric", "average")
_KEYS = ("resource_id", "date", "metric")


def read_utilization(paths: Sequence[Path], root: Path) -> Read:
    """Utilization of all files together; identical rows count once.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.

    Raises:
        InputError: a required column is missing.
    """
    columns = list(UTILIZATION_COLUMNS)
    rows = start(WHAT, [read_sheet(path, root, WHAT, columns, _REQUIRED) for path in paths], columns, ("resource_id",))
    rows.need(*_REQUIRED)
    read_days(rows, "date")
    rows.frame = rows.frame.with_columns(pl.col("metric").str.strip_chars())
    read_numbers(rows, "average", required=True)
    read_numbers(rows, "maximum", required=False)
    read_whole(rows, "samples")
    once = "one row a resource, day and metric; an earlier row says otherwise"
    return finish_once(rows, Utilization, columns, _KEYS, once)
