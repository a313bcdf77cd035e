"""Experiments that trained to the end and were never measured: nobody knows what the money bought."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import folded_word
from attribution.detection.waste.runs import DATA_STAGES, OVER, costed_runs, told_cost
from attribution.detection.waste.telling import day
from schemas.inputs import CHECKPOINT_COLUMNS
from schemas.money import known_sum
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Experiments of training with a completed run and none that goes on."""
    runs = costed_runs(estate)
    evaluations = (
        runs.filter(pl.col("stage_code") == "evaluation")
        .group_by("project")
        .agg(pl.col("started_at").max().alias("evaluated"))
    )
    training = ~pl.col("stage_code").is_in((*DATA_STAGES, "evaluation", "serving")).fill_null(value=False)
    rows = (
        runs.filter(training)
        .group_by("word", "BillingCurrency")
        .agg(
            known_sum("stake"),
            pl.when(~pl.col("gpu_hours").is_null().any()).then(pl.col("gpu_hours").sum()),
            pl.col("run_id").n_unique().alias("runs"),
            pl.col("metric_value").is_not_null().any().alias("told_metric"),
            (pl.col("ended_at").is_null() & ~OVER).any().alias("open"),
            (pl.col("ended_at").is_null() & OVER).any().alias("unclear"),
            (pl.col("status") == "completed").any().alias("done"),
            pl.max_horizontal("started_at", "ended_at").max().alias("ended"),
            pl.col("started_at").filter(pl.col("status") == "completed").min().alias("first"),
            pl.col("month", *estate.dimensions).first(),
        )
        .filter(pl.col("done") & estate.in_last(at["window_days"], "ended"))
        .join(evaluations, on="project", how="left")
        .join(_measured(estate), on="word", how="left")
        .with_columns(pl.col("experiment").alias("subject"), pl.format("experiment={}", "experiment").alias("key"))
        .with_columns(told_cost("gpu_hours"))
    )
    seen = pl.col("told_metric") | pl.col("scored").fill_null(value=False)
    seen |= (pl.col("evaluated") >= pl.col("first")).fill_null(value=False)
    unclear = pl.when(~pl.col("unclear")).then(NO)
    return judged(
        rows,
        at,
        waste=~seen & ~pl.col("open") & ~unclear & (estate.age_days("ended") >= at["days"]),
        evidence=pl.format(
            "{}, the last {} on {}; no metric, no scored checkpoint, no later evaluation in {}; {}",
            each_counted("runs", "run"),
            pl.when("unclear").then(pl.lit("known of")).otherwise(pl.lit("ended")),
            day("ended"),
            "project",
            "told",
        ),
        confidence="medium",
        doubt=pl.lit("a run of it is over, and no ended_at tells since when"),
    )


def _measured(estate: Estate) -> pl.LazyFrame:
    """Experiments of which a checkpoint has a score."""
    stated = estate.inputs.checkpoints
    checkpoints = (pl.DataFrame(schema=CHECKPOINT_COLUMNS) if stated is None else stated).lazy()
    return (
        checkpoints.filter(pl.col("metric_value").is_not_null())
        .select(word=folded_word("experiment"), scored=pl.lit(value=True))
        .unique()
    )


DETECTOR = Detector(
    name="experiment_without_evaluation",
    title="Experiment that was never evaluated",
    tier="training",
    needs=("runs.metric_value", "runs.ended_at"),
    uses=("runs.stage", "checkpoints.metric_value"),
    thresholds={"days": Decimal(14), "window_days": Decimal(92)},
    meaning="All runs of an experiment ended 14 days ago or more (and less than 92), one completed, no run or "
    "checkpoint of it has a metric, and no evaluation of its project started after it. It is undetermined where "
    "a run that is over by its status has no end, and started less than 92 days ago.",
    source="House rule.",
    action="Evaluate the last checkpoint, or say that the experiment is given up.",
    risk="Evaluations may stand in another tracker.",
    rollback="Nothing is changed by looking.",
    judge=judge,
    wasted=False,
)
