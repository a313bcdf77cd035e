"""Gateways through which nothing flows."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import GATEWAYS
from attribution.detection.waste.quiet import below, quiet_sentence, too_few, watched

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed ones that run; undetermined where the metric was not observed on enough days."""
    return judged(
        watched(estate, at, GATEWAYS, "network_bytes"),
        at,
        waste=below("network_bytes", at),
        evidence=quiet_sentence("Gateway", "network_bytes", at),
        doubt=too_few("network_bytes", at),
    )


DETECTOR = Detector(
    name="idle_gateway",
    title="Gateway without traffic",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "network_bytes": Decimal(1_000_000),
    },
    meaning="On every observed day of the last 14 less than a megabyte went through a billed gateway.",
    source="AWS Compute Optimizer calls a gateway without connections idle after 32 days; 14 here, settable.",
    action="Delete the gateway, and the addresses it holds.",
    risk="Machines behind it lose their way out, for updates say.",
    rollback="Keep its definition; its address changes unless it is kept.",
    judge=judge,
)
