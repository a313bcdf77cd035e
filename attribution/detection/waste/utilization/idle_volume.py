"""Volumes that hang on a machine and are neither read nor written."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import VOLUMES
from attribution.detection.waste.quiet import below, quiet_sentence, too_few, watched

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed ones that run; undetermined where the metric was not observed on enough days."""
    return judged(
        watched(estate, at, VOLUMES, "disk_ops"),
        at,
        waste=below("disk_ops", at),
        evidence=quiet_sentence("Volume", "disk_ops", at),
        doubt=too_few("disk_ops", at),
    )


DETECTOR = Detector(
    name="idle_volume",
    title="Volume nobody reads or writes",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "disk_ops": Decimal(1),
    },
    meaning="On every observed day of the last 14 a billed volume saw less than one operation.",
    source="AWS Compute Optimizer's idle volume: less than one read or write a day for 14 days.",
    action="Take a snapshot, detach the volume, and delete it after a while.",
    risk="A standby's disk is read only when it takes over.",
    rollback="Snapshot first; a volume made from it holds the same data.",
    judge=judge,
)
