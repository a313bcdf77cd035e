"""The run rate of one daily series: its level since the last shift, its weekdays, and how much it scatters.

A level is the mean of the days that are near the median of the last three; it is followed back until days in a row
lie elsewhere. So a step up counts after two days, and one odd day does not.

The surprise: all is whole units and fractions, so that two machines foresee the same cent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from math import isqrt
from statistics import median

NEWEST = 3
"""Days whose median says where the series stands."""
BAND = Fraction(1, 4)
"""A day within this share of that median is of the same level."""
ODD = 2
"""Days in a row that may lie elsewhere without ending the level."""
LONGEST = 14
"""Days a level is taken over at most: a trend must not be averaged away."""
WEEKS = 3
"""Whole weeks that a weekday pattern needs."""
Z = Fraction(1645, 1000)
"""Standard deviations on either side that hold nine tenths of a normal distribution."""
_FLAT = (Fraction(1),) * 7


@dataclass(frozen=True)
class Rate:
    """Units a day, each weekday's factor, and the variance of a day and of the level."""

    level: Fraction
    factors: tuple[Fraction, ...]
    variance: Fraction
    days: int

    def on(self, day: date) -> Fraction:
        """What a day is expected to cost."""
        return self.level * self.factors[day.weekday()]

    def spread(self, days: int) -> Fraction:
        """Variance of the sum of so many days to come: their own, and that of the level they share."""
        return self.variance * days + self.variance * days * days / self.days


def rate_of(values: Sequence[int], last: date) -> Rate:
    """The rate of a series.

    Args:
        values: units of consecutive days, oldest first; one at least.
        last: the day of the last one.
    """
    factors = _weekdays(values, last)
    first = last - timedelta(days=len(values) - 1)
    by_day = [factors[(first + timedelta(days=at)).weekday()] for at in range(len(values))]
    # A weekday that costs nothing says nothing of the level; else a week of work were foreseen as 0 on a Sunday.
    plain = [value / factor for value, factor in zip(values, by_day, strict=True) if factor]
    level, kept = _level(plain)
    scatter = sum(((one - level) ** 2 for one in kept), Fraction(0)) / max(len(kept) - 1, 1)
    return Rate(level, factors, scatter, len(kept))


def _level(plain: Sequence[Fraction]) -> tuple[Fraction, list[Fraction]]:
    """Mean of the days of the newest level, and those days."""
    centre = Fraction(median(plain[-NEWEST:]))
    kept: list[Fraction] = []
    odd = 0
    for value in reversed(plain[-LONGEST:]):
        if abs(value - centre) <= BAND * abs(centre):
            kept.append(value)
            odd = 0
        else:
            odd += 1
        if odd > ODD:
            break
    kept = kept or [centre]
    return sum(kept, Fraction(0)) / len(kept), kept


def _weekdays(values: Sequence[int], last: date) -> tuple[Fraction, ...]:
    """Each weekday against the mean of its week, by the median of the weeks; flat where there are too few."""
    weeks = len(values) // 7
    shares: list[list[Fraction]] = [[] for _ in range(7)]
    for week in range(weeks):
        days = values[len(values) - 7 * (week + 1) : len(values) - 7 * week]
        whole = sum(days)
        if whole > 0:
            for at, value in enumerate(days):
                shares[(last - timedelta(days=7 * week + 6 - at)).weekday()].append(Fraction(value, whole))
    if len(shares[0]) < WEEKS:
        return _FLAT
    typical = [Fraction(median(share)) for share in shares]
    whole_week = sum(typical, Fraction(0))
    return tuple(7 * one / whole_week for one in typical) if whole_week > 0 and min(typical) >= 0 else _FLAT


def root(variance: Fraction) -> Fraction:
    """Square root of a variance of whole units, to the unit."""
    return Fraction(isqrt(max(variance.numerator // variance.denominator, 0)))
