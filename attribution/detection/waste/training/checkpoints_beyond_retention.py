"""Checkpoints beyond retention: of each run the last three, the best one and the pinned ones stay."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.shelf import by_run, shelved


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Runs with their checkpoints in one bucket."""
    old = estate.age_days("created_at") >= at["min_age_days"]
    rows = by_run(shelved(estate, at), estate, ~pl.col("kept") & old)
    return judged(
        rows,
        at,
        waste=pl.col("too_many") > 0,
        evidence=pl.format(
            "Beyond retention: {} of {} checkpoints of {} (the last {}, the best {} and pinned ones stay); {}",
            "too_many",
            "count",
            "subject",
            at["keep_last"].cast(pl.Int64),
            at["keep_best"].cast(pl.Int64),
            "held",
        ),
    )


DETECTOR = Detector(
    name="checkpoints_beyond_retention",
    title="Checkpoints beyond retention",
    tier="training",
    needs=("checkpoints",),
    uses=("checkpoints.resource_id", "checkpoints.metric_value", "runs.metric"),
    thresholds={"keep_last": Decimal(3), "keep_best": Decimal(1), "min_age_days": Decimal(14)},
    meaning="Of a run's checkpoints more lie there than its last 3 by step, its best (the lowest of a loss or "
    "perplexity, else the highest) and those pinned, and they are 14 days old. Their cost is their share of all "
    "checkpoint bytes of their bucket, of that bucket's cost.",
    source="House rule.",
    action="Delete the others, and let the trainer do so from now on.",
    risk="A run that turned bad slowly may want an earlier one.",
    rollback="Move them to archive storage first and delete them after a month.",
    judge=judge,
)
