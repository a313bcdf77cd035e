"""Exact sums of raw columns for the control sum: numbers as they are written, added without the readers' arithmetic."""

from __future__ import annotations

import re
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from schemas.money import EXACT
from schemas.workspace import Source

# ASCII: Decimal reads digits of every script, and the readers take such text for no number.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_WIDE = pa.decimal256(76, 30)
# So short a text has fewer digits than the type, wherever its point is.
_PLAIN = 30
_LARGE = r"[eE]\+?\d|\d{38}"
_PLACES = 12
# Two texts of so many digits are never one double, so the one found is the shortest.
_SAFE = 10.0**15


def filled(values: pa.Array, blanks: tuple[str, ...]) -> pa.Array:
    """A column in which texts that mean "no value" are null."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    empty = pc.is_in(values, value_set=pa.array(blanks, type=values.type))
    return pc.if_else(empty, pa.scalar(None, values.type), values)


def plain(values: pa.Array, source: Source, blanks: tuple[str, ...] = ()) -> pa.Array:
    """Number text in the standard style; a text in another style counts as none."""
    text = filled(values.cast(pa.string()), blanks)
    if source.decimal == "." and not source.thousands:
        return text
    point, mark = re.escape(source.decimal), re.escape(source.thousands)
    whole = rf"(?:\d{{1,3}}(?:{mark}\d{{3}})+|\d+)" if source.thousands else r"\d+"
    fits = pc.match_substring_regex(text, rf"^[+-]?(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?$")
    bare = pc.replace_substring(text, source.thousands, "") if source.thousands else text
    bare = pc.replace_substring(bare, source.decimal, ".")
    return pc.if_else(fits, bare, pa.scalar("not in the stated style", pa.string()))


def summed(values: pa.Array) -> tuple[Decimal, int]:
    """Exact sum of one batch of a raw column, and the count of its cells that are no number.

    It is made of 256-bit decimals where all of it fits, else of Python's one distinct value at a time.
    """
    if pa.types.is_decimal(values.type) or pa.types.is_integer(values.type):
        wide = values.cast(pa.decimal256(76, getattr(values.type, "scale", 0)))
        return pc.sum(wide).as_py() or Decimal(0), 0
    if pa.types.is_float64(values.type):
        units, values = _short_doubles(values)
        total, unreadable = summed(values.cast(pa.string()))
        return EXACT.add(total, units), unreadable
    if pa.types.is_floating(values.type) or pa.types.is_dictionary(values.type):
        values = values.cast(pa.string())
    if (plain_total := _plain_sum(values)) is not None:
        return plain_total, 0
    number = pc.match_substring_regex(values, rf"^{NUMBER.pattern}$")
    unreadable = pc.sum(pc.invert(number)).as_py() or 0
    numbers = pc.array_filter(values, pc.fill_null(number, fill_value=False))
    # Too large a number is not refused by the cast but comes out as another one.
    large = pc.match_substring_regex(numbers, _LARGE)
    try:
        total = pc.sum(pc.cast(pc.array_filter(numbers, pc.invert(large)), _WIDE)).as_py() or Decimal(0)
        left = pc.array_filter(numbers, large)
    except pa.ArrowInvalid:
        total, left = Decimal(0), numbers
    for pair in pc.value_counts(left).to_pylist():
        total = EXACT.add(total, EXACT.multiply(Decimal(pair["values"]), pair["counts"]))
    return total, unreadable


def _plain_sum(texts: pa.Array) -> Decimal | None:
    """Sum of short numbers without an exponent, which the cast itself tells from other text; None of others."""
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if longest > _PLAIN or pc.any(pc.match_substring(texts, "e", ignore_case=True)).as_py():
        return None
    try:
        return pc.sum(pc.cast(texts, _WIDE)).as_py() or Decimal(0)
    except pa.ArrowInvalid:
        return None


def _short_doubles(values: pa.Array) -> tuple[Decimal, pa.Array]:
    """Sum of the doubles whose shortest text has no more than twelve places, and the other ones.

    As text they would take ten times as long. A whole number of 1e-12 that divides back to the very same double
    is that text's value; doubt (more digits, infinite, no number) leaves a value to the text.
    """
    scaled = pc.round(pc.multiply(values, 10.0**_PLACES))
    same = pc.and_(pc.equal(pc.divide(scaled, 10.0**_PLACES), values), pc.less(pc.abs(scaled), _SAFE))
    units = pc.sum(pc.cast(pc.cast(pc.array_filter(scaled, same), pa.int64()), pa.decimal128(19))).as_py()
    return (units or Decimal(0)).scaleb(-_PLACES, context=EXACT), pc.array_filter(values, pc.invert(same))
