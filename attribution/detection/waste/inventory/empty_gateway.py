"""Gateways that no subnet, route or connection uses."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import GATEWAYS
from attribution.detection.waste.standing import serving_nothing
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed gateways; those whose use is not told are left out."""
    rows, empty = serving_nothing(estate, at, GATEWAYS)
    return judged(
        rows,
        at,
        waste=empty,
        evidence=pl.format("Gateway that serves nothing, there since {}; {}", day("since"), "told_cost"),
    )


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
    judge=judge,
)
