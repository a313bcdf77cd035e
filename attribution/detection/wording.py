"""Figures in sentences: money with two decimals and one sign, days and months as people write them."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal

_WIDE = Context(prec=60, rounding=ROUND_HALF_EVEN)


def amount(value: Decimal) -> str:
    """`1,234.50`, with a minus where it is below zero; an amount that rounds to zero has none."""
    return f"{_rounded(value, 2):,}"


def signed(value: Decimal) -> str:
    """`+1,234.50`, `-1,234.50` or `0.00`: exactly one sign."""
    rounded = _rounded(value, 2)
    return f"{rounded:+,}" if rounded else f"{rounded:,}"


def percentage(value: Decimal) -> str:
    """`+52.0 %`, of the increase, never of the ratio."""
    rounded = _rounded(value, 1)
    return f"{rounded:+,} %" if rounded else f"{rounded:,} %"


def month(first: date, days: int | None = None) -> str:
    """`2026-10`, or `2026-10 (1–9)` where the number of days is told."""
    if days is None:
        return f"{first:%Y-%m}"
    return f"{first:%Y-%m} (1–{days})" if days > 1 else f"{first:%Y-%m} (1)"


def _rounded(value: Decimal, places: int) -> Decimal:
    rounded = value.quantize(Decimal(1).scaleb(-places), context=_WIDE)
    return rounded or abs(rounded)
