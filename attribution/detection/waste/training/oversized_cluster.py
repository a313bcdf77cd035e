"""Clusters too large for the model: more GPUs, and each of them does much less than in a smaller run before."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import costed_runs, lately
from attribution.detection.waste.standing import part
from attribution.detection.waste.telling import money, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Runs that have a smaller one of their experiment beside them; undetermined where one of the two tells no pace."""
    rows = (
        costed_runs(estate)
        .filter(pl.col("days") >= at["days"])
        .filter((pl.col("gpus") > 0).fill_null(value=True) & (pl.col("tokens") > 0).fill_null(value=True))
        .with_columns((pl.col("tokens") / pl.col("gpu_hours")).alias("pace"))
        .filter(pl.col("pace").is_not_null().any().over("word", "stage_code"))
    )
    small = rows.unique("run_id").select("word", by="run_id", by_gpus="gpus", by_pace="pace")
    pairs = (
        rows.filter(lately(estate, at))
        .join(small, on="word")
        .filter((pl.col("by") != pl.col("run_id")) & (pl.col("by_gpus") < pl.col("gpus")).fill_null(value=True))
        .with_columns((pl.col("pace") / pl.col("by_pace")).alias("share"))
        .with_columns(pl.col("share").is_null().any().over("run_id", "BillingCurrency").alias("unclear"))
        .sort("share", "by", nulls_last=True)
        .unique(["run_id", "BillingCurrency"], keep="first", maintain_order=True)
    )
    less = pl.col("share") < at["share"]
    pairs = pairs.with_columns(part("stake", 1 - pl.col("share")).alias("above"))
    return judged(
        pairs,
        at,
        waste=pl.when(less.fill_null(value=False)).then(YES).when(~pl.col("unclear")).then(NO),
        evidence=pl.format(
            "{} GPUs; per GPU and hour {} % of the tokens of {}, which had {} GPUs; {}, of which {} would not be paid "
            "at that pace",
            number("gpus").fill_null("unknown"),
            number(pl.col("share") * 100).fill_null("unknown"),
            "by",
            number("by_gpus").fill_null("unknown"),
            "told",
            pl.format("{} {}", money("above"), "BillingCurrency").fill_null("an unknown part"),
        ),
        confidence="medium",
        doubt=pl.lit("it, or a run of its experiment that may be smaller, tells no tokens or no gpus"),
    )


DETECTOR = Detector(
    name="oversized_cluster",
    title="Cluster too large for the model",
    tier="training",
    needs=("runs.tokens", "runs.gpus"),
    uses=("resources.gpus",),
    thresholds={"share": Decimal("0.75"), "days": Decimal(1), "window_days": Decimal(31)},
    meaning="A run that goes on, or ended in the last 31 days, sees less than 75 % of the tokens an hour and GPU that "
    "another run of its experiment saw on fewer GPUs; both lasted a day or longer. Where one of the two tells "
    "no tokens or no GPUs it is undetermined, if its experiment tells both of another run of its stage.",
    source="House rule; weak scaling as practitioners compare it.",
    action="Run on fewer GPUs, or look at parallelism and network first.",
    risk="A deadline may be worth the price; other sequence lengths or data change the pace too.",
    rollback="Go back to the larger cluster from the last checkpoint.",
    judge=judge,
    wasted=False,
)
