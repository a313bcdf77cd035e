"""Sums over stretches of days. Null stays null where nothing is known: polars alone would make it zero."""

from __future__ import annotations

import polars as pl

from attribution.reports.period import Period, Spans
from attribution.reports.report import Row
from schemas.money import MONEY


def within(period: Period) -> pl.Expr:
    """Whether a row's usage date lies in a period; a month's sum counts in whole months only."""
    dated = pl.col("usage_date").is_between(period.first, period.last)
    return dated if period.is_month else dated & ~pl.col("monthly")


def known_sum(column: str, mask: pl.Expr, name: str) -> pl.Expr:
    """Sum of what is known where `mask` holds: 0 of no rows, null of rows of which none is known."""
    chosen = pl.col(column).filter(mask)
    nothing_known = (chosen.len() > 0) & (chosen.count() == 0)
    return pl.when(~nothing_known).then(chosen.sum()).cast(MONEY).alias(name)


def rows_by(daily: pl.DataFrame, column: str, times: Spans) -> tuple[Row, ...]:
    """One row a value of a column, dearest first; values without any money in the stretches are left out."""
    sums = daily.group_by(pl.col(column).alias("name")).agg(
        known_sum("EffectiveCost", within(times.period), "this"),
        known_sum("EffectiveCost", within(times.before), "before"),
        known_sum("EffectiveCost", within(times.month), "month"),
        known_sum("EffectiveCost", within(times.last_month), "last_month"),
        known_sum("BilledCost", within(times.period), "billed"),
    )
    nothing = pl.all_horizontal((pl.exclude("name") == 0).fill_null(value=False))
    ordered = sums.filter(~nothing).sort(
        "this", "before", "last_month", "name", descending=[True, True, True, False], nulls_last=True
    )
    return tuple(Row(*row) for row in ordered.rows())
