"""What growth in a foreign currency is worth in the workspace's own, and what of it the rates alone make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction

from attribution.detection.comparison import Comparison, Money
from attribution.detection.windows import previous_month


@dataclass(frozen=True)
class Worth:
    """The workspace's currency, and (currency, month) -> what one unit was worth in it."""

    currency: str | None = None
    rates: Mapping[tuple[str, date], Decimal] = field(default_factory=dict)

    def rate(self, currency: str, month: date) -> Fraction | None:
        """The rate of a month; 1 of the workspace's own, None where none is stated."""
        if currency == self.currency:
            return Fraction(1)
        stated = self.rates.get((currency, month))
        return None if stated is None else Fraction(stated)

    def bridge(self, currency: str, month: date, seen: Comparison, change: int | None) -> Money:
        """Change in the workspace's currency, and its part that rates make; together with `change` they are exact."""
        now, before = self.rate(currency, month), self.rate(currency, previous_month(month))
        if change is None or now is None or before is None:
            return {"currency_effect": None, "converted_change": None}
        converted = round((seen.per_day * now - seen.previous_per_day * before) * seen.days)
        return {"currency_effect": converted - round(change * now), "converted_change": converted}
