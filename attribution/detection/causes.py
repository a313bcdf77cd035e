"""One cause, one finding: of all subjects that grew by the same money, the lowest speaks and the others point to it.

The surprise: subjects are no tree. An owner, a stage and a service may be the same money, so what counts is how much
of one subject's growth lies inside another, whatever their names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import polars as pl

from attribution.detection.sums import COLUMN_OF, Key
from schemas.dimensions import NOBODY

EXPLAINS = Fraction(4, 5)
"""Share of a subject's growth from which lower subjects explain it."""

PARTS = 3
"""How many lower subjects may explain one together; where more are needed, the subject itself is the cause."""

_RANK = ("experiment", "stage", "project", "owner")
_PLAIN = ("service", "cost_element", "region", "account")


class Name(NamedTuple):
    """A subject in one month and currency: the columns that make it, and their values."""

    columns: tuple[str, ...]
    key: Key

    @property
    def text(self) -> str:
        """`project=orion stage=pretraining`."""
        return " ".join(f"{name}={value}" for name, value in zip(self.columns, self.key.values, strict=True))


@dataclass(frozen=True)
class Grown:
    """What grew above its limits, or above the common ones where it has looser ones of its own and is silent.

    `size` is its cost of both sides a day. What is undetermined explains as any, and never speaks for its parts.
    """

    size: Fraction
    owner: str
    undetermined: bool = False


def explain(
    placed: pl.DataFrame, fired: Mapping[Name, Grown], rate: Callable[[str, date, int, int], Fraction]
) -> dict[Name, tuple[Name, ...]]:
    """Say which subjects' growth is that of lower ones.

    Args:
        placed: what `sums.place` made.
        fired: every subject that grew above its limits or the common ones.
        rate: change a day of a source's cost and previous cost (whole units) in a month.

    Returns:
        Each subject that is explained -> the causes that explain it, largest part first; the others are causes.
        One that may grow by limits of its own explains others as any cause does.
    """
    overlaps, groups = _overlaps(placed, fired, rate)
    found: dict[Name, tuple[Name, ...]] = {}
    by_period: dict[tuple[str, object], list[Name]] = defaultdict(list)
    for name in fired:
        by_period[name.key.currency, name.key.month].append(name)
    for names in by_period.values():
        causes: list[Name] = []
        for name in sorted(names, key=lambda one: (fired[one].size, *_rank(one))):
            allowed = [cause for cause in causes if _may_explain(fired[cause], fired[name])]
            # One with a base below zero may be the smaller one, and yet hold what it would explain.
            allowed = [one for one in allowed if not fired[one].undetermined or _inside(overlaps, one, name)]
            parts = sorted(allowed, key=lambda cause: (-overlaps[name, cause], cause))[:PARTS]
            enough = next((count for count in range(1, len(parts) + 1) if _covers(groups[name], parts[:count])), 0)
            if enough:
                found[name] = tuple(parts[:enough])
                continue
            inside = [part for part in allowed if _same_owner(fired, part, name) and _inside(overlaps, part, name)]
            if len(inside) > PARTS and not fired[name].undetermined:
                found |= dict.fromkeys(inside, (name,))
                causes = [cause for cause in causes if cause not in inside]
            causes.append(name)
    return _followed(found)


def _rank(name: Name) -> tuple[int, int, int, tuple[str, ...], Key]:
    """Of subjects of the same money the better name first: whose it is, then the longer name, then a fixed order."""
    values = zip(name.columns, name.key.values, strict=True)
    whose = [column for column, value in values if column not in _PLAIN and value not in NOBODY]
    place = min((_RANK.index(column) if column in _RANK else len(_RANK) for column in whose), default=len(_RANK) + 1)
    return (not whose, -len(whose), place, name.columns, name.key)


def _may_explain(cause: Grown, whole: Grown) -> bool:
    """What is one owner's stays told to that owner: a subject of other people cannot stand for it."""
    return whole.owner in NOBODY or cause.owner == whole.owner


def _same_owner(fired: Mapping[Name, Grown], part: Name, whole: Name) -> bool:
    return fired[part].owner == fired[whole].owner and fired[part].owner not in NOBODY


def _inside(overlaps: Mapping[tuple[Name, Name], Fraction], part: Name, whole: Name) -> bool:
    return overlaps[part, whole] >= EXPLAINS * overlaps[part, part]


def _covers(groups: Sequence[tuple[frozenset[Name], Fraction]], parts: Sequence[Name]) -> bool:
    """Whether some subjects together explain one whose change is given by who else has it."""
    covered = sum((change for members, change in groups if not members.isdisjoint(parts)), Fraction(0))
    whole = sum((change for _, change in groups), Fraction(0))
    return whole > 0 and covered >= EXPLAINS * whole


def _followed(found: Mapping[Name, tuple[Name, ...]]) -> dict[Name, tuple[Name, ...]]:
    """Where what explains is explained itself in turn, the last of the chain."""
    ends: dict[Name, tuple[Name, ...]] = {}
    for name, causes in found.items():
        ends[name] = tuple(dict.fromkeys(end for cause in causes for end in found.get(cause, (cause,))))
    return ends


def _overlaps(
    placed: pl.DataFrame, fired: Mapping[Name, Grown], rate: Callable[[str, date, int, int], Fraction]
) -> tuple[dict[tuple[Name, Name], Fraction], dict[Name, list[tuple[frozenset[Name], Fraction]]]]:
    """How much of each subject's change lies in each other, and each subject's change by who else has it."""
    names = list(fired)
    costs, columns = placed.lazy(), []
    for kind in dict.fromkeys(name.columns for name in names):
        keys = [COLUMN_OF.get(column, column) for column in kind]
        column = " x ".join(kind)
        columns.append(f"in {column}")
        rows = [
            (*name.key.values, name.key.currency, name.key.month, place)
            for place, name in enumerate(names)
            if name.columns == kind
        ]
        by = [*keys, "BillingCurrency", "month"]
        shape = {key: pl.String() for key in by[:-1]} | {"month": pl.Date(), columns[-1]: pl.Int32()}
        costs = costs.join(pl.LazyFrame(rows, schema=shape, orient="row"), on=by, how="left")
    sums = (
        costs.filter(pl.any_horizontal(pl.col(columns).is_not_null()) if columns else pl.lit(value=False))
        .group_by("source", "month", *columns)
        .agg(pl.col("cost", "previous_cost").sum().to_physical())
        .collect()
    )
    overlaps: dict[tuple[Name, Name], Fraction] = defaultdict(Fraction)
    changes: dict[frozenset[Name], Fraction] = defaultdict(Fraction)
    for source, month, *members, cost, previous in sums.iter_rows():
        changes[frozenset(names[place] for place in members if place is not None)] += rate(
            source, month, cost, previous
        )
    groups: dict[Name, list[tuple[frozenset[Name], Fraction]]] = defaultdict(list)
    for among, change in changes.items():
        for one, other in product(among, among):
            overlaps[one, other] += change
        for one in among:
            groups[one].append((among, change))
    return overlaps, groups
