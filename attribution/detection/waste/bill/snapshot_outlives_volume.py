"""Snapshots of volumes that are billed no more.

The surprise: an image in any state holds its snapshot, so a snapshot that anything in the inventory is attached to
is spared; so is one that a backup plan made, since that plan will remove it.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import SNAPSHOTS
from attribution.detection.waste.telling import day
from schemas.words_by_row import each_counted

_BACKUP = r"(?i)backup|awsbackup|recovery.?point|\bdlm\b|velero|snapshot.?schedule|policy"


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Snapshots whose volume was billed once and is silent for `days`."""
    volumes = estate.billed.group_by("key").agg(pl.col("last_day").max().alias("volume_end"))
    held = estate.listed.filter(pl.col("parent").is_not_null()).select(key="parent", held=pl.lit(value=True)).unique()
    born = pl.col("created_at").dt.date().fill_null(pl.col("first_day"))
    rows = (
        estate.things.filter(pl.col("sort_of").is_in(SNAPSHOTS) & ~pl.col("gone"))
        .filter(pl.col("BillingCurrency").is_not_null())
        .join(volumes.rename({"key": "parent"}), on="parent", how="left")
        .join(held, on="key", how="left")
        .with_columns(born.alias("born"))
    )
    silent = (pl.col("last_mark") - pl.col("volume_end")).dt.total_days()
    age = (pl.lit(estate.today) - pl.col("born")).dt.total_days()
    backup = pl.col("name").str.contains(_BACKUP).fill_null(value=False)
    spared = pl.col("held").fill_null(value=False) | backup
    fires = (silent >= at["days"]) & (age > at["days"]) & ~spared
    return judged(
        rows,
        at,
        waste=pl.when(spared)
        .then(NO)
        .when(pl.col("parent").is_null())
        .then(UNKNOWN)
        .otherwise(fires.fill_null(value=False)),
        evidence=pl.coalesce(
            pl.format(
                "Snapshot of {}, taken {}; that volume was billed last on {}, {} before {}; {}",
                "attached_to",
                day("born"),
                day("volume_end"),
                each_counted(silent, "day"),
                day("last_mark"),
                "told_cost",
            ),
            pl.format("Snapshot of an unknown volume, taken {}; {}", day("born"), "told_cost"),
        ),
        confidence="medium",
        doubt=pl.lit("the inventory does not say of which volume it is"),
    )


DETECTOR = Detector(
    name="snapshot_outlives_volume",
    title="Snapshot that outlives its volume",
    tier="bill",
    needs=("resources.attached_to",),
    uses=("resources.created_at", "resources.name"),
    thresholds={"days": Decimal(30)},
    meaning="The volume that the snapshot was taken of was billed once and has not been for 30 days, the snapshot is "
    "older than 30 days, nothing in the inventory (an image, say) is attached to it, and its name speaks of no backup.",
    source="Cloud Custodian's filter for unused snapshots: images in every state hold them; young ones come from jobs.",
    action="Ask the owner, archive the snapshot where the provider has a cheaper tier, or delete it.",
    risk="It may be the only copy of a dataset or of checkpoints.",
    rollback="Archive instead of deleting; an archived snapshot can be brought back within a day or three.",
    judge=judge,
)
