"""Machines that run and do nothing, by what their metrics say.

The surprise: a GPU machine is judged by its GPUs alone, and one without GPU metrics by nothing: data that is
missing gives `undetermined`, never `idle`.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import GPU_NAMES, MACHINES, STOPPED
from attribution.detection.waste.observed import observed
from attribution.detection.waste.telling import day, number

_GPU = ("gpu_percent", "gpu_memory_percent")
_OTHER = ("cpu_percent", "network_bytes")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Machines that are billed, or that no bill knows (their cost is unknown)."""
    machines = estate.things.filter(
        pl.col("sort_of").is_in(MACHINES) & ~pl.col("condition").is_in(STOPPED) & ~pl.col("gone")
    )
    age = estate.age_days("created_at").fill_null(estate.days_since("first_day").over("key").min().over("key"))
    old = (age >= at["min_age_days"]).fill_null(value=True)
    rows = observed(estate, at, machines.filter(old)).with_columns(_has_gpus().alias("gpu"))
    enough = at["coverage"] * at["window_days"]
    lacking = {name: pl.col(f"{name}_days") < enough for name in (*_GPU, *_OTHER)}
    gpu = pl.col("gpu")
    missing = pl.when(gpu).then(lacking["gpu_percent"]).otherwise(pl.any_horizontal(lacking[name] for name in _OTHER))
    busy = (
        pl.when(gpu)
        .then(pl.any_horizontal(_busy(name, at) for name in _GPU))
        .otherwise(pl.any_horizontal(_busy(name, at) for name in _OTHER))
    )
    sure = (
        pl.when(gpu & ~lacking["gpu_memory_percent"])
        .then(pl.lit("high"))
        .when(gpu)
        .then(pl.lit("medium"))
        .when(pl.col("gpus").is_not_null())
        .then(pl.lit("high"))
        .otherwise(pl.lit("low"))
    )
    window = at["window_days"].cast(pl.Int64)
    text = "{}, {} days up to {}: {}; {}"
    kind = pl.when(gpu).then(pl.lit("GPU machine")).otherwise(pl.lit("Machine"))
    return judged(
        rows,
        at,
        waste=pl.when(busy).then(NO).when(missing).then(UNKNOWN).otherwise(YES),
        evidence=pl.format(text, kind, window, day("window_end"), _figures(), "told_cost"),
        confidence=sure,
        doubt=pl.format("only {} observed", _lacks(lacking, window)),
    )


def _busy(metric: str, at: Thresholds) -> pl.Expr:
    """On some day the average reached the threshold, or the peak its own."""
    reached = (pl.col(metric) >= at[metric]) | (pl.col(f"{metric}_peak") >= at["peak_percent"])
    return reached.fill_null(value=False)


def _has_gpus() -> pl.Expr:
    """By the inventory, else by GPU metrics, else by names that only GPU machines bear."""
    measured = pl.any_horizontal(pl.col(f"{name}_days") > 0 for name in _GPU)
    words = pl.concat_str("resource_type", "name", "service", "ResourceType", separator=" | ", ignore_nulls=True)
    return (pl.col("gpus") > 0).fill_null(measured | words.str.contains(GPU_NAMES))


def _told(metric: str) -> pl.Expr:
    return pl.format("{} at most {} on {} days", pl.lit(metric), number(metric, 1), pl.col(f"{metric}_days"))


def _figures() -> pl.Expr:
    looked_at = [
        pl.when((pl.col("gpu") == (name in _GPU)) & (pl.col(f"{name}_days") > 0)).then(_told(name))
        for name in (*_GPU, *_OTHER)
    ]
    told = pl.concat_str(looked_at, separator=", ", ignore_nulls=True)
    return pl.when(told == "").then(pl.lit("no metrics")).otherwise(told)


def _lacks(lacking: dict[str, pl.Expr], window: pl.Expr) -> pl.Expr:
    asked = {"gpu_percent": pl.col("gpu"), **dict.fromkeys(_OTHER, ~pl.col("gpu"))}
    parts = [
        pl.when(needed & lacking[name]).then(
            pl.format("{} on {} of {} days", pl.lit(name), pl.col(f"{name}_days"), window)
        )
        for name, needed in asked.items()
    ]
    return pl.concat_str(parts, separator=", ", ignore_nulls=True)


DETECTOR = Detector(
    name="idle_by_utilization",
    title="Machine that does nothing",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.gpus", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "gpu_percent": Decimal(5),
        "gpu_memory_percent": Decimal(5),
        "cpu_percent": Decimal(5),
        "peak_percent": Decimal(15),
        "network_bytes": Decimal(5_000_000),
    },
    meaning="On every observed day of the last 14 the machine's daily averages lay below the thresholds and no peak "
    "above its own: GPUs and their memory for a GPU machine, processor and network for any other.",
    source="14-day lookback as in AWS Compute Optimizer; the thresholds are this project's own.",
    action="Ask the owner, then stop the machine or give it to the queue.",
    risk="A standby or a machine held for a coming run looks idle; stopping one loses its local disks.",
    rollback="Start it again; only local disks are lost, so copy them first.",
    judge=judge,
)
