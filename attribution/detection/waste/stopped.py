"""Since when a machine is stopped: by the inventory, else by its last day of compute, else since the bills begin.

The surprise: a machine without a state may be stopped as long as no bill says that it ran.
"""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.detector import NO, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import STOPPED
from attribution.detection.waste.telling import day


def stopped_since(estate: Estate, machines: pl.LazyFrame) -> pl.LazyFrame:
    """Machines with `off` (null: without a state), `ran_until` by the bills, `stopped`, a day since which they are so.

    `told_stop` says how that day is known.
    """
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
        pl.when(pl.col("condition") != "").then(pl.col("condition").is_in(STOPPED)).alias("off"),
        pl.coalesce(used, "ran_until", begun).alias("stopped"),
        pl.coalesce(*told).alias("told_stop"),
    )


def stands_still(estate: Estate, at: Thresholds) -> pl.Expr:
    """Whether a machine of `stopped_since` is stopped for `days`; null where it may be, since its state is blank."""
    ran_since = (estate.days_since("ran_until") < at["days"]).fill_null(value=False)
    long = estate.days_since("stopped") >= at["days"]
    return pl.when(pl.col("off").is_null() & ran_since).then(NO).otherwise(pl.col("off") & long)


STATE_DOUBT = pl.when(pl.col("off").is_null()).then(
    pl.lit("the inventory tells no state of the machine, and no bill that it ran lately")
)
"""Why `stands_still` gives null, where the state is what is missing."""
