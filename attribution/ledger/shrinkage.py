"""Whether a bill falls by more than its source allows: rows, and money by currency, before and after.

EffectiveCost is asked for too, for it may come in files of its own: then a bill falls while what was billed stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from schemas.bills import BillKey
from schemas.money import EXACT, add_money, grouped
from schemas.workspace import Source


@dataclass(frozen=True)
class Measure:
    """What a delivery holds of a bill. `money`: cost column, BilledCost or EffectiveCost, and currency -> sum."""

    rows: int = 0
    money: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)


def together(measures: Iterable[Measure]) -> Measure:
    """Several deliveries' parts of one bill as one."""
    rows = 0
    money: dict[tuple[str, str], Decimal] = {}
    for one in measures:
        rows += one.rows
        add_money(money, one.money)
    return Measure(rows, money)


@dataclass(frozen=True)
class Guard:
    """What may not simply replace what counts.

    Attributes:
        standing: deliveries that make each bill now.
        measures: what each delivery holds of each bill.
        shrink: source -> share of rows or money by which a bill may fall; for a source not named, the default.
        accepted: deliveries that somebody said are right although they make a bill fall.
        refused: deliveries of which too much was refused, and why that holds them back.
        free: deliveries in which nothing costs anything, and why that is doubted.
        accept: sources of which all such deliveries are right, says whoever started this run.
    """

    standing: Mapping[BillKey, frozenset[str]] = field(default_factory=dict)
    measures: Mapping[tuple[str, BillKey], Measure] = field(default_factory=dict)
    shrink: Mapping[str, Decimal] = field(default_factory=dict)
    accepted: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)
    free: Mapping[str, str] = field(default_factory=dict)
    accept: frozenset[str] = frozenset()

    def fall(self, key: BillKey, before: Iterable[str], after: Iterable[str]) -> str:
        """In words how a bill falls by more than its source allows; blank where it does not.

        Args:
            key: the bill.
            before: digests of the deliveries that made it.
            after: digests of those that would make it.
        """
        limit = self.shrink.get(key.source, Source.shrink)
        old, new = (
            together(self.measures.get((digest, key), Measure()) for digest in sorted(set(digests)))
            for digests in (before, after)
        )
        told = []
        if _falls(Decimal(old.rows), Decimal(new.rows), limit):
            told.append(f"from {old.rows:,} rows to {new.rows:,}")
        fallen: set[str] = set()
        for (column, currency), amount in sorted(old.money.items()):
            left = new.money.get((column, currency), Decimal(0))
            # BilledCost comes first; where it fell, its EffectiveCost fell with it. An unknown cost has not fallen.
            unknown = (column, currency) not in new.money and ("BilledCost", currency) in new.money
            if currency not in fallen and not unknown and _falls(amount, left, limit):
                fallen.add(currency)
                told.append(f"from {column} {grouped(amount)} {currency} to {grouped(left)}")
        if not told:
            return ""
        return f"{' and '.join(told)}, more than the {grouped(limit * 100)} % that shrink allows"


def _falls(before: Decimal, after: Decimal, limit: Decimal) -> bool:
    """Whether an amount above zero falls by more than a share; of zero or less no share can be told.

    A share of 1 allows any fall, below zero too.
    """
    return before > 0 and limit < 1 and EXACT.subtract(before, after) > EXACT.multiply(before, limit)
