"""Runs that get little out of their GPUs, weighted by what they cost."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import costed_runs, lately
from attribution.detection.waste.standing import part
from attribution.detection.waste.telling import money, number

_STAGES = ("pretraining", "continued-pretraining", "sft", "distillation")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Runs of stages that train by gradient alone, since generation in between makes the others low."""
    rows = costed_runs(estate).filter(
        pl.col("stage_code").is_in(_STAGES) & lately(estate, at) & (pl.col("mfu") > 0) & (pl.col("days") >= at["days"])
    )
    rows = rows.with_columns(part("stake", 1 - pl.col("mfu") / at["target"]).alias("above"))
    return judged(
        rows,
        at,
        waste=pl.col("mfu") < at["mfu"],
        evidence=pl.format(
            "MFU {} where {} is usual here; {}, of which {} would not be paid at that",
            number("mfu", 2),
            number(at["target"], 2),
            "told",
            pl.format("{} {}", money("above"), "BillingCurrency").fill_null("an unknown part"),
        ),
        confidence="medium",
    )


DETECTOR = Detector(
    name="low_mfu",
    title="Run with a low MFU",
    tier="training",
    needs=("runs.mfu",),
    uses=("runs.gpus", "runs.stage", "resources.gpus"),
    thresholds={"mfu": Decimal("0.30"), "target": Decimal("0.40"), "days": Decimal(1), "window_days": Decimal(31)},
    meaning="A run of pretraining, continued pretraining, fine-tuning or distillation that goes on, or ended in the "
    "last 31 days, lasted a day or longer with a model FLOPs utilization below 0.30; of one without it, or "
    "with 0, nothing is said. Told beside it: what it would have cost less at the target of 0.40.",
    source="MFU as defined with PaLM (Chowdhery and others, 2022); the thresholds are this project's own.",
    action="Look at batch size, parallelism, data loading and network, in this order.",
    risk="Long contexts, sparse models and small ones reach less.",
    rollback="Go back to the old settings.",
    judge=judge,
    wasted=False,
)
