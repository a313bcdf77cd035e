"""What every export of usage becomes first: spans, one row a resource, pod (or part of one), time and measure.

Amounts are in seconds (GPU-seconds, core-seconds, byte-seconds), so that a day is summed exactly and divided once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache

import polars as pl

from attribution.inputs.csv_file import PLACE
from attribution.inputs.rows import Rows
from schemas.instants import INSTANT, parse_instants
from schemas.money import MONEY, NUMBER
from schemas.tagsets import canonical

WHAT = "usage"
SPAN_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),  # exports of one kind add up, of two kinds they say the same twice; null: fits all
    "resource_id": pl.String(),
    "node": pl.String(),
    "namespace": pl.String(),
    "pod": pl.String(),
    "part": pl.String(),  # container, GPU or claim
    "labels": pl.String(),
    "start": INSTANT,
    "end": INSTANT,
    "measure": pl.String(),
    "amount": MONEY,
    "__file": pl.String(),
    "__line": pl.Int64(),
}
_LONGEST = timedelta(hours=25)  # a day on which clocks are set back


def sheet_schema(columns: Iterable[str]) -> dict[str, pl.DataType]:
    """Schema of a sheet of text with these columns and each row's place."""
    return {name: pl.String() for name in columns} | {name: SPAN_COLUMNS[name] for name in PLACE}


def read_times(rows: Rows, start: str, end: str) -> None:
    """The columns `start` and `end`, the end exclusive; an end of :59 or :59:59 is the last second of the span."""
    rows.need(start, end)
    for column in (start, end):
        rows.read(column, parse_instants(rows.frame.get_column(column)), "an instant, ISO 8601", required=True)
    last = pl.col(end).dt.second() == 59  # noqa: PLR2004 - as clocks have it
    rows.frame = rows.frame.with_columns(pl.when(last).then(pl.col(end) + pl.duration(seconds=1)).otherwise(end))
    rows.refuse(pl.col(end) <= pl.col(start), end, "after the start")
    rows.refuse(pl.col(end) - pl.col(start) > _LONGEST, end, "at most a day after the start")
    rows.frame = rows.frame.with_columns(pl.col(start).alias("start"), pl.col(end).alias("end"))


def read_amounts(rows: Rows, column: str) -> None:
    """A column of exact numbers, none of them negative; an unreadable one refuses its row."""
    text = rows.frame.get_column(column)
    plain = text.set(~text.str.contains(NUMBER).fill_null(value=True), None)
    amount = plain.str.to_decimal(scale=12).cast(MONEY)
    known = amount.set((amount < 0).fill_null(value=False), None)
    rows.read(column, known, "a plain number, not negative", required=True)


def times(amount: pl.Expr, factor: int | pl.Expr, divisor: int | pl.Expr = 1) -> pl.Expr:
    """An amount x factor / divisor in whole units of 1e-12, half up; polars rounds products of decimals otherwise."""
    up, down = (pl.lit(one, pl.Int128) if isinstance(one, int) else one.cast(pl.Int128) for one in (factor, divisor))
    two = pl.lit(2, pl.Int128)
    return ((amount.to_physical().cast(pl.Int128) * up * two + down) // (down * two)).reinterpret(dtype=MONEY)


def merged(*texts: str | None) -> str | None:
    """Labels of several objects, as canonical JSON each, as one; what stands later wins."""
    return _merged(tuple(text for text in texts if text))


@cache
def _merged(texts: tuple[str, ...]) -> str | None:
    pairs: dict[str, str] = {}
    for text in texts:
        pairs |= json.loads(text)
    return canonical(pairs)


def merge_labels(frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """The column `labels` from several columns of labels, each distinct combination made once."""
    sets = frame.select(columns).unique()
    made = pl.Series("labels", [merged(*row) for row in sets.iter_rows()], dtype=pl.String)
    return frame.join(sets.with_columns(made), on=columns, how="left", nulls_equal=True, maintain_order="left")


def spans(frame: pl.DataFrame, measures: Mapping[str, str]) -> pl.DataFrame:
    """One row a measure: rows of a table with a column of seconds for each.

    Args:
        frame: rows with all span columns but `measure` and `amount`.
        measures: measure -> its column; where that is null there is no row.
    """
    fixed = [name for name in SPAN_COLUMNS if name not in ("measure", "amount", *PLACE)]
    parts = [
        frame.filter(pl.col(column).is_not_null()).select(
            *fixed, pl.lit(measure).alias("measure"), pl.col(column).alias("amount"), *PLACE
        )
        for measure, column in measures.items()
    ]
    return pl.concat([pl.DataFrame(schema=SPAN_COLUMNS), *parts])
