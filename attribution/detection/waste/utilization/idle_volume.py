"""Volumes that hang on a machine and are neither read nor written."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import VOLUMES
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import used_by_nobody

DETECTOR = Detector(
    name="idle_volume",
    title="Volume nobody reads or writes",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds=WINDOW | {"disk_ops": Decimal(1)},
    meaning="On every observed day of the last 14 a billed volume saw less than one operation.",
    source="AWS Compute Optimizer's idle volume: less than one read or write a day for 14 days.",
    action="Take a snapshot, detach the volume, and delete it after a while.",
    risk="A standby's disk is read only when it takes over.",
    rollback="Snapshot first; a volume made from it holds the same data.",
    judge=partial(used_by_nobody, sorts=VOLUMES, metric="disk_ops", what="Volume"),
)
