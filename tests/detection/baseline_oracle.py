"""The baseline and the episodes a second time, in plain Python and day by day, with every number written out."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from statistics import median

Amounts = list[float | None]
Expected = tuple[float | None, float | None, float | None]
"""Expected, lower and upper of a day."""
Episode = tuple[str, date, date, int, float]
"""Shape, first day, last day, odd days, and what they were to cost in all."""


class Baseline:
    """One series of consecutive days: `bounds` of each, and its `episodes`."""

    def __init__(self, amounts: Amounts, first: date) -> None:
        """Go through the days once, each knowing those before it."""
        self.amounts = amounts
        self.days = [first + timedelta(days=at) for at in range(len(amounts))]
        self.heard: Amounts = []
        self.ratio: Amounts = []
        self.factor: list[float] = []
        self.plain: Amounts = []
        self.level: Amounts = []
        self.step: Amounts = []
        self.fee: Amounts = []
        self.off: Amounts = []
        self.bounds: list[Expected] = [self._day(at) for at in range(len(amounts))]

    def _day(self, at: int) -> Expected:
        amount, day = self.amounts[at], self.days[at]
        before = _median(self.amounts[max(0, at - 28) : at], 7)
        silent = amount is not None and before is not None and amount <= 0.02 * before
        age = sum(one is not None for one in self.heard)
        self.heard.append(None if silent else amount)
        week = _median(self.heard[max(0, at - 6) :], 4)
        self.ratio.append(amount / week if week is not None and week > 0 and amount is not None else None)
        known = _median([self.ratio[one] for one in range(at % 7, at, 7)][-8:], 2)
        factor = 1.0 if known is None else known
        self.factor.append(factor)
        around = _median(self.amounts[max(0, at - 7) : at + 8], 7)
        over = None if amount is None or around is None else amount - around * factor
        a_fee = over is not None and around is not None and day.day <= 3 and over > 0.2 * (around * factor)
        self.fee.append(over if a_fee else None)
        heard = self.heard[at]
        self.plain.append(heard / factor if heard is not None and factor > 0.02 else None)
        level = _median(self.plain[max(0, at - 14) : at], 7)
        self.level.append(level)
        trend = _median(self.step[max(0, at - 28) : at], 7)
        plain, past = self.plain[at], self.plain[at - 14] if at >= 14 else None
        self.step.append((plain - past) / 14 if plain is not None and past is not None else None)
        spread = _median(self.off[max(0, at - 28) : at], 7)
        if level is None:
            self.off.append(None)
            return None, None, None
        slope = min(max(trend or 0.0, -0.01 * level), 0.01 * level)
        usual = max(factor * (level + slope * 7.5), 0.0)
        self.off.append(abs(heard - usual) if heard is not None else None)
        width = max(0.15 * usual, (spread or 0.0) * 1.4826 * 4.5)
        if age < 14 or usual <= 0:
            return None, None, None
        fee = self._fee(day)
        return usual + fee, max(usual - width, 0.0), usual + width + fee * 1.15

    def _fee(self, day: date) -> float:
        """The larger one of the fees that the same day of one or two months before had."""
        same = [fee for one, fee in zip(self.days, self.fee, strict=False) if one.day == day.day and one < day]
        return max((fee for fee in same[-2:] if fee is not None), default=0.0)

    def episodes(self) -> list[Episode]:
        """All episodes, whatever they cost."""
        places = range(len(self.days))
        above = [at for at in places if _above(self.amounts[at], self.bounds[at][2])]
        found = [("level shift" if len(run) >= 4 else "spike", run) for run in _runs(above)]
        found += [("leak", run) for run in _runs([at for at in places if self._leaks(at)]) if len(run) >= 3]
        found += [("silence", run) for run in _runs(self._silent()) if len(run) >= 2]
        return sorted(
            (shape, self.days[run[0]], self.days[run[-1]], len(run), sum(self._expected(shape, run, at) for at in run))
            for shape, run in found
        )

    def _expected(self, shape: str, run: list[int], at: int) -> float:
        """Of a leak the week before its four; of a silence the level before its days without one between."""
        since = at
        while since - 1 in run:
            since -= 1
        known = {"leak": self._weeks(at)[0], "silence": self.level[since]}
        return known.get(shape, self.bounds[at][0]) or 0.0

    def _weeks(self, at: int) -> Amounts:
        """The last five weeks' medians, oldest first."""
        return [_median(self.plain[end - 6 : end + 1], 7) if end >= 6 else None for end in range(at - 28, at + 1, 7)]

    def _leaks(self, at: int) -> bool:
        known = [one for one in self._weeks(at) if one is not None]
        if len(known) < 5:
            return False
        steps = [later - earlier for earlier, later in pairwise(known)]
        rise = known[4] - known[0]
        small, large = min(steps) >= 0.02 * known[0], max(steps) <= 0.6 * rise
        return known[0] > 0 and rise >= 0.25 * known[0] and small and large

    def _silent(self) -> list[int]:
        """Days of silences that begin after 14 days with cost, without the last two."""
        quiet = [self._quiet(at) for at in range(len(self.days))]
        found: list[int] = []
        for at, one in enumerate(quiet):
            before = self.amounts[at - 14 : at] if at >= 14 else []
            busy = bool(before) and all(amount is not None and amount > 0 for amount in before)
            starts = busy and not quiet[at - 1]
            goes_on = at - 1 in found and quiet[at - 1]
            if one and (starts or goes_on):
                found.append(at)
        return [at for at in found if at < len(self.days) - 2]

    def _quiet(self, at: int) -> bool:
        amount, level = self.amounts[at], self.level[at]
        return amount is not None and level is not None and level > 0 and amount <= 0.02 * level


def _median(values: Amounts, least: int) -> float | None:
    known = [one for one in values if one is not None]
    return median(known) if len(known) >= least else None


def _above(amount: float | None, upper: float | None) -> bool:
    return amount is not None and upper is not None and amount > upper


def _runs(places: list[int]) -> list[list[int]]:
    """Places of which no two neighbours are more than three apart."""
    runs: list[list[int]] = []
    for at in places:
        if runs and at - runs[-1][-1] <= 3:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs
