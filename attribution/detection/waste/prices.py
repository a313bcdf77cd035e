"""What a stretch of GPU time cost: a share of what was billed for the machines, month by month, exactly.

The surprise: the share is taken of all GPU time that was paid for, used or not, so that idle machines make no run dear.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import folded_word
from schemas.dimensions import NOBODY
from schemas.money import MONEY

_HOURS = r"(?i)^(hrs?|hours?)$"


def payers(estate: Estate, by: pl.Expr) -> pl.LazyFrame:
    """What was billed for compute, by payer and month.

    Args:
        estate: everything known.
        by: the payer, over metered costs: a node's key, an experiment's folded name; null pays nothing.

    Returns:
        `payer`, `month`, `BillingCurrency`, `units` (EffectiveCost in 1e-12), `capacity` in GPU-seconds billed (0 where
        nobody told how many GPUs a machine has), `opened` and `closed`, the instants between which it was billed.
    """
    gpus = (
        pl.LazyFrame(schema={"key": pl.String, "gpus": pl.Float64})
        if estate.inputs.resources is None
        else estate.listed.select("key", "gpus")
    )
    timed = pl.col("ConsumedUnit").str.contains(_HOURS).fill_null(value=False)
    machines = (
        estate.meters.filter(pl.col("cost_element") == "compute")
        .with_columns(by.alias("payer"))
        .filter(pl.col("payer").is_not_null())
        .group_by("payer", "month", "BillingCurrency", "key")
        .agg(
            pl.col("EffectiveCost").to_physical().cast(pl.Int128).sum().alias("units"),
            pl.col("EffectiveCost").is_null().any().alias("untold"),
            pl.col("ConsumedQuantity").filter(timed).sum().alias("hours"),
            (pl.col("days").max() * 24).alias("most_hours"),
            pl.col("first_day").min(),
            pl.col("last_day").max(),
        )
        .join(gpus, on="key", how="left")
    )
    hours = pl.when(pl.col("hours") > 0).then(pl.min_horizontal("hours", "most_hours")).otherwise("most_hours")
    seconds = (hours * 3600 * pl.col("gpus")).fill_null(0)
    instant = pl.Datetime("us", "UTC")
    return (
        machines.with_columns(seconds.alias("capacity"))
        .group_by("payer", "month", "BillingCurrency")
        .agg(
            pl.when(~pl.col("untold").any()).then(pl.col("units").sum()).alias("units"),
            pl.col("capacity").sum().round().cast(pl.Int128),
            pl.col("first_day").min().fill_null(pl.col("month").first()).cast(instant).alias("opened"),
            (pl.col("last_day").max().cast(instant) + timedelta(days=1)).alias("closed"),
        )
    )


def by_node() -> pl.Expr:
    """A machine pays for itself."""
    return pl.col("key")


def by_experiment() -> pl.Expr:
    """An experiment pays for what is attributed to it."""
    return pl.when(~pl.col("experiment").is_in(NOBODY)).then(folded_word("experiment"))


def priced(spans: pl.LazyFrame, billed: pl.LazyFrame) -> pl.LazyFrame:
    """Price stretches of GPU time.

    A share is GPU-seconds / max(GPU-seconds paid for, GPU-seconds of all stretches), per payer and month.

    Args:
        spans: `id`, `payer`, `start`, `end` (instants), `gpus`; where `end` or `gpus` is null, the cost is unknown.
        billed: as `payers` gives it.

    Returns:
        `id`, `BillingCurrency`, `stake` (null: unknown); nothing of stretches that no payer was billed for.
    """
    month_start = pl.col("month").cast(pl.Datetime("us", "UTC"))
    begin = pl.max_horizontal("start", "opened", month_start)
    stop = pl.min_horizontal("end", "closed", month_start.dt.offset_by("1mo"))
    whose = ["payer", "month", "BillingCurrency"]
    gpu_seconds = (pl.col("seconds") * pl.col("gpus")).round().cast(pl.Int128)
    weighed = (
        spans.select("id", "payer", "start", "end", "gpus")
        .join(billed, on="payer")
        .with_columns((stop - begin).dt.total_seconds().clip(lower_bound=0).alias("seconds"))
        .filter(pl.col("seconds") > 0)
        .with_columns(pl.when(pl.col("end").is_not_null()).then(gpu_seconds).alias("weight"))
        .with_columns(pl.max_horizontal(pl.col("weight").sum().over(whose), "capacity").alias("whole"))
    )
    share = pl.when(pl.col("whole") > 0).then(pl.col("units") * pl.col("weight") // pl.col("whole"))
    return (
        weighed.with_columns(share.alias("share"))
        .group_by("id", "BillingCurrency")
        .agg(pl.when(~pl.col("share").is_null().any()).then(pl.col("share").sum()).alias("stake"))
        .with_columns(pl.col("stake").cast(pl.Int128).reinterpret(dtype=MONEY))
    )
