"""Clock hours of nodes: what each was billed, and who had how many GPU-seconds of it.

A job that is cut by the hour, by midnight or by the end of the month has a part on either side. Times count in whole
seconds and GPUs in units of 1e-12, so that everything here is whole numbers.
"""

from __future__ import annotations

import polars as pl

from schemas.instants import INSTANT
from schemas.money import COSTS, from_units, known_sum, read_money, split_units

_HOUR = "1h"
_UNITS = pl.Int128()


def billed_hours(periods: pl.DataFrame) -> pl.DataFrame:
    """Charges by clock hour; one of several hours counts as its hours, each by its length.

    Args:
        periods: PERIOD_COLUMNS with `resource_id`.

    Returns:
        Rows (resource_id, subject_id, usage_date, hour, since, until, COSTS): the span billed within the hour.
    """
    facts = ["resource_id", "subject_id", "usage_date"]
    start, end = pl.col("ChargePeriodStart").dt.truncate("1s"), pl.col("ChargePeriodEnd").dt.truncate("1s")
    spans = periods.select(*facts, start.alias("since"), pl.max_horizontal(start, end).alias("until"), *COSTS)
    first, last = pl.col("since").dt.truncate(_HOUR), (pl.col("until") - pl.duration(seconds=1)).dt.truncate(_HOUR)
    short = spans.filter(first >= last).with_columns(first.alias("hour"))
    long = spans.filter(first < last)
    hours = pl.concat([short.select(*facts, "hour", "since", "until", *COSTS), _spread(long, facts)])
    return (
        hours.group_by(*facts, "hour")
        .agg(pl.col("since").min(), pl.col("until").max(), *(known_sum(name) for name in COSTS))
        .sort(*facts, "hour")
    )


def _spread(long: pl.DataFrame, facts: list[str]) -> pl.DataFrame:
    """Charges of several hours, each amount divided by the seconds of its hours."""
    told = long.with_row_index("charge").with_columns(_hours_of("since", "until").alias("hour"))
    cut = told.explode("hour").with_columns(
        pl.max_horizontal("since", "hour").alias("since"),
        pl.min_horizontal("until", pl.col("hour").dt.offset_by(_HOUR)).alias("until"),
    )
    weights = cut.group_by("charge", maintain_order=True).agg((pl.col("until") - pl.col("since")).dt.total_seconds())
    seconds: list[list[int]] = weights.get_column("until").to_list()
    columns = []
    for name in COSTS:
        amounts = long.get_column(name).to_physical().to_list()
        parts: list[int | None] = []
        for amount, mine in zip(amounts, seconds, strict=True):
            parts += [None] * len(mine) if amount is None else split_units(amount, mine)
        columns.append(from_units(parts, name))
    return cut.select(*facts, "hour", "since", "until").hstack(columns)


def _hours_of(start: str, end: str) -> pl.Expr:
    last = pl.col(end) - pl.duration(seconds=1)
    return pl.datetime_ranges(pl.col(start).dt.truncate(_HOUR), last.dt.truncate(_HOUR), _HOUR).cast(pl.List(INSTANT))


def worked(jobs: pl.DataFrame, until: pl.DataFrame) -> pl.DataFrame:
    """Jobs cut into clock hours.

    Args:
        jobs: `job`, `resource_id`, `start`, `end`, `gpus`; a job without an end runs to the end of its node's bill.
        until: `resource_id`, `until`: that end.

    Returns:
        Rows (job, resource_id, hour, since, until, units, per): GPUs in units of 1e-12, divided by `per`.
    """
    known = jobs.join(until, on="resource_id", how="left", maintain_order="left").with_columns(
        pl.col("start").dt.truncate("1s").alias("since"),
        pl.coalesce("end", "until").dt.truncate("1s").alias("until"),
    )
    gpus, _ = read_money(jobs.get_column("gpus"))
    known = known.with_columns(gpus.to_physical().cast(_UNITS).alias("units"), pl.lit(1, _UNITS).alias("per"))
    if "gpu_seconds" in jobs.columns:  # of pods the seconds are what was measured
        told = pl.col("gpu_seconds").is_not_null()
        length = (pl.col("until") - pl.col("since")).dt.total_seconds().cast(_UNITS)
        known = known.with_columns(
            pl.when(told).then(pl.col("gpu_seconds").to_physical().cast(_UNITS)).otherwise("units").alias("units"),
            pl.when(told).then(length).otherwise("per").alias("per"),
        )
    known = known.filter(pl.col("until") > pl.col("since"), pl.col("units") > 0)
    cut = known.with_columns(_hours_of("since", "until").alias("hour")).explode("hour")
    return cut.select(
        "job",
        "resource_id",
        "hour",
        pl.max_horizontal("since", "hour").alias("since"),
        pl.min_horizontal("until", pl.col("hour").dt.offset_by(_HOUR)).alias("until"),
        "units",
        "per",
    )


def seconds_of(parts: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """What parts of hours had of the spans billed: `weight` is GPU-seconds in units of 1e-12.

    Args:
        parts: `resource_id`, `hour`, `since`, `until`, `units`, `per`, and whose they are.
        spans: `resource_id`, `hour`, `from`, `to`: what is billed of an hour.
    """
    both = parts.join(spans, on=["resource_id", "hour"])
    overlap = (pl.min_horizontal("until", "to") - pl.max_horizontal("since", "from")).dt.total_seconds()
    told = both.with_columns(overlap.clip(lower_bound=0).cast(_UNITS).alias("seconds"))
    weight = pl.col("units") * pl.col("seconds") // pl.col("per")
    return told.with_columns(weight.alias("weight")).drop("seconds", "units", "per")


def most_at_once(parts: pl.DataFrame) -> pl.DataFrame:
    """The most GPUs that jobs of a node ever had at once: `resource_id`, `gpus`."""
    had = parts.select("resource_id", "since", "until", pl.col("units") // pl.col("per"))
    come = had.select("resource_id", pl.col("since").alias("at"), "units")
    go = had.select("resource_id", pl.col("until").alias("at"), (pl.lit(0, _UNITS) - pl.col("units")).alias("units"))
    steps = pl.concat([come, go]).sort("resource_id", "at", "units")  # who goes makes room before others come
    sums = steps.with_columns(pl.col("units").cum_sum().over("resource_id"))
    return sums.group_by("resource_id").agg((pl.col("units").max().cast(pl.Float64) / 1e12).alias("gpus"))


def gpu_hours(weight: pl.Expr) -> pl.Expr:
    """GPU-hours of GPU-seconds in units of 1e-12; to look at, and never a weight."""
    return weight.cast(pl.Float64) / 1e12 / 3600
