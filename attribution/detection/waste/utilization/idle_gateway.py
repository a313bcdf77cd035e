"""Gateways through which nothing flows."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import GATEWAYS
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import used_by_nobody

DETECTOR = Detector(
    name="idle_gateway",
    title="Gateway without traffic",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds=WINDOW | {"network_bytes": Decimal(1_000_000)},
    meaning="On every observed day of the last 14 less than a megabyte went through a billed gateway.",
    source="AWS Compute Optimizer calls a gateway without connections idle after 32 days; 14 here, settable.",
    action="Delete the gateway, and the addresses it holds.",
    risk="Machines behind it lose their way out, for updates say.",
    rollback="Keep its definition; its address changes unless it is kept.",
    judge=partial(used_by_nobody, sorts=GATEWAYS, metric="network_bytes", what="Gateway"),
)
