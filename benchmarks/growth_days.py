"""Daily series and labels of a second hand: somebody who had read the documents, and no detector.

A label is something that a person would call odd and the documents promise to find: a rise of at least 35 % and of
seven times the series' own scatter, four weeks that clearly climb, days without cost. What is beside a promise (a rise
within the bounds, a single day without cost, a dip, days that are not whole yet) happens just as often, unlabelled.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from labelled_days import DAYS, FIRST, Label, Series

FRIDAY = 4
HABITS = ("serving", "cluster", "research", "storage", "fee", "tiny", "begins late", "office days", "steps", "old fee")
NEAR = ("nudge", "dip", "day of silence", "restated")
FOUND = ("spike", "spike", "long spike", "level shift", "new level", "leak", "silence")


@dataclass
class _Life:
    """What a series usually does: its amounts, the fees on top, its scatter, and the place on which it begins."""

    usual: list[float]
    fees: list[float]
    scatter: float
    begins: int = 0


def make(seed: int, count: int = 40) -> list[Series]:
    """Series of one seed, each of 400 days; one in five has no event at all."""
    rng = random.Random(f"second hand, days {seed}")
    return [_series(rng, f"{seed}/{number}", HABITS[number % len(HABITS)], number) for number in range(count)]


def _series(rng: random.Random, name: str, habit: str, number: int) -> Series:
    life = _usual(rng, habit)
    made = Series(name, habit, [a + b for a, b in zip(life.usual, life.fees, strict=True)])
    place = life.begins + rng.randrange(32, 70)
    while number % 5 and place < DAYS - 60:
        event = rng.choice(FOUND + NEAR if habit != "office days" else NEAR[:2] + FOUND[:3])
        place += EVENTS[event](rng, made, life, place) + rng.randrange(32, 80)
    if rng.random() < 0.5:  # noqa: PLR2004 - the newest days are often not whole yet
        made.amounts[-1] *= rng.uniform(0.2, 0.7)
        made.amounts[-2] *= rng.uniform(0.7, 1.0)
    made.amounts = [round(amount, 6) for amount in made.amounts]
    return made


def _usual(rng: random.Random, habit: str) -> _Life:
    level = rng.uniform(0.05, 3) if habit == "tiny" else 10 ** rng.uniform(1.5, 4)
    low, high = {
        "cluster": (0.001, 0.01),
        "storage": (0.001, 0.003),
        "research": (0.1, 0.16),
        "tiny": (0.05, 0.15),
    }.get(habit, (0.01, 0.06))
    scatter = rng.uniform(low, high)
    week = [1.0] * 7
    if habit in ("serving", "fee", "begins late"):
        week = [rng.uniform(0.95, 1.05) for _ in range(5)] + [rng.uniform(0.5, 0.9), rng.uniform(0.45, 0.85)]
    trend = {"serving": rng.uniform(-0.001, 0.0015), "storage": rng.uniform(0.0005, 0.002)}.get(habit, 0.0)
    fee_day, fee = rng.randint(1, 3), level * rng.uniform(0.5, 4) if "fee" in habit else 0.0
    begins = rng.randrange(60, 200) if habit in ("begins late", "tiny") else 0
    amounts: list[float] = []
    fees: list[float] = []
    step = 1.0
    for place in range(DAYS):
        day = FIRST + timedelta(days=place)
        if habit == "steps" and place % 60 == 59:  # noqa: PLR2004 - a little more or less every two months
            step *= rng.uniform(0.93, 1.08)
        amount = level * step * (1 + trend) ** place * week[day.weekday()] * max(rng.gauss(1, scatter), 0.1)
        rests = habit == "office days" and day.weekday() > FRIDAY
        amounts.append(0.0 if place < begins or rests else amount)
        fees.append(fee if day.day == fee_day else 0.0)
    return _Life(amounts, fees, scatter, begins)


def _rise(rng: random.Random, life: _Life, most: float) -> float:
    """How much more, as a factor: clear of the series' own scatter."""
    return 1 + max(0.35, 7 * life.scatter) * rng.uniform(1.0, most)


def _raise(made: Series, life: _Life, start: int, times: list[float], label: str | None) -> int:
    """Days that cost so many times the usual; a fee does not rise with them, and is silent with them."""
    times = times[: DAYS - start]
    excess = 0.0
    for place, factor in enumerate(times, start):
        made.amounts[place] = life.usual[place] * factor + life.fees[place] * min(factor, 1)
        excess += made.amounts[place] - life.usual[place] - life.fees[place]
    if label:
        made.labels.append(Label(label, made.day(start), made.day(start + len(times) - 1), excess))
    return len(times)


def _spike(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    while made.habit == "office days" and made.day(start).weekday() > FRIDAY:
        start += 1
    return _raise(made, life, start, [_rise(rng, life, 6)], "spike")


def _long_spike(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    times = _rise(rng, life, 4)
    if made.habit == "office days":
        start -= made.day(start).weekday()
    return _raise(made, life, start, [times] * rng.randint(2, 3), "spike")


def _level_shift(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    """A week or more above, then back."""
    return _raise(made, life, start, [_rise(rng, life, 3)] * rng.randint(6, 12), "level shift")


def _new_level(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    """Above for good: the label is its first fortnight, after which it is the usual."""
    times = _rise(rng, life, 3)
    _raise(made, life, start, [times] * 14, "level shift")
    for place in range(start, DAYS):
        life.usual[place] *= times
        made.amounts[place] = life.usual[place] + life.fees[place]
    return 14


def _leak(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    """Five to eight weeks, each day by 1.6 % to 2.6 % of the level at its beginning, then mended."""
    step, days = rng.uniform(0.016, 0.026) + life.scatter / 20, rng.randint(35, 56)
    return _raise(made, life, start, [1 + step * (day + 1) for day in range(days)], "leak")


def _silence(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    rest = rng.choice((0.0, 0.0, rng.uniform(0.001, 0.009)))
    return _raise(made, life, start, [rest] * rng.randint(2, 9), "silence")


def _nudge(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    """Up to three days within the 15 % that any series may rise."""
    return _raise(made, life, start, [1 + max(0.1 - life.scatter, 0.02)] * rng.randint(1, 3), None)


def _dip(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    return _raise(made, life, start, [rng.uniform(0.3, 0.7)] * rng.randint(1, 5), None)


def _day_of_silence(_rng: random.Random, made: Series, life: _Life, start: int) -> int:
    return _raise(made, life, start, [0.0], None)


def _restated(rng: random.Random, made: Series, life: _Life, start: int) -> int:
    """A later bill moves a little from a day to its neighbour."""
    moved = life.usual[start] * rng.uniform(0.02, 0.06)
    made.amounts[start] -= moved
    made.amounts[start + 1] += moved
    return 2


EVENTS: dict[str, Callable[[random.Random, Series, _Life, int], int]] = {
    "spike": _spike, "long spike": _long_spike, "level shift": _level_shift, "new level": _new_level, "leak": _leak,
    "silence": _silence, "nudge": _nudge, "dip": _dip, "day of silence": _day_of_silence, "restated": _restated,
}  # fmt: skip
