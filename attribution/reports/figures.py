"""How figures and names become text: the only place that rounds, and the only place that writes a sign.

Amounts are rounded half-even after they were added up, so printed rows may differ from a printed total in
their last digit. Names keep every letter, but line breaks, control and direction marks become visible.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal

from attribution.reports.period import Period
from attribution.reports.report import Amount
from schemas.money import add, shortest

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
UNKNOWN = "unknown"
NO_BASE = "no base"

# ISO 4217: places after the point where they are not two.
_PLACES = {
    **dict.fromkeys("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0),
    **dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3),
}
_WIDE = Context(prec=80, rounding=ROUND_HALF_EVEN)
_TENTH = Decimal("0.1")
_TWELVE = Decimal("1e-12")
_HUNDRED = Decimal(100)
_THOUSAND = Decimal(1000)
_WRITTEN = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_JOINERS = "\u200c\u200d"  # emoji and several scripts are spelt with these


def round_to(amount: Decimal, unit: Decimal) -> Decimal:
    """Round half-even to a unit; never a negative zero."""
    rounded = amount.quantize(unit, context=_WIDE)
    return rounded or rounded.copy_abs()


def places(currency: str) -> int:
    """Digits after the point of the currency's smallest coin."""
    return _PLACES.get(currency, 2)


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Round to the currency's smallest coin."""
    return round_to(amount, Decimal(1).scaleb(-places(currency)))


def money(amount: Amount, currency: str) -> str:
    """`12,345.67`, `-3.00`, or `unknown`."""
    return UNKNOWN if amount is None else f"{rounded(amount, currency):,f}"


def with_currency(amount: Amount, currency: str) -> str:
    """`12,345.67 USD`, or `unknown`."""
    return UNKNOWN if amount is None else f"{money(amount, currency)} {currency}"


def signed(amount: Amount, currency: str) -> str:
    """`+200.00`, `-25.00`, `0.00`: one sign, none for zero."""
    if amount is None:
        return UNKNOWN
    coins = rounded(amount, currency)
    return f"{coins:+,f}" if coins else f"{coins:,f}"


def exact(amount: Amount) -> str:
    """Every digit and no more, for programs: `12345.67`; nothing where it is unknown."""
    return "" if amount is None else shortest(amount)


def difference(this: Amount, before: Amount) -> Amount:
    """`this` less `before`, exactly; unknown where either is."""
    return None if this is None or before is None else add(this, before.copy_negate())


def grown(percent_points: Amount, status: str) -> str:
    """Growth as a percentage, or its status where there is no base to speak of."""
    return label(status, 20) if percent_points is None else points(percent_points)


def change(this: Amount, before: Amount, currency: str) -> str:
    """The difference, signed."""
    return signed(difference(this, before), currency)


def total(amounts: Iterable[Amount]) -> Amount:
    """Add up what is known; unknown only where something is there and nothing of it is known; 0 of nothing."""
    every = list(amounts)
    known = [amount for amount in every if amount is not None]
    return None if every and not known else add(*known)


def percent(this: Amount, before: Amount) -> str:
    """Relative change in words where there is no number: `new`, `gone`, `no base`, `unknown`."""
    if this is None or before is None:
        return UNKNOWN
    if before == this:
        return "0.0%"
    if before == 0:
        return "new" if this > 0 else NO_BASE
    if before < 0:
        return NO_BASE
    if this == 0:
        return "gone"
    return points(_WIDE.multiply(_WIDE.divide(_WIDE.subtract(this, before), before), _HUNDRED))


def ratio(this: Amount, before: Amount) -> Amount:
    """Relative change to 12 places, to sort by; None where `percent` has a word for it."""
    if this is None or before is None or before <= 0:
        return None
    return round_to(_WIDE.divide(_WIDE.subtract(this, before), before), _TWELVE)


def points(exact: Decimal) -> str:
    """Percentage points as a signed percentage: 30 is `+30.0%`."""
    tenths = round_to(exact, _TENTH)
    if tenths >= _THOUSAND:
        return "over +999%"
    if tenths <= -_THOUSAND:
        return "under -999%"
    return f"{tenths:+f}%" if tenths else f"{tenths:f}%"


def share(part: Amount, whole: Amount) -> str:
    """A part of a whole as `12.3%`; `no base` where the whole is not positive."""
    if part is None or whole is None:
        return UNKNOWN
    if whole <= 0:
        return NO_BASE
    return f"{round_to(_WIDE.multiply(_WIDE.divide(part, whole), _HUNDRED), _TENTH):f}%"


def _visible(letter: str) -> str:
    if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in _JOINERS:
        return _WRITTEN.get(letter, f"\\u{ord(letter):04x}")
    return letter


def label(name: str, width: int | None = None) -> str:
    """A name from the data as one line of plain letters; longer than `width`, its middle is left out."""
    text = "".join(map(_visible, name)) or "(empty)"
    if width is None or len(text) <= width:
        return text
    tail = width // 3
    return f"{text[: width - tail - 1]}…{text[len(text) - tail :]}"


def day(of: date) -> str:
    """`4 Nov`."""
    return f"{of.day} {MONTHS[of.month - 1]}"


def full_day(of: date) -> str:
    """`4 Nov 2026`."""
    return f"{day(of)} {of.year}"


def month(of: date) -> str:
    """`Nov 2026`."""
    return f"{MONTHS[of.month - 1]} {of.year}"


def period(of: Period) -> str:
    """`26 Oct - 1 Nov 2026` with a dash, one day alone, or a month's name."""
    if of.is_month:
        return month(of.first)
    if of.days == 1:
        return full_day(of.first)
    if of.first.year != of.last.year:
        return f"{full_day(of.first)} – {full_day(of.last)}"
    if of.first.month != of.last.month:
        return f"{day(of.first)} – {full_day(of.last)}"
    return f"{of.first.day} – {full_day(of.last)}"


def noun(of: Period) -> str:
    """What to call a period: `week`, `month`, or `period`."""
    if of.is_month:
        return "month"
    return "week" if of.days == 7 and of.first.isoweekday() == 1 else "period"  # noqa: PLR2004 - days of a week
