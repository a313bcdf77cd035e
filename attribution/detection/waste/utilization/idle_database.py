"""Databases to which nobody connects."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import DATABASES
from attribution.detection.waste.quiet import below, quiet_sentence, too_few, watched

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed ones that run; undetermined where the metric was not observed on enough days."""
    return judged(
        watched(estate, at, DATABASES, "connections"),
        at,
        waste=below("connections", at),
        evidence=quiet_sentence("Database", "connections", at),
        doubt=too_few("connections", at),
    )


DETECTOR = Detector(
    name="idle_database",
    title="Database nobody connects to",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "connections": Decimal(1),
    },
    meaning="On every observed day of the last 14 neither the average nor the peak of a billed database's connections "
    "reached 1.",
    source="AWS Trusted Advisor's idle database is one without a connection for 7 days; 14 here, settable.",
    action="Take a final snapshot, then stop or delete the database.",
    risk="Reports that run once a quarter connect once a quarter.",
    rollback="Restore from the final snapshot.",
    judge=judge,
)
