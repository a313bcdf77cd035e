"""One row a budget and period: what was spent, what it will be, and on which day a line is reached.

A line is reached on the first day on which the running sum of EffectiveCost comes up to it. A day after the run's own
is foreseen. A breach that is foreseen is `at risk` where it is near, or where the low end of the forecast reaches the
line too; else the budget only `may breach`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from attribution.detection.budgets.foresight import Ahead, Foreseen, foresee
from attribution.detection.budgets.lines import Lines, lines_of
from attribution.detection.budgets.stated import meets
from attribution.detection.windows import month_of, next_month
from schemas.check import verify
from schemas.detection import Watermark
from schemas.dimensions import SHARED, UNALLOCATED
from schemas.money import EXACT, from_units, to_units
from schemas.plans import BUDGET_COLUMNS, Budget, Budgets
from schemas.workspace import OWN_COSTS

SOON = 2
"""Days within which a breach that is foreseen is told even where the interval leaves it open."""
FAR = 8
"""Days after the data up to which the low end of a forecast is asked: what lies further changes too often."""
AHEAD = 30
"""Days that a total, which has no end, is foreseen."""
SILENT = 31
"""Days after which a source that shows nothing is taken to have ended."""
HORIZON = 92
"""Days ahead of the data within which a breach of a total is looked for; a period is foreseen to its end."""
_MONEY = ("amount", "warn_amount", "spent", "forecast", "forecast_low", "forecast_high")


@dataclass(frozen=True)
class Clock:
    """The run's date, and how far each source's data reaches."""

    today: date
    marks: Mapping[str, Watermark]

    @property
    def last(self) -> date:
        """The last day that every live source with days has whole; yesterday where there is none."""
        whole = [mark.last_day for source, mark in self.marks.items() if source != OWN_COSTS and self.live(source)]
        return min(whole, default=self.today - timedelta(days=1))

    def live(self, source: str) -> bool:
        """Whether anything more is to be expected of a source: own costs come late, others not so late."""
        return self.marks[source].last_day > self.today - timedelta(days=SILENT * (1 + (source == OWN_COSTS)))


def budget_rows(
    costs: pl.DataFrame,
    budgets: Sequence[Budget],
    clock: Clock,
    currency: str,
    ahead: Ahead = Ahead(),  # noqa: B008 - frozen
) -> pl.DataFrame:
    """How each budget stands in each of its periods up to the run's own.

    Args:
        costs: attributed daily costs in the workspace's currency, all charge categories.
        budgets: those of the settings, and plans as budgets.
        clock: the run's.
        currency: the workspace's.
        ahead: planned changes, and when runs end.

    Returns:
        BUDGET_COLUMNS, by budget and period.
    """
    rows = [row for budget in budgets for row in _periods(costs, budget, clock, ahead)]
    columns = [
        from_units([row[name] for row in rows], name)
        if name in _MONEY
        else pl.Series(name, [currency if name == "BillingCurrency" else row[name] for row in rows], dtype=dtype)
        for name, dtype in BUDGET_COLUMNS.items()
    ]
    return verify(pl.DataFrame(columns).sort("budget", "period_start"), Budgets, "budgets")


def _periods(costs: pl.DataFrame, budget: Budget, clock: Clock, ahead: Ahead) -> Iterator[dict[str, Any]]:
    mine = costs.filter(meets(budget.dimensions))
    first = mine.get_column("usage_date").min()
    marks = {source: clock.marks[source] for source in mine.get_column("source").unique() if source in clock.marks}
    here = replace(clock, marks=marks or clock.marks)
    live = [] if budget.period == "plan" else [one for one in ahead.plans if one.until > here.last]
    lines = lines_of(mine, here.marks, live)
    whole = [at for at, one in enumerate(live) if budget.dimensions.items() <= one.dimensions.items()]
    periods = list(spans(budget, first if isinstance(first, date) else None, clock.today))
    horizon = max([here.last + timedelta(days=HORIZON + 1), *(end for _, end in periods if end)])
    live_lines = Lines({line: days for line, days in lines.days.items() if here.live(line.source)})
    seen = foresee(live_lines, here.marks, horizon, Ahead(live, ahead.ends, whole))
    for start, end in periods:
        yield _row(budget, (start, end), lines, seen, here)


def spans(budget: Budget, first: date | None, today: date) -> Iterator[tuple[date, date | None]]:
    """Periods from the first day of its money to the one that the run's date lies in; [start, end)."""
    if budget.period == "plan":
        if budget.since and budget.since <= today:
            yield budget.since, budget.until
        return
    if budget.period == "total":
        yield budget.since or first or today, None
        return
    step = 3 if budget.period == "quarter" else 1
    start = month_of(min(first or today, today))
    start = start.replace(month=start.month - (start.month - 1) % step)
    while start <= today:
        end = start
        for _ in range(step):
            end = next_month(end)
        yield start, end
        start = end


