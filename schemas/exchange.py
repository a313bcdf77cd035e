"""Costs of one currency in another, by the month's stated rate: exact, half-even to 12 places, then summed.

The surprise: only a stated rate counts. The inverse of another one, or that of the month before, would be a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN

import polars as pl

from schemas.money import EXACT, MONEY, UNIT, multiply, shortest


@dataclass(frozen=True)
class Converted:
    """`costs`: rows in one currency, null where unknown. `apart`: rows without a rate, as they were."""

    costs: pl.DataFrame
    apart: pl.DataFrame


def with_rates(dated: pl.DataFrame, rates: pl.DataFrame, currency: str) -> pl.DataFrame:
    """Rows with the `month` of their usage_date and the `rate` of their currency in it.

    The rate is null where none is stated, and in the currency itself, which needs none.

    Args:
        dated: rows with `usage_date`, `BillingCurrency`, and any other columns.
        rates: RATE_COLUMNS.
        currency: the one to bring them into.
    """
    into = (pl.col("to") == currency) & (pl.col("from") != currency)
    known = rates.filter(into).select("month", pl.col("from").alias("BillingCurrency"), "rate")
    placed = dated.with_columns(pl.col("usage_date").dt.month_start().alias("month"))
    return placed.join(known, on=["month", "BillingCurrency"], how="left", validate="m:1")


def convert(
    daily: pl.DataFrame, rates: pl.DataFrame, currency: str, costs: Sequence[str] = ("EffectiveCost",)
) -> Converted:
    """Bring costs into one currency, row by row.

    Args:
        daily: rows with `usage_date`, `BillingCurrency`, the costs, and any other columns.
        rates: RATE_COLUMNS.
        currency: the one to bring them into.
        costs: the columns of money.
    """
    own = daily.filter(pl.col("BillingCurrency") == currency)
    foreign = daily.filter(pl.col("BillingCurrency") != currency)
    if foreign.is_empty():
        return Converted(own, foreign)
    placed = with_rates(foreign, rates, currency)
    rated = placed.filter(pl.col("rate").is_not_null())
    worth = rated.with_columns(
        *(_worth(rated.get_column(name), rated.get_column("rate")) for name in costs),
        pl.lit(currency).alias("BillingCurrency"),
    ).select(daily.columns)
    return Converted(pl.concat([own, worth]), placed.filter(pl.col("rate").is_null()).select(daily.columns))


def _worth(costs: pl.Series, rates: pl.Series) -> pl.Series:
    worth = multiply(*(_texts(one) for one in (costs, rates)))
    # What is too large for whole columns of 128 bits goes one by one; null is then what was unknown.
    large = (worth.is_null() & costs.is_not_null()).arg_true()
    if len(large):
        exact = (EXACT.multiply(costs[row], rates[row]).quantize(UNIT, ROUND_HALF_EVEN, EXACT) for row in large)
        worth = worth.scatter(large, pl.Series(exact, dtype=MONEY))
    return worth.alias(costs.name)


def _texts(amounts: pl.Series) -> pl.Series:
    return pl.Series([None if one is None else shortest(one) for one in amounts], dtype=pl.String)
