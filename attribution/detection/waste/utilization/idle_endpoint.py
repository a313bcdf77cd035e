"""Model endpoints that nobody asks."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import ENDPOINTS
from attribution.detection.waste.observed import WINDOW
from attribution.detection.waste.quiet import used_by_nobody

DETECTOR = Detector(
    name="idle_endpoint",
    title="Endpoint nobody asks",
    tier="utilization",
    needs=("resources.resource_type", "utilization"),
    uses=("resources.state", "resources.created_at"),
    thresholds=WINDOW | {"requests": Decimal(1)},
    meaning="On every observed day of the last 14 a billed endpoint had no request.",
    source="CleanCloud's checks of endpoints without invocations for 14 days.",
    action="Delete the endpoint, or let it scale to zero.",
    risk="A standby endpoint is asked only when another fails.",
    rollback="Keep model and configuration; deploying again takes minutes.",
    judge=partial(used_by_nobody, sorts=ENDPOINTS, metric="requests", what="Endpoint"),
)
