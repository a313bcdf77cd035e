"""Costs in the workspace's currency, by the month's rate: exact, half-even to 12 places, then summed.

The surprise: only a stated rate counts. The inverse of another one, or that of the month before, would be a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.wording import amount, month
from schemas.money import known_sum, multiply, shortest

KIND = "rate_missing"


@dataclass(frozen=True)
class Converted:
    """`costs`: rows in one currency, or with a null EffectiveCost where it is unknown. `apart`: rows without a rate."""

    costs: pl.DataFrame
    apart: pl.DataFrame


def convert(daily: pl.DataFrame, rates: pl.DataFrame, currency: str) -> Converted:
    """Bring EffectiveCost into one currency.

    Args:
        daily: rows with `usage_date`, `BillingCurrency`, `EffectiveCost`, and any other columns.
        rates: RATE_COLUMNS.
        currency: the one to bring it into.
    """
    own = daily.filter(pl.col("BillingCurrency") == currency)
    foreign = daily.filter(pl.col("BillingCurrency") != currency)
    if foreign.is_empty():
        return Converted(own, foreign)
    known = rates.filter(pl.col("to") == currency).select("month", pl.col("from").alias("BillingCurrency"), "rate")
    placed = foreign.with_columns(pl.col("usage_date").dt.month_start().alias("month")).join(
        known, on=["month", "BillingCurrency"], how="left", validate="m:1"
    )
    rated = placed.filter(pl.col("rate").is_not_null())
    factors = [pl.Series([None if one is None else shortest(one) for one in rated.get_column(name)], dtype=pl.String)
               for name in ("EffectiveCost", "rate")]  # fmt: skip
    worth = rated.with_columns(
        multiply(*factors).alias("EffectiveCost"), pl.lit(currency).alias("BillingCurrency")
    ).select(daily.columns)
    return Converted(pl.concat([own, worth]), placed.filter(pl.col("rate").is_null()).select(daily.columns))


def rates_on(day: date, rates: pl.DataFrame, currency: str) -> dict[str, Decimal]:
    """Currency -> what one unit of it is worth in another, by the newest month up to a day; 1 for itself."""
    known = rates.filter(pl.col("to") == currency, pl.col("month") <= day).sort("month")
    return dict(known.select("from", "rate").iter_rows()) | {currency: Decimal(1)}


def missing_rates(apart: pl.DataFrame, currency: str) -> pl.DataFrame:
    """Report each currency whose costs no budget holds, for want of a rate."""
    return together(as_frame(_missing(apart, currency)))


def _missing(apart: pl.DataFrame, currency: str) -> Iterator[Finding]:
    sums = apart.group_by("BillingCurrency").agg(
        known_sum("EffectiveCost"), pl.col("usage_date").dt.month_start().unique().sort().alias("months")
    )
    for code, cost, months in sums.sort("BillingCurrency").iter_rows():
        told = ", ".join(month(one) for one in months)
        much = "" if cost is None else f": {amount(cost)} {code}"
        yield Finding(
            kind=KIND,
            subject=f"currency={code}",
            evidence=f"No rate from {code} to {currency} is stated for {told}{much} stands in no budget and no "
            "forecast. State it under [inputs] rates.",
            cost_at_stake=cost,
            currency=code,
        )
