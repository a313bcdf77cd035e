"""Jobs that hold GPUs and hardly use them.

The surprise: only days that lie wholly inside the job count, and GPU memory that is full is no work.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.jobs import costed_jobs, placed_jobs
from attribution.detection.waste.observed import daily_metrics
from attribution.detection.waste.telling import day, number
from schemas.words_by_row import each_counted

_DAY = timedelta(days=1)


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Jobs with GPUs over whole days; undetermined where their nodes were not measured on enough of them."""
    window = int(at.most("window_days"))
    oldest = estate.today - timedelta(days=window)
    first = pl.max_horizontal((pl.col("start") - timedelta(microseconds=1)).dt.date() + _DAY, pl.lit(oldest))
    spans = placed_jobs(estate).with_columns(first.alias("first"), (pl.col("until").dt.date() - _DAY).alias("last"))
    whole = (pl.col("last") - pl.col("first")).dt.total_days() + 1
    spans = spans.select("job_id", "node", "first", "last", whole.alias("whole")).filter(pl.col("whole") > 0)
    gpu = daily_metrics(estate, window).filter(pl.col("metric") == "gpu_percent").rename({"key": "node"})
    seen = (
        spans.join(gpu, on="node")
        .filter(pl.col("date").is_between(pl.col("first"), pl.col("last")))
        .group_by("job_id")
        .agg(pl.max_horizontal("value", "peak").max().alias("most"), pl.len().alias("seen"))
    )
    days = spans.group_by("job_id").agg(pl.col("whole").sum())
    rows = (
        costed_jobs(estate)
        .filter((pl.col("gpu_hours") > 0) & estate.in_last(at["window_days"], "until"))
        .join(days, on="job_id")
        .join(seen, on="job_id", how="left")
    )
    busy = (pl.col("most") >= at["gpu_percent"]).fill_null(value=False)
    enough = (pl.col("seen") >= at["coverage"] * pl.col("whole")).fill_null(value=False)
    return judged(
        rows,
        at,
        waste=pl.when(busy | enough).then(~busy),
        evidence=pl.format(
            "Job{} since {} on {}: GPUs at most {} % on {} of its {} whole days there; {}",
            pl.format(" {}", "name").fill_null(""),
            day("start"),
            each_counted("nodes", "node"),
            number("most", 1).fill_null("unknown"),
            pl.col("seen").fill_null(0),
            "whole",
            "told",
        ),
        doubt=pl.lit("its nodes' GPUs were not measured on enough of its days"),
    )


DETECTOR = Detector(
    name="job_without_use",
    title="Job that holds GPUs without using them",
    tier="training",
    needs=("jobs.gpus", "utilization"),
    thresholds={"gpu_percent": Decimal(5), "coverage": Decimal("0.80"), "window_days": Decimal(31)},
    meaning="On every whole day of a job of the last 31 days, average and peak of its nodes' GPUs stayed below 5 %. A "
    "job of no whole day is not judged, since a day is the least that is measured.",
    source="House rule; gpu-pruner asks the same of pods, over 30 minutes.",
    action="Ask its owner; end sessions by a limit on idle time.",
    risk="A session left open may hold unsaved work in memory.",
    rollback="Submit it again.",
    judge=judge,
    wasted=False,
)
