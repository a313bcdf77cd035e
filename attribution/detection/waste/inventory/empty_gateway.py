"""Gateways that no subnet, route or connection uses."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import GATEWAYS
from attribution.detection.waste.standing import serving_nothing

DETECTOR = Detector(
    name="empty_gateway",
    title="Gateway that serves nothing",
    tier="inventory",
    needs=("resources.targets",),
    uses=("resources.attached_to", "resources.created_at"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory counts no subnet, route or connection of a billed gateway older than the grace period.",
    source="azure-orphan-resources' checks of NAT and network gateways; the grace of 14 days is this project's own.",
    action="Delete the gateway, and the addresses it holds.",
    risk="A gateway kept for a second site or for disaster recovery looks the same.",
    rollback="Keep its definition so that it can be made again; its address changes unless it is kept.",
    judge=partial(serving_nothing, sorts=GATEWAYS, what="Gateway that serves nothing"),
)
