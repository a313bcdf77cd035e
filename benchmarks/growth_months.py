"""Whole companies and their growth labels of a second hand: somebody who had read the documents, and no detector.

A pair of project and stage is labelled where its usage before credits rose by 30 % a day or more and by 100 or more in
the days compared. Five fates lie exactly on a line or one cent beside it; the others lie clear of it.
"""

from __future__ import annotations

import calendar
import random
from collections.abc import Callable
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial

from labelled_months import Company, Row

CENT = Decimal("0.01")
FRIDAY, LEAST, EDGE = 4, Decimal(100), Decimal("1.3")
PROJECTS = {"atlas": ("ana", 4), "borealis": ("ben", 3), "corvus": ("ana", 1), "dorado": ("dee", 5), "eos": ("eli", 2)}
STAGES = ("pretraining", "data-processing", "serving", "evaluation", "sft")
SOLD = (("Nodes", "compute"), ("Buckets", "storage"), ("Links", "network"), ("Logs", "observability"))
GREW = {"more", "much more", "ramps up", "from the middle on", "dearer", "dearer kind", "one more fee",
        "hidden by credit", "new", "back again", "from almost nothing", "at the line", "at the least"}  # fmt: skip
QUIET = ("steady", "steady", "office week", "office week", "fee each month", "one dear day", "other kind",
         "credit ends", "tax and purchase", "refund before", "over", "less", "nearly nothing", "little and new",
         "a little more", "a cent below the line", "a cent below the least", "late days",
         "month ends dear")  # fmt: skip


def make(seed: int) -> Company:
    """Fifteen pairs in five projects of four owners; half of the months still run."""
    rng = random.Random(f"second hand, months {seed}")
    month = date(rng.choice((2023, 2024, 2025)), seed % 12 + 1, 1)
    whole = calendar.monthrange(month.year, month.month)[1]
    days = whole if rng.random() < 0.5 else rng.randrange(3, whole)  # noqa: PLR2004
    made = Company(f"second {seed}", _back(_back(_back(month))), month, month + timedelta(days=days - 1))
    fates = rng.sample(sorted(GREW), 5) + rng.sample(QUIET, 10)
    rng.shuffle(fates)
    pairs = [(name, stage) for name, (_, count) in PROJECTS.items() for stage in rng.sample(STAGES, count)]
    for number, pair in enumerate(pairs):
        service, element = rng.choice(SOLD)
        what: Row = {"project": pair[0], "stage": pair[1], "owner": PROJECTS[pair[0]][0], "ServiceName": service,
                     "cost_element": element, "SkuId": f"{service} {number}"}  # fmt: skip
        made.fates[pair] = fates[number]
        made.facts[pair] = {"project": pair[0], "stage": pair[1], "owner": PROJECTS[pair[0]][0], "service": service,
                            "cost_element": element}  # fmt: skip
        _live(rng, made, what, fates[number])
        if fates[number] in GREW:
            made.grew.add(pair)
    return made


def _live(rng: random.Random, made: Company, what: Row, fate: str) -> None:
    """Write a pair's months, and what it truly costs a day in the month before and in the one judged."""
    previous, days = _back(made.month), (made.last_day - made.month).days + 1
    span = (made.month - previous).days
    span = span if days == (_next(made.month) - made.month).days else min(days, span)
    base = Decimal(rng.randrange(400, 40_000)) / 10
    # The increase of a steady week of 30 % or more must be 100 or more in a few days, too.
    base = max(base, (LEAST * 4 / days).quantize(Decimal("0.1"), ROUND_CEILING))
    now, before = _rates(rng, fate, base, days)
    older = {"new": Decimal(0), "little and new": Decimal(0), "back again": base}.get(fate, before)
    noise = 0.0 if "line" in fate or "least" in fate else rng.uniform(0.001, 0.04)
    shape = SHAPES.get(fate)
    sums = {True: Decimal(0), False: Decimal(0)}
    day = made.first_day
    while day <= made.last_day:
        judged = day >= made.month
        rate = now if judged else before if day >= previous else older
        cost = rate * Decimal(str(round(max(rng.gauss(1, noise), 0.3), 4))) if noise else rate
        cost = shape(made, base, day, cost) if shape else cost
        # What days cannot share in cents falls on the month's first, and so does the one cent beside a line.
        cost += LEAST - _least(days) * days if "least" in fate and day == made.month else 0
        cost -= CENT if fate.startswith("a cent below") and day == made.month else 0
        cost = cost if not noise else cost.quantize(CENT)
        compared = judged or previous <= day < previous + timedelta(days=span)
        if compared:
            sums[judged] += -cost if fate == "refund before" and not judged else cost
        _bill(made, what, fate, day, cost=cost, base=base)
        day += timedelta(days=1)
    pair = str(what["project"]), str(what["stage"])
    # Thirds of a cent must not push what lies on a line below it.
    made.rates[pair] = (Context(rounding=ROUND_FLOOR).divide(sums[False], Decimal(span)),
                        Context(rounding=ROUND_CEILING).divide(sums[True], Decimal(days)))  # fmt: skip


