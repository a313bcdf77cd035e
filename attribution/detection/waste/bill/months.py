"""Sums of whole months set against the months before: one way of comparing for detectors of the bill alone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from attribution.detection.waste.billed import only, still
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.savings import made_of
from attribution.detection.waste.telling import month
from schemas.money import MONEY, known_sum


def by_month(estate: Estate, costs: pl.LazyFrame, by: Sequence[str], months: int) -> pl.LazyFrame:
    """Cost of the last complete month, and what the months before would have cost in as many days.

    Sources that end in different months are not mixed: each month is the source's own.

    Args:
        estate: everything known.
        costs: rows of `Estate.meters`.
        by: columns that make a subject.
        months: how many months before are the base, at most; of them those that the source covers whole.

    Returns:
        One subject x currency x last complete month (`month`, also as `source_group`): `stake`, `base` (null: no month
        before), `untold` (a part of a cost is unknown), `increase`, `ratio` (cost a day by cost a day), `base_months`
        in words, `made_of`, and every dimension.
    """
    back = (
        (pl.col("last_complete_month").dt.year() - pl.col("month").dt.year()) * 12
        + pl.col("last_complete_month").dt.month().cast(pl.Int32)
        - pl.col("month").dt.month()
    )
    length = pl.col("month").dt.days_in_month().cast(pl.Int64)
    now, before = pl.col("back") == 0, pl.col("back").is_between(1, months)
    dimensions = [name for name in estate.dimensions if name not in by]
    whole = costs.with_columns(back.alias("back"), length.alias("length")).filter(
        (pl.col("back") <= months) & (pl.col("month") >= pl.col("first_mark"))
    )
    sums = (
        whole.group_by(*by, "BillingCurrency", "last_complete_month")
        .agg(
            known_sum("EffectiveCost", now).alias("stake"),
            known_sum("EffectiveCost", before).alias("spent"),
            (pl.col("EffectiveCost").is_null() & (now | before)).any().alias("untold"),
            now.any().alias("hit"),
            made_of(now),
            still(estate.silent_days).alias("recent"),
            *(only(name, now) for name in dimensions),
        )
        .filter("hit")
        .join(_covered(estate, months), on="last_complete_month", how="left")
        .with_columns(pl.col("last_complete_month").alias("month"))
    )
    return _compared(sums)


def _covered(estate: Estate, months: int) -> pl.LazyFrame:
    """Days of the base: those the sources cover, whether or not a subject was billed in them."""
    return (
        estate.marks.select("last_complete_month", "first_mark")
        .with_columns(
            pl.date_ranges(
                pl.col("last_complete_month").dt.offset_by(f"-{months}mo"), "last_complete_month", "1mo", closed="left"
            ).alias("base_month")
        )
        .explode("base_month")
        .filter(pl.col("base_month") >= pl.col("first_mark"))
        .unique(["last_complete_month", "base_month"])
        .group_by("last_complete_month")
        .agg(
            pl.col("base_month").dt.days_in_month().cast(pl.Int64).sum().alias("base_days"),
            pl.col("base_month").min().alias("base_first"),
            pl.col("base_month").max().alias("base_last"),
        )
    )


def _compared(sums: pl.LazyFrame) -> pl.LazyFrame:
    """The base in days of the month that is judged, in whole units of money."""
    length = pl.col("month").dt.days_in_month().cast(pl.Int128)
    units = pl.col("spent").to_physical().cast(pl.Int128) * length // pl.col("base_days").cast(pl.Int128)
    base = pl.when(pl.col("base_days") > 0).then(units).cast(pl.Int128)
    told = (
        pl.when(pl.col("base_first") == pl.col("base_last"))
        .then(month("base_first"))
        .otherwise(pl.format("{} to {}", month("base_first"), month("base_last")))
    )
    return sums.with_columns(
        base.reinterpret(dtype=MONEY).alias("base"), told.alias("base_months"), pl.col("month").alias("source_group")
    ).with_columns(
        (pl.col("stake") - pl.col("base")).alias("increase"),
        (pl.col("stake").cast(pl.Float64) / pl.col("base").cast(pl.Float64)).alias("ratio"),
    )
