"""Weekends evened out: what the days compared would have cost before, had they been the weekdays they are now.

The surprise: only a plain pattern counts. Where no weekday stands clear of another, chance would be taken for habit,
and a difference of plain rates is what anybody can check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction

import polars as pl

from attribution.detection.sums import COLUMN_OF, USAGE, Key
from attribution.detection.windows import Windows, month_length, next_month

PATTERN = Fraction(5, 4)
"""How much dearer the median of the dearest weekday is than that of the cheapest, at least."""

LEAST_DAYS = 21
"""Days of the month before that a pattern is read from: three of each weekday."""

_WEEK = 7


def evened(costs: pl.LazyFrame, laid: Windows, subject: tuple[str, ...]) -> dict[Key, dict[str, Fraction]]:
    """Factors for the cost of the days before, of those that need one.

    A subject's month has a pattern where it had usage on every day of it that its source has data of, the dearest
    weekday's median is PATTERN times the cheapest one's, and the dearest of the one is below the cheapest of the other.

    Args:
        costs: daily costs.
        laid: the days compared.
        subject: the columns that make a subject together.

    Returns:
        Subject and month -> source -> what the previous cost is multiplied by.
    """
    keys = [f"__{number}" for number in range(len(subject))]
    by = [*keys, "BillingCurrency", "source", "month"]
    named = (pl.col(COLUMN_OF.get(name, name)).alias(key) for key, name in zip(keys, subject, strict=True))
    cost = pl.col("EffectiveCost")
    daily = (
        costs.filter(pl.col("ChargeCategory") == USAGE, cost.is_not_null())
        .with_columns(*named, pl.col("usage_date").dt.month_start().alias("month"))
        .group_by([*by, "usage_date"])
        .agg(cost.sum().to_physical())
        .with_columns(pl.col("usage_date").dt.weekday().alias("weekday"))
    )
    middle = [cost.sort().gather((cost.len() - less) // 2).first() for less in (0, 1)]
    weekdays = daily.group_by([*by, "weekday"]).agg(
        cost.len().cast(pl.Int32).alias("days"),
        cost.min().alias("least"),
        cost.max().alias("most"),
        (middle[0] + middle[1]).alias("twice"),
    )
    profiles = (
        weekdays.group_by(by)
        .agg(pl.col("weekday", "days", "least", "most", "twice").sort_by("twice", "weekday"))
        .filter(pl.col("weekday").list.len() == _WEEK, pl.col("days").list.sum() >= LEAST_DAYS)
        .filter(pl.col("twice").list.first() > 0, pl.col("most").list.first() < pl.col("least").list.last())
        .collect()
    )
    factors: dict[Key, dict[str, Fraction]] = {}
    for row in profiles.iter_rows(named=True):
        twice = dict(zip(row["weekday"], row["twice"], strict=True))
        source, month = row["source"], next_month(row["month"])
        whole = sum(row["days"]) == laid.data_days.get((source, row["month"]), month_length(row["month"]))
        if whole and row["twice"][-1] >= PATTERN * row["twice"][0] and (source, month) in laid.spans:
            key = Key(tuple(row[name] for name in keys), row["BillingCurrency"], month)
            now, before = (_mean(twice, days) for days in laid.spans[source, month])
            factors.setdefault(key, {})[source] = now / before
    return factors


def _mean(twice: dict[int, int], days: tuple[date, date]) -> Fraction:
    """Mean of a span of days by what each weekday usually costs."""
    counted = Counter(day.isoweekday() for day in _each(*days))
    return Fraction(sum(twice[weekday] * count for weekday, count in counted.items()), sum(counted.values()))


def _each(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += timedelta(days=1)
