"""Money: what it is, how text becomes it, and how it is split without losing a unit.

The surprise: polars parses decimal text with half-even rounding, so what rounding cut is measured
here and kept with the bill; a DOUBLE is read through its shortest text, never cast.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, TypeVar

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_Name = TypeVar("_Name")
SCALE = 12
MONEY = pl.Decimal(38, SCALE)
UNIT = Decimal(1).scaleb(-SCALE)
COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")

LARGEST = Decimal(10) ** 18
"""An amount of this size or more is damage, not money; below it no sum of a bill can overflow."""

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
"""Plain number text, for regular expressions of polars."""

EXACT = Context(prec=2100)
"""Room for every digit between 1e999 and 1e-999."""

# 26 places leave 12 digits before the point: enough for every amount met, and the rest takes the slow way.
_WIDE = 26
# A product in whole units of 1e-24 still fits 128 bits.
_GREATEST_PRODUCT = 1e13
# Doubles between these are written without an exponent.
_SMALL, _GREAT = 1e-3, 1e12
# A whole number below this has at most 15 digits.
_SURE = 1e15


def read_money(text: pl.Series) -> tuple[pl.Series, Decimal]:
    """Read decimal text exactly, half-even to 12 places.

    Args:
        text: amounts as written, `.` as the point, no thousands separator; or a column already numeric.

    Returns:
        The amounts as MONEY (null where the text is no number or too large), and the sum of what
        rounding cut: exact sum of the readable values = sum of the amounts + residual.
    """
    if text.dtype == pl.Float64:
        money, long = _short_doubles(text)
        if not long.any():
            return money, Decimal(0)
        others, residual = _read_texts(text.filter(long))
        return money.scatter(long.arg_true(), others), residual
    return _read_texts(text)


def without_long_exponents(text: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Number texts, null where the exponent has four digits or more, which nobody means though parsers read it.

    Returns:
        The texts, and a mask of those that are written with an exponent; null where the text is.
    """
    exponent = text.str.contains_any(["e", "E"])
    at = exponent.arg_true()
    long = text.gather(at).str.contains(r"[eE][+-]?[0-9]{4,}")
    if not long.any():
        return text, exponent
    # A mask, since `scatter` would write into the texts of whoever asked.
    return text.set(pl.zeros(text.len(), pl.Boolean, eager=True).scatter(at.filter(long), values=True), None), exponent


