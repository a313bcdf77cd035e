"""Volumes that no machine mounts and that are billed all the same."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import DETACHED, VOLUMES
from attribution.detection.waste.standing import LOOSE_DOUBT, loose, standing
from attribution.detection.waste.telling import day, maybe, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed volumes; undetermined where the inventory contradicts itself or does not tell."""
    detached = pl.col("condition").is_in(DETACHED)
    size = maybe(" of {} GB", number("size_gb"))
    return judged(
        standing(estate, VOLUMES),
        at,
        waste=loose(estate, DETACHED) & (pl.col("age") >= at["min_age_days"]),
        evidence=pl.format("Volume{} attached to nothing, unused since {}; {}", size, day("since"), "told_cost"),
        confidence=pl.when(detached).then(pl.lit("high")).otherwise(pl.lit("medium")),
        doubt=LOOSE_DOUBT,
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
