"""Since when a machine is stopped: what the inventory calls its last use, else its last day of compute on a bill."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate


def stopped_since(estate: Estate, machines: pl.LazyFrame) -> pl.LazyFrame:
    """Machines with `stopped`, the day of their last use; null where nothing tells it."""
    ran = (
        estate.meters.filter(pl.col("cost_element") == "compute")
        .group_by("key")
        .agg(pl.col("last_day").max().alias("ran_until"))
    )
    day = pl.col("last_used_at").dt.date().fill_null(pl.col("ran_until"))
    return machines.join(ran, on="key", how="left").with_columns(day.alias("stopped"))
