"""Machines twice the size of their work: the next smaller one is named, priced as this company was billed for it."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import MACHINES
from attribution.detection.waste.rightsizing import FIT, rightsized

DETECTOR = Detector(
    name="oversized_machine",
    title="Machine larger than its work",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.gpus", "resources.created_at"),
    thresholds=FIT | {"network_bytes": Decimal(5_000_000)},
    meaning="The highest peak of the last 14 days would fill at most 80 % of the next smaller size of its family that "
    "the same bills have in the same region: by processor, and for GPU machines by GPUs and their memory, "
    "scaled as the names of the sizes say. A smaller size that is dearer is none. Machines whose processor peaks below "
    "`idle_percent` and whose network moves less than `network_bytes` a day, and GPU machines whose GPUs peak below "
    "`idle_percent`, are left to idle_by_utilization and underused_gpu. The saving is the difference of the two billed "
    "rates.",
    source="Azure's and AWS's advisers size by peaks; taking the price from the bill's own rates is this project's "
    "own.",
    action="Change to the smaller size at the next restart.",
    risk="Memory, disk and network shrink with the size; look at them first.",
    rollback="Change the size back; it takes a restart.",
    judge=partial(rightsized, sorts=MACHINES, what="Machine", traffic="network_bytes"),
)
