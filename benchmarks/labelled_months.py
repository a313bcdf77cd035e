"""Whole small companies with labels: what their stages cost a day, and which of them truly grew from month to month.

Written from what the documents promise, and knowing nothing of how the product detects: it imports none of it. A pair
of project and stage is labelled where its rate a day rose by 30 % or more and its increase over the days compared is
100 or more. Away from the edges rates differ clearly; at the edges they are exact and one cent decides.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

CENT = Decimal("0.01")
SATURDAY = 5
STAGES = ("pretraining", "sft", "serving", "evaluation", "data-processing", "rl-alignment")
SERVICES = (("GPU Nodes", "compute"), ("Object Storage", "storage"), ("Managed Database", "database"))
FATES = (
    "steady", "steady", "steady", "weekends", "weekends", "grew", "price only", "usage only", "new", "vanished",
    "returned", "fell", "tiny grew", "just enough", "just not enough", "least amount", "below least amount",
    "credit hides growth", "credit ends", "month start", "a little more",
)  # fmt: skip
GREW = {"grew", "price only", "usage only", "new", "returned", "just enough", "least amount", "credit hides growth"}
Row = dict[str, object]


@dataclass
class Company:
    """Daily costs of four months, the last of which may still run; `grew` holds pairs of project and stage."""

    name: str
    first_day: date
    month: date  # first day of the month judged
    last_day: date
    rows: list[Row] = field(default_factory=list)
    grew: set[tuple[str, str]] = field(default_factory=set)
    rates: dict[tuple[str, str], tuple[Decimal, Decimal]] = field(default_factory=dict)  # a day: before, now
    facts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    fates: dict[tuple[str, str], str] = field(default_factory=dict)


def make(seed: int) -> Company:
    """One company: a dozen pairs of project and stage, each with a fate of its own."""
    rng = random.Random(f"months {seed}")
    month = date(2025 + rng.randrange(2), rng.randrange(1, 13), 1)
    last = _next(month) - timedelta(days=1) if seed % 2 else month + timedelta(days=rng.randrange(3, 25))
    made = Company(str(seed), _before(_before(_before(month))), month, last)
    for number in range(14):
        project, stage = f"model-{number // 3}", STAGES[(number + seed) % len(STAGES)]
        fate = FATES[(number + seed * 5) % len(FATES)]
        made.fates[project, stage] = fate
        service, element = SERVICES[number % len(SERVICES)]
        facts = {"project": project, "stage": stage, "owner": f"lead-{number // 3}"}
        made.facts[project, stage] = facts | {"service": service, "cost_element": element}
        what: Row = {"project": project, "stage": stage, "owner": f"lead-{number // 3}", "ServiceName": service,
                     "cost_element": element, "SkuId": f"{service} {number}"}  # fmt: skip
        _live(rng, made, what, fate)
        if fate in GREW:
            made.grew.add((project, stage))
    return made


def _live(rng: random.Random, made: Company, what: Row, fate: str) -> None:
    """Write a pair's days."""
    days = (made.last_day - made.month).days + 1
    rate, before = _rates(rng, fate, days)
    made.rates[str(what["project"]), str(what["stage"])] = (before, rate)
    weekend = rng.uniform(0.2, 0.7) if fate == "weekends" else 1.0
    exact = fate in ("just enough", "just not enough", "least amount", "below least amount")
    noise = 0.0 if exact else rng.uniform(0.0, 0.04)
    older = 0 if fate == "new" else before if fate != "returned" else rate
    day = made.first_day
    while day <= made.last_day:
        now = day >= made.month
        base = rate if now else before if day >= _before(made.month) else older
        amount = float(base) * (weekend if day.weekday() >= SATURDAY else 1.0) * max(rng.gauss(1, noise), 0.2)
        cost = base if exact else Decimal(str(round(amount, 2)))
        if fate == "month start" and day.day == 1:
            cost += (before * 5).quantize(CENT)
        if cost:
            price = Decimal(2) if not (now and fate == "price only") else Decimal(2) * rate / before
            made.rows.append({**what, "usage_date": day, "ChargeCategory": "Usage", "EffectiveCost": cost,
                              "ConsumedQuantity": float(cost / price)})  # fmt: skip
        _credit(made, what, fate, day, before)
        day += timedelta(days=1)


def _credit(made: Company, what: Row, fate: str, day: date, before: Decimal) -> None:
    now = day >= made.month
    if (fate == "credit hides growth" and now) or (fate == "credit ends" and not now):
        cost = (before * Decimal("-0.8")).quantize(CENT)
        made.rows.append({**what, "SkuId": None, "usage_date": day, "ChargeCategory": "Credit", "EffectiveCost": cost,
                          "ConsumedQuantity": None})  # fmt: skip


def _rates(rng: random.Random, fate: str, days: int) -> tuple[Decimal, Decimal]:  # noqa: PLR0911 - one fate a line
    """What a pair costs a day in the month judged, and in the one before."""
    usual = Decimal(rng.randrange(20_000, 300_000)) / 100
    least = (Decimal(100) / days).quantize(CENT, ROUND_CEILING)  # a day, so that the increase reaches 100
    if fate in ("new", "returned"):
        return max(usual, least), Decimal(0)
    if fate == "vanished":
        return Decimal(0), usual
    if fate == "tiny grew":
        return (least / 3).quantize(CENT, ROUND_FLOOR), (least / 9).quantize(CENT, ROUND_FLOOR)
    edge = (usual * Decimal("1.3")).quantize(CENT, ROUND_CEILING)
    grown = {"just enough": edge, "just not enough": edge - CENT}
    if fate in grown:
        return grown[fate], usual
    small = least / 2
    if fate == "least amount":
        return small.quantize(CENT) + least, small.quantize(CENT)
    if fate == "below least amount":
        return small.quantize(CENT) + (Decimal(100) / days).quantize(CENT, ROUND_FLOOR) - CENT, small.quantize(CENT)
    times = {
        "grew": rng.uniform(1.6, 3), "price only": rng.uniform(1.5, 2), "usage only": rng.uniform(1.5, 3),
        "credit hides growth": rng.uniform(1.6, 2), "fell": rng.uniform(0.3, 0.8),
        "a little more": rng.uniform(1.02, 1.15),
    }.get(fate, 1.0)  # fmt: skip
    return (usual * Decimal(str(round(times, 4)))).quantize(CENT), usual


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _before(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)
