"""Nodes between jobs: since when each has had none, as far as the list of jobs tells."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate
from attribution.detection.waste.jobs import known_until, placed_jobs


def resting_nodes(estate: Estate) -> pl.LazyFrame:
    """Billed nodes that ever had a job.

    Returns:
        Rows of `Estate.billed` with `last_end` of its last job, `working` (one has no end), `partitions` it served,
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
