"""Sums over stretches of days. Null stays null where nothing is known: polars alone would make it zero."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import polars as pl

from attribution.reports.period import Period, Spans
from attribution.reports.report import Row
from schemas.dimensions import NOBODY
from schemas.money import MONEY

WEEKS = 8
_STRETCHES = ("this", "before", "month", "last_month", "billed")


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
    """One row a value of a column, dearest first, what is nobody's last; values without money now are left out."""
    weeks = _weeks(times.period.last)
    sums = daily.group_by(pl.col(column).alias("name")).agg(
        known_sum("EffectiveCost", within(times.period), "this"),
        known_sum("EffectiveCost", within(times.before), "before"),
        known_sum("EffectiveCost", within(times.month), "month"),
        known_sum("EffectiveCost", within(times.last_month), "last_month"),
        known_sum("BilledCost", within(times.period), "billed"),
        *(known_sum("EffectiveCost", within(week), f"week {n}") for n, week in enumerate(weeks)),
    )
    nothing = pl.all_horizontal((pl.col(*_STRETCHES) == 0).fill_null(value=False))
    ordered = sums.filter(~nothing).sort(
        pl.col("name").is_in(NOBODY), "this", "before", "last_month", "name",
        descending=[False, True, True, True, False], nulls_last=True,
    )  # fmt: skip
    return tuple(replace(Row(*row[:6]), weeks=row[6:]) for row in ordered.rows())


def _weeks(last: date) -> list[Period]:
    """The weeks that end with a day, oldest first."""
    return [
        Period(end - timedelta(days=6), end) for n in reversed(range(WEEKS)) for end in (last - timedelta(weeks=n),)
    ]