def _short_doubles(doubles: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Doubles as MONEY where their shortest text has at most 15 digits and 12 places; a mask of the other ones.

    Texts of so many digits are never one double. So a whole number of 1e-12 that divides back to the very same double
    is its shortest text, found in a tenth of the time that the text takes.
    """
    scaled = (doubles * 10.0**SCALE).round()
    # By a column of that number: division by a constant goes through its reciprocal, which is inexact.
    same = scaled / pl.repeat(10.0**SCALE, doubles.len(), eager=True) == doubles
    short = (same & (scaled.abs() < _SURE)).fill_null(value=True)
    units = scaled.set(~short, None).cast(pl.Int64).cast(pl.Int128)
    return units.reinterpret(dtype=MONEY).alias(doubles.name), ~short


def _read_texts(text: pl.Series) -> tuple[pl.Series, Decimal]:
    """`read_money`, for all that takes the way of text."""
    if text.dtype in (pl.Float64, pl.Float32):
        doubles, text = text, text.cast(pl.String)
        size = doubles.abs()
        exponent = (size < _SMALL) | (size >= _GREAT)
    elif text.dtype != pl.String:
        if text.dtype.is_decimal() and (text.dtype.scale or 0) > SCALE:  # type: ignore[attr-defined]
            text = text.cast(pl.String)
            exponent = pl.zeros(text.len(), pl.Boolean, eager=True)
        else:
            return _plausible(text.cast(MONEY, strict=False)), Decimal(0)
    else:
        text, exponent = without_long_exponents(text)
    money = _plausible(text.str.to_decimal(scale=SCALE).cast(MONEY))
    residual = Decimal(0)
    # Only what has an exponent, or room for 13 places, can have been cut; a pattern over all rows would be dear.
    long = (exponent | (text.str.len_bytes() > SCALE + 1)) & money.is_not_null()
    if long.any():
        residual = add(residual, _residual(text.filter(long), money.filter(long)))
    return money, residual


def _plausible(money: pl.Series) -> pl.Series:
    """Amounts below LARGEST; null for others."""
    large = (money >= LARGEST) | (money <= LARGEST.copy_negate())
    return money.set(large.fill_null(value=False), None) if large.any() else money


def _residual(text: pl.Series, money: pl.Series) -> Decimal:
    """Sum of text - money, exactly."""
    wide = text.str.to_decimal(scale=_WIDE)
    short = wide.is_null() | text.str.contains(rf"\.\d{{{_WIDE + 1},}}|[eE]-")
    total = Decimal(0)
    plain = ~short
    if plain.any():
        # Row by row first: what is cut of one row is small, while a sum of so many places would overflow.
        kept = money.filter(plain).to_physical() * pl.Series([10 ** (_WIDE - SCALE)], dtype=pl.Int128)
        cut = (wide.filter(plain).to_physical() - kept).sum()
        total = Decimal(int(cut)).scaleb(-_WIDE, context=EXACT)
    for written, kept in zip(text.filter(short).to_list(), money.filter(short).to_list(), strict=True):
        total = EXACT.add(total, EXACT.subtract(Decimal(written), kept))
    return total


def known_sum(column: str, where: pl.Expr | None = None) -> pl.Expr:
    """Sum of what is known of a column, in some rows; null, not the 0 that polars gives, where nothing is."""
    values = pl.col(column) if where is None else pl.col(column).filter(where)
    return pl.when(values.count() > 0).then(values.sum()).alias(column)


def add(*amounts: Decimal) -> Decimal:
    """Add decimals without rounding; the built-in `+` keeps 28 digits only."""
    total = Decimal(0)
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


def add_money(into: dict[_Name, Decimal], more: Mapping[_Name, Decimal]) -> None:
    """Add sums by cost column, currency or both, exactly."""
    for name, amount in more.items():
        into[name] = add(into.get(name, Decimal(0)), amount)


def sum_exactly(amounts: pl.Series) -> Decimal:
    """Sum a decimal column as integers, so that no intermediate rounding is possible; 0 when empty."""
    scale = amounts.dtype.scale or 0  # type: ignore[attr-defined]
    units = amounts.to_physical().cast(pl.Int128).sum()
    return Decimal(int(units or 0)).scaleb(-scale, context=EXACT)


def multiply(left: pl.Series, right: pl.Series) -> pl.Series:
    """Products of two columns of decimal text, as MONEY, half-even to 12 places.

    Polars rounds a product of decimals in a way of its own, so it is made of whole numbers.

    Args:
        left: prices, say, as plain text with `.` as the point.
        right: quantities, likewise.

    Returns:
        The products; null where a factor is missing, has an exponent or more than 12 places, or the product is large.
    """
    plain = rf"^[+-]?[0-9]{{1,18}}(\.[0-9]{{0,{SCALE}}})?$"
    factors = pl.DataFrame({"left": left, "right": right}).select(
        pl.when(pl.col(name).str.contains(plain)).then(pl.col(name)) for name in ("left", "right")
    )
    size = factors.select((pl.col("left").cast(pl.Float64) * pl.col("right").cast(pl.Float64)).abs()).to_series()
    fits = (size < _GREATEST_PRODUCT).fill_null(value=False)
    units = [
        factors.get_column(name).str.to_decimal(scale=SCALE).cast(MONEY).to_physical().set(~fits, None)
        for name in factors.columns
    ]
    wide, one, two, zero = pl.col("wide"), *(pl.lit(number, pl.Int128) for number in (10**SCALE, 2, 0))
    whole, rest = wide.abs() // one, wide.abs() % one
    up = (rest * two > one) | ((rest * two == one) & (whole % two > zero))
    rounded = whole + up.cast(pl.Int128)
    products = pl.DataFrame({"wide": units[0] * units[1]}).select(
        pl.when(wide < zero).then(zero - rounded).otherwise(rounded)
    )
    return products.to_series().reinterpret(dtype=MONEY)


def shortest(amount: Decimal) -> str:
    """All digits that say something: no zeros behind the last, no exponent."""
    digits = f"{amount:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def to_units(amount: Decimal) -> int:
    """An amount of money as a whole number of 1e-12 units."""
    return int(amount.scaleb(SCALE, context=EXACT))


def from_units(units: Sequence[int | None], name: str = "") -> pl.Series:
    """Whole numbers of 1e-12 units as a MONEY column."""
    whole = pl.Series(name, units, dtype=pl.Int128)
    return whole.reinterpret(dtype=MONEY)


def split_units(total: int, weights: Sequence[int]) -> list[int]:
    """Split whole units in proportion to whole weights, losing nothing: the largest remainder method.

    Python integers cannot overflow. Ties go to the earlier weight, a negative total mirrors its
    positive one, and weights that are not positive get nothing.

    Raises:
        ValueError: no weight is positive; the caller keeps such money where it is.
    """
    positive = [max(weight, 0) for weight in weights]
    whole = sum(positive)
    if whole <= 0:
        message = "no positive weight to split by"
        raise ValueError(message)
    sign = -1 if total < 0 else 1
    size = abs(total)
    shares = [size * weight // whole for weight in positive]
    missing = size - sum(shares)
    if missing:
        by_remainder = sorted(range(len(positive)), key=lambda i: (-(size * positive[i] % whole), i))
        for i in by_remainder[:missing]:
            shares[i] += 1
    return [sign * share for share in shares]


def grouped(amount: Decimal) -> str:
    """The shortest text of an amount for people to read, with commas between thousands."""
    return f"{amount.normalize(EXACT):,f}"
