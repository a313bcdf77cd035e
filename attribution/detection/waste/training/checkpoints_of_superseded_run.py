"""Checkpoints of runs that failed or were superseded: what retention would keep of them, nobody needs any more.

The surprise: a failed run's checkpoints are needed until a later run of the experiment has its own.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import ENDED_BADLY
from attribution.detection.waste.shelf import LESS_IS_BETTER, by_run, shelved
from attribution.detection.waste.telling import day
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Runs that ended, by what later runs of their experiment have."""
    rows = by_run(shelved(estate, at), estate, pl.col("kept") & ~pl.col("pinned").fill_null(value=False))
    runs = estate.inputs.runs
    told = (pl.DataFrame(schema={}) if runs is None else runs).lazy()
    own = told.select(
        "metric", "started_at", "ended_at", of_run="run_id", of_experiment="experiment", value="metric_value"
    )
    rows = rows.join(own.drop("of_experiment"), on="of_run").join(_successors(told, own, rows), on="of_run", how="left")
    bad, done = pl.col("status").is_in(ENDED_BADLY), pl.col("status") == "completed"
    heir = pl.when(bad).then("next").when(done).then("heir")
    unsure = (done & pl.col("heir").is_null() & pl.col("maybe").is_not_null()).fill_null(value=False)
    followed = pl.when(pl.col("successor").is_not_null()).then(YES).when(~unsure).then(NO)
    old = estate.age_days("ended_at") >= at["min_age_days"]
    return judged(
        rows.with_columns(heir.alias("successor")),
        at,
        waste=(bad | done) & followed & old & (pl.col("too_many") > 0),
        evidence=pl.format(
            "{} of {}, which {} on {} and was followed by {}: {}",
            each_counted("too_many", "checkpoint"),
            "subject",
            pl.when(done).then(pl.lit("completed")).otherwise(pl.lit("came to nothing")),
            day("ended_at").fill_null("an unknown day"),
            pl.coalesce("successor", pl.when(unsure).then("maybe")).fill_null("none"),
            "held",
        ),
        confidence="medium",
        doubt=pl.when(pl.col("status").is_null())
        .then(pl.lit("the status of its run is unknown"))
        .when(unsure)
        .then(pl.lit("only one of the two runs has a metric_value to compare them by"))
        .otherwise(pl.lit("no ended_at tells when its run ended")),
    )


def _successors(told: pl.LazyFrame, own: pl.LazyFrame, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Of each run the next one with checkpoints, the first that is no worse, and the first of which nobody can say."""
    has_own = rows.select(of_run="of_run").unique().with_columns(pl.lit(value=True).alias("shelved"))
    later = told.select(
        "status", of_experiment="experiment", by="run_id", by_start="started_at", by_value="metric_value"
    ).join(has_own.rename({"of_run": "by"}), on="by")
    less = pl.col("metric").str.contains(LESS_IS_BETTER)
    better = pl.when(less).then(pl.col("by_value") <= pl.col("value")).otherwise(pl.col("by_value") >= pl.col("value"))
    one_told = pl.col("value").is_not_null() | pl.col("by_value").is_not_null()
    return (
        own.join(later, on="of_experiment")
        .filter(pl.col("by_start") > pl.col("started_at"))
        .with_columns(better.alias("better"), done=pl.col("status") == "completed")
        .sort("by_start", "by")
        .group_by("of_run", maintain_order=True)
        .agg(
            pl.col("by").first().alias("next"),
            pl.col("by").filter(pl.col("better") & pl.col("done")).first().alias("heir"),
            pl.col("by").filter(pl.col("better").is_null() & one_told & pl.col("done")).first().alias("maybe"),
        )
    )


DETECTOR = Detector(
    name="checkpoints_of_superseded_run",
    title="Checkpoints of a failed or superseded run",
    tier="training",
    needs=("checkpoints.run_id", "runs.status"),
    uses=("checkpoints.resource_id", "runs.metric_value"),
    thresholds={"keep_last": Decimal(3), "keep_best": Decimal(1), "min_age_days": Decimal(14)},
    meaning="Of a run that ended 14 days ago, checkpoints lie there that retention would keep, none pinned; it failed, "
    "was cancelled or timed out and a later run of the experiment has checkpoints of its own, or it completed and a "
    "later completed run is as good by its metric. It is undetermined where only one of the two has a metric, where a "
    "run that is over has no end, or without a status; of experiments that tell no metrics it says nothing.",
    source="House rule.",
    action="Keep one of them at most, and delete the others.",
    risk="A comparison may still want the older model.",
    rollback="Move them to archive storage first and delete them after a month.",
    judge=judge,
)
