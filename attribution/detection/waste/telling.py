"""Figures in sentences, as polars expressions: the same words as `attribution.detection.wording` gives one by one."""

from __future__ import annotations

import polars as pl

from schemas.money import SCALE

_CENT = 10 ** (SCALE - 2)


def _named(value: str | pl.Expr) -> pl.Expr:
    return pl.col(value) if isinstance(value, str) else value


def grouped(whole: pl.Expr) -> pl.Expr:
    """`1234567` as `1,234,567`: digits of a text, without sign."""
    return whole.str.reverse().str.replace_all(r"\d{3}", "$0,").str.reverse().str.strip_chars_start(",")


def money(value: str | pl.Expr) -> pl.Expr:
    """An amount as `1,234.50`, rounded half-even; null stays null."""
    units = _named(value).to_physical().cast(pl.Int128)
    size = units.abs()
    whole, rest = size // _CENT, size % _CENT
    up = (rest * 2 > _CENT) | ((rest * 2 == _CENT) & (whole % 2 == 1))
    cents = whole + up.cast(pl.Int128)
    sign = pl.when((units < 0) & (cents > 0)).then(pl.lit("-")).otherwise(pl.lit(""))
    return pl.format(
        "{}{}.{}", sign, grouped((cents // 100).cast(pl.String)), (cents % 100).cast(pl.String).str.zfill(2)
    )


def number(value: str | pl.Expr, places: int = 0) -> pl.Expr:
    """A float as `1,234` or `1,234.5`."""
    scaled = (_named(value).abs() * 10**places).round().cast(pl.Int128, strict=False)
    sign = pl.when((_named(value) < 0) & (scaled > 0)).then(pl.lit("-")).otherwise(pl.lit(""))
    whole = grouped((scaled // 10**places).cast(pl.String))
    if not places:
        return pl.format("{}{}", sign, whole)
    return pl.format("{}{}.{}", sign, whole, (scaled % 10**places).cast(pl.String).str.zfill(places))


def day(value: str | pl.Expr) -> pl.Expr:
    """A date or instant as `2026-10-31`."""
    return _named(value).dt.to_string("%Y-%m-%d")


def month(value: str | pl.Expr) -> pl.Expr:
    """A month as `2026-10`."""
    return _named(value).dt.to_string("%Y-%m")


def maybe(text: str, *parts: str | pl.Expr) -> pl.Expr:
    """`pl.format`, or nothing where a part of it is unknown."""
    return pl.format(text, *parts).fill_null("")


def begun(sentence: pl.Expr) -> pl.Expr:
    """A sentence with a capital: many begin with the inventory's own word for a thing."""
    return pl.concat_str(sentence.str.head(1).str.to_uppercase(), sentence.str.slice(1))
