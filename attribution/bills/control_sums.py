"""What a control sum adds: raw columns of each cost, amounts within lists, and the sums so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from attribution.bills.control_numbers import NUMBER
from schemas.money import EXACT

_WITHIN = r"""(?:"NAME"|'NAME')\s*:\s*(?:Decimal\()?["']?([-+.\dEe]+)["']?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
BLANKS = ("", "NULL", "null", "\\N")


Inner = Mapping[str, tuple[str, str]]
"""Cost column -> a raw column that holds lists, and the field of each element that is added to that cost."""


Costs = Mapping[str, tuple[str, ...]]
"""Cost column -> raw columns that may hold it, best first; in each row the first that is not blank counts."""


@dataclass(frozen=True)
class Wanted:
    """What is summed: raw columns of each cost, from a file's columns, and amounts within lists."""

    costs: Callable[[tuple[str, ...]], Costs]
    inner: Inner
    blanks: tuple[str, ...] = BLANKS

    def of(self, names: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, tuple[str, str]]]:
        """Those raw columns that a file has: of each cost, and of each cost within lists with the field."""
        lists = _columns(names, {cost: (raw,) for cost, (raw, _) in self.inner.items()})
        inside = {cost: (raw, self.inner[cost][1]) for cost, (raw,) in lists.items()}
        return _columns(names, self.costs(tuple(names))), inside


@dataclass
class Sums:
    """Rows, exact totals of each cost, and how many of its cells are no number."""

    rows: int = 0
    totals: dict[str, Decimal] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)

    def add(self, cost: str, amount: Decimal, unreadable: int) -> None:
        """Add to one cost."""
        self.totals[cost] = EXACT.add(self.totals.get(cost, Decimal(0)), amount)
        if unreadable:
            self.unreadable[cost] = self.unreadable.get(cost, 0) + unreadable

    def take(self, more: Sums) -> None:
        """Add other rows and all that they sum to."""
        self.rows += more.rows
        for cost, amount in more.totals.items():
            self.add(cost, amount, more.unreadable.get(cost, 0))


def _columns(names: Sequence[str], wanted: Costs) -> dict[str, list[str]]:
    """Raw columns present for each cost: by exact name, else without regard to case."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    found = {
        cost: [raw if raw in names else folded[raw.casefold()] for raw in raws if raw.casefold() in folded]
        for cost, raws in wanted.items()
    }
    return {cost: raws for cost, raws in found.items() if raws}


def all_columns(found: dict[str, list[str]], lists: dict[str, tuple[str, str]]) -> list[str]:
    """Every raw column that these costs need, once."""
    return sorted({raw for raws in found.values() for raw in raws} | {raw for raw, _ in lists.values()})


def sum_within(texts: pa.Array, name: str) -> tuple[Decimal, int]:
    """Exact sum of the amounts inside text cells; each distinct text is searched once."""
    total = Decimal(0)
    for pair in pc.value_counts(pc.drop_null(texts)).to_pylist():
        for amount in nested_amounts(pair["values"], name):
            total = EXACT.add(total, EXACT.multiply(Decimal(amount), pair["counts"]))
    return total, 0


def nested_amounts(text: str, name: str) -> Iterator[str]:
    """Numbers that stand behind a name inside a list, JSON or single-quoted; the text may be damaged.

    Whole texts in quotes are passed over, so that a name which only occurs within one is not met.
    """
    for found in re.finditer(_WITHIN.replace("NAME", re.escape(name)), text, re.DOTALL):
        if found.group(1) and re.fullmatch(NUMBER, found.group(1)):
            yield found.group(1)
