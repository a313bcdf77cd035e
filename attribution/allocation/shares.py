"""Shares: a pool divided in whole units, so that a negation and its shares sum to zero exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import polars as pl

from attribution.rules import Split
from schemas.costs import allocation_columns
from schemas.money import COSTS, MONEY, from_units, split_units

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Receiver:
    """Who receives, with the weight as a number and as it is kept."""

    values: tuple[str, ...]
    units: int
    weight: str


Receivers = dict[tuple[date, str], list[Receiver]]


def receivers(split: Split, weights: pl.DataFrame) -> Receivers:
    """Receivers of each window and currency, in the order of their names; the first one gets a unit left over."""
    weights = weights.filter(pl.col("weight") > 0).sort("window", "BillingCurrency", *split.across)
    texts = weights.select(
        pl.col("weight").cast(MONEY).cast(pl.String).str.strip_chars_end("0").str.strip_chars_end(".")
    ).to_series()
    units = weights.get_column("weight").cast(MONEY).to_physical()
    names = weights.select(split.across).rows()
    windows = weights.select("window", "BillingCurrency").rows()
    found: Receivers = {}
    for at, values, unit, text in zip(windows, names, units.to_list(), texts.to_list(), strict=True):
        found.setdefault(at, []).append(Receiver(values, unit, text))
    return found


class AllocationBook:
    """The allocations, with a number for each new one that a split makes."""

    def __init__(self, allocations: pl.DataFrame, dimensions: tuple[str, ...]) -> None:
        self.frame = allocations
        self.dimensions = dimensions
        self._new: dict[Row, int] = {}

    def moved(self, pool: Row, split: Split, values: tuple[str, ...]) -> int:
        """The allocation of a pool's money once it belongs to `values`; what is not in `across` stays the pool's."""
        row = list(pool)
        for dimension, value in zip(split.across, values, strict=True):
            at = 3 * self.dimensions.index(dimension)
            row[at : at + 3] = [value, "split", split.name]
        return self._new.setdefault(tuple(row), self.frame.height + len(self._new))

    def close(self) -> pl.DataFrame:
        """All allocations, old and new; the numbers stay."""
        schema = allocation_columns(self.dimensions)
        new = [(number, *row) for row, number in self._new.items()]
        self.frame = pl.concat([self.frame, pl.DataFrame(new, schema=schema, orient="row")])
        self._new = {}
        return self.frame


@dataclass
class Sheet:
    """New rows and their lineage while they are written, column by column."""

    pool: list[int] = field(default_factory=list)  # row of the pools frame
    allocation: list[int] = field(default_factory=list)
    live: list[bool] = field(default_factory=list)
    units: tuple[list[int | None], ...] = field(default_factory=lambda: tuple([] for _ in COSTS))
    lineage: list[tuple[int, int, int, int, str, str]] = field(default_factory=list)
    left: list[int] = field(default_factory=list)  # pools that nobody could take

    def rows(self, pools: pl.DataFrame) -> pl.DataFrame:
        """The new rows: (subject_row, usage_date, allocation_id, COSTS, live)."""
        at = pools[self.pool].select("subject_row", "usage_date")
        money = [from_units(units, name) for units, name in zip(self.units, COSTS, strict=True)]
        ids = pl.Series("allocation_id", self.allocation, dtype=pl.Int32())
        return at.with_columns(ids, *money, pl.Series("live", self.live, dtype=pl.Boolean()))


def divide(split: Split, pools: pl.DataFrame, named: list[Row], who: Receivers, book: AllocationBook) -> Sheet:
    """Divide every pool among the receivers of its window and currency, except its own value.

    Args:
        split: which one.
        pools: see `pools.pools`.
        named: the allocation of each pool, without its number.
        who: the receivers.
        book: numbers the new allocations.
    """
    sheet = Sheet()
    amounts = [pools.get_column(column).to_physical().to_list() for column in COSTS]
    own = pools.select(split.across).rows()
    others: dict[tuple[date, str, tuple[str, ...]], list[Receiver]] = {}
    for pool, (window, currency) in enumerate(pools.select("window", "BillingCurrency").iter_rows()):
        key = (window, currency, own[pool])
        if key not in others:
            others[key] = [one for one in who.get((window, currency), []) if one.values != own[pool]]
        if not others[key]:
            sheet.left.append(pool)
            continue
        totals = [column[pool] for column in amounts]
        if any(totals):
            ids = [
                book.moved(named[pool], split, values) for values in (own[pool], *(one.values for one in others[key]))
            ]
            _write(sheet, pool, totals, ids, others[key])
    return sheet


def _write(sheet: Sheet, pool: int, totals: list[int | None], ids: list[int], who: list[Receiver]) -> None:
    """One pool: the negation, the shares, and what each share was made of. `ids`: the negation's, then each share's."""
    weights = [one.units for one in who]
    whole = _text(weights)
    shares: dict[int | None, list[int] | list[None]] = {None: [None] * len(who)}
    for total in totals:
        if total is not None and total not in shares:
            shares[total] = split_units(total, weights)
    given = list(zip(*(shares[total] for total in totals), strict=True))
    columns = [tuple(None if total is None else -total for total in totals), *given]
    # A share of nothing makes no row; its weight is kept all the same, since it made the other shares what they are.
    kept = [(number, units) for number, units in zip(ids, columns, strict=True) if any(units)]
    for number, units in kept:
        sheet.pool.append(pool)
        sheet.allocation.append(number)
        sheet.live.append(number != ids[0])
        for column, unit in zip(sheet.units, units, strict=True):
            column.append(unit)
    sheet.lineage += [
        (pool, ids[0], number, position, one.weight, whole)
        for position, (number, one) in enumerate(zip(ids[1:], who, strict=True))
    ]


def _text(weights: list[int]) -> str:
    """The sum of the weights as decimal text."""
    digits = f"{sum(weights):013d}"
    return f"{digits[:-12]}.{digits[-12:]}".rstrip("0").rstrip(".")


def recompute(lineage: pl.DataFrame, column: str) -> pl.Series:
    """The share of every row of a lineage, from nothing but the pool's amount and the weights kept there.

    Args:
        lineage: LINEAGE_COLUMNS, whole pools, sorted by pool and `position`.
        column: which cost.
    """
    units: list[int | None] = []
    weights: list[int] = []
    pools = lineage.select("split", "subject_id", "usage_date", "pool_allocation_id").rows()
    amounts = lineage.get_column(column).to_physical().to_list()
    texts = pl.Series("w", lineage.get_column("weight")).str.to_decimal(scale=12).cast(MONEY).to_physical().to_list()
    for row, weight in enumerate(texts):
        weights.append(weight)
        if row + 1 == len(pools) or pools[row + 1] != pools[row]:
            whole = amounts[row]
            units += [None] * len(weights) if whole is None else split_units(whole, weights)
            weights = []
    return from_units(units, column)
