"""Load balancers with nothing behind them."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.kinds import BALANCERS
from attribution.detection.waste.standing import serving_nothing

DETECTOR = Detector(
    name="empty_load_balancer",
    title="Load balancer with nothing behind it",
    tier="inventory",
    needs=("resources.targets",),
    uses=("resources.attached_to", "resources.created_at"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory counts no target behind a billed load balancer older than the grace period.",
    source="Steampipe's thrifty checks of load balancers without targets; the grace of 14 days is Cloud Custodian's.",
    action="Delete the load balancer, and the addresses it holds.",
    risk="A blue-green release leaves one side empty for a time.",
    rollback="Keep its definition (listeners, certificates, name) so that it can be made again; names may change.",
    judge=partial(serving_nothing, sorts=BALANCERS, what="Load balancer with no target behind it"),
)
