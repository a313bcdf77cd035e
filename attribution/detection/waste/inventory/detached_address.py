"""Public addresses that point at nothing and are billed for just that."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import ADDRESSES, FREE_ADDRESS
from attribution.detection.waste.standing import LOOSE_DOUBT, loose, standing
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed addresses; undetermined as volumes are."""
    rows = standing(estate, ADDRESSES)
    free = pl.col("condition").is_in(FREE_ADDRESS)
    return judged(
        rows,
        at,
        waste=loose(estate, FREE_ADDRESS) & (pl.col("age") >= at["min_age_days"]),
        evidence=pl.format("Public address attached to nothing since {}; {}", day("since"), "told_cost"),
        confidence=pl.when(free).then(pl.lit("high")).otherwise(pl.lit("medium")),
        doubt=LOOSE_DOUBT,
    )


DETECTOR = Detector(
    name="detached_address",
    title="Public address attached to nothing",
    tier="inventory",
    needs=("resources.resource_type",),
    uses=("resources.state", "resources.attached_to", "resources.created_at", "resources.last_used_at"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory shows a public address attached to nothing, it is older than the grace period, and billed.",
    source="GCP Recommender calls an address idle after 15 days; the grace here is 14 days, settable.",
    action="Release the address.",
    risk="An address that partners have let through their firewalls cannot be had again once released.",
    rollback="None for the same address: note it, and ask its owner before it goes.",
    judge=judge,
)
