"""Money that several findings would save is saved once: no sum of savings exceeds what was paid.

The surprise: findings may share money without sharing a subject. Checkpoints are a part of their bucket's cost, and a
project's transfer or logs are sums over resources that may be waste themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from attribution.detection.waste.detector import Detector
from schemas.money import MONEY
from schemas.waste import JUDGED_COLUMNS

_SURE = {"high": 0, "medium": 1, "low": 2}
_NONE = pl.lit(0).cast(MONEY)


def saved_once(rows: pl.DataFrame, detectors: Sequence[Detector]) -> pl.DataFrame:
    """Leave each saving to one finding.

    Of one key and currency the finding that saves most carries the saving, of equal ones the surest, then the earlier
    detector's; the others save 0. Of a resource and its parts whichever saves more counts. What sums up resources
    saves at most what their own findings leave.

    Args:
        rows: JUDGED_COLUMNS.
        detectors: in their order; those that waste nothing save nothing.

    Returns:
        JUDGED_COLUMNS, in another order; saving is null where it is no waste, or unknown.
    """
    order = pl.DataFrame({"kind": [one.name for one in detectors], "wasted": [one.wasted for one in detectors]})
    placed = rows.join(order.with_row_index("place"), on="kind")
    mine = pl.col("wasted") & (pl.col("result") == "waste")
    other = placed.filter(~mine).with_columns(pl.lit(None, MONEY).alias("saving"))
    kept = _beside_sums(_beside_parts(_carried(placed.filter(mine))))
    return pl.concat([kept.select(*JUDGED_COLUMNS), other.select(*JUDGED_COLUMNS)])


def _carried(rows: pl.DataFrame) -> pl.DataFrame:
    """One finding of each key and currency carries the saving; one that is unknown beside it adds nothing."""
    ranked = rows.with_columns(pl.col("confidence").replace_strict(_SURE, default=len(_SURE)).alias("doubt")).sort(
        "saving", "doubt", "place", "subject", descending=[True, False, False, False], nulls_last=True
    )
    first = pl.struct("key", "BillingCurrency").is_first_distinct()
    known = (pl.col("saving") > 0).fill_null(value=False).any().over("key", "BillingCurrency")
    return ranked.with_columns(
        pl.when(first | (pl.col("saving").is_null() & ~known)).then("saving").otherwise(_NONE).alias("saving")
    )


def _beside_parts(rows: pl.DataFrame) -> pl.DataFrame:
    """Either the parts of a resource save, or the resource does: whichever saves more."""
    whole = rows.group_by("key", "BillingCurrency").agg(pl.col("saving").sum().alias("of_whole"))
    parts = (
        rows.filter(pl.col("within").is_not_null())
        .group_by("within", "BillingCurrency")
        .agg(pl.col("saving").sum().alias("of_parts"))
    )
    on = ["key", "BillingCurrency"]
    joined = (
        rows.join(parts.rename({"within": "key"}), on=on, how="left", nulls_equal=True)
        .join(whole.rename({"key": "within"}), on=["within", "BillingCurrency"], how="left", nulls_equal=True)
        .join(parts.rename({"of_parts": "of_mine"}), on=["within", "BillingCurrency"], how="left", nulls_equal=True)
    )
    saved_by_parts = pl.col("of_parts") > pl.col("saving").fill_null(0)
    saved_by_whole = pl.col("of_whole") >= pl.col("of_mine")
    lost = (saved_by_parts | saved_by_whole).fill_null(value=False)
    return joined.with_columns(pl.when(lost).then(_NONE).otherwise("saving").alias("saving"))


def _beside_sums(rows: pl.DataFrame) -> pl.DataFrame:
    """What sums up resources saves no more than they leave: its cost less what they save of it."""
    on = ["key", "BillingCurrency"]
    own = rows.filter(pl.col("made_of").is_null())
    place = pl.coalesce("within", "key").alias("key")
    saved = own.group_by(place, "BillingCurrency").agg(pl.col("saving").sum().alias("saved"))
    numbered = rows.with_row_index("row")
    taken = (
        numbered.filter(pl.col("made_of").is_not_null())
        .select("row", "BillingCurrency", "made_of")
        .explode("made_of")
        .unnest("made_of")
        .group_by("row", *on)
        .agg(pl.col("cost").sum().clip(lower_bound=0))
        .join(saved, on=on, nulls_equal=True)
        .group_by("row")
        .agg(pl.min_horizontal("saved", "cost").sum().alias("taken"))
    )
    left = (pl.col("cost_at_stake") - pl.col("taken")).clip(lower_bound=0)
    return numbered.join(taken, on="row", how="left").with_columns(
        pl.when(pl.col("taken").is_not_null() & pl.col("saving").is_not_null())
        .then(pl.min_horizontal("saving", left))
        .otherwise("saving")
        .alias("saving")
    )


def made_of(where: pl.Expr) -> pl.Expr:
    """In an aggregation of `Estate.meters`: the resources whose money a sum is made of, and how much of each."""
    known = where & pl.col("key").is_not_null() & pl.col("EffectiveCost").is_not_null()
    return pl.struct("key", cost="EffectiveCost").filter(known).alias("made_of")
