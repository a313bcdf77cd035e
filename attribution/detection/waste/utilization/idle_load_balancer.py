"""Load balancers that nobody asks."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BALANCERS
from attribution.detection.waste.quiet import below, quiet_sentence, too_few, watched

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed ones that run; undetermined where the metric was not observed on enough days."""
    return judged(
        watched(estate, at, BALANCERS, "requests"),
        at,
        waste=below("requests", at),
        evidence=quiet_sentence("Load balancer", "requests", at),
        doubt=too_few("requests", at),
    )


DETECTOR = Detector(
    name="idle_load_balancer",
    title="Load balancer without a request",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "requests": Decimal(1),
    },
    meaning="On every observed day of the last 14 a billed load balancer had no request.",
    source="CleanCloud's check of load balancers without traffic for 14 days.",
    action="Delete it, and the addresses it holds.",
    risk="A way in for disaster recovery sees no traffic until it is needed.",
    rollback="Keep its definition; its name changes when it is made again.",
    judge=judge,
)
