"""Pools moved: what a split takes, summed up, divided among those that are there, and taken out of play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date

import polars as pl

from attribution.allocation.nodes import Shared
from attribution.allocation.pools import POOL, Standing, place_keys, pools, present, with_pool_subjects
from attribution.allocation.shares import AllocationBook, Sheet, Voice, divide, receivers
from attribution.rules import Split
from schemas.costs import LINEAGE_COLUMNS, POOLED_COLUMNS
from schemas.detection import NOTICE_COLUMNS
from schemas.faults import Fault, InputError, LawBrokenError
from schemas.money import COSTS, known_sum, shortest, sum_exactly

EMPTIED: dict[str, pl.DataType] = {
    "dimension": pl.String(),
    "value": pl.String(),
    "month": pl.Date(),
    "BillingCurrency": pl.String(),
    "split": pl.String(),
}
"""A value that a split left without money in a month, so that nobody may send it some later on."""

Weigh = Callable[[pl.DataFrame, pl.DataFrame], pl.DataFrame]
"""Function of the places where a pool is, and of who is there besides, giving the weights of the receivers."""


def _empty(columns: dict[str, pl.DataType]) -> Callable[[], pl.DataFrame]:
    return lambda: pl.DataFrame(schema=columns)


@dataclass(frozen=True)
class Step:
    """What one split did, or one of its parts."""

    standing: Standing
    lineage: pl.DataFrame = field(default_factory=_empty(LINEAGE_COLUMNS))
    pooled: pl.DataFrame = field(default_factory=_empty(POOLED_COLUMNS))
    emptied: pl.DataFrame = field(default_factory=_empty(EMPTIED))
    remarks: pl.DataFrame = field(default_factory=_empty(NOTICE_COLUMNS))
    notices: tuple[str, ...] = ()
    nodes: Shared | None = None


def move(
    split: Split,
    standing: Standing,
    meets: pl.Series,
    weigh: Weigh,
    book: AllocationBook,
    *,
    emptied: pl.DataFrame,
    voice: Voice | None = None,
) -> Step:
    """Take the rows of a pool and give them to its receivers.

    Args:
        split: which one.
        standing: where all money stands.
        meets: the rows to take.
        weigh: gives the weights.
        book: numbers the new allocations.
        emptied: what earlier splits left without money.
        voice: method and rule of the shares, where they are not the split's.

    Raises:
        InputError: the split names a receiver that an earlier one emptied.
        LawBrokenError: what it adds does not sum to zero.
    """
    there = present(split, standing, meets)
    standing, taken = with_pool_subjects(standing, standing.rows.with_row_index("row").filter(meets))
    found = pools(split, standing, taken)
    _refuse_circles(split, found, there, emptied)
    weights = weigh(found.select(place_keys(split)).unique(), there)
    named = standing.allocations.drop("allocation_id")[found.get_column("allocation_id")].rows()
    sheet = divide(split, found, named, receivers(split, weights), book, voice=voice)
    moved = found.with_row_index("pool").filter(~pl.col("pool").is_in(sheet.left))
    key = ["pool_row", "usage_date", "allocation_id"]
    taken = taken.join(moved.select(pl.col("subject_row").alias("pool_row"), *POOL[1:]), on=key, how="semi")
    standing = replace(
        standing, rows=after(standing.rows, taken, _new_rows(split, sheet, found)), allocations=book.close()
    )
    pooled = taken.select(
        pl.lit(split.name).alias("split"),
        standing.subjects.get_column("subject_id").gather(taken.get_column("subject_row")),
        "usage_date",
        "allocation_id",
        standing.subjects.get_column("subject_id").gather(taken.get_column("pool_row")).alias("pool_subject_id"),
    )
    left = _left(split, found[sheet.left])
    sentences = tuple(left.get_column("sentence").to_list())
    return Step(
        standing, _lineage(split, sheet, found, standing.subjects), pooled, _emptied(split, moved), left, sentences
    )


def sums_to_nothing(split: Split, new: pl.DataFrame) -> None:
    """Assert that negations and shares cancel out.

    Raises:
        LawBrokenError: they do not.
    """
    for column in COSTS:
        left = sum_exactly(new.get_column(column))
        if left:
            message = f'split "{split.name}": {column} of what it moved sums to {left}'
            raise LawBrokenError(message)


def _new_rows(split: Split, sheet: Sheet, found: pl.DataFrame) -> pl.DataFrame:
    """Negations and shares; pools that differ only in who named their value before are one from here on."""
    new = sheet.rows(found)
    sums_to_nothing(split, new)
    keys = ["subject_row", "usage_date", "allocation_id", "live"]
    return new.group_by(keys, maintain_order=True).agg(known_sum(column) for column in COSTS)


def after(rows: pl.DataFrame, taken: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """All rows once the taken ones are out of play and the new ones in."""
    rows = rows.with_columns(rows.get_column("live").scatter(taken.get_column("row"), values=False))
    return pl.concat([rows, new.select(pl.col(name) for name in new.columns)], how="diagonal")


def _lineage(split: Split, sheet: Sheet, found: pl.DataFrame, subjects: pl.DataFrame) -> pl.DataFrame:
    shares = sheet.lineage()
    at = found[shares.get_column("pool")]
    ids = subjects.get_column("subject_id").gather(at.get_column("subject_row"))
    named = at.with_columns(ids, pl.lit(split.name).alias("split")).rename({"allocation_id": "pool_allocation_id"})
    by_hour = [pl.lit(None, LINEAGE_COLUMNS[name]).alias(name) for name in ("hour", "job_id")]
    return pl.concat([named, shares], how="horizontal").with_columns(by_hour).select(list(LINEAGE_COLUMNS))


def _left(split: Split, left: pl.DataFrame) -> pl.DataFrame:
    """Say what stays where it is, by month and currency; NOTICE_COLUMNS."""
    sums = (
        left.group_by(pl.col("window").dt.truncate("1mo"), "BillingCurrency")
        .agg(pl.col("EffectiveCost").sum(), pl.col("window").unique().sort().alias("days"))
        .sort("window", "BillingCurrency")
    )
    rows = [
        (
            "split_without_receiver",
            f"split={split.name}",
            f'split "{split.name}": {shortest(amount)} {currency} of {month:%Y-%m} stays where it is; '
            + (f"{split.measure} has no weight for {_days(days, split)}" if split.by == "measure" else _NOBODY),
            amount,
            currency,
        )
        for month, currency, amount, days in sums.iter_rows()
    ]
    return pl.DataFrame(rows, schema=NOTICE_COLUMNS, orient="row")


_NOBODY = "no receiver has a positive weight"
_FEW = 3


def _days(days: list[date], split: Split) -> str:
    """The first days, or the month, that a measure does not have."""
    if split.within == "month":
        return f"{days[0]:%Y-%m}"
    shown, more = ", ".join(map(str, days[:_FEW])), len(days) - _FEW
    return shown if more <= 0 else f"{shown} and {more} more day{'s' * (more > 1)}"


def _emptied(split: Split, moved: pl.DataFrame) -> pl.DataFrame:
    """The values that money was taken from, to be looked at when a later split names one."""
    return pl.concat(
        moved.select(
            pl.lit(dimension).alias("dimension"),
            pl.col(dimension).alias("value"),
            pl.col("usage_date").dt.truncate("1mo").alias("month"),
            "BillingCurrency",
            pl.lit(split.name).alias("split"),
        ).unique()
        for dimension in split.across
    )


def _refuse_circles(split: Split, found: pl.DataFrame, there: pl.DataFrame, emptied: pl.DataFrame) -> None:
    """Refuse a receiver, named in the rules, that an earlier split left without any money in the same month."""
    names = [*(split.to or ()), *split.weights]
    first = split.across[0]
    at = ["month", "BillingCurrency"]
    months = found.select(pl.col("usage_date").dt.truncate("1mo").alias("month"), "BillingCurrency").unique()
    still = there.select(pl.col("window").dt.truncate("1mo").alias("month"), "BillingCurrency", value=first).unique()
    circles = (
        emptied.filter((pl.col("dimension") == first) & pl.col("value").is_in(names))
        .join(months, on=at, how="semi")
        .join(still, on=[*at, "value"], how="anti")
        .unique(subset=["value"], keep="first", maintain_order=True)
    )
    if circles.height:
        raise InputError(
            [
                Fault(
                    f'{split.file}: split "{split.name}"',
                    f'"{value}" was emptied by split "{earlier}"; the money would go in a circle.',
                    hint="Put this split before the other one, or take the value out.",
                )
                for value, earlier in circles.select("value", "split").iter_rows()
            ]
        )
