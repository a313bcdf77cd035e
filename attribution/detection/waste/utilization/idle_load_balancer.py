"""Load balancers that nobody asks."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import BALANCERS
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import used_by_nobody

DETECTOR = Detector(
    name="idle_load_balancer",
    title="Load balancer without a request",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds=WINDOW | {"requests": Decimal(1)},
    meaning="On every observed day of the last 14 a billed load balancer had no request.",
    source="CleanCloud's check of load balancers without traffic for 14 days.",
    action="Delete it, and the addresses it holds.",
    risk="A way in for disaster recovery sees no traffic until it is needed.",
    rollback="Keep its definition; its name changes when it is made again.",
    judge=partial(used_by_nobody, sorts=BALANCERS, metric="requests", what="Load balancer"),
)
