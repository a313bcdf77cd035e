"""What a single setting of attribution.toml may be; each complains in words that `wrong_settings` puts in its place."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, NoReturn
from zoneinfo import available_timezones

import polars as pl

from attribution.bills import FORMATS
from attribution.reports.wording import locales
from schemas import workspace as ws
from schemas.charges import FOCUS_COLUMNS
from schemas.faults import suggest
from schemas.instants import parse_instants
from schemas.people import ADDRESS

# Files of the zones' database that name none: this machine's own, and what an installer writes before one is chosen.
_NO_PLACES = frozenset({"localtime", "Factory"})
# Codecs of Python's that write names of hosts or of source code, and no file.
_NO_FILES = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape"})


def refuse(what: str, hint: str = "") -> NoReturn:
    """Complain to pydantic; what to do follows on a line of its own."""
    message = f"{what}\n{hint}" if hint else what
    raise ValueError(message)


def known_zone(zone: str) -> str:
    """A time zone by its IANA name."""
    known = available_timezones() - _NO_PLACES
    if zone not in known:
        refuse("is no time zone", suggest(str(zone), known))
    return zone


def one_or_more(value: object) -> object:
    """A list, which may be written as its only entry."""
    return [value] if isinstance(value, str) else value


def currency_code(code: str) -> str:
    """Three capital letters."""
    if len(code) != 3 or not (code.isascii() and code.isalpha() and code.isupper()):  # noqa: PLR2004 - as ISO 4217 has it
        refuse("is no currency code", 'Three capital letters, for example "USD".')
    return code


def source_name(name: str) -> str:
    """What a source may be called; the name is part of the names of files and bills."""
    plain = name.isascii() and name.replace("_", "").replace(".", "").replace("-", "").isalnum()
    if not plain or name != name.lower() or not name[0].isalnum():
        refuse("cannot name a source", 'Lower case letters, digits, "-", "_" and ".", a letter or digit first.')
    if name == ws.OWN_COSTS:
        refuse("is the source of own costs", "Name their files under [inputs] own_costs, and this source otherwise.")
    return name


def known_format(name: str) -> str:
    """`auto`, or the name of a reader."""
    if name != "auto" and name not in FORMATS:
        known = ("auto", *FORMATS)
        refuse("is no format", f"Known: {', '.join(known)}.  {suggest(name, known)}".strip())
    return name


def charge_column(name: str) -> str:
    """A column of FOCUS."""
    if name not in FOCUS_COLUMNS:
        refuse(
            "is no column of a charge",
            suggest(name, FOCUS_COLUMNS) or "FOCUS's columns, as docs/providers/generic-csv.md lists them.",
        )
    return name


def known_encoding(name: str) -> str:
    """An encoding that Python knows."""
    hint = 'Python\'s names, for example "cp1252", "gb18030", "utf-16-le".'
    try:
        "".encode(name)
    except (LookupError, UnicodeError):
        refuse("is no encoding", hint)
    if codecs.lookup(name).name.replace("-", "_") in _NO_FILES:
        refuse("is no encoding of files", hint)
    return name


def whole_date_format(text: str) -> str:
    """A format must read back the day that it wrote."""
    day = datetime(2026, 2, 13)  # noqa: DTZ001 - a calendar day for trying
    try:
        written = pl.Series([day]).dt.to_string(text)
        read = parse_instants(written, date_format=text).dt.date().item()
    except pl.exceptions.PolarsError:
        read = None
    if read != day.date():
        refuse("does not tell year, month and day", "For example %m/%d/%Y for 02/13/2026.")
    return text


def amount(value: object) -> Decimal:
    """A number as a decimal."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or not Decimal(value).is_finite():
        refuse("must be a number, without quotes")
    return Decimal(value)


def _threshold(value: object) -> Decimal:
    number = amount(value)
    if number < 0:
        refuse("must not be below 0")
    return number


def detector_table(value: object) -> dict[str, Any]:
    """The table of one waste detector, its thresholds not looked at yet."""
    if not isinstance(value, dict):
        hint = "min_age_days, coverage, minimum and silent_days hold for all; detectors have tables."
        refuse("is no setting of waste", hint)
    return value


def waste_override(value: object) -> str | Decimal | dict[str, Decimal]:
    """A dimension's value, a threshold, or a detector's table of thresholds."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(name): _threshold(number) for name, number in value.items()}
    return _threshold(value)


def as_override(stated: Mapping[str, str | Decimal | dict[str, Decimal]]) -> ws.WasteOverride:
    """What a `[[waste.override]]` states, told apart by what the values are."""
    return ws.WasteOverride(
        dimensions={name: value for name, value in stated.items() if isinstance(value, str)},
        general={name: value for name, value in stated.items() if isinstance(value, Decimal)},
        detectors={name: value for name, value in stated.items() if isinstance(value, dict)},
    )


def known_locale(name: str) -> str:
    """A language that reports are written in."""
    if name not in locales():
        refuse("is no language of reports", f"Known: {', '.join(locales())}.  {suggest(name, locales())}".strip())
    return name


def mail_address(address: str) -> str:
    """One plain address."""
    if not re.fullmatch(ADDRESS, address):
        refuse("is no mail address", 'One plain address, for example "mira@example.com".')
    return address
