"""Projects whose runs all ended and that still cost money."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.billed import still
from attribution.detection.waste.detector import NO, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import folded_word
from attribution.detection.waste.runs import OVER
from attribution.detection.waste.telling import day, money, month
from schemas.dimensions import NOBODY
from schemas.inputs import RUN_COLUMNS
from schemas.money import known_sum
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Projects that had runs; one with a run that goes on is at work, one with a run that is over since when may be."""
    in_month = pl.col("month") == pl.col("last_complete_month")
    here = estate.meters.filter(~pl.col("project").is_in(NOBODY) & pl.col("now"))
    costs = (
        here.group_by("project", "BillingCurrency")
        .agg(
            known_sum("EffectiveCost", in_month).alias("stake"),
            still(estate.silent_days).alias("recent"),
            pl.col("month").filter(in_month).max(),
            pl.col("last_day").filter(in_month).max(),
            pl.col("owner").filter(in_month).drop_nulls().mode().sort().first(),
            pl.col("key").filter(in_month).n_unique().alias("things"),
        )
        .filter(pl.col("month").is_not_null())
    )
    rows = (
        estate.with_dimensions(costs.with_columns(folded_word("project").alias("word")).join(_runs(estate), on="word"))
        .with_columns(key=pl.format("project={}", "project"), subject=pl.format("project={}", "project"))
        .filter(pl.col("stake").is_null() | (pl.col("stake") != 0))
    )
    unclear = pl.when(~pl.col("unclear")).then(NO)
    return judged(
        rows,
        at,
        waste=~pl.col("open")
        & ~unclear
        & (estate.days_since("ended") >= at["days"])
        & (pl.col("last_day") > pl.col("ended")),
        evidence=pl.format(
            "No run of {} goes on ({} in all, the last until {}), and {} went on being billed to it, {} {} in {}",
            "project",
            "runs",
            day("ended"),
            each_counted("things", "thing"),
            money("stake").fill_null("unknown"),
            "BillingCurrency",
            month("month"),
        ),
        confidence="medium",
        doubt=pl.lit("a run of it is over, and no ended_at tells since when"),
    )


def _runs(estate: Estate) -> pl.LazyFrame:
    """By project: whether a run goes on, whether one is over since nobody knows when, when the last ended, how many."""
    runs = estate.inputs.runs
    stated = (pl.DataFrame(schema=RUN_COLUMNS) if runs is None else runs).lazy()
    return (
        stated.filter(pl.col("project").is_not_null())
        .group_by(folded_word("project").alias("word"))
        .agg(
            (pl.col("ended_at").is_null() & ~OVER).any().alias("open"),
            (pl.col("ended_at").is_null() & OVER).any().alias("unclear"),
            pl.max_horizontal("started_at", "ended_at").max().dt.date().alias("ended"),
            pl.len().alias("runs"),
        )
    )


DETECTOR = Detector(
    name="tag_of_ended_project",
    title="Project that ended and still costs",
    tier="inventory",
    needs=("runs.project",),
    uses=("runs.ended_at",),
    thresholds={"days": Decimal(30)},
    meaning="All runs of a project ended 30 days ago or more, none has started since, and its "
    "tags still draw money. It is undetermined where a run that is over by its status has no end.",
    source="House rule.",
    action="Keep the final checkpoints, end the rest, or name the project that it serves now.",
    risk="A model in service has no runs; its project then wants `serving` resources kept.",
    rollback="Archive instead of delete.",
    judge=judge,
    wasted=False,
)
