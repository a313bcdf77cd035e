"""Clusters without a node: the control plane is paid, and nothing runs on it."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import CLUSTERS
from attribution.detection.waste.standing import serving_nothing
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed clusters; those whose nodes are not told are left out."""
    rows, empty = serving_nothing(estate, at, CLUSTERS)
    return judged(
        rows,
        at,
        waste=empty,
        evidence=pl.format("Cluster without a node, there since {}; {}", day("since"), "told_cost"),
    )


DETECTOR = Detector(
    name="empty_cluster",
    title="Cluster without a node",
    tier="inventory",
    needs=("resources.targets",),
    uses=("resources.attached_to", "resources.created_at"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory counts no node in a billed cluster older than the grace period.",
    source="House rule, after the checks of empty plans and pools in azure-orphan-resources.",
    action="Delete the cluster, or let it scale to nothing together with its control plane.",
    risk="A cluster that scales to zero between jobs is empty most of the time.",
    rollback="Keep its definition and its manifests; a new cluster takes them.",
    judge=judge,
)
