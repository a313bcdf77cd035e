"""Daily series with labels: what a project, a service or a stage may cost a day, and what went wrong with it.

Written from what the documents promise, and knowing nothing of how the product detects: it imports none of it. Every
figure comes from the seed. A label says what happened, from when to when, and how much money it moved.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta

FIRST = date(2025, 9, 30)
DAYS = 400
LATE = 100
QUIET = 60
"""Days at the beginning on which nothing happens, as in the data of somebody who has just set it up."""


@dataclass(frozen=True)
class Label:
    """One thing that happened. `planned` was announced: to alarm is neither right nor wrong."""

    shape: str  # spike, level shift, leak, silence, planned
    start: date
    end: date
    excess: float  # what it cost more than usual; negative for a silence


@dataclass
class Series:
    """Usage before credits by day, in order, each day once; `final` False on days that late charges still raise."""

    name: str
    habit: str
    amounts: list[float]
    labels: list[Label] = field(default_factory=list)

    def day(self, place: int) -> date:
        """Date of a place."""
        return FIRST + timedelta(days=place)


HABITS = ("plain", "weekends", "busy weekends", "trend", "month start", "noisy", "tiny", "trend and weekends", "sparse",
          "begins late")  # fmt: skip
EVENTS = ("spike", "spike", "level shift", "leak", "silence", "planned", "restated", "none", "none")


def make(seed: int, count: int = 40) -> list[Series]:
    """Series of one seed; of most, one or two things go wrong, of some nothing."""
    rng = random.Random(f"days {seed}")
    return [_series(rng, f"{seed}-{number}", HABITS[number % len(HABITS)]) for number in range(count)]


def _series(rng: random.Random, name: str, habit: str) -> Series:
    usual = _usual(rng, habit)
    made = Series(name, habit, list(usual))
    if habit == "sparse":
        return made
    place = QUIET + (LATE if habit == "begins late" else 0)
    while place < DAYS - 75:
        event = rng.choice(EVENTS)
        length = _happen(rng, made, usual, event, place + rng.randrange(5, 60)) if event != "none" else 60
        place += length + 75
    if rng.choice((True, False)):  # late charges: the last days are not all there yet
        made.amounts[-1] *= rng.uniform(0.3, 0.8)
        made.amounts[-2] *= rng.uniform(0.8, 1.0)
    made.amounts = [round(amount, 4) for amount in made.amounts]
    return made


def _usual(rng: random.Random, habit: str) -> list[float]:
    level = rng.uniform(0.4, 4) if habit == "tiny" else 10 ** rng.uniform(1.7, 3.8)
    noise = rng.uniform(0.12, 0.18) if habit == "noisy" else rng.uniform(0.01, 0.07)
    weekend = 1.0
    if "weekends" in habit:
        weekend = rng.uniform(1.2, 1.6) if habit.startswith("busy") else rng.uniform(0.2, 0.8)
    trend = rng.uniform(-0.002, 0.003) if "trend" in habit else 0.0
    fee = level * rng.uniform(0.5, 4) if habit == "month start" else 0.0
    amounts = []
    for place in range(DAYS):
        day = FIRST + timedelta(days=place)
        amount = level * (1 + trend) ** place * (weekend if day.weekday() >= 5 else 1.0)  # noqa: PLR2004 - Saturday
        amount *= max(rng.gauss(1, noise), 0.05)
        amounts.append(amount + (fee if day.day == 1 else 0.0))
    if habit == "sparse":  # a batch twice a week
        days = [FIRST + timedelta(days=place) for place in range(DAYS)]
        return [amount if day.weekday() in (1, 4) else 0.0 for day, amount in zip(days, amounts, strict=True)]
    return [0.0] * LATE + amounts[LATE:] if habit == "begins late" else amounts


def _happen(rng: random.Random, made: Series, usual: list[float], event: str, start: int) -> int:
    """Let something happen, and say so in a label; how many days it takes."""
    if event == "restated":  # a later delivery moved money between two days a little; nobody need hear of it
        moved = usual[start] * 0.05
        made.amounts[start] -= moved
        made.amounts[start + 1] += moved
        return 2
    length, times = {
        "spike": (rng.randrange(1, 3), rng.uniform(1.8, 5)),
        "level shift": (rng.randrange(20, 60), rng.uniform(1.5, 3)),
        "leak": (rng.randrange(30, 45), rng.uniform(0.012, 0.025)),
        "silence": (rng.randrange(3, 8), 0.0),
        "planned": (rng.randrange(5, 20), rng.uniform(2, 4)),
    }[event]
    excess = 0.0
    length = min(length, DAYS - start)
    for step in range(length):
        place = start + step
        new = usual[place] * ((1 + times) ** (step + 1) if event == "leak" else times)
        excess += new - usual[place]
        made.amounts[place] = new
    if event in ("level shift", "leak") and rng.choice((True, False)):  # it stays for good; else somebody ends it
        grown = times if event == "level shift" else (1 + times) ** length
        for place in range(start + length, DAYS):
            made.amounts[place] *= grown
            usual[place] *= grown
    made.labels.append(Label(event, made.day(start), made.day(start + length - 1), excess))
    return length
