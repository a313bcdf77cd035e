"""Databases to which nobody connects."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import DATABASES
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import used_by_nobody

DETECTOR = Detector(
    name="idle_database",
    title="Database nobody connects to",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds=WINDOW | {"connections": Decimal(1)},
    meaning="On every observed day of the last 14 neither the average nor the peak of a billed database's connections "
    "reached 1.",
    source="AWS Trusted Advisor's idle database is one without a connection for 7 days; 14 here, settable.",
    action="Take a final snapshot, then stop or delete the database.",
    risk="Reports that run once a quarter connect once a quarter.",
    rollback="Restore from the final snapshot.",
    judge=partial(used_by_nobody, sorts=DATABASES, metric="connections", what="Database"),
)
