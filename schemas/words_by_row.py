"""Counts as people say them, as polars expressions over many rows."""

from __future__ import annotations

import polars as pl


def each_counted(number: str | pl.Expr, one: str) -> pl.Expr:
    """`1 node`, `2 nodes`, `0.5 GPUs` by row, without the `.0` of a whole number that is a float; null stays null."""
    value = pl.col(number) if isinstance(number, str) else number
    words = pl.when(value == 1).then(pl.lit(one)).otherwise(pl.lit(f"{one}s"))
    return pl.format("{} {}", plain(value), words)


def plain(number: pl.Expr) -> pl.Expr:
    """A number as text, without the `.0` of a whole one."""
    return number.cast(pl.String).str.strip_suffix(".0")
