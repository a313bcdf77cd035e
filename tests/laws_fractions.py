"""Worlds of splits by the hundred, and what becomes of them said again in fractions, with nothing of the product.

A batch has one set of splits and a hundred worlds, each in a month of its own: what one month holds moves nothing in
another, so a hundred worlds are one run.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")
CURRENCIES = ("USD", "EUR", "CNY")
POOLS = ("shared", "platform", "hub")  # split in this order, so each may give to those behind it
PROJECTS = ("atlas", "borealis", "zephyr")
NOBODY = ("unallocated", "idle", "shared", "(tag conflict)")
AMOUNTS = ("0", "1", "-3.5", "12.000000000001", "0.1", "0.00000042", "-200", "0.000000000001", "99999999.999999999999",
           "3.333333333333", "1000000000000", "7.77", None)  # fmt: skip
Units = tuple[int | None, ...]


class Row(NamedTuple):
    """A charge: four costs in units of 1e-12, None is unknown."""

    day: date
    currency: str
    service: str
    category: str
    project: str
    units: Units


@dataclass(frozen=True)
class Split:
    """One `[[split]]` across project."""

    name: str
    pool: str
    by: str
    within: str
    to: tuple[str, ...]
    weights: tuple[tuple[str, int], ...]

    def toml(self) -> str:
        lines = [f'[[split]]\nname = "{self.name}"\nwhen = {{ project = "{self.pool}" }}\nacross = ["project"]',
                 f'by = "{self.by}"\nwithin = "{self.within}"']  # fmt: skip
        lines += [f"to = {json.dumps(self.to)}"] if self.to else []
        pairs = ", ".join(f'"{name}" = {weight}' for name, weight in self.weights)
        return "\n".join(lines + ([f"weights = {{ {pairs} }}"] if pairs else []))


def batch(seed: int, worlds: int = 100) -> tuple[tuple[Split, ...], list[Row]]:
    """Splits, and the charges of so many worlds under them."""
    chance = random.Random(seed)  # noqa: S311 - the same worlds every time
    splits = tuple(_split(chance, at) for at in range(chance.randint(1, 3)))
    rows = []
    for world in range(worlds):
        month = date(1990 + world // 12, world % 12 + 1, 1)
        currencies = CURRENCIES[: chance.randint(1, 3)]
        for _ in range(chance.randint(3, 14)):
            amounts = [chance.choice(AMOUNTS)] * 4 if chance.random() < 0.6 else [chance.choice(AMOUNTS) for _ in COSTS]
            category = "Credit" if any(str(one).startswith("-") for one in amounts) else "Usage"
            project = chance.choice((*POOLS, *PROJECTS, *PROJECTS, "unallocated", "idle"))
            day = month + timedelta(days=chance.choice((0, 1, 20)))
            units = tuple(None if one is None else int(Decimal(one).scaleb(12, Context(prec=60))) for one in amounts)
            rows.append(Row(day, chance.choice(currencies), chance.choice(("gpu", "disk")), category, project, units))
    return splits, rows


def _split(chance: random.Random, at: int) -> Split:
    behind = (*POOLS[at + 1 :], *PROJECTS)
    by = chance.choice(("even", "cost", "cost", "fixed"))
    some = tuple(chance.sample(behind, chance.randint(1, len(behind))))
    weights = tuple((name, chance.choice((1, 2, 3, 60, 10**12))) for name in some) if by == "fixed" else ()
    to = some if by != "fixed" and chance.random() < 0.3 else ()
    return Split(f"split {at}", POOLS[at], by, chance.choice(("month", "month", "day")), to, weights)


# --- the same again, in fractions ----------------------------------------------------------------------------------

Place = tuple[date, str, str, str, str]  # day, currency, service, category, project


def summed(amounts: list[Units]) -> Units:
    """By column; unknown and unknown stay unknown."""
    known = [[one for one in column if one is not None] for column in zip(*amounts, strict=True)]
    return tuple(sum(column) if column else None for column in known)


def parts(whole: int, weights: list[Fraction]) -> list[int]:
    """Whole units by weight: rounded towards zero, then one more to the largest remainders, the earlier first."""
    exact = [abs(whole) * weight / sum(weights) for weight in weights]
    given = [int(one) for one in exact]
    for at in sorted(range(len(weights)), key=lambda at: (given[at] - exact[at], at))[: abs(whole) - sum(given)]:
        given[at] += 1
    return [one if whole > 0 else -one for one in given]


def expected(splits: tuple[Split, ...], rows: list[Row]) -> dict[Place, Units]:  # noqa: C901 - read beside the contract
    """What every project has on every day of every service and category, once all splits are done."""
    live: list[tuple[Place, str, Units]] = [
        (tuple(row[:5]), "", row.units) for row in rows
    ]  # place, who says so, costs
    done: list[tuple[Place, Units]] = []
    for split in splits:
        pools: dict[tuple[Place, str], list[Units]] = defaultdict(list)
        there: dict[Any, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
        for place, said, units in live:
            window = (place[0] if split.within == "day" else place[0].replace(day=1), place[1])
            if place[4] == split.pool:
                pools[place, said].append(units)
            elif place[4] not in NOBODY and (not split.to or place[4] in split.to):
                there[window][place[4]] += Fraction(units[1] or 0)
        live = [one for one in live if one[0][4] != split.pool]
        for (place, said), members in pools.items():
            window = (place[0] if split.within == "day" else place[0].replace(day=1), place[1])
            weights = dict(there[window]) if split.by == "cost" else dict.fromkeys(there[window], Fraction(1))
            if split.by == "fixed":
                weights = {name: Fraction(weight) for name, weight in split.weights}
            who = sorted(name for name, weight in weights.items() if weight > 0)
            whole = summed(members)
            if not who:  # it stays where it is, and may receive from pools behind it
                live += [(place, said, units) for units in members]
                continue
            if not any(whole):
                done += [(place, units) for units in members]
                continue
            columns = [
                [None] * len(who) if one is None else parts(one, [weights[name] for name in who]) for one in whole
            ]
            for name, units in zip(who, zip(*columns, strict=True), strict=True):
                if any(units):  # a share of nothing makes no row, so that unknown does not become 0
                    live.append(((*place[:4], name), split.name, units))
            done.append((place, tuple(None if one is None else 0 for one in whole)))
    found: dict[Place, list[Units]] = defaultdict(list)
    for place, units in [*((place, units) for place, _, units in live), *done]:
        found[place].append(units)
    return {place: units for place, amounts in found.items() if any(units := summed(amounts))}
