"""Since when a machine is stopped: by the inventory, else by its last day of compute, else since the bills begin."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import day


def stopped_since(estate: Estate, machines: pl.LazyFrame) -> pl.LazyFrame:
    """Machines with `stopped`, a day since which they are, and `told_stop`, which says how that is known."""
    ran = (
        estate.meters.filter(pl.col("cost_element") == "compute")
        .group_by("key")
        .agg(pl.col("last_day").max().alias("ran_until"))
    )
    # A machine without any compute on the bills has stood since they begin, and of several sources the last counts.
    begun = pl.lit(max((mark.first_day for mark in estate.inputs.watermarks.values()), default=None), pl.Date)
    used = pl.col("last_used_at").dt.date()
    told = [
        pl.when(used.is_not_null()).then(pl.format("last used on {}", day(used))),
        pl.when(pl.col("ran_until").is_not_null()).then(pl.format("last billed to run on {}", day("ran_until"))),
        pl.when(begun.is_not_null()).then(pl.format("not billed to run since the bills begin on {}", day(begun))),
    ]
    return machines.join(ran, on="key", how="left").with_columns(
        pl.coalesce(used, "ran_until", begun).alias("stopped"), pl.coalesce(*told).alias("told_stop")
    )
