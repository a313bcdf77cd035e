"""Exports of usage to one row a day, resource, pod, labels and measure. An hour that is told twice counts once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import PLACE, Read, Sheet, read_sheet, sheets_by_kind
from attribution.inputs.rows import Rows
from attribution.inputs.usage.opencost import json_sheet, read_opencost, table_sheet
from attribution.inputs.usage.openshift import TABLES, read_openshift
from attribution.inputs.usage.spans import WHAT, times
from schemas.bills import no_rejects
from schemas.check import verify
from schemas.faults import Fault, InputError
from schemas.inputs import POD_COLUMNS, USAGE_COLUMNS, USAGE_IDLE, Usage
from schemas.paths import relative_name
from schemas.text_file import head_line

_ALLOCATIONS = "allocations"
_ENTITY = ("resource_id", "namespace", "pod", "part", "measure")
_GIB = 2**30
_SECONDS = {
    "gpu_hours": 3600,
    "cpu_core_hours": 3600,
    "memory_gib_hours": 3600 * _GIB,
    "storage_gib_hours": 3600 * _GIB,
}
"""Measure -> how many GPU-seconds, core-seconds or byte-seconds are one of it."""


def read_usage(paths: Sequence[Path], root: Path, timezone: str = "UTC") -> Read:
    """Usage of all files together, by day.

    Args:
        paths: exports; the columns say which kind each is.
        root: the workspace.
        timezone: the zone whose days hours are summed into; what is told by whole UTC days keeps its date.

    Returns:
        USAGE_COLUMNS; days on which nothing was used have no row. Of rows that tell of one time twice and
        otherwise the first stays. `more` has `pods`: POD_COLUMNS, by the hour where the export tells hours.

    Raises:
        InputError: a file of no kind that is known; all such files at once.
    """
    sheets = sheets_by_kind(paths, root, _sheet)
    both = (read_openshift(sheets), read_opencost(sheets.get(_ALLOCATIONS, ())))
    frame = pl.concat([one.frame for one in both]).sort(*PLACE, nulls_last=True, maintain_order=True)
    rows = Rows(WHAT, frame.with_columns(_day(timezone)), [reject for one in both for reject in one.rejects])
    _count_once(rows)
    daily = verify(_by_day(rows.frame), Usage, "usage by day")
    return Read(daily, pl.concat([no_rejects(), *rows.rejects]), {"pods": _pods(rows.frame)})


def _sheet(path: Path, root: Path) -> tuple[str, Sheet | None]:
    """What a file is and what it holds."""
    name = relative_name(path, root)
    if head_line(path, name).lstrip().startswith(("{", "[")):
        return _ALLOCATIONS, json_sheet(path, root)
    sheet = read_sheet(path, root, WHAT, (), ())
    for kind, columns in TABLES.items():
        if set(columns) <= set(sheet.frame.columns):
            return kind, sheet
    nearest = max(TABLES.values(), key=lambda columns: len(set(columns) & set(sheet.frame.columns)))
    if len(set(nearest) & set(sheet.frame.columns)) > len(nearest) / 2:
        missing = ", ".join(column for column in nearest if column not in sheet.frame.columns)
        hint = "Deliver the metering report with all its columns."
        raise InputError(Fault(name, f"an OpenShift table without {missing}", ", ".join(sheet.frame.columns), hint))
    return _ALLOCATIONS, table_sheet(sheet)


def _day(timezone: str) -> pl.Expr:
    whole = (pl.col("start").dt.time() == pl.time(0)) & (pl.col("end") - pl.col("start") >= timedelta(days=1))
    local = pl.col("start").dt.convert_time_zone(timezone).dt.date()
    return pl.when(whole).then(pl.col("start").dt.date()).otherwise(local).alias("usage_date")


def _count_once(rows: Rows) -> None:
    """Rows that say the same count once; one that tells of a time again, in whole or in part, is refused."""
    said = [name for name in rows.frame.columns if name not in PLACE]
    rows.frame = rows.frame.unique(said, keep="first", maintain_order=True)
    first = pl.col("kind").drop_nulls().first().over("resource_id", "usage_date", "measure")
    rows.refuse(
        pl.col("kind") != first, "measure", "one kind of export a resource, day and measure; another came first"
    )
    numbered = rows.frame.select(*_ENTITY, "start", "end").with_row_index("row")
    before = pl.col("end").cum_max().shift(1).over(_ENTITY, order_by="start")
    doubtful = numbered.filter((pl.col("start") < before).any().over(_ENTITY))
    bad = pl.Series("row", _told_before(doubtful), dtype=pl.UInt32)
    mask = pl.int_range(pl.len(), dtype=pl.UInt32).is_in(bad.implode())
    rows.refuse(mask, "start", "one row a pod and time; an earlier row tells of it already, and otherwise")


def _told_before(spans: pl.DataFrame) -> list[int]:
    """Rows, in the order of files and lines, whose time overlaps with that of an earlier row that stayed."""
    bad = []
    kept: dict[tuple[str, ...], list[tuple[datetime, datetime]]] = {}
    for row, *entity, since, until in spans.iter_rows():
        mine = kept.setdefault(tuple(entity), [])
        at = bisect_right(mine, (since, until))
        if (at and mine[at - 1][1] > since) or (at < len(mine) and mine[at][0] < until):
            bad.append(row)
        else:
            mine.insert(at, (since, until))
    return bad


def _pods(frame: pl.DataFrame) -> pl.DataFrame:
    """Pods with GPUs as jobs: the GPUs that they had on average over each span of time that the export tells."""
    seconds = (pl.col("end") - pl.col("start")).dt.total_seconds()
    busy = frame.filter(pl.col("measure") == "gpu_hours", pl.col("namespace").ne_missing(USAGE_IDLE))
    keys = ("resource_id", "namespace", "pod", "labels", "start", "end")
    summed = busy.group_by(keys, maintain_order=True).agg(pl.col("amount").sum())
    told = {
        "job_id": pl.concat_str("namespace", "pod", separator="/", ignore_nulls=True),
        "gpus": pl.col("amount").cast(pl.Float64) / seconds,
        "state": pl.lit("COMPLETED"),
        "name": pl.col("pod"),
        "gpu_seconds": pl.col("amount"),
    }
    columns = {
        name: told.get(name, pl.col(name) if name in keys else pl.lit(None, dtype))
        for name, dtype in POD_COLUMNS.items()
    }
    return summed.select(column.alias(name) for name, column in columns.items()).filter(pl.col("gpus") > 0)


def _by_day(frame: pl.DataFrame) -> pl.DataFrame:
    keys = [name for name in USAGE_COLUMNS if name != "quantity"]
    days = frame.group_by(keys).agg(pl.col("amount").sum())
    divisor = pl.col("measure").replace_strict(_SECONDS, return_dtype=pl.Int64)
    return (
        days.select(*keys, times(pl.col("amount"), 1, divisor).alias("quantity"))
        .filter(pl.col("quantity") > 0)
        .sort(keys)
    )
