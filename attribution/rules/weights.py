"""By what a split divides: each word makes the weights of the receivers, and the table names them all."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from attribution.rules.records import Split
from schemas.money import MONEY


def even(split: Split, windows: pl.DataFrame, present: pl.DataFrame) -> pl.DataFrame:
    """Everybody who is there counts the same."""
    del windows
    return _narrowed(split, present).with_columns(pl.lit(1).cast(MONEY).alias("weight"))


def cost(split: Split, windows: pl.DataFrame, present: pl.DataFrame) -> pl.DataFrame:
    """By EffectiveCost in the window; who costs nothing, or less, gets nothing."""
    del windows
    return _narrowed(split, present).with_columns(pl.col("EffectiveCost").alias("weight"))


def fixed(split: Split, windows: pl.DataFrame, present: pl.DataFrame) -> pl.DataFrame:
    """By agreement; those named receive whether or not they cost anything themselves."""
    del present
    agreed = pl.DataFrame(
        {split.across[0]: list(split.weights), "weight": list(split.weights.values())},
        schema={split.across[0]: pl.String(), "weight": MONEY},
    )
    return windows.join(_narrowed(split, agreed), how="cross")


def _narrowed(split: Split, receivers: pl.DataFrame) -> pl.DataFrame:
    return receivers if split.to is None else receivers.filter(pl.col(split.across[0]).is_in(list(split.to)))


SPLITS: dict[str, Callable[[Split, pl.DataFrame, pl.DataFrame], pl.DataFrame]] = {
    "even": even,
    "fixed": fixed,
    "cost": cost,
}
"""word -> function of (split, windows with a pool in them, who is present in each window with its EffectiveCost)
giving one row a window, currency and receiver with its `weight`."""