def _rates(rng: random.Random, fate: str, base: Decimal, days: int) -> tuple[Decimal, Decimal]:
    """What a pair costs a day in the month judged, and in the one before."""
    small, least = Decimal("0.4"), _least(days)
    exact = {
        "at the line": (base * EDGE, base), "a cent below the line": (base * EDGE, base),
        "at the least": (small + least, small), "a cent below the least": (small + least, small),
    }  # fmt: skip
    if fate in exact:
        return exact[fate]
    few = (LEAST / days / 3).quantize(CENT, ROUND_FLOOR)
    plain = {
        "new": (base, Decimal(0)), "back again": (base, Decimal(0)), "over": (Decimal(0), base),
        "nearly nothing": (few, few / 8), "little and new": (few, Decimal(0)), "from almost nothing": (base, CENT),
    }  # fmt: skip
    if fate in plain:
        return plain[fate]
    times = {"more": (1.45, 2), "much more": (3, 8), "dearer": (1.4, 1.9), "dearer kind": (1.5, 2), "less": (0.2, 0.8),
             "hidden by credit": (1.6, 2.5), "a little more": (1.05, 1.2)}.get(fate, (1, 1))  # fmt: skip
    return base * Decimal(str(round(rng.uniform(*times), 3))), base


def _least(days: int) -> Decimal:
    """A hundred, shared by days in whole cents."""
    return (LEAST / days).quantize(CENT, ROUND_FLOOR)


def _ramp(made: Company, base: Decimal, day: date, cost: Decimal) -> Decimal:
    """Climbs all the month to three times, so that its mean is twice."""
    days = (made.last_day - made.month).days + 1
    return cost + base * 2 * ((day - made.month).days + 1) / days if day >= made.month else cost


def _middle(made: Company, _base: Decimal, day: date, cost: Decimal) -> Decimal:
    return cost * 3 if (day - made.month).days >= (made.last_day - made.month).days / 2 else cost


def _office(made: Company, _base: Decimal, day: date, cost: Decimal) -> Decimal:
    """Rests at weekends as deeply in all months."""
    share = Decimal(25 + made.month.month * 4) / 100
    return cost * share if day.weekday() > FRIDAY else cost


def _fee(made: Company, base: Decimal, day: date, cost: Decimal, *, each: bool) -> Decimal:
    """A fee on the 1st of each month, or of the month judged alone: half of its days' cost, and 200 at least."""
    days = (made.last_day - made.month).days + 1
    due = day.day == 1 and (each or day >= made.month)
    return cost + max(base * days / 2, Decimal(200)) if due else cost


def _dear_day(made: Company, base: Decimal, day: date, cost: Decimal) -> Decimal:
    """One odd day, of 15 % of what the month's days cost: no growth of the month."""
    days = (made.last_day - made.month).days + 1
    return cost + base * days * 15 / 100 if day == made.last_day else cost


def _late(made: Company, _base: Decimal, day: date, cost: Decimal) -> Decimal:
    return cost * Decimal("0.6") if (made.last_day - day).days < 2 else cost  # noqa: PLR2004 - the newest two


def _ends_dear(_made: Company, base: Decimal, day: date, cost: Decimal) -> Decimal:
    """A closing job on the last day of every month: a running month has none yet."""
    return cost + base * 3 if (day + timedelta(days=1)).day == 1 else cost


SHAPES: dict[str, Callable[[Company, Decimal, date, Decimal], Decimal]] = {
    "ramps up": _ramp, "from the middle on": _middle, "office week": _office,
    "fee each month": partial(_fee, each=True), "one more fee": partial(_fee, each=False),
    "one dear day": _dear_day, "late days": _late,
    "month ends dear": _ends_dear,
}  # fmt: skip


def _bill(made: Company, what: Row, fate: str, day: date, *, cost: Decimal, base: Decimal) -> None:
    """The rows of a day: usage by its SKU, and what is not usage."""
    judged = day >= made.month
    sku, price = what["SkuId"], Decimal(2)
    if fate in ("dearer kind", "other kind") and judged:  # another SKU takes the place of the old one
        sku = f"{sku} new"
    if fate == "dearer" and judged:
        price = Decimal(2) * cost / base  # as many units as before
    if cost:
        _row(made, what, day, "Usage", cost, sku=sku, quantity=float(cost / price))
    if fate == "refund before" and not judged:  # a correction of usage that is more than the usage: a base below zero
        _row(made, what, day, "Usage", -cost * 2)
    credit = (fate == "hidden by credit" and judged) or (fate == "credit ends" and not judged)
    if credit:
        _row(made, what, day, "Credit", -(base * Decimal("0.9")).quantize(CENT))
    if fate == "tax and purchase" and judged:
        _row(made, what, day, "Tax", (base / 2).quantize(CENT))
        _row(made, what, day, "Purchase", base * 2)


def _row(
    made: Company, what: Row, day: date, category: str, cost: Decimal, *, sku: object = None,
    quantity: float | None = None,
) -> None:  # fmt: skip
    cost = cost.quantize(Decimal("1e-12"))
    made.rows.append({**what, "SkuId": sku, "usage_date": day, "ChargeCategory": category, "EffectiveCost": cost,
                      "ConsumedQuantity": quantity})  # fmt: skip


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _back(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)
