"""Clusters without a node: the control plane is paid, and nothing runs on it."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import CLUSTERS
from attribution.detection.waste.standing import serving_nothing

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
    judge=partial(serving_nothing, sorts=CLUSTERS, what="Cluster without a node"),
)
