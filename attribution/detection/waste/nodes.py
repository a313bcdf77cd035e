"""Nodes between jobs: since when each has had none, as far as the list of jobs tells."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate, once
from attribution.detection.waste.jobs import known_until, placed_jobs
from attribution.detection.waste.observed import daily_metrics
from schemas.instants import INSTANT

_BUSY = 5.0
_LOOK_BACK = 31
_LATE = 1  # days that a node's bill may end before its source's, for the last complete day may lack rows of some


@once
def resting_nodes(estate: Estate) -> pl.LazyFrame:
    """Billed nodes that ever had a job.

    Returns:
        Rows of `Estate.billed` with `last_end` of its last job, `working` (one has no end, or the node's GPUs were busy
        on some day after the last one), `partitions` it served,
        `through` (where the list of jobs ends), `unseen`: days from there to now; `handed_back`: it is billed no more,
        while its source goes on; `rested`: days from the last job to the end of the list, or of the bill of a node that
        was handed back.
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
            estate.age_days("through").alias("unseen"),
            (pl.col("silent") > _LATE).fill_null(value=False).alias("handed_back"),
            (pl.col("last_mark") + pl.duration(days=1 - pl.col("silent"))).cast(INSTANT).alias("paid_until"),
        )
        .with_columns(
            pl.when("handed_back").then(pl.min_horizontal("through", "paid_until")).otherwise("through").alias("until")
        )
        .with_columns(((pl.col("until") - pl.col("last_end")).dt.total_microseconds() / day).alias("rested"))
    )


def idle_for(days: pl.Expr) -> pl.Expr:
    """Whether a row of `resting_nodes` was paid for days without a job; null where the list of jobs ended long ago.

    What came after its end nobody knows, however long a node had rested before, unless it was handed back.
    """
    stale = (pl.col("unseen") >= days) & ~pl.col("working") & ~pl.col("handed_back")
    return pl.when(~stale).then((pl.col("rested") >= days) & ~pl.col("working"))


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
