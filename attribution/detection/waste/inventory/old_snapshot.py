"""Snapshots beyond retention whose source still lives: older ones are superseded by the newest, which stays."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.snapshots import snapshots
from attribution.detection.waste.telling import day
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed snapshots of known sources; of each source the newest is never waste."""
    rows = snapshots(estate).filter(~pl.col("source_gone").fill_null(value=False))
    newer = pl.when(pl.col("origin").is_not_null()).then(pl.col("taken") != pl.col("newest"))
    old = pl.col("snapshot_age") >= at["retention_days"]
    taken = pl.format("{}, {} ago", day("taken"), each_counted(pl.col("snapshot_age").floor(), "day"))
    return judged(
        rows,
        at,
        waste=~pl.col("spared") & old & newer,
        evidence=pl.format(
            "Snapshot of {}, taken {}{}; {}",
            pl.col("origin").fill_null("something untold"),
            taken.fill_null("on an unknown day"),
            pl.when(newer).then(pl.lit(", and newer ones exist")).otherwise(pl.lit("")),
            "told_cost",
        ),
        confidence="medium",
        doubt=pl.when(pl.col("taken").is_null())
        .then(pl.lit("its age is unknown"))
        .otherwise(pl.lit("the inventory does not tell its source, so that its newest snapshot is unknown")),
    )


DETECTOR = Detector(
    name="old_snapshot",
    title="Snapshot beyond retention",
    tier="inventory",
    needs=("resources.created_at",),
    uses=("resources.source_id", "resources.image_id", "resources.managed_by"),
    thresholds={"retention_days": Decimal(90)},
    meaning="A billed snapshot is 90 days old, its source has a newer one, no image uses it, and no backup tool keeps "
    "it.",
    source="90 days as in Steampipe's thrifty checks; sparing the newest of each source is this project's own.",
    action="Delete it, or archive it where a rule asks for long keeping.",
    risk="Rules of law or contract may ask for old copies.",
    rollback="Archive instead of delete: an archived snapshot can be restored.",
    judge=judge,
)
