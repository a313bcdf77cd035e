"""Machines that run and do nothing, by what their metrics say.

The surprise: a GPU machine is judged by its GPUs alone, and one without GPU metrics by nothing: data that is
missing gives `undetermined`, never `idle`.
"""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.machines import GPU, IDLE, OTHER, running
from attribution.detection.waste.telling import day, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Machines that are billed, or that no bill knows (their cost is unknown)."""
    rows, gpu = running(estate, at), pl.col("gpu")
    sure = (
        pl.when("hidden")
        .then(pl.lit("low"))
        .when(gpu & ~pl.col("lacks_gpu_memory_percent"))
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
        waste=pl.col("idle"),
        evidence=pl.format(text, kind, window, day("window_end"), _figures(), "told_cost"),
        confidence=sure,
        doubt=pl.format("only {} observed", _lacks(window)),
    )


def _told(metric: str) -> pl.Expr:
    return pl.format("{} at most {} on {} days", pl.lit(metric), number(metric, 1), pl.col(f"{metric}_days"))


def _figures() -> pl.Expr:
    looked_at = [
        pl.when((pl.col("gpu") == (name in GPU)) & (pl.col(f"{name}_days") > 0)).then(_told(name))
        for name in (*GPU, *OTHER)
    ]
    told = pl.concat_str(looked_at, separator=", ", ignore_nulls=True)
    return pl.when(told == "").then(pl.lit("no metrics")).otherwise(told)


def _lacks(window: pl.Expr) -> pl.Expr:
    asked = {"gpu_percent": pl.col("gpu"), **dict.fromkeys(OTHER, ~pl.col("gpu"))}
    parts = [
        pl.when(needed & pl.col(f"lacks_{name}")).then(
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
    thresholds=IDLE,
    meaning="On every observed day of the last 14 the machine's daily averages lay below the thresholds and no peak "
    "reached its own: GPUs for a GPU machine, and their memory where it is measured, processor and network for any "
    "other. GPUs at rest prove that nothing runs, but a model that is loaded for nobody looks the same, so without a "
    "measure of their memory confidence is medium; without one of the GPUs themselves it is undetermined.",
    source="14-day lookback as in AWS Compute Optimizer; the thresholds are this project's own.",
    action="Ask the owner, then stop the machine or give it to the queue.",
    risk="A standby or a machine held for a coming run looks idle; stopping one loses its local disks.",
    rollback="Start it again; only local disks are lost, so copy them first.",
    judge=judge,
)
