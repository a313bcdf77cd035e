"""Jobs that fail, start again, and fail: each attempt loads data and model anew and trains nothing."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.jobs import LOST, costed_jobs
from attribution.detection.waste.runs import told_cost
from attribution.detection.waste.telling import day, number
from schemas.money import known_sum

_LABEL = ("label", "owner", "BillingCurrency")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Names of jobs, each with its attempts of late; names whose jobs do not fail are at work."""
    attempts = int(at.most("attempts"))
    label = pl.coalesce("name", pl.when(pl.col("word") != "").then("experiment"))
    rows = costed_jobs(estate).filter((pl.col("gpu_hours") > 0) & (estate.age_days("until") < at["window_days"]))
    short = (pl.col("until") - pl.col("start")).dt.total_seconds() / 3600 < at["short_hours"]
    rows = rows.with_columns(label.alias("label"), (short & pl.col("outcome").is_in(LOST)).alias("bad"))
    bad = rows.filter(pl.col("label").is_not_null() & pl.col("bad")).sort("until", "job_id")
    span = (pl.col("until") - pl.col("until").shift(attempts - 1).over(_LABEL)).dt.total_seconds() / 3600
    looped = (
        bad.with_columns((span <= at["within_hours"]).fill_null(value=False).alias("close"))
        .group_by(_LABEL)
        .agg(
            pl.len().alias("failures"),
            pl.col("close").any(),
            known_sum("stake"),
            pl.col("gpu_hours").sum(),
            pl.col("until").max().alias("last"),
            pl.col("month").max(),
            *(pl.col(name).first() for name in estate.dimensions if name != "owner"),
        )
        .pipe(estate.with_dimensions)
        .with_columns(pl.format("restarts of {} by {}", "label", "owner").alias("key"), told_cost("gpu_hours"))
    )
    return judged(
        looped.with_columns(pl.col("label").alias("subject")),
        at,
        waste=pl.col("close"),
        evidence=pl.format(
            "{} short attempts failed in {} days, the last on {}, {} of them or more within {} hours; {}",
            "failures",
            at["window_days"].cast(pl.Int64),
            day("last"),
            pl.lit(attempts),
            number(at["within_hours"]),
            "told",
        ),
    )


DETECTOR = Detector(
    name="restart_loop",
    title="Job that fails and starts again",
    tier="training",
    needs=("jobs.state", "jobs.end"),
    uses=("jobs.name", "jobs.experiment", "resources.gpus"),
    thresholds={
        "attempts": Decimal(3),
        "short_hours": Decimal(1),
        "within_hours": Decimal(24),
        "window_days": Decimal(31),
    },
    meaning="Three or more jobs of one name and owner failed within 24 hours, each after less than an hour. `attempts` "
    "is one number for the whole workspace.",
    source="House rule.",
    action="Stop the restarts, read the first log, and try on one node.",
    risk="Jobs that wait for a file by failing look the same.",
    rollback="Submit it again.",
    judge=judge,
    wasted=False,
)
