"""By what a split divides: each word makes the weights of the receivers, and the table names them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from attribution.rules.records import Condition, Split
from schemas.money import MONEY


@dataclass(frozen=True)
class Scene:
    """What a word may look at.

    Every frame has the columns `window`, `BillingCurrency`, those of `inside`, and but for `windows` those of
    `across`. `windows`: where a pool is. `present`: who is there besides, with EffectiveCost. `used`: the quantity of
    the rows that meet a condition, with its unit. `measures`: by split, `date`, `weight` and columns of dimensions.
    """

    windows: pl.DataFrame
    present: pl.DataFrame
    used: Callable[[Condition], pl.DataFrame]
    measures: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def even(split: Split, scene: Scene) -> pl.DataFrame:
    """Everybody who is there counts the same."""
    return _narrowed(split, scene.present).with_columns(pl.lit(1).cast(MONEY).alias("weight"))


def cost(split: Split, scene: Scene) -> pl.DataFrame:
    """By EffectiveCost in the window; who costs nothing, or less, gets nothing."""
    return _narrowed(split, scene.present).with_columns(pl.col("EffectiveCost").alias("weight"))


def fixed(split: Split, scene: Scene) -> pl.DataFrame:
    """By agreement; those named receive whether or not they cost anything themselves."""
    agreed = pl.DataFrame(
        {split.across[0]: list(split.weights), "weight": list(split.weights.values())},
        schema={split.across[0]: pl.String(), "weight": MONEY},
    )
    return scene.windows.join(_narrowed(split, agreed), how="cross")


def usage(split: Split, scene: Scene) -> pl.DataFrame:
    """By the quantity that the receivers consumed of what `of` names; of two units in a window nobody is sure."""
    used = scene.used(split.of or split.when)
    window = [name for name in scene.windows.columns if name in used.columns]
    one_unit = pl.col("ConsumedUnit").n_unique().over(window) == 1
    return _narrowed(split, used.filter(one_unit)).rename({"quantity": "weight"}).drop("ConsumedUnit")


def measure(split: Split, scene: Scene) -> pl.DataFrame:
    """By a CSV of weights; those it names receive whether or not they cost anything themselves."""
    measured = scene.measures.get(split.name)
    if measured is None:
        return scene.present.clear().with_columns(pl.lit(None, MONEY).alias("weight"))
    length = "1mo" if split.within == "month" else "1d"
    keys = [*split.inside, *split.across]
    summed = measured.group_by(pl.col("date").dt.truncate(length).alias("window"), *keys).agg(pl.col("weight").sum())
    return scene.windows.join(_narrowed(split, summed), on=["window", *split.inside])


def _narrowed(split: Split, receivers: pl.DataFrame) -> pl.DataFrame:
    return receivers if split.to is None else receivers.filter(pl.col(split.across[0]).is_in(list(split.to)))


SPLITS: dict[str, Callable[[Split, Scene], pl.DataFrame]] = {
    "even": even,
    "fixed": fixed,
    "cost": cost,
    "usage": usage,
    "measure": measure,
}
"""word -> function of a split and its scene giving one row a window, currency and receiver with its `weight`."""
