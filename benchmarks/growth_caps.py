"""Costs with caps of a second hand: somebody who had read the documents, and no detector.

Caps are drawn as people draw them: from what the month before cost, rounded up to something round. Months have 28 to
31 days. One cap in ten is met on the last day to the cent, or kept by one.
"""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal

from budget_worlds import CENT, Capped

MONTHS = (date(2026, 2, 1), date(2024, 2, 1), date(2026, 4, 1), date(2026, 7, 1), date(2026, 9, 1), date(2026, 3, 1))
KINDS = ("reserved", "office week", "nodes added", "nodes given back", "one dear day", "climbs", "fee", "restless",
         "begins", "stops")  # fmt: skip
FRIDAY = 4


def month_of(seed: int) -> tuple[date, date, date]:
    """First day of the data, of the month with the caps, and the day after it."""
    month = MONTHS[seed % len(MONTHS)]
    return (month - timedelta(days=80)).replace(day=1), month, (month + timedelta(days=31)).replace(day=1)


def make(seed: int) -> list[Capped]:
    """Twenty projects of a seed, two of each kind."""
    rng = random.Random(f"second hand, caps {seed}")
    return [_capped(f"{seed}-{number:02}", KINDS[number % len(KINDS)], seed, rng) for number in range(20)]


def _capped(project: str, kind: str, seed: int, rng: random.Random) -> Capped:
    first, month, end = month_of(seed)
    level, noise = 10 ** rng.uniform(1.2, 4.2), rng.uniform(0.15, 0.3) if kind == "restless" else rng.uniform(0, 0.08)
    rest, turn = rng.uniform(0.2, 0.85), month + timedelta(days=rng.randrange((end - month).days))
    times = {"nodes added": rng.uniform(1.3, 3), "nodes given back": rng.uniform(0.2, 0.7), "stops": 0.0}.get(kind, 1.0)
    climb, dear = rng.uniform(-0.006, 0.01), rng.uniform(2, 6)
    begins = turn - timedelta(days=14) if kind == "begins" else first
    days: dict[date, Decimal] = {}
    for place in range((end - first).days):
        day = first + timedelta(days=place)
        cost = level * max(rng.gauss(1, noise), 0.1) * (times if day >= turn else 1.0)
        cost *= rest if kind == "office week" and day.weekday() > FRIDAY else 1.0
        cost *= (1 + climb) ** place if kind == "climbs" else 1.0
        cost *= dear if kind == "one dear day" and day == turn else 1.0
        cost += level * dear if kind == "fee" and day.day == 1 else 0.0
        if day >= begins and cost:
            days[day] = Decimal(cost).quantize(CENT)
    previous = (month - timedelta(days=1)).replace(day=1)
    before = sum((cost for day, cost in days.items() if previous <= day < month), Decimal(0))
    final = sum((cost for day, cost in days.items() if day >= month), Decimal(0))
    cap = _round_number((before if begins <= previous else final) * Decimal(rng.uniform(0.8, 1.5)))
    if rng.random() < 0.1:  # noqa: PLR2004 - one in ten
        cap = final + rng.choice((Decimal(0), CENT))
    return Capped(project, days, cap, _reached(days, cap, month), kind)


def _round_number(amount: Decimal) -> Decimal:
    """The next amount of two leading digits."""
    unit = Decimal(10) ** (amount.adjusted() - 1)
    return (amount // unit + 1) * unit


def _reached(days: dict[date, Decimal], cap: Decimal, month: date) -> date | None:
    """The day on which the month's running sum comes up to the cap; None where it never does."""
    sums = Decimal(0)
    for day, cost in days.items():
        sums += cost if day >= month else 0
        if day >= month and sums >= cap:
            return day
    return None
