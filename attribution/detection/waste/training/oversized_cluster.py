"""Clusters too large for the model: more GPUs, and each of them does much less than in a smaller run before."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import costed_runs, lately
from attribution.detection.waste.standing import part
from attribution.detection.waste.telling import money, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Runs with tokens and GPUs that have a smaller run of the same experiment to be compared with."""
    rows = (
        costed_runs(estate)
        .filter((pl.col("days") >= at["days"]) & (pl.col("gpu_hours") > 0) & (pl.col("tokens") > 0))
        .with_columns((pl.col("tokens") / pl.col("gpu_hours")).alias("pace"))
    )
    small = rows.unique("run_id").select("word", by="run_id", by_gpus="gpus", by_pace="pace")
    pairs = (
        rows.filter(lately(estate, at))
        .join(small, on="word")
        .filter(pl.col("by_gpus") < pl.col("gpus"))
        .sort("by_pace", "by", descending=[True, False])
        .unique(["run_id", "BillingCurrency"], keep="first", maintain_order=True)
        .with_columns((pl.col("pace") / pl.col("by_pace")).alias("share"))
    )
    pairs = pairs.with_columns(part("stake", 1 - pl.col("share")).alias("above"))
    return judged(
        pairs,
        at,
        waste=pl.col("share") < at["share"],
        evidence=pl.format(
            "{} GPUs; per GPU and hour {} % of the tokens of {}, which had {} GPUs; {}, of which {} would not be paid "
            "at that pace",
            number("gpus"),
            number(pl.col("share") * 100),
            "by",
            number("by_gpus"),
            "told",
            pl.format("{} {}", money("above"), "BillingCurrency").fill_null("an unknown part"),
        ),
        confidence="medium",
    )


DETECTOR = Detector(
    name="oversized_cluster",
    title="Cluster too large for the model",
    tier="training",
    needs=("runs.tokens", "runs.gpus"),
    uses=("resources.gpus",),
    thresholds={"share": Decimal("0.75"), "days": Decimal(1), "window_days": Decimal(31)},
    meaning="A run that goes on, or ended in the last 31 days, sees less than 75 % of the tokens an hour and GPU that "
    "another run of its experiment saw on fewer GPUs; both lasted a day or longer.",
    source="House rule; weak scaling as practitioners compare it.",
    action="Run on fewer GPUs, or look at parallelism and network first.",
    risk="A deadline may be worth the price; other sequence lengths or data change the pace too.",
    rollback="Go back to the larger cluster from the last checkpoint.",
    judge=judge,
    wasted=False,
)
