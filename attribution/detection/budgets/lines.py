"""The money of one budget as lines of daily units, each a fee that comes now and then or a cost that runs every day.

The surprise: fees of a month that runs are often billed at its end and dated to its start; until one shows it is due.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

import polars as pl

from attribution.detection.sums import USAGE
from attribution.detection.windows import last_complete_month, month_of, previous_month
from schemas.detection import Watermark
from schemas.plans import Plan
from schemas.workspace import OWN_COSTS

WINDOW = 62
"""Days that are looked at to tell fees from running costs: any two months."""
FEE = Fraction(1, 4)
"""A line charged on at most this share of the days since it first was, within the window, is a fee."""
ONCE = ("Credit", "Adjustment")
"""Categories that nobody can expect again."""


class Line(NamedTuple):
    """What a line is told apart by. `plan` is the place of the plan that speaks of it; `experiment` its own."""

    source: str
    service: str
    category: str
    element: str
    experiment: str
    plan: int | None


@dataclass
class Lines:
    """Lines with their units by day, up to each source's last complete day; and what is known beside them."""

    days: dict[Line, dict[date, int]] = field(default_factory=dict)
    owners: set[str] = field(default_factory=set)
    unknown: int = 0

    def total(self) -> dict[date, int]:
        """Units by day, of all lines."""
        sums: defaultdict[date, int] = defaultdict(int)
        for days in self.days.values():
            for day, units in days.items():
                sums[day] += units
        return dict(sums)


def lines_of(costs: pl.DataFrame, marks: Mapping[str, Watermark], plans: Sequence[Plan]) -> Lines:
    """Take the costs of a budget apart.

    Args:
        costs: daily costs that the budget speaks of, in one currency.
        marks: each source's last complete day; what is later is not complete and left out.
        plans: planned changes; a line belongs to the first that names its dimensions, whatever the day.
    """
    found = Lines()
    names = [name for name in dict.fromkeys(name for plan in plans for name in plan.dimensions) if name != "experiment"]
    keys = ["source", "ServiceName", "ChargeCategory", "cost_element", "experiment", "owner", *names]
    keys = list(dict.fromkeys(keys))
    sums = costs.group_by("usage_date", *keys).agg(
        pl.col("EffectiveCost").to_physical().cast(pl.Int128).sum().alias("units"),
        pl.col("EffectiveCost").null_count().alias("unknown"),
    )
    for row in sums.sort("usage_date").iter_rows(named=True):
        mark = marks.get(row["source"])
        if mark is None or row["usage_date"] > mark.last_day:
            continue
        found.unknown += row["unknown"]
        plan = next((at for at, one in enumerate(plans) if _meets(one, row)), None)
        key = Line(row["source"], row["ServiceName"] or "", row["ChargeCategory"] or "", row["cost_element"] or "",
                   row["experiment"], plan)  # fmt: skip
        days = found.days.setdefault(key, {})
        days[row["usage_date"]] = days.get(row["usage_date"], 0) + int(row["units"])
        if row["units"]:
            found.owners.add(row["owner"])
    return found


def _meets(plan: Plan, row: Mapping[str, Any]) -> bool:
    return all(row[name] == value for name, value in plan.dimensions.items())


def is_fee(line: Line, days: Mapping[date, int], last: date) -> bool:
    """Whether a line comes now and then rather than every day."""
    if line.source == OWN_COSTS:
        return True
    active = [day for day, units in days.items() if units and last - timedelta(days=WINDOW) < day]
    return bool(active) and len(active) <= FEE * ((last - min(active)).days + 1)


def fee_a_month(line: Line, days: Mapping[date, int], last: date) -> int:
    """What a fee is expected to be in a month without it: what it was in the newest complete month; 0 for one-offs.

    A usage line must have come in both of the last two months, if there is data of both.
    """
    if line.category in ONCE:
        return 0
    complete = last_complete_month(last)
    newest, before = (_in_month(days, month) for month in (complete, previous_month(complete)))
    if newest <= 0 or (line.category == USAGE and line.source != OWN_COSTS and before <= 0):
        return 0
    return newest


def fees_due(line: Line, days: Mapping[date, int], last: date, months: Iterable[date]) -> dict[date, int]:
    """Fees still to come, by the first day of their month, for months that have none of it yet."""
    amount = fee_a_month(line, days, last)
    if not amount:
        return {}
    return {month: amount for month in months if month >= month_of(last) and not _in_month(days, month)}


def _in_month(days: Mapping[date, int], month: date) -> int:
    return sum(units for day, units in days.items() if month_of(day) == month)
