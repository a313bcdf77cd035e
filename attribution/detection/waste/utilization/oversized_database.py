"""Databases twice the size of their work: the next smaller one is named, priced as this company was billed for it."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import DATABASES
from attribution.detection.waste.rightsizing import FIT, rightsized

DETECTOR = Detector(
    name="oversized_database",
    title="Database larger than its work",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.gpus", "resources.created_at"),
    thresholds=FIT | {"connections": Decimal(1)},
    meaning="The highest processor peak of the last 14 days would fill at most 80 % of the next smaller size of its "
    "family that the same bills have in the same region. A smaller size that is dearer is none. What peaks below "
    "`idle_percent` and has no connections is left to idle_database. The saving is the difference of the two billed "
    "rates.",
    source="Azure's and AWS's advisers size by peaks; taking the price from the bill's own rates is this project's "
    "own.",
    action="Change to the smaller size in a quiet hour.",
    risk="Memory for caches shrinks with the size, so that disks may have more to do.",
    rollback="Change the size back; it takes a restart.",
    judge=partial(rightsized, sorts=DATABASES, what="Database", traffic="connections"),
)
