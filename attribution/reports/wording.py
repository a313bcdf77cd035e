"""What a report says in one language: its sentences from one table, numbers, dates and money as that language has them.

Sentences lie in `locales/<locale>.toml`; numbers and dates follow Babel's data (CLDR). Currencies are told by their ISO
code where a language knows several of one sign, by their name else. Amounts are rounded by `figures`, and only there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import date
from decimal import Decimal, localcontext
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale
from babel.dates import format_interval, format_skeleton
from babel.numbers import format_currency, format_decimal

from attribution.reports import figures
from attribution.reports.period import Period
from attribution.reports.report import Amount

_FOLDER = Path(__file__).parent / "locales"
_DIGITS = 80  # of the widest amount that is printed
_CJK = ("zh",)


def locales() -> tuple[str, ...]:
    """Languages that reports can be written in."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


@cache
def wording(locale: str) -> Wording:
    """The wording of a language, read once."""
    return Wording(locale)


class Wording:
    """Sentences, numbers, dates and names of one language."""

    def __init__(self, locale: str) -> None:
        table: dict[str, Any] = tomllib.loads((_FOLDER / f"{locale}.toml").read_text(encoding="utf-8"))
        self.locale = locale
        self._values: dict[str, dict[str, str]] = table.pop("values")
        self._calendar = Locale.parse(table.pop("calendar"))
        self._sentences = table

    @property
    def written_in_cjk(self) -> bool:
        """Whether its letters are ones that a machine may have no font for."""
        return self._calendar.language in _CJK

    # --- sentences ---

    def say(self, key: str, /, **values: str) -> str:
        """A sentence with what is told filled in."""
        sentence: str = self._sentences[key]
        return sentence.format(**values) if values else sentence

    def count(self, key: str, number: int, /, **values: str) -> str:
        """A sentence that counts something."""
        forms = self._sentences[key]
        form: str = forms.get(self._calendar.plural_form(number), forms["other"])
        return form.format(n=format_decimal(number, "#,##0", self._calendar), **values)

    def value(self, dimension: str, name: str) -> str:
        """A code in this language; a name from the data stays as it is."""
        return self._values.get(dimension, {}).get(name) or self._values["any"].get(name, name)

    def kind(self, kind: str) -> str:
        """A kind of finding in words."""
        return self._values["kind"].get(kind, kind.replace("_", " "))

    def subject(self, subject: str) -> str:
        """`experiment=a1`, or several of the kind, with the dimensions in this language; else as it is."""
        dimension, mark, name = subject.partition("=")
        known = self._values.get("growth", {}).get(dimension)
        return f"{known} {self.value(dimension, name)}" if mark and known and " " not in subject else subject

    # --- amounts ---

    def _number(self, amount: Decimal, pattern: str) -> str:
        with localcontext(prec=_DIGITS):
            text: str = format_decimal(amount, pattern, self._calendar, decimal_quantization=False)
        return text

    def money(self, amount: Amount, currency: str) -> str:
        """`12,345.67`, or the word for unknown."""
        if amount is None:
            return self.say("unknown")
        coins = figures.rounded(amount, currency)
        return self._number(coins, f"#,##0{_places(coins)}")

    def with_currency(self, amount: Amount, currency: str) -> str:
        """`12,345.67 USD`, `12,345.67美元`, or the word for unknown."""
        if amount is None:
            return self.say("unknown")
        if self._calendar.language not in _CJK:
            return f"{self.money(amount, currency)} {currency}"
        with localcontext(prec=_DIGITS):
            coins = figures.rounded(amount, currency)
            text: str = format_currency(
                coins, currency, locale=self._calendar, format_type="name", decimal_quantization=False
            )
        return text

    def signed(self, amount: Amount, currency: str) -> str:
        """`+200.00`, `-25.00`, `0.00`: one sign, none for zero."""
        if amount is None:
            return self.say("unknown")
        coins = figures.rounded(amount, currency)
        plain = f"#,##0{_places(coins)}"
        return self._number(coins, f"+{plain};-{plain}" if coins else plain)

    def change(self, this: Amount, before: Amount, currency: str) -> str:
        """The difference, signed."""
        return self.signed(figures.difference(this, before), currency)

    def percent(self, this: Amount, before: Amount) -> str:
        """Relative change, or a word where there is no number."""
        return self._points(figures.percent(this, before))

    def grown(self, percent_points: Amount, status: str) -> str:
        """Growth as a percentage, or its status where there is no base to speak of."""
        if percent_points is None:
            return figures.label(self._values["growth"].get(status, status), 20)
        return self._points(figures.points(percent_points))

    def share(self, part: Amount, whole: Amount) -> str:
        """A part of a whole as `12.3%`."""
        return self._points(figures.share(part, whole))

    def _points(self, text: str) -> str:
        """A percentage of `figures`, or its word, in this language."""
        if text in _WORDS:
            return self.say(_WORDS[text])
        number = Decimal(text.removesuffix("%"))
        sign = "+#,##0.0;-#,##0.0" if text.startswith("+") else "#,##0.0"
        return f"{self._number(number, sign)}%"

    # --- dates ---

    def day(self, of: date) -> str:
        """`4 Nov`."""
        return self._dated("MMMd", of)

    def full_day(self, of: date) -> str:
        """`4 Nov 2026`."""
        return self._dated("yMMMd", of)

    def month(self, of: date) -> str:
        """`Nov 2026`."""
        return self._dated("yMMM", of)

    def _dated(self, skeleton: str, of: date) -> str:
        return _skeleton(skeleton, of, self._calendar)

    def period(self, of: Period) -> str:
        """`26 Oct – 1 Nov 2026`, one day alone, or a month's name."""
        if of.is_month:
            return self.month(of.first)
        if of.days == 1:
            return self.full_day(of.first)
        text: str = format_interval(of.first, of.last, "yMMMd", locale=self._calendar)
        return text.replace("\u2009", " ")  # many fonts of mail readers have no thin space

    def noun(self, of: Period) -> str:
        """What to call a period: this week, this month, or this period."""
        return self.say(f"this_{figures.noun(of)}")

    def together(self, texts: Iterable[str]) -> str:
        """Several things in one sentence."""
        return ("、" if self._calendar.language in _CJK else ", ").join(texts)


_WORDS = {
    figures.UNKNOWN: "unknown",
    figures.NO_BASE: "no_base",
    "new": "new",
    "gone": "gone",
    "over +999%": "over",
    "under -999%": "under",
}


def _places(coins: Decimal) -> str:
    exponent = coins.as_tuple().exponent
    return f".{'0' * -exponent}" if isinstance(exponent, int) and exponent < 0 else ""


@cache
def _skeleton(skeleton: str, of: date, calendar: Locale) -> str:
    text: str = format_skeleton(skeleton, of, locale=calendar)
    return text
