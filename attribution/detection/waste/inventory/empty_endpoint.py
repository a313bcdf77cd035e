"""Endpoints on which no model is deployed."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import ENDPOINTS
from attribution.detection.waste.standing import serving_nothing

DETECTOR = Detector(
    name="empty_endpoint",
    title="Endpoint without a model",
    tier="inventory",
    needs=("resources.targets",),
    uses=("resources.attached_to", "resources.created_at"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory counts no deployed model on a billed endpoint older than the grace period.",
    source="Cloud Custodian's example of endpoints without a model; the grace of 14 days is this project's own.",
    action="Delete the endpoint.",
    risk="Its address may be written into clients that are switched off for now.",
    rollback="Make an endpoint with the same name and deploy the model again.",
    judge=partial(serving_nothing, sorts=ENDPOINTS, what="Endpoint without a deployed model"),
)
