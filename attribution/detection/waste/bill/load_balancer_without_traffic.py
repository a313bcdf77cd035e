"""Load balancers that are paid by the hour and balance nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.waste.bill.hours_without_use import judge_hours
from attribution.detection.waste.detector import Detector, Thresholds
from attribution.detection.waste.estate import Estate

if TYPE_CHECKING:
    import polars as pl


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Balancers with hours, and neither units of use nor bytes."""
    used = ("balancer_use", "transfer_internet", "transfer_regions")
    return judge_hours(
        estate, at, what="Load balancer", hours=("balancer_hours",), use=used, used="units of use or bytes"
    )


DETECTOR = Detector(
    name="load_balancer_without_traffic",
    title="Load balancer that balances nothing",
    tier="bill",
    needs=("costs.SkuMeter",),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The balancer's hours are billed, and since the start of the last complete month neither units of use nor "
    "bytes.",
    source="AWS Trusted Advisor, Idle Load Balancers, asked of the bill instead of the metrics.",
    action="Remove the balancer after a look at the names that point to it.",
    risk="A standby for a fail-over carries nothing either; clients that know its name find nothing.",
    rollback="Make it again from its description; keep that as a file first.",
    judge=judge,
)
