"""NAT gateways that are paid by the hour and carry nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.bill.hours_without_use import judge_hours
from attribution.detection.waste.detector import Detector, Thresholds
from attribution.detection.waste.estate import Estate

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Gateways with hours and no bytes."""
    return judge_hours(estate, at, what="NAT gateway", hours=("gateway_hours",), use=("gateway_bytes",), used="bytes")


DETECTOR = Detector(
    name="nat_gateway_without_traffic",
    title="NAT gateway that carries nothing",
    tier="bill",
    needs=("costs.SkuMeter",),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The gateway's hours are billed, and since the start of the last complete month no byte through it.",
    source="AWS Compute Optimizer: a NAT gateway without connections and packets for 32 days; asked of the bill here.",
    action="Remove the gateway and the routes that name it.",
    risk="A subnet kept for a rare job loses its way out; its address is lost, and others may have it on a list.",
    rollback="Make it again and put the routes back; keep its address to have the same one.",
    judge=judge,
)
