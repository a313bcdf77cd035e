"""Snapshots whose source is gone: nobody restores what nobody remembers.

The surprise: a snapshot may back an image, and images in every state count as its users.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.snapshots import snapshots
from attribution.detection.waste.telling import day, maybe, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed snapshots; undetermined where nothing tells what they were taken of."""
    return judged(
        snapshots(estate),
        at,
        waste=~pl.col("spared") & pl.col("source_gone") & (pl.col("snapshot_age") >= at["days"]),
        evidence=pl.format(
            "Snapshot{} of {}, {}, taken {}, used by no image; {}",
            maybe(" of {} GB", number("size_gb")),
            pl.col("origin").fill_null("something untold"),
            pl.when(pl.col("source_gone"))
            .then(pl.lit("which is no more"))
            .otherwise(pl.lit("of which nothing is known")),
            day("taken").fill_null("on an unknown day"),
            "told_cost",
        ),
        confidence=pl.when("source_listed").then(pl.lit("high")).otherwise(pl.lit("medium")),
        doubt=pl.when(pl.col("origin").is_null())
        .then(pl.lit("the inventory does not tell its source"))
        .otherwise(pl.lit("the inventory lists no things of its source's kind")),
    )


DETECTOR = Detector(
    name="orphaned_snapshot",
    title="Snapshot of something that is no more",
    tier="inventory",
    needs=("resources.resource_type",),
    uses=("resources.source_id", "resources.image_id", "resources.managed_by", "resources.created_at"),
    thresholds={"days": Decimal(31)},
    meaning="A billed snapshot is more than 30 days old, its source is deleted or in neither inventory nor bill, no "
    "image uses it, and no backup tool keeps it.",
    source="House rule, after reports that most young orphans belong to running jobs or to images.",
    action="Ask the owner; copy to archive storage what must be kept, then delete the snapshot.",
    risk="It may be the last copy of the data.",
    rollback="Archive instead of delete: an archived snapshot can be restored.",
    judge=judge,
)
