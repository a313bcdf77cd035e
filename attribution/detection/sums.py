"""Daily costs summed to what growth compares: by subject, month, source and SKU, in whole units of money.

The surprise: a quantity is a float, and float sums depend on the order of rows; so it is made a decimal first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

import polars as pl

from attribution.detection.windows import Windows
from schemas.dimensions import NOBODY, SHARED, UNALLOCATED
from schemas.money import MONEY

USAGE = "Usage"
"""The charge category that growth is judged on: purchases, credits, tax and adjustments are in the net alone."""

COLUMN_OF = {"service": "ServiceName", "region": "RegionId", "account": "SubAccountId"}
PLACES = ("RegionId", "SubAccountId")
UNKNOWN_VALUE = "(none)"
"""What a place is called that the bill leaves blank."""

_QUANTITY = pl.Decimal(38, 12)
_LARGEST = 1e20  # what still fits in a sum of quantities; a larger one is unknown, and its cost is mix


_UNITS = ("cost", "previous_cost", "net", "previous_net")
_COUNTS = (
    "rows", "previous_rows", "known", "previous_known", "net_rows", "previous_net_rows", "net_known",
    "previous_net_known",
)  # fmt: skip


class Key(NamedTuple):
    """One subject in one month and currency; `values` are its dimension values, in the subject's order."""

    values: tuple[str, ...]
    currency: str
    month: date


@dataclass
class BySource:
    """One source's share of a subject, in units of 1e-12.

    `matched`: SKUs with a quantity on both sides; `new` and `vanished`: SKUs of this side or of the other alone.
    """

    cost: int = 0
    previous: int = 0
    matched: int = 0
    matched_previous: int = 0
    old_price_new_quantity: int = 0
    new: int = 0
    vanished: int = 0


@dataclass
class Sums:
    """All that is known of one subject in one month. The counts tell unknown costs from costs of zero."""

    sources: dict[str, BySource] = field(default_factory=dict)
    net: int = 0
    previous_net: int = 0
    rows: int = 0
    known: int = 0
    previous_rows: int = 0
    previous_known: int = 0
    net_rows: int = 0
    net_known: int = 0
    previous_net_rows: int = 0
    previous_net_known: int = 0
    owner: str = UNALLOCATED
    project: str = UNALLOCATED

    @property
    def partly_unknown(self) -> bool:
        """Some charges have no EffectiveCost, others do."""
        return 0 < self.known < self.rows or 0 < self.previous_known < self.previous_rows


def place(costs: pl.LazyFrame, laid: Windows, names: Sequence[str], every: str = "1mo") -> pl.DataFrame:
    """Sum daily costs over the days laid out, each in the months it counts for: its own, or as the base of the next.

    Args:
        costs: daily costs.
        laid: which days count for which month.
        names: every column that some subject is made of.
        every: what the months of `laid` are: "1mo" months, "1w" weeks from Monday.

    Returns:
        One row a combination of those columns x owner x project x currency x source x month x `item` x `sku`: `item`
        is the SkuId of usage, and `sku` the same where there is a quantity; amounts and counts of this month and of
        the one before side by side.
    """
    # Month by month: each charge counts in two of them, by thirty figures, which for five million are 4 GiB at once.
    by_month = laid.frame.partition_by("month") or [laid.frame]
    return pl.concat([_place(costs, days, names, every) for days in by_month])


def _place(costs: pl.LazyFrame, days: pl.DataFrame, names: Sequence[str], every: str) -> pl.DataFrame:
    """`place` of one month."""
    quantity = pl.when(pl.col("ConsumedQuantity").is_finite() & (pl.col("ConsumedQuantity").abs() < _LARGEST)).then(
        "ConsumedQuantity"
    )
    cost, now, usage = pl.col("EffectiveCost"), pl.col("month") == pl.col("data_month"), pl.col("usage")
    sides = (("", now), ("previous_", ~now))
    by = dict.fromkeys((*names, "owner", "project", "BillingCurrency", "source", "month", "item", "sku"))
    return (
        costs.filter(pl.col("usage_date").is_between(days.get_column("first").min(), days.get_column("last").max()))
        .with_columns(
            pl.col("usage_date").dt.truncate(every).alias("data_month"),
            (pl.col("ChargeCategory") == USAGE).alias("usage"),
            quantity.cast(_QUANTITY).alias("quantity"),
        )
        .join(days.lazy(), on=["source", "data_month"])
        .filter(pl.col("usage_date").is_between("first", "last"))
        .with_columns(
            pl.when(usage).then("SkuId").alias("item"),
            pl.when(usage & pl.col("quantity").is_not_null()).then("SkuId").alias("sku"),
            *(pl.col(name).fill_null(UNKNOWN_VALUE) for name in PLACES if name in by),
        )
        .group_by(list(by))
        .agg(
            *(cost.filter(side & usage).sum().alias(f"{name}cost") for name, side in sides),
            *(cost.filter(side).sum().alias(f"{name}net") for name, side in sides),
            *(pl.col("quantity").filter(side & usage).sum().alias(f"{name}quantity") for name, side in sides),
            *((side & usage).sum().alias(f"{name}rows") for name, side in sides),
            *(cost.filter(side & usage).count().alias(f"{name}known") for name, side in sides),
            *(side.sum().alias(f"{name}net_rows") for name, side in sides),
            *(cost.filter(side).count().alias(f"{name}net_known") for name, side in sides),
        )
        .collect()
    )


