"""What is known and what lacks of the rates between currencies; `schemas.exchange` applies them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.wording import amount, month
from schemas.money import known_sum

KIND = "rate_missing"


def rates_on(day: date, rates: pl.DataFrame, currency: str) -> dict[str, Decimal]:
    """Currency -> what one unit of it is worth in another, by the newest month up to a day; 1 for itself."""
    known = rates.filter(pl.col("to") == currency, pl.col("month") <= day).sort("month")
    return dict(known.select("from", "rate").iter_rows()) | {currency: Decimal(1)}


def missing_rates(apart: pl.DataFrame, currency: str) -> pl.DataFrame:
    """Report each currency whose costs no sum over currencies holds, for want of a rate."""
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
            evidence=f"No rate from {code} to {currency} is stated for {told}{much} stands in no budget, no "
            "forecast and no total in one currency. State it under [inputs] rates.",
            cost_at_stake=cost,
            currency=code,
        )
