"""Split: move money that serves many to those it serves, losing nothing.

What a split takes stays in the table as it was, with a negation beside it and the shares at the receivers. Both the
rows taken and their negation are out of play from then on, so the next split sees what is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from attribution.allocation.pools import POOL, Standing, pools, present, with_pool_subjects
from attribution.allocation.resolve import Resolved
from attribution.allocation.shares import AllocationBook, Sheet, divide, receivers
from attribution.rules import SPLITS, RuleBook, Split
from schemas.costs import COST_COLUMNS, LINEAGE_COLUMNS, POOLED_COLUMNS
from schemas.faults import Fault, InputError, LawBrokenError
from schemas.money import COSTS, known_sum, shortest, sum_exactly


@dataclass(frozen=True)
class Divided:
    """Costs after all splits.

    `costs`: COST_COLUMNS, the rows that came in and after them negations and shares. `lineage`: one row a pool and
    receiver. `pooled`: which cost rows a pool was summed from. `notices`: money that nobody could take.
    """

    costs: pl.DataFrame
    allocations: pl.DataFrame
    subjects: pl.DataFrame
    lineage: pl.DataFrame
    pooled: pl.DataFrame
    notices: tuple[str, ...] = ()


def split(resolved: Resolved, rules: RuleBook) -> Divided:
    """Carry out every `[[split]]` in file order.

    Args:
        resolved: what `resolve` gave, unfiltered.
        rules: the same rule book.

    Raises:
        InputError: a split names a receiver that an earlier split emptied.
        LawBrokenError: what a split added does not sum to zero.
    """
    evidence = resolved.evidence
    rows = resolved.costs.with_columns(
        evidence.of_line.alias("context"),
        evidence.contexts.get_column("subject_row").gather(evidence.of_line),
        pl.lit(value=True).alias("live"),
    )
    subjects = resolved.subjects.with_columns(pl.lit(value=False).alias("is_pool"))
    standing = Standing(rows.drop("subject_id"), subjects, resolved.allocations, evidence)
    book = AllocationBook(resolved.allocations, rules.names)
    lineage, pooled = [pl.DataFrame(schema=LINEAGE_COLUMNS)], [pl.DataFrame(schema=POOLED_COLUMNS)]
    emptied = pl.DataFrame(schema=_EMPTIED)
    notices: list[str] = []
    for one in rules.splits:
        step = _carry_out(one, standing, book, emptied)
        standing = step.standing
        lineage.append(step.lineage)
        pooled.append(step.pooled)
        emptied = pl.concat([emptied, step.emptied])
        notices += step.notices
    ids = standing.subjects.get_column("subject_id").gather(standing.rows.get_column("subject_row"))
    return Divided(
        standing.rows.with_columns(ids).select(list(COST_COLUMNS)),
        standing.allocations,
        standing.subjects.drop("is_pool"),
        pl.concat(lineage),
        pl.concat(pooled),
        (*resolved.notices, *notices),
    )


_EMPTIED: dict[str, pl.DataType] = {
    "dimension": pl.String(),
    "value": pl.String(),
    "month": pl.Date(),
    "BillingCurrency": pl.String(),
    "split": pl.String(),
}


@dataclass(frozen=True)
class _Step:
    """What one split did."""

    standing: Standing
    lineage: pl.DataFrame
    pooled: pl.DataFrame
    emptied: pl.DataFrame
    notices: list[str]


def _carry_out(split: Split, standing: Standing, book: AllocationBook, emptied: pl.DataFrame) -> _Step:
    meets = standing.meets(split)
    if not meets.any():
        lineage, pooled, none = (pl.DataFrame(schema=one) for one in (LINEAGE_COLUMNS, POOLED_COLUMNS, _EMPTIED))
        return _Step(standing, lineage, pooled, none, [f'split "{split.name}" found no money to move'])
    there = present(split, standing, meets)
    standing, taken = with_pool_subjects(standing, standing.rows.with_row_index("row").filter(meets))
    found = pools(split, standing, taken)
    _refuse_circles(split, found, there, emptied)
    weights = SPLITS[split.by](split, found.select("window", "BillingCurrency").unique(), there)
    named = standing.allocations.drop("allocation_id")[found.get_column("allocation_id")].rows()
    sheet = divide(split, found, named, receivers(split, weights), book)
    moved = found.with_row_index("pool").filter(~pl.col("pool").is_in(sheet.left))
    key = ["pool_row", "usage_date", "allocation_id"]
    taken = taken.join(moved.select(pl.col("subject_row").alias("pool_row"), *POOL[1:]), on=key, how="semi")
    standing = replace(
        standing, rows=_after(standing.rows, taken, _new_rows(split, sheet, found)), allocations=book.close()
    )
    pooled = taken.select(
        pl.lit(split.name).alias("split"),
        standing.subjects.get_column("subject_id").gather(taken.get_column("subject_row")),
        "usage_date",
        "allocation_id",
        standing.subjects.get_column("subject_id").gather(taken.get_column("pool_row")).alias("pool_subject_id"),
    )
    lineage = _lineage(split, sheet, found, standing.subjects)
    return _Step(standing, lineage, pooled, _emptied(split, moved), _left(split, found[sheet.left]))


def _new_rows(split: Split, sheet: Sheet, found: pl.DataFrame) -> pl.DataFrame:
    """Negations and shares; pools that differ only in who named their value before are one from here on."""
    new = sheet.rows(found)
    for column in COSTS:
        left = sum_exactly(new.get_column(column))
        if left:
            message = f'split "{split.name}": {column} of what it moved sums to {left}'
            raise LawBrokenError(message)
    keys = ["subject_row", "usage_date", "allocation_id", "live"]
    return new.group_by(keys, maintain_order=True).agg(known_sum(column) for column in COSTS)


def _after(rows: pl.DataFrame, taken: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """All rows once the taken ones are out of play and the new ones in."""
    gone = pl.int_range(rows.height, dtype=pl.UInt32, eager=True).is_in(taken.get_column("row").implode())
    rows = rows.with_columns(rows.get_column("live") & ~gone)
    return pl.concat([rows, new.select(pl.col(name) for name in new.columns)], how="diagonal")


def _lineage(split: Split, sheet: Sheet, found: pl.DataFrame, subjects: pl.DataFrame) -> pl.DataFrame:
    shares = sheet.lineage()
    at = found[shares.get_column("pool")]
    ids = subjects.get_column("subject_id").gather(at.get_column("subject_row"))
    named = at.with_columns(ids, pl.lit(split.name).alias("split")).rename({"allocation_id": "pool_allocation_id"})
    return pl.concat([named, shares], how="horizontal").select(list(LINEAGE_COLUMNS))


def _left(split: Split, left: pl.DataFrame) -> list[str]:
    """Say what stays where it is, by month and currency."""
    sums = (
        left.group_by(pl.col("window").dt.truncate("1mo"), "BillingCurrency")
        .agg(pl.col("EffectiveCost").sum())
        .sort("window", "BillingCurrency")
    )
    return [
        f'split "{split.name}": {shortest(amount)} {currency} of {month:%Y-%m} stays where it is; '
        "no receiver has a positive weight"
        for month, currency, amount in sums.iter_rows()
    ]


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