def _row(budget: Budget, span: tuple[date, date | None], lines: Lines, seen: Foreseen, clock: Clock) -> dict[str, Any]:
    start, end = span
    amount = to_units(budget.amount)
    warn = to_units(EXACT.multiply(budget.amount, budget.warn_at).quantize(Decimal(1).scaleb(-12), context=EXACT))
    until = end or date.max
    facts = {day: units for day, units in lines.total().items() if start <= day < until}
    to_come = {day: units for day, units in seen.days.items() if start <= day < until}
    spent = sum(facts.values())
    over = not to_come and until <= clock.today
    foreseen_to = end or clock.last + timedelta(days=AHEAD + 1)
    forecast = round(spent + sum((units for day, units in to_come.items() if day < foreseen_to), Fraction(0)))
    margin = 0 if over else round(seen.margin(foreseen_to))
    breach = reached(facts, to_come, amount, clock.today)
    row = {
        "budget": budget.name,
        "dimensions": budget.words,
        "period": budget.period,
        "period_start": start,
        "period_end": end,
        "amount": amount,
        "warn_amount": warn,
        "spent": spent if facts or over else None,
        "spent_to": None if clock.last < start else min(clock.last, until - timedelta(days=1)),
        "forecast": forecast,
        "forecast_low": max(forecast - margin, min(spent, forecast)),
        "forecast_high": forecast + margin,
        "warn_date": reached(facts, to_come, warn, clock.today),
        "breach_date": breach,
        "owner": _owner(budget, lines),
        "note": "part of the cost is unknown" if lines.unknown else None,
    }
    return row | {"status": _status(row, facts, to_come, seen, clock)}


def _owner(budget: Budget, lines: Lines) -> str:
    stated = budget.responsible or budget.dimensions.get("owner")
    owners = lines.owners or {UNALLOCATED}
    return stated or (next(iter(owners)) if len(owners) == 1 else SHARED)


def reached(facts: Mapping[date, int], to_come: Mapping[date, Fraction], line: int, today: date) -> date | None:
    """The day on which the running sum comes up to a line; one that is foreseen lies after the run's date."""
    if day := _first(facts, line):
        return day
    both = {day: facts.get(day, 0) + to_come.get(day, Fraction(0)) for day in {*facts, *to_come}}
    foreseen = _first(both, line)
    return None if foreseen is None else max(foreseen, today + timedelta(days=1))


def _first(days: Mapping[date, Fraction] | Mapping[date, int], line: int) -> date | None:
    running: Fraction | int = 0
    for day in sorted(days):
        running += days[day]
        if running >= line:
            return day
    return None


def _status(
    row: Mapping[str, Any], facts: Mapping[date, int], to_come: Mapping[date, Fraction], seen: Foreseen, clock: Clock
) -> str:
    breach, warned = row["breach_date"], row["warn_date"]
    if breach is not None and breach <= clock.today:
        return "breached"
    if breach is not None:
        near = breach <= clock.today + timedelta(days=SOON)
        far = clock.last + timedelta(days=FAR + 1)
        ahead = min(far, row["period_end"] or far)
        sure = sum(facts.values()) + sum((units for day, units in to_come.items() if day < ahead), Fraction(0))
        return "at risk" if near or sure - seen.margin(ahead) >= row["amount"] else "may breach"
    return "warned" if warned is not None and warned <= clock.today else "kept"
