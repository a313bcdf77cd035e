"""Sizes of machines as bills name them, what each cost an hour, and the next smaller one.

The surprise: prices are taken from what this company was billed for that size, never from a list, so a size that it
never ran has none.
"""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate, once

_NAMED = r"\b((?:db\.|cache\.|ml\.)?[a-z]+\d[a-z0-9-]*|ecs\.[a-z0-9-]+)\.(\d*xlarge|large|medium|small|micro|nano)\b"
_TIMES = r"(?i)\b([a-z][a-z0-9]*)-(\d+)x\b"
_AZURE = r"\b([A-Z]{1,3})(\d{1,3})([a-z]{0,4})[ _](v\d+)\b"
_WORDS = {"nano": 0.25, "micro": 0.5, "small": 1.0, "medium": 2.0, "large": 4.0, "xlarge": 8.0}
_HOURS = r"(?i)^(hrs?|hours?|instance-hours?|\d+ hours?)$"
_GROUP = ("source", "RegionId", "series", "BillingCurrency")


@once
def sized(estate: Estate) -> pl.LazyFrame:
    """One resource x currency with the size that cost it most in its last complete month.

    Returns:
        `key`, `BillingCurrency`, `size` as billed, `units` of its series, `rate` an hour of that size over everything
        billed on demand, and of the next smaller size billed: `smaller`, `smaller_units`, `smaller_rate` (null: none).
    """
    meters = _sized_meters(estate)
    on_demand = pl.col("PricingCategory").fill_null("Standard") == "Standard"
    rates = (
        meters.filter(on_demand & (pl.col("ConsumedQuantity") > 0) & (pl.col("EffectiveCost") > 0))
        .group_by(*_GROUP, "units")
        .agg(
            (pl.col("EffectiveCost").sum().cast(pl.Float64) / pl.col("ConsumedQuantity").sum()).alias("rate"),
            pl.col("size").sort().first(),
        )
    )
    own = (
        meters.filter(pl.col("key").is_not_null())
        .sort(pl.col("EffectiveCost").fill_null(0), "size", descending=[True, False])
        .unique(["key", "BillingCurrency"], keep="first", maintain_order=True)
        .select("key", *_GROUP, "units", "size")
    )
    less = rates.rename({"rate": "smaller_rate", "units": "smaller_units", "size": "smaller"})
    next_one = (
        rates.select(*_GROUP, "units", "rate")
        .join(less, on=_GROUP, nulls_equal=True)
        .filter((pl.col("smaller_units") < pl.col("units")) & (pl.col("smaller_rate") < pl.col("rate")))
        .sort("smaller_units")
        .unique([*_GROUP, "units"], keep="last", maintain_order=True)
    )
    keys = [*_GROUP, "units"]
    joined = own.join(rates.drop("size"), on=keys, how="left", nulls_equal=True)
    smaller = next_one.select(*keys, "smaller", "smaller_units", "smaller_rate")
    return joined.join(smaller, on=keys, how="left", nulls_equal=True).drop("source", "RegionId", "series")


def _sized_meters(estate: Estate) -> pl.LazyFrame:
    """Hours of machines and databases in the last complete month, with family, units and size by name."""
    text = pl.concat_str(pl.col("SkuMeter").fill_null(""), pl.col("SkuId").fill_null(""), separator=" ")
    named, times, azure = (text.str.extract_groups(pattern) for pattern in (_NAMED, _TIMES, _AZURE))
    word = named.struct.field("2")
    factor = pl.when(word.str.contains(r"^\d")).then(word.str.extract(r"^(\d+)").cast(pl.Float64) * _WORDS["xlarge"])
    azure_series = pl.concat_str([azure.struct.field(part) for part in ("1", "3", "4")], separator=" ")
    return (
        estate.meters.filter(
            (pl.col("month") == pl.col("last_complete_month"))
            & (pl.col("ChargeCategory") == "Usage")
            & pl.col("cost_element").is_in(["compute", "database"])
            & pl.col("ConsumedUnit").str.contains(_HOURS)
        )
        .with_columns(
            pl.coalesce(named.struct.field("1"), times.struct.field("1").str.to_lowercase(), azure_series).alias(
                "series"
            ),
            pl.coalesce(
                factor.otherwise(word.replace_strict(_WORDS, default=None, return_dtype=pl.Float64)),
                times.struct.field("2").cast(pl.Float64),
                azure.struct.field("2").cast(pl.Float64),
            ).alias("units"),
            pl.coalesce(
                pl.format("{}.{}", named.struct.field("1"), word),
                pl.format("{}-{}x", times.struct.field("1").str.to_lowercase(), times.struct.field("2")),
                text.str.extract(_AZURE, 0),
            ).alias("size"),
        )
        .filter(pl.col("units").is_not_null())
    )
