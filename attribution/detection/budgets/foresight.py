"""What is to come of a budget's lines by day: fees that are due, running costs at their rate, plans, ends of runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

from attribution.detection.budgets.lines import Lines, fees_due, is_fee
from attribution.detection.budgets.rate import Rate, Z, rate_of, root
from attribution.detection.windows import month_of, next_month
from schemas.detection import Watermark
from schemas.money import to_units
from schemas.plans import Plan

BASE = 14
"""Days before a plan whose mean is what its lines cost without it."""
WINDOW = 28
"""Days that a rate looks at."""
SETTLED = 3
"""Days into a plan from which on its own rate says more than its amount."""


@dataclass(frozen=True)
class Ends:
    """Of one experiment's running runs: the days on which they end, each with its share of the experiment's rate."""

    shares: tuple[tuple[date | None, Fraction], ...]

    def running(self, day: date) -> Fraction:
        """Share of the rate that still runs on a day; a run without an end runs on."""
        return sum((share for end, share in self.shares if end is None or day <= end), Fraction(0))


@dataclass
class Foreseen:
    """Expected units by day, and the variance of their sum up to each horizon by group."""

    days: dict[date, Fraction] = field(default_factory=dict)
    rates: list[tuple[Rate, date]] = field(default_factory=list)  # a group's rate and its last complete day

    def margin(self, until: date) -> Fraction:
        """Half the width of the interval of the sum up to, and without, a day."""
        variance = sum((rate.spread(max((until - last).days - 1, 0)) for rate, last in self.rates), Fraction(0))
        return Z * root(variance)


@dataclass(frozen=True)
class Ahead:
    """What is known beforehand: planned changes, and of experiments when their running runs end.

    `whole` are the plans, by their place, all of whose money is the budget's: they count before a line is known.
    """

    plans: Sequence[Plan] = ()
    ends: Mapping[str, Ends] = field(default_factory=dict)
    whole: Collection[int] = ()


def foresee(lines: Lines, marks: Mapping[str, Watermark], until: date, ahead: Ahead) -> Foreseen:
    """Look ahead from each source's last complete day to, and without, `until`.

    Args:
        lines: the budget's; each names its plan by its place in `ahead`.
        marks: each source's last complete day.
        until: the first day that does not matter.
        ahead: what is known beforehand.
    """
    plans, ends = ahead.plans, ahead.ends
    found: defaultdict[date, Fraction] = defaultdict(Fraction)
    groups: dict[tuple[str, int | None, str], dict[date, int]] = {}
    for line, days in lines.days.items():
        last = marks[line.source].last_day
        if is_fee(line, days, last):
            for month, units in fees_due(line, days, last, _months(month_of(last), until)).items():
                found[max(month, last + timedelta(days=1))] += units
        else:
            ending = line.experiment if line.plan is None and line.experiment in ends else ""
            group = groups.setdefault((line.source, line.plan, ending), {})
            for day, units in days.items():
                group[day] = group.get(day, 0) + units
    seen = Foreseen()
    for (source, plan, experiment), days in groups.items():
        last = marks[source].last_day
        rate = rate_of(_series(days, last), last)
        seen.rates.append((rate, last))
        day = last + timedelta(days=1)
        while day < until:
            if plan is None:
                found[day] += rate.on(day) * (ends[experiment].running(day) if experiment else 1)
            else:
                found[day] += _planned(plans[plan], day, rate, days, last)
            day += timedelta(days=1)
    for at in ahead.whole:
        if not any(plan == at for _, plan, _ in groups):
            _add_unseen(found, plans[at], marks, until)
    seen.days = dict(found)
    return seen


def _series(days: Mapping[date, int], last: date) -> list[int]:
    first = max(min(days), last - timedelta(days=WINDOW - 1))
    return [days.get(first + timedelta(days=at), 0) for at in range((last - first).days + 1)]


def _planned(plan: Plan, day: date, rate: Rate, days: Mapping[date, int], last: date) -> Fraction:
    """A day of lines that a plan speaks of: their rate before it, its own once it runs, what was before after it."""
    if day < plan.since:
        return rate.on(day)
    if day >= plan.until:
        return rate.on(day) if plan.since > last else _before(plan, days)
    if (last - plan.since).days + 1 >= SETTLED:
        return rate.on(day)
    return Fraction(to_units(plan.amount), (plan.until - plan.since).days)


def _before(plan: Plan, days: Mapping[date, int]) -> Fraction:
    """Mean of the days before a plan."""
    units = [days.get(plan.since - timedelta(days=back), 0) for back in range(1, BASE + 1)]
    return Fraction(sum(units), BASE)


def _add_unseen(found: defaultdict[date, Fraction], plan: Plan, marks: Mapping[str, Watermark], until: date) -> None:
    """The days to come of a plan of which no line is known yet."""
    day = max(plan.since, max((mark.last_day for mark in marks.values()), default=plan.since) + timedelta(days=1))
    while day < min(plan.until, until):
        found[day] += Fraction(to_units(plan.amount), (plan.until - plan.since).days)
        day += timedelta(days=1)


def _months(first: date, until: date) -> list[date]:
    months = []
    while first < until:
        months.append(first)
        first = next_month(first)
    return months
