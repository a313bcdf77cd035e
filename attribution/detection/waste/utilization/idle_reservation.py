"""Reserved accelerators that nobody fills: capacity is held and billed, and the machines in it do nothing."""

from __future__ import annotations

from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.groups import idle_groups
from attribution.detection.waste.kinds import RESERVATIONS
from attribution.detection.waste.machines import IDLE

DETECTOR = Detector(
    name="idle_reservation",
    title="Accelerator reservation that nobody fills",
    tier="utilization",
    needs=("resources.attached_to", "utilization"),
    uses=("resources.gpus", "resources.state", "resources.created_at"),
    thresholds=IDLE,
    meaning="Every running machine that the inventory attaches to a billed reservation is idle by its metrics. A "
    "reservation without machines is undetermined here.",
    source="House rule; machines are judged as by idle_by_utilization.",
    action="Give it back, shorten it, or lend it to another team.",
    risk="Reserved capacity may not be had again when it is given back.",
    rollback="A new reservation, if there is capacity.",
    judge=partial(idle_groups, sorts=RESERVATIONS, what="Reservation", whole=False),
)
