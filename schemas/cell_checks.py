"""What a cell must be: checks of several schemas, named in the words that rejects tell."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from schemas.check import pa

MISSING = "a value must stand here"
"""The check that a blank fails."""


def one_of(words: Sequence[str]) -> pa.Check:
    """One of the words."""
    return pa.Check.isin(words, error=f"one of {', '.join(words)}")


def currency_code() -> pa.Check:
    """Three capital letters, as ISO 4217 has them."""
    return pa.Check.str_matches(r"^[A-Z]{3}$", error="a currency code such as USD")


def not_blank() -> pa.Check:
    """Text with something in it."""
    return pa.Check.str_matches(r"\S", error=MISSING)


def not_negative() -> pa.Check:
    """Zero or more, of any number."""
    return pa.Check(lambda data: data.lazyframe.select(pl.col(data.key) >= 0), error="a number, not negative")


def above_zero() -> pa.Check:
    """More than zero, of any number."""
    return pa.Check(lambda data: data.lazyframe.select(pl.col(data.key) > 0), error="a number above 0")


def below(limit: int) -> pa.Check:
    """Less than a limit, of any number."""
    return pa.Check(lambda data: data.lazyframe.select(pl.col(data.key) < limit), error=f"a number below {limit:,}")


def in_order(first: str, second: str, words: str, *, strict: bool = False) -> pa.Check:
    """Of a row: `second` is not before `first`, or after it where `strict`; a blank one says nothing."""
    after = pl.col(second) > pl.col(first) if strict else pl.col(second) >= pl.col(first)
    return pa.Check(lambda data: data.lazyframe.select(after.fill_null(value=True)), error=f"{second}: {words}")