def sum_up(placed: pl.DataFrame, subject: tuple[str, ...]) -> dict[Key, Sums]:
    """Sum one kind of subject.

    Args:
        placed: what `place` made.
        subject: the columns that make a subject together.
    """
    keys = [f"__{number}" for number in range(len(subject))]
    named = zip(keys, subject, strict=True)
    costs = placed.lazy().with_columns(pl.col(COLUMN_OF.get(name, name)).alias(key) for key, name in named)
    by = [*keys, "BillingCurrency", "month"]
    summed, people = pl.collect_all([_by_source(costs, [*by, "source"]), _people(costs, by)])
    sums: dict[Key, Sums] = {}
    for row in summed.iter_rows(named=True):
        key = Key(tuple(row[name] for name in keys), row["BillingCurrency"], row["month"])
        _add(sums.setdefault(key, Sums()), row)
    for row in people.iter_rows(named=True):
        found = sums[Key(tuple(row[name] for name in keys), row["BillingCurrency"], row["month"])]
        found.owner = only(row["owners"])
        found.project = only(row["projects"])
    return sums


def _by_source(costs: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
    """Sums of each source, and beside them the figures of each SKU that has a quantity in both months."""
    matched = pl.col("sku").is_not_null() & (pl.col("quantity") > 0) & (pl.col("previous_quantity") > 0)
    figures = ("previous_cost", "previous_quantity", "quantity")
    totals = [pl.col(name).sum() for name in (*_UNITS, *_COUNTS)]
    alone = [
        (pl.col("item").is_not_null() & (pl.col(side).sum().over([*by, "item"]) == 0)).alias(name)
        for name, side in (("is_new", "previous_rows"), ("has_vanished", "rows"))
    ]
    return (
        costs.group_by([*by, "item", "sku"])
        .agg(*totals, pl.col("quantity", "previous_quantity").sum())
        .with_columns(alone)
        .group_by(by)
        .agg(
            *totals,
            pl.col("cost").filter(matched).sum().alias("matched"),
            pl.col("previous_cost").filter(matched).sum().alias("previous_matched"),
            pl.col("cost").filter("is_new").sum().alias("new"),
            pl.col("previous_cost").filter("has_vanished").sum().alias("vanished"),
            *(pl.col(name).filter(matched).to_physical().alias(f"sku_{name}") for name in figures),
        )
        .with_columns(pl.col(*_UNITS, "matched", "previous_matched", "new", "vanished").cast(MONEY).to_physical())
    )


def _people(costs: pl.LazyFrame, by: list[str]) -> pl.LazyFrame:
    """Owners and projects of the money compared; a row without cost names nobody."""
    there = pl.any_horizontal(pl.col("net", "previous_net") != 0) | (pl.col("net_known") < pl.col("net_rows"))
    return costs.group_by(by).agg(
        pl.col("owner").filter(there).unique().alias("owners"),
        pl.col("project").filter(there).unique().alias("projects"),
    )


def only(values: list[str]) -> str:
    """The one somebody among the values; `shared` where there are several, `unallocated` where there is none."""
    somebody = {value for value in values if value not in NOBODY}
    if len(somebody) == 1:
        return somebody.pop()
    return SHARED if somebody else UNALLOCATED


def _add(sums: Sums, row: dict[str, Any]) -> None:
    """Add one source."""
    for name in (*_COUNTS, "net", "previous_net"):
        setattr(sums, name, getattr(sums, name) + row[name])
    if row["rows"] or row["previous_rows"]:
        skus = zip(row["sku_previous_cost"], row["sku_quantity"], row["sku_previous_quantity"], strict=True)
        sums.sources[row["source"]] = BySource(
            cost=row["cost"],
            previous=row["previous_cost"],
            matched=row["matched"],
            matched_previous=row["previous_matched"],
            new=row["new"],
            vanished=row["vanished"],
            old_price_new_quantity=sum((2 * cost * new + old) // (2 * old) for cost, new, old in skus),
        )
