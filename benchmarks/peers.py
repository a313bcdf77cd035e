"""Rules that others publish, so that our figures stand beside theirs on the same days; as their documents state them.

- trailing mean: Kubecost's alert on a change of spend, a day against the mean of the 30 days before, 20 %.
- last two full months: AWS Thrifty's cost of a service, which may change by 10 units.
- z-score: a day more than three standard deviations above the mean of the 30 days before.
- decomposition: weekday means and a centred 7-day mean taken off, what is left above a fixed 30 % of the mean level.

Each gets what the product gets, sees one series at a time, and a rise alone is an alarm; days in a row are one alarm.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from datetime import date, timedelta

WINDOW = 30
Odd = Callable[[Sequence[float], Sequence[date]], list[bool]]


def trailing_mean(amounts: Sequence[float], _days: Sequence[date]) -> list[bool]:
    """A day 20 % above the mean of the 30 days before."""
    return [
        place >= WINDOW and amount > 1.2 * statistics.fmean(amounts[place - WINDOW : place])
        for place, amount in enumerate(amounts)
    ]


def z_score(amounts: Sequence[float], _days: Sequence[date]) -> list[bool]:
    """A day three deviations above the mean of the 30 days before."""
    odd = []
    for place, amount in enumerate(amounts):
        before = amounts[max(place - WINDOW, 0) : place]
        known = len(before) == WINDOW
        odd.append(known and amount > statistics.fmean(before) + 3 * statistics.pstdev(before))
    return odd


def decomposition(amounts: Sequence[float], days: Sequence[date]) -> list[bool]:
    """What weekday means and a centred week leave, above 30 % of the mean level; it looks three days ahead."""
    level = [statistics.fmean(amounts[max(place - 3, 0) : place + 4]) for place in range(len(amounts))]
    left: dict[int, list[float]] = {}
    for day, amount, usual in zip(days, amounts, level, strict=True):
        left.setdefault(day.weekday(), []).append(amount - usual)
    season = {weekday: statistics.fmean(rest) for weekday, rest in left.items()}
    limit = 0.3 * statistics.fmean(amounts)
    rest = zip(days, amounts, level, strict=True)
    return [amount - usual - season[day.weekday()] > limit for day, amount, usual in rest]


def full_months(amounts: Sequence[float], days: Sequence[date]) -> list[bool]:
    """The last day of a month that cost more than 10 units above the month before."""
    sums: dict[date, float] = {}
    for day, amount in zip(days, amounts, strict=True):
        sums[day.replace(day=1)] = sums.get(day.replace(day=1), 0.0) + amount
    odd = []
    for day in days:
        month = day.replace(day=1)
        ends = (day + timedelta(days=1)).day == 1
        before = sums.get((month - timedelta(days=1)).replace(day=1))
        odd.append(ends and before is not None and month != days[0].replace(day=1) and sums[month] - before > 10)  # noqa: PLR2004
    return odd


DAILY: dict[str, Odd] = {
    "trailing mean + 20 % (Kubecost)": trailing_mean,
    "full months + 10 (Thrifty)": full_months,
    "z-score of 3": z_score,
    "decomposition + 30 %": decomposition,
}


def alarms(rule: Odd, amounts: Sequence[float], days: Sequence[date]) -> list[tuple[date, date]]:
    """First and last day of each alarm; at most two quiet days lie within one."""
    found: list[tuple[date, date]] = []
    for day, odd in zip(days, rule(amounts, days), strict=True):
        if odd and found and (day - found[-1][1]).days <= 3:  # noqa: PLR2004 - as the product counts them
            found[-1] = (found[-1][0], day)
        elif odd:
            found.append((day, day))
    return found


def grew(rule: str, amounts: Sequence[float], days: Sequence[date], month: date) -> bool:
    """Whether a rule calls a month's growth: any alarm in its days; of decomposition, the levels a month apart."""
    if rule.startswith("decomposition"):
        now = [amount for day, amount in zip(days, amounts, strict=True) if day >= month]
        before = [amount for day, amount in zip(days, amounts, strict=True) if day < month][-WINDOW:]
        return statistics.fmean(now[-7:]) > 1.3 * statistics.fmean(before[-7:])
    return any(last >= month for _, last in alarms(DAILY[rule], amounts, days))
