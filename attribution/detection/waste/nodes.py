"""Nodes between jobs: since when each has had none, as far as the list of jobs tells."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate, once
from attribution.detection.waste.jobs import known_until, placed_jobs
from attribution.detection.waste.observed import daily_metrics

_BUSY = 5.0
_LOOK_BACK = 31


@once
def resting_nodes(estate: Estate) -> pl.LazyFrame:
    """Billed nodes that ever had a job.

    Returns:
        Rows of `Estate.billed` with `last_end` of its last job, `working` (one has no end, or the node's GPUs were busy
        on some day after the last one), `partitions` it served,
        `through` (where the list of jobs ends), `rested` and `unseen`: days from the last job to that end, and from
        there to now.
    """
    jobs = (
        placed_jobs(estate)
        .group_by(pl.col("node").alias("key"))
        .agg(
            pl.max_horizontal("start", "end").max().alias("last_end"),
            pl.col("end").is_null().any().alias("working"),
            pl.col("partition").drop_nulls().unique().sort().alias("partitions"),
        )
    )
    day = 86_400_000_000
    jobs = jobs.join(_busy_after(estate, jobs), on="key", how="left").with_columns(
        pl.col("working") | pl.col("busy").fill_null(value=False)
    )
    return (
        estate.billed.filter(pl.col("recent"))
        .join(jobs, on="key")
        .join(known_until(estate), how="cross")
        .with_columns(pl.min_horizontal("through", pl.lit(estate.as_of)).alias("through"))
        .with_columns(
            ((pl.col("through") - pl.col("last_end")).dt.total_microseconds() / day).alias("rested"),
            estate.age_days("through").alias("unseen"),
        )
    )


def _busy_after(estate: Estate, jobs: pl.LazyFrame) -> pl.LazyFrame:
    """Nodes whose GPUs worked after their last job: something runs there that is no job of this list."""
    if estate.inputs.utilization is None:
        return pl.LazyFrame(schema={"key": pl.String, "busy": pl.Boolean})
    used = (
        (pl.col("metric") == "gpu_percent")
        & (pl.col("value") >= _BUSY)
        & (pl.col("date") > pl.col("last_end").dt.date())
    )
    return (
        daily_metrics(estate, _LOOK_BACK)
        .join(jobs.select("key", "last_end"), on="key")
        .filter(used)
        .select("key", pl.lit(value=True).alias("busy"))
        .unique()
    )
