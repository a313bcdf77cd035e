"""GPU machines that work, but far below what they could: neither their GPUs nor their memory is filled.

The surprise: full GPU memory is use, for a model in service fills memory long before it fills processors.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.machines import IDLE, running
from attribution.detection.waste.quiet import below, sure, too_few
from attribution.detection.waste.telling import day, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """GPU machines that are not idle; undetermined where GPU memory is not measured and the GPUs are little used."""
    rows = running(estate, at).filter(pl.col("gpu") & (pl.col("gpu_percent_days") > 0))
    rows = rows.filter(~pl.col("idle").fill_null(value=False))
    gpu, memory = below("gpu_percent", at, "used_percent"), below("gpu_memory_percent", at, "used_memory_percent")
    return judged(
        rows.filter(pl.col("BillingCurrency").is_not_null()),
        at,
        waste=gpu & memory,
        evidence=pl.format(
            "GPU machine, {} days up to {}: GPUs at most {} %, their memory at most {} %; {}",
            at["window_days"].cast(pl.Int64),
            day("window_end"),
            number(pl.max_horizontal("gpu_percent", "gpu_percent_peak"), 1).fill_null("unknown"),
            number(pl.max_horizontal("gpu_memory_percent", "gpu_memory_percent_peak"), 1).fill_null("unknown"),
            "told_cost",
        ),
        confidence=sure("high", "gpu_percent", "gpu_memory_percent"),
        doubt=pl.when(gpu.is_null()).then(too_few("gpu_percent", at)).otherwise(too_few("gpu_memory_percent", at)),
    )


DETECTOR = Detector(
    name="underused_gpu",
    title="GPU machine far below its power",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.gpus", "resources.created_at"),
    thresholds=IDLE | {"used_percent": Decimal(30), "used_memory_percent": Decimal(50)},
    meaning="A GPU machine is not idle, and on every observed day of the last 14 average and peak stayed below 30 % of "
    "its GPUs and 50 % of their memory.",
    source="House rule; the thresholds are this project's own.",
    action="Share the GPUs (time slices, partitions), raise the batch size, or take fewer or smaller ones.",
    risk="Latency of a model in service may suffer.",
    rollback="Move the work back.",
    judge=judge,
    wasted=False,
)
