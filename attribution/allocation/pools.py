"""Pools: the money a split takes, summed up, and who is there to receive it.

A pool keeps its bill, day, currency, service and every dimension; resource and SKU end here, and so a pool is a
subject of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from attribution.allocation.evidence import Evidence
from attribution.rules import TAG, Coded, Condition, Split, coded, holds
from schemas.dimensions import NOBODY
from schemas.money import COSTS, known_sum, read_money

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


def place_keys(split: Split) -> list[str]:
    """What pool and receiver have in common: window, currency, and the dimensions that money stays inside of."""
    return ["window", "BillingCurrency", *split.inside]


def pools(split: Split, standing: Standing, taken: pl.DataFrame) -> pl.DataFrame:
    """Sum what was taken by pool subject, day and allocation.

    Returns:
        Rows (POOL, COSTS, place keys, the across dimensions), sorted.
    """
    summed = taken.group_by(pl.col("pool_row").alias("subject_row"), "usage_date", "allocation_id").agg(
        known_sum(column) for column in COSTS
    )
    summed = summed.sort(POOL).with_columns(window(split))
    currency = standing.subjects.get_column("BillingCurrency").gather(summed.get_column("subject_row"))
    own = standing.allocations.select(*split.inside, *split.across)[summed.get_column("allocation_id")]
    return pl.concat([summed.with_columns(currency), own], how="horizontal")


def present(split: Split, standing: Standing, taken: pl.Series) -> pl.DataFrame:
    """Who is there besides the pool: rows (place keys, across..., EffectiveCost), nobody left out."""
    there = standing.rows.get_column("live") & ~taken
    return _by_receiver(split, standing, standing.rows.select(*POOL, "EffectiveCost").filter(there), "EffectiveCost")


def used(split: Split, standing: Standing, taken: pl.Series, of: Condition) -> pl.DataFrame:
    """What receivers consumed: rows (place keys, across..., ConsumedUnit, quantity), nobody left out."""
    there = standing.rows.get_column("live") & ~taken & holds(of, standing.column, standing.rows.height)
    rows = standing.rows.select(*POOL, "ConsumedQuantity").filter(there)
    quantity, _ = read_money(rows.get_column("ConsumedQuantity"))
    rows = rows.with_columns(quantity.alias("quantity")).drop_nulls("quantity")
    return _by_receiver(split, standing, rows, "quantity", "ConsumedUnit")


def _by_receiver(split: Split, standing: Standing, rows: pl.DataFrame, what: str, *facts: str) -> pl.DataFrame:
    """Sums of a column by place and receiver, and by facts of the subject."""
    names = [*split.inside, *split.across]
    who = standing.allocations.select("allocation_id", *names)
    numbered = who.select(names).unique().with_row_index("who")
    number = who.join(numbered, on=names, how="left", maintain_order="left").get_column("who")
    of_subject = {name: coded(standing.subjects.get_column(name)) for name in ("BillingCurrency", *facts)}
    found = (
        rows.select(
            window(split),
            number.gather(rows.get_column("allocation_id")),
            *(one.at(rows.get_column("subject_row")).codes.alias(name) for name, one in of_subject.items()),
            what,
        )
        .group_by("window", "who", *of_subject)
        .agg(pl.col(what).sum())
        .join(numbered, on="who")
    )
    found = found.with_columns(
        one.values.gather(found.get_column(name)).alias(name) for name, one in of_subject.items()
    )
    somebody = ~pl.any_horizontal(pl.col(split.across).is_in(list(NOBODY)))
    return found.filter(somebody).select(*place_keys(split), *split.across, *facts, what)
