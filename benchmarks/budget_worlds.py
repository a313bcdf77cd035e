"""Labelled costs with caps: what each costs a day to its end, and on which day the running sum truly reaches the cap.

Made from what docs/budgets.md promises alone; nothing of the product is imported. A seed is a world of projects, each
with its own weekdays, noise, steps up and down, short bursts, fees of month starts and trend; a cap lies between 60 %
and 140 % of what the month comes to in the end, and one in twenty-five is met to the cent, or kept by one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

FIRST, MONTH, END = date(2026, 7, 1), date(2026, 10, 1), date(2026, 11, 1)
CENT = Decimal("0.01")


@dataclass(frozen=True)
class Capped:
    """One project: cost by day, and its cap; `breach` is the true day in the month, None where it is kept."""

    project: str
    days: dict[date, Decimal]
    cap: Decimal
    breach: date | None
    kind: str


def world(seed: int, projects: int = 24) -> list[Capped]:
    """The projects of a seed."""
    rng = random.Random(f"budget worlds {seed}")
    return [_capped(f"p{number:02}", rng) for number in range(projects)]


def _capped(project: str, rng: random.Random) -> Capped:
    kind = rng.choice(("steady", "steady", "weekends", "step up", "step down", "burst", "trend", "fee"))
    base = 10 ** rng.uniform(1.5, 4)
    noise, weekend = rng.uniform(0.01, 0.12), rng.uniform(0.3, 0.9) if kind == "weekends" else 1.0
    turn = MONTH + timedelta(days=rng.randint(-20, 22))
    step = {"step up": rng.uniform(1.4, 2.5), "step down": rng.uniform(0.3, 0.7)}.get(kind, 1.0)
    bursts = {MONTH + timedelta(days=rng.randint(0, 29)) for _ in range(2 if kind == "burst" else 0)}
    growth = rng.uniform(-0.008, 0.012) if kind == "trend" else 0.0
    days: dict[date, Decimal] = {}
    day = FIRST
    while day < END:
        level = base * (1 + growth) ** (day - FIRST).days * (step if day >= turn else 1)
        level *= weekend if day.weekday() >= 5 else 1  # noqa: PLR2004 - Saturday
        level *= rng.uniform(2, 4) if day in bursts else 1
        level *= max(rng.gauss(1, noise), 0.05)
        level += base * 3 if kind == "fee" and day.day == 1 else 0
        days[day] = Decimal(level).quantize(CENT)
        day += timedelta(days=1)
    final = sum((cost for day, cost in days.items() if day >= MONTH), Decimal(0))
    share = Decimal(rng.uniform(0.6, 1.4))
    cap = (final * share).quantize(CENT)
    if rng.random() < 0.04:  # noqa: PLR2004 - one in twenty-five
        cap = final + rng.choice((CENT, Decimal(0)))
    return Capped(project, days, cap, _reached(days, cap), kind)


def _reached(days: dict[date, Decimal], cap: Decimal) -> date | None:
    running = Decimal(0)
    for day in sorted(one for one in days if one >= MONTH):
        running += days[day]
        if running >= cap:
            return day
    return None
