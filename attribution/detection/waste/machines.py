"""Machines at work or idle, by their metrics: the question that single machines, clusters and reservations share.

The surprise: a GPU machine is judged by its GPUs alone, and one without GPU metrics by nothing.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, YES, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import GPU_NAMES, MACHINES, STOPPED
from attribution.detection.waste.observed import WINDOW, hidden, observed

GPU = ("gpu_percent", "gpu_memory_percent")
OTHER = ("cpu_percent", "network_bytes")
IDLE = WINDOW | {
    "gpu_percent": Decimal(5),
    "gpu_memory_percent": Decimal(5),
    "cpu_percent": Decimal(5),
    "peak_percent": Decimal(15),
    "network_bytes": Decimal(5_000_000),
}
"""Thresholds of every detector that asks whether machines are idle."""


def running(estate: Estate, at: Thresholds) -> pl.LazyFrame:
    """Listed machines that run and are old enough.

    Returns:
        Rows of `Estate.things` with what `observed` joins, `gpu` (whether it has GPUs), `lacks_<metric>` (too few
        days observed), `busy`, `missing`, `hidden` (its peaks are untold) and `idle`: true, false, or null where data
        is missing.
    """
    machines = estate.things.filter(
        pl.col("sort_of").is_in(MACHINES) & ~pl.col("condition").is_in(STOPPED) & ~pl.col("gone")
    )
    age = estate.age_days("created_at").fill_null(estate.days_since("first_day").over("key").min().over("key"))
    old = (age >= at["min_age_days"]).fill_null(value=True)
    enough = at["coverage"] * at["window_days"]
    rows = observed(estate, at, machines.filter(old)).with_columns(
        has_gpus().alias("gpu"), *((pl.col(f"{name}_days") < enough).alias(f"lacks_{name}") for name in (*GPU, *OTHER))
    )
    gpu = pl.col("gpu")
    missing = pl.when(gpu).then("lacks_gpu_percent").otherwise(pl.any_horizontal(f"lacks_{name}" for name in OTHER))
    busy = (
        pl.when(gpu)
        .then(pl.any_horizontal(reached(name, at) for name in GPU))
        .otherwise(pl.any_horizontal(reached(name, at) for name in OTHER))
    )
    idle = pl.when(busy).then(NO).when(missing).then(UNKNOWN).otherwise(YES)
    untold = pl.when(gpu).then(hidden("gpu_percent")).otherwise(hidden("cpu_percent"))
    return rows.with_columns(busy.alias("busy"), missing.alias("missing"), untold.alias("hidden"), idle.alias("idle"))


def reached(metric: str, at: Thresholds) -> pl.Expr:
    """On some day the average reached the threshold of its name, or the peak `peak_percent`."""
    hit = (pl.col(metric) >= at[metric]) | (pl.col(f"{metric}_peak") >= at["peak_percent"])
    return hit.fill_null(value=False)


def has_gpus() -> pl.Expr:
    """By the inventory, else by GPU metrics, else by names that only GPU machines bear."""
    measured = pl.any_horizontal(pl.col(f"{name}_days") > 0 for name in GPU)
    words = pl.concat_str("resource_type", "name", "service", "ResourceType", separator=" | ", ignore_nulls=True)
    return (pl.col("gpus") > 0).fill_null(measured | words.str.contains(GPU_NAMES))
