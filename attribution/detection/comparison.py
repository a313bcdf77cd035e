"""One subject's two months side by side, and what made the difference: price, usage, mix, new, vanished.

The surprise: the day adjustment cancels out of old price x new quantity, so only that one product is ever rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from attribution.detection.sums import Sums
from attribution.detection.windows import Windows

Money = dict[str, int | None]


@dataclass(frozen=True)
class Comparison:
    """Amounts in units of 1e-12, rates as exact fractions of them; None is unknown."""

    days: int
    previous_days: int
    cost: int | None
    previous: int | None
    net: int | None
    previous_net: int | None
    per_day: Fraction
    previous_per_day: Fraction
    price: Fraction
    usage: Fraction
    new: Fraction
    vanished: Fraction
    weekdays: Fraction

    @property
    def change(self) -> Fraction:
        """Day-adjusted increase over `days`."""
        return (self.per_day - self.previous_per_day) * self.days

    @property
    def ratio(self) -> Fraction:
        """Cost per day by previous cost per day; only where the latter is above zero."""
        return self.per_day / self.previous_per_day

    def effects(self) -> Money:
        """Change and its effects in whole units; what rounding leaves over closes into the mix.

        Of a subject that is new or gone as a whole, all of the change is that.
        """
        change = round(self.change)
        told = {name: round(getattr(self, name)) for name in ("price", "usage", "new", "vanished")}
        if not self.previous_per_day and self.previous == 0:
            told = {"price": 0, "usage": 0, "new": change, "vanished": 0}
        elif not self.per_day and self.cost == 0:
            told = {"price": 0, "usage": 0, "new": 0, "vanished": change}
        effects = {f"{name}_effect": amount for name, amount in told.items()}
        mix = change - sum(told.values())
        return {"change": change, **effects, "mix_effect": mix, "weekday_adjustment": round(self.weekdays)}


def compare(sums: Sums, laid: Windows, month: date, evened: Mapping[str, Fraction] | None = None) -> Comparison:
    """Bring a subject's sources, each over its own days, to one rate a day.

    Args:
        sums: what the subject cost.
        laid: the days compared.
        month: the month judged.
        evened: source -> factor for its cost of the days before, where weekdays are evened out.
    """
    spans = [(found, laid.compared[source, month]) for source, found in sums.sources.items()]
    everyone = [days for (_, other), days in laid.compared.items() if other == month]
    # A subject of credits alone has no source with usage.
    days = max((span.days for _, span in spans), default=max(span.days for span in everyone))
    before = max((span.previous_days for _, span in spans), default=0) or max(span.previous_days for span in everyone)
    per_day = sum((Fraction(found.cost, span.days) for found, span in spans), Fraction(0))
    previous_per_day = price = usage = vanished = weekdays = Fraction(0)
    new = sum((Fraction(found.new * days, span.days) for found, span in spans), Fraction(0))
    for (source, found), (_, span) in zip(sums.sources.items(), spans, strict=True):
        if span.previous_days:
            factor = (evened or {}).get(source, Fraction(1))
            previous_per_day += factor * Fraction(found.previous, span.previous_days)
            weekdays += (factor - 1) * Fraction(found.previous * days, span.previous_days)
            price += Fraction((found.matched - found.old_price_new_quantity) * days, span.days)
            moved = Fraction(found.old_price_new_quantity, span.days)
            usage += (moved - factor * Fraction(found.matched_previous, span.previous_days)) * days
            vanished -= factor * Fraction(found.vanished * days, span.previous_days)
    return Comparison(
        days=days,
        previous_days=before,
        cost=None if sums.rows and not sums.known else sum(found.cost for found, _ in spans),
        previous=None if sums.previous_rows and not sums.previous_known else sum(found.previous for found, _ in spans),
        net=sums.net if sums.net_known or not sums.net_rows else None,
        previous_net=sums.previous_net if sums.previous_net_known or not sums.previous_net_rows else None,
        per_day=per_day,
        previous_per_day=previous_per_day,
        price=price,
        usage=usage,
        new=new,
        vanished=vanished,
        weekdays=weekdays,
    )
