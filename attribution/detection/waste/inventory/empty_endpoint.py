"""Endpoints on which no model is deployed."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import ENDPOINTS
from attribution.detection.waste.standing import serving_nothing
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed endpoints; those of which nothing tells what is deployed are left out."""
    rows, empty = serving_nothing(estate, at, ENDPOINTS)
    return judged(
        rows,
        at,
        waste=empty,
        evidence=pl.format("Endpoint without a deployed model, there since {}; {}", day("since"), "told_cost"),
    )


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
    judge=judge,
)
