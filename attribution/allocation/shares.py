"""Shares: a pool divided in whole units, so that a negation and its shares sum to zero exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import polars as pl

from attribution.allocation.pools import place_keys
from attribution.rules import Split
from schemas.costs import allocation_columns
from schemas.money import COSTS, MONEY, from_units, split_units

Row = tuple[str | None, ...]
Voice = tuple[str, str]


@dataclass(frozen=True)
class Receiver:
    """Who receives, with the weight as a number and as it is kept."""

    values: tuple[str, ...]
    units: int
    weight: str


Place = tuple[date | str, ...]
Receivers = dict[Place, list[Receiver]]


def receivers(split: Split, weights: pl.DataFrame) -> Receivers:
    """Receivers of each place (window, currency ...) by name; a unit left over goes to the first."""
    weights = weights.filter(pl.col("weight") > 0).sort(*place_keys(split), *split.across)
    units = weights.get_column("weight").cast(MONEY).to_physical().alias("units")
    texts = units.to_frame().select(decimal_text(pl.col("units"))).to_series()
    names = weights.select(split.across).rows()
    places = weights.select(place_keys(split)).rows()
    found: Receivers = {}
    for at, values, unit, text in zip(places, names, units.to_list(), texts.to_list(), strict=True):
        found.setdefault(at, []).append(Receiver(values, unit, text))
    return found


def decimal_text(units: pl.Expr) -> pl.Expr:
    """Whole units of 1e-12 as the shortest decimal text."""
    text = units.reinterpret(dtype=MONEY).cast(pl.String)
    return text.str.strip_chars_end("0").str.strip_chars_end(".")


class AllocationBook:
    """The allocations, with a number for each new one that a split makes."""

    def __init__(self, allocations: pl.DataFrame, dimensions: tuple[str, ...]) -> None:
        self.frame = allocations
        self.dimensions = dimensions
        self._new: dict[tuple[Row, bool], int] = {}

    def moved(
        self, pool: Row, split: Split, values: tuple[str, ...], *, away: bool = False, voice: Voice | None = None
    ) -> int:
        """The allocation of a pool's money once it belongs to `values`; what is not in `across` stays the pool's.

        What is taken `away` has numbers of its own, also where it reads like a share: who gives may receive as well,
        from another pool, and then the two are two rows. `voice` is the method and rule to say, where it is not the
        split's.
        """
        row = list(pool)
        for dimension, value in zip(split.across, values, strict=True):
            at = 3 * self.dimensions.index(dimension)
            row[at : at + 3] = [value, *(voice or ("split", split.name))]
        return self._new.setdefault((tuple(row), away), self.frame.height + len(self._new))

    def close(self) -> pl.DataFrame:
        """All allocations, old and new; the numbers stay."""
        schema = allocation_columns(self.dimensions)
        new = [(number, *row) for (row, _), number in self._new.items()]
        self.frame = pl.concat([self.frame, pl.DataFrame(new, schema=schema, orient="row")])
        self._new = {}
        return self.frame


@dataclass(frozen=True)
class Table:
    """The receivers of one kind of pool, in columns: where it goes, by which weight."""

    ids: list[int]
    units: list[int]
    weights: list[str]
    total: str
    negation: int


@dataclass
class Sheet:
    """Shares while they are written, column by column; one entry a pool and receiver."""

    pool: list[int] = field(default_factory=list)  # row of the pools frame
    allocation: list[int] = field(default_factory=list)
    position: list[int] = field(default_factory=list)
    weight: list[str] = field(default_factory=list)
    total: list[str] = field(default_factory=list)
    units: tuple[list[int | None], ...] = field(default_factory=lambda: tuple([] for _ in COSTS))
    negations: dict[int, int] = field(default_factory=dict)  # pool -> allocation of its negation
    left: list[int] = field(default_factory=list)  # pools that nobody could take

    def write(self, pool: int, totals: list[int | None], to: Table) -> None:
        """Divide one pool; equal amounts are divided once."""
        many = len(to.ids)
        shares: dict[int | None, list[int] | list[None]] = {None: [None] * many}
        for total, column in zip(totals, self.units, strict=True):
            if total not in shares:
                shares[total] = split_units(total, to.units)  # type: ignore[arg-type]
            column.extend(shares[total])
        self.pool += [pool] * many
        self.allocation += to.ids
        self.position += range(many)
        self.weight += to.weights
        self.total += [to.total] * many
        self.negations[pool] = to.negation

    def rows(self, pools: pl.DataFrame) -> pl.DataFrame:
        """The new rows: (subject_row, usage_date, allocation_id, COSTS, live), the negations first.

        A share of nothing makes no row.
        """
        lost = pools[list(self.negations)].select(
            *("subject_row", "usage_date"),
            pl.Series("allocation_id", list(self.negations.values()), dtype=pl.Int32()),
            *(-pl.col(column) for column in COSTS),
            pl.lit(value=False).alias("live"),
        )
        money = [from_units(units, name) for units, name in zip(self.units, COSTS, strict=True)]
        gained = pools[self.pool].select(
            *("subject_row", "usage_date"),
            pl.Series("allocation_id", self.allocation, dtype=pl.Int32()),
            *money,
            pl.lit(value=True).alias("live"),
        )
        some = pl.any_horizontal(pl.col(column) != 0 for column in COSTS)
        return pl.concat([lost, gained.filter(some)])

    def lineage(self) -> pl.DataFrame:
        """What each share was made of: (pool, negation and receiver allocation, position, weight, total_weight)."""
        return pl.DataFrame(
            {
                "pool": self.pool,
                "negation_allocation_id": [self.negations[pool] for pool in self.pool],
                "receiver_allocation_id": self.allocation,
                "position": self.position,
                "weight": self.weight,
                "total_weight": self.total,
            },
            schema=_LINEAGE,
        )


_LINEAGE: dict[str, pl.DataType] = {
    "pool": pl.Int64(),
    "negation_allocation_id": pl.Int32(),
    "receiver_allocation_id": pl.Int32(),
    "position": pl.Int32(),
    "weight": pl.String(),
    "total_weight": pl.String(),
}


def divide(
    split: Split,
    pools: pl.DataFrame,
    named: list[Row],
    who: Receivers,
    book: AllocationBook,
    *,
    voice: Voice | None = None,
) -> Sheet:
    """Divide every pool among the receivers of its place, except its own value.

    Args:
        split: which one.
        pools: see `pools.pools`.
        named: the allocation of each pool, without its number.
        who: the receivers.
        book: numbers the new allocations.
        voice: the method and rule of the shares, where they are not the split's.
    """
    sheet = Sheet()
    amounts = [pools.get_column(column).to_physical().to_list() for column in COSTS]
    own = pools.select(split.across).rows()
    tables: dict[tuple[date | str | int, ...], Table] = {}
    for pool, key in enumerate(pools.select(*place_keys(split), "allocation_id").iter_rows()):
        if key not in tables:
            tables[key] = _table(split, named[pool], own[pool], who.get(key[:-1], []), book, voice=voice)
        totals = [column[pool] for column in amounts]
        if not tables[key].ids:
            sheet.left.append(pool)
        elif any(totals):
            sheet.write(pool, totals, tables[key])
    return sheet


def _table(
    split: Split, pool: Row, own: tuple[str, ...], who: list[Receiver], book: AllocationBook, *, voice: Voice | None
) -> Table:
    """The receivers of all pools of one allocation in one place."""
    others = [one for one in who if one.values != own]
    ids = [book.moved(pool, split, one.values, voice=voice) for one in others]
    units = [one.units for one in others]
    negation = book.moved(pool, split, own, away=True, voice=voice) if ids else -1
    return Table(ids, units, [one.weight for one in others], _text(units), negation)


def _text(weights: list[int]) -> str:
    """The sum of the weights as decimal text."""
    digits = f"{sum(weights):013d}"
    return f"{digits[:-12]}.{digits[-12:]}".rstrip("0").rstrip(".")


def recompute(lineage: pl.DataFrame, column: str) -> pl.Series:
    """The share of every row of a lineage, from nothing but the pool's amount and the weights kept there.

    Args:
        lineage: LINEAGE_COLUMNS, whole pools, sorted by pool, `hour` and `position`.
        column: which cost.
    """
    units: list[int | None] = []
    weights: list[int] = []
    pools = lineage.select("split", "subject_id", "usage_date", "pool_allocation_id", "hour").rows()
    amounts = lineage.get_column(column).to_physical().to_list()
    texts = pl.Series("w", lineage.get_column("weight")).str.to_decimal(scale=12).cast(MONEY).to_physical().to_list()
    for row, weight in enumerate(texts):
        weights.append(weight)
        if row + 1 == len(pools) or pools[row + 1] != pools[row]:
            whole = amounts[row]
            units += [None] * len(weights) if whole is None else split_units(whole, weights)
            weights = []
    return from_units(units, column)
