"""How the cells of a bill are read: money, quantities, instants, ids, texts. Bad cells become null and are told.

The source's own statements (decimal mark, date format, time zone) decide; nothing is guessed cell by cell.
"""

from __future__ import annotations

import re
from decimal import Decimal

import polars as pl

from schemas.instants import parse_instants, parse_months, place, plausible
from schemas.money import NUMBER, add, read_money, without_long_exponents
from schemas.workspace import Source

# Databases write the last one when they unload to CSV.
NULL_WORDS = ("NULL", "null", "\\N")
_LONGEST_NULL = 4


def read_text(raw: pl.Series, *, null_words: bool = True) -> pl.Series:
    """Text as it stands; null where the cell is empty or, in FOCUS files, says NULL."""
    if raw.dtype != pl.String:
        return nested_text(raw) if raw.dtype.is_nested() else raw.cast(pl.String)
    short = raw.str.len_bytes() <= _LONGEST_NULL
    if not short.any():
        return raw
    words = pl.Series(["", *(NULL_WORDS if null_words else ())])
    empty = short & raw.is_in(words.implode())
    return raw.set(empty, None) if empty.any() else raw


def nested_text(raw: pl.Series) -> pl.Series:
    """A map, struct or list column as JSON text."""
    wrapped = raw.to_frame("x").select(pl.struct("x").struct.json_encode().alias(raw.name)).to_series()
    inner = wrapped.str.slice(len('{"x":')).str.head(-1)
    return inner.set(inner == "null", None)


def plain_number(text: pl.Series, source: Source) -> pl.Series:
    """Number text with `.` and without thousands separators; null where it is not in the source's style."""
    if source.decimal == "." and not source.thousands:
        return text
    point, thousands = re.escape(source.decimal), re.escape(source.thousands)
    whole = rf"([0-9]{{1,3}}({thousands}[0-9]{{3}})+|[0-9]+)" if source.thousands else r"[0-9]+"
    style = rf"^[+-]?({whole}({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]{{1,3}})?$"
    plain = text.set(~text.str.contains(style).fill_null(value=True), None)
    if source.thousands:
        plain = plain.str.replace_all(source.thousands, "", literal=True)
    return plain.str.replace(source.decimal, ".", literal=True)


def read_costs(raw: pl.Series, source: Source) -> tuple[pl.Series, Decimal, pl.Series, Decimal]:
    """Read a money column.

    Returns:
        The amounts, what rounding cut, a mask of cells that are no money, and the sum of those of them
        that are numbers all the same, but too large to keep.
    """
    written = read_text(raw) if raw.dtype == pl.String else raw
    text = plain_number(written, source) if raw.dtype == pl.String else raw
    money, residual = read_money(text)
    bad = written.is_not_null() & money.is_null()
    too_large = Decimal(0)
    if bad.any():
        refused = text.filter(bad).cast(pl.String)
        numbers = refused.filter(refused.str.contains(NUMBER).fill_null(value=False)).to_list()
        too_large = add(*(Decimal(number) for number in numbers))
    return money, residual, bad, too_large


def read_quantity(raw: pl.Series, source: Source) -> tuple[pl.Series, pl.Series]:
    """Read a quantity or unit price as a double; the mask tells cells that are none (NaN and infinity are none)."""
    if raw.dtype == pl.String:
        text = read_text(raw)
        plain = plain_number(text, source)
        number = without_long_exponents(plain)[0].cast(pl.Float64, strict=False)
        present = text.is_not_null()
    else:
        number = raw.cast(pl.Float64, strict=False)
        present = raw.is_not_null()
    number = number.set(~number.is_finite().fill_null(value=True), None)
    return number, present & number.is_null()


def read_instants(raw: pl.Series, source: Source) -> tuple[pl.Series, pl.Series]:
    """Read instants to UTC; the mask tells cells that are none. Without a zone the source's time zone holds."""
    if raw.dtype == pl.Date or isinstance(raw.dtype, pl.Datetime):
        zone = getattr(raw.dtype, "time_zone", None)
        moments = raw.cast(pl.Datetime("us", zone))
        moments = place(moments, source.timezone) if zone is None else moments.dt.convert_time_zone("UTC")
        moments = plausible(moments)
        return moments, raw.is_not_null() & moments.is_null()
    text = read_text(raw)
    moments = parse_instants(text, source.timezone, source.date_format)
    return moments, text.is_not_null() & moments.is_null()


def read_months(raw: pl.Series, source: Source) -> tuple[pl.Series, pl.Series]:
    """Read the starts of billing periods to UTC: instants, or months alone; the mask tells cells that are neither."""
    moments, bad = read_instants(raw, source)
    if not bad.any():
        return moments, bad
    text = read_text(raw)
    moments = pl.select(pl.coalesce(moments, parse_months(text, source.timezone))).to_series()
    return moments, text.is_not_null() & moments.is_null()
