"""Reserved accelerators that nobody fills: capacity is held and billed, and the machines in it do nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.detector import Detector, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.groups import idle_groups
from attribution.detection.waste.kinds import RESERVATIONS

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Groups of listed machines; undetermined where one of them was not measured."""
    return idle_groups(estate, at, RESERVATIONS, "Reservation", whole=False)


DETECTOR = Detector(
    name="idle_reservation",
    title="Accelerator reservation that nobody fills",
    tier="utilization",
    needs=("resources.attached_to", "utilization"),
    uses=("resources.gpus", "resources.state", "resources.created_at"),
    thresholds={
        "window_days": Decimal(14),
        "min_age_days": Decimal(14),
        "coverage": Decimal("0.80"),
        "gpu_percent": Decimal(5),
        "gpu_memory_percent": Decimal(5),
        "cpu_percent": Decimal(5),
        "peak_percent": Decimal(15),
        "network_bytes": Decimal(5_000_000),
    },
    meaning="Every running machine that the inventory attaches to a billed reservation is idle by its metrics. A "
    "reservation without machines is undetermined here.",
    source="House rule; machines are judged as by idle_by_utilization.",
    action="Give it back, shorten it, or lend it to another team.",
    risk="Reserved capacity may not be had again when it is given back.",
    rollback="A new reservation, if there is capacity.",
    judge=judge,
)
