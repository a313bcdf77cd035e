"""Pools: the money a split takes, summed up, and who is there to receive it.

A pool keeps its bill, day, currency, service and every dimension; resource and SKU end here, and so a pool is a
subject of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from attribution.allocation.evidence import Evidence
from attribution.rules import TAG, Coded, Split, coded, holds
from schemas.dimensions import NOBODY
from schemas.money import COSTS, known_sum

POOL_KEY = (
    "source", "bill_no", "billing_month", "BillingAccountId", "BillingCurrency", "ServiceName", "ServiceCategory",
    "ChargeCategory", "cost_element", "elasticity",
)  # fmt: skip
POOL = ("subject_row", "usage_date", "allocation_id")


@dataclass(frozen=True)
class Standing:
    """Where all money stands between two splits.

    `rows`: costs with `subject_row` (a row of `subjects`), `context` (null for shares) and `live`, which is false
    for money that a split has moved away and for the negations that say so. `allocation_id` counts from 0.
    """

    rows: pl.DataFrame
    subjects: pl.DataFrame
    allocations: pl.DataFrame
    evidence: Evidence

    def column(self, name: str) -> Coded:
        """A column that a condition may ask, for every row."""
        if name.startswith(TAG):
            own = self.evidence.column(name).at(self.rows.get_column("context"))
            return replace(own, codes=own.codes.fill_null(0))
        if name == "usage_date":
            return coded(self.rows.get_column(name))
        if name in self.allocations.columns:
            return coded(self.allocations.get_column(name)).at(self.rows.get_column("allocation_id"))
        if name not in self.subjects.columns:
            return self.evidence.column(name).at(pl.zeros(self.rows.height, pl.UInt32, eager=True))
        return coded(self.subjects.get_column(name)).at(self.rows.get_column("subject_row"))

    def meets(self, split: Split) -> pl.Series:
        """The rows a split takes from."""
        return holds(split.when, self.column, self.rows.height) & self.rows.get_column("live")


def window(split: Split) -> pl.Expr:
    """The first day of the window that a usage date lies in."""
    return pl.col("usage_date").dt.truncate("1mo" if split.within == "month" else "1d").alias("window")


def with_pool_subjects(standing: Standing, taken: pl.DataFrame) -> tuple[Standing, pl.DataFrame]:
    """Give the pools of `taken` their subjects, new ones at the end; adds `pool_row` to the rows taken."""
    subjects = standing.subjects
    keys = subjects.select(POOL_KEY)
    needed = keys[taken.get_column("subject_row").unique().sort()].unique().sort(POOL_KEY)
    at = _pool_rows(subjects)
    new = needed.join(at, on=POOL_KEY, how="anti", nulls_equal=True, maintain_order="left")
    first = subjects.select(pl.col("subject_id").max().fill_null(0) + 1).item()
    new = new.with_columns(
        pl.int_range(first, first + new.height, dtype=pl.Int64).alias("subject_id"), pl.lit(value=True).alias("is_pool")
    )
    subjects = pl.concat([subjects, new], how="diagonal")
    rows = keys[taken.get_column("subject_row")].join(
        _pool_rows(subjects), on=POOL_KEY, how="left", nulls_equal=True, maintain_order="left", validate="m:1"
    )
    return replace(standing, subjects=subjects), taken.with_columns(rows.get_column("pool_row"))


def _pool_rows(subjects: pl.DataFrame) -> pl.DataFrame:
    return subjects.select("is_pool", *POOL_KEY).with_row_index("pool_row").filter("is_pool").drop("is_pool")


def pools(split: Split, standing: Standing, taken: pl.DataFrame) -> pl.DataFrame:
    """Sum what was taken by pool subject, day and allocation.

    Returns:
        Rows (POOL, COSTS, window, BillingCurrency, the across dimensions), sorted.
    """
    summed = taken.group_by(pl.col("pool_row").alias("subject_row"), "usage_date", "allocation_id").agg(
        known_sum(column) for column in COSTS
    )
    summed = summed.sort(POOL).with_columns(window(split))
    currency = standing.subjects.get_column("BillingCurrency").gather(summed.get_column("subject_row"))
    own = standing.allocations.select(split.across)[summed.get_column("allocation_id")]
    return pl.concat([summed.with_columns(currency), own], how="horizontal")


def present(split: Split, standing: Standing, taken: pl.Series) -> pl.DataFrame:
    """Who is there besides the pool: rows (window, BillingCurrency, across..., EffectiveCost), nobody left out."""
    who = standing.allocations.select("allocation_id", *split.across)
    numbered = who.select(split.across).unique().with_row_index("who")
    number = who.join(numbered, on=split.across, how="left", maintain_order="left").get_column("who")
    currencies = coded(standing.subjects.get_column("BillingCurrency"))
    rows = standing.rows.filter(standing.rows.get_column("live") & ~taken)
    found = (
        rows.select(
            window(split),
            number.gather(rows.get_column("allocation_id")),
            currencies.at(rows.get_column("subject_row")).codes.alias("currency"),
            "EffectiveCost",
        )
        .group_by("window", "who", "currency")
        .agg(pl.col("EffectiveCost").sum())
        .join(numbered, on="who")
    )
    found = found.with_columns(currencies.values.gather(found.get_column("currency")).alias("BillingCurrency"))
    somebody = ~pl.any_horizontal(pl.col(split.across).is_in(list(NOBODY)))
    return found.filter(somebody).select("window", "BillingCurrency", *split.across, "EffectiveCost")
