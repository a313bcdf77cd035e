"""Volumes that no machine mounts and that are billed all the same."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import ATTACHED, DETACHED, VOLUMES
from attribution.detection.waste.telling import day, maybe, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Volumes; undetermined where the inventory contradicts itself or does not tell.

    Age counts from the later of creation and last use, else from the first day billed.
    """
    detached, hung = pl.col("condition").is_in(DETACHED), pl.col("parent").is_not_null()
    told = estate.has("resources.attached_to")
    used = pl.max_horizontal("created_at", "last_used_at")
    rows = (
        estate.things.filter(
            pl.col("sort_of").is_in(VOLUMES) & ~pl.col("gone") & pl.col("BillingCurrency").is_not_null()
        )
        .with_columns(
            used.fill_null(pl.col("first_day").cast(pl.Datetime("us")).dt.replace_time_zone("UTC")).alias("since")
        )
        .with_columns((estate.age_days("since") >= at["min_age_days"]).fill_null(value=False).alias("old"))
    )
    loose = (
        pl.when(hung & ~detached)
        .then(NO)
        .when(hung)
        .then(UNKNOWN)
        .when(detached)
        .then(YES)
        .when(pl.col("condition").is_in(ATTACHED))
        .then(NO)
        .otherwise(pl.lit(True if told else None, pl.Boolean))
    )
    size = maybe(" of {} GB", number("size_gb"))
    return judged(
        rows,
        at,
        waste=loose & pl.col("old"),
        evidence=pl.format("Volume{} attached to nothing, unused since {}; {}", size, day("since"), "told_cost"),
        confidence=pl.when(detached).then(pl.lit("high")).otherwise(pl.lit("medium")),
        doubt=pl.when(hung)
        .then(pl.format("the inventory calls it {}, yet attached to {}", "state", "attached_to"))
        .otherwise(pl.lit("the inventory tells neither its state nor what volumes are attached to")),
    )


DETECTOR = Detector(
    name="unattached_volume",
    title="Volume attached to nothing",
    tier="inventory",
    needs=("resources.resource_type",),
    uses=(
        "resources.state",
        "resources.attached_to",
        "resources.created_at",
        "resources.last_used_at",
        "resources.size_gb",
    ),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory shows a volume attached to nothing, it is older than the grace period, and it is billed.",
    source="AWS Compute Optimizer calls such a volume unattached after 32 days; the grace here is 14 days, settable.",
    action="Take a snapshot if anybody may want the data, then delete the volume.",
    risk="The data is lost with the volume; ask the owner first, since checkpoints may lie on it.",
    rollback="Snapshot first; a volume made from the snapshot holds the same data.",
    judge=judge,
)
