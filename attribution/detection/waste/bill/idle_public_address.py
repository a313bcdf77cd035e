"""Public addresses that are billed because nothing uses them."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Addresses with idle hours. One that was in use in the same window is at work, one that is young is left alone."""
    rows = estate.using(estate.metered("address_idle"), "address_used")
    age = (pl.col("last_mark") - pl.col("metered_since")).dt.total_days() + 1
    old = (age >= at["min_age_days"]).fill_null(value=False)
    still = (pl.col("last_mark") - pl.col("last_day")).dt.total_days() <= 1
    text = "Public address billed as idle on {} days from {} to {}, never as in use; {}"
    return judged(
        rows,
        at,
        waste=old & still & ~pl.col("uses"),
        evidence=pl.format(text, "metered_days", day("month"), day("last_mark"), "told_cost"),
        doubt=pl.lit("the bill also names it in use without telling how much, or leaves a meter blank"),
    )


DETECTOR = Detector(
    name="idle_public_address",
    title="Public address that nothing uses",
    tier="bill",
    needs=("costs.SkuMeter",),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The bill itself calls the address idle, since the start of the last complete month and up to its end.",
    source="AWS Trusted Advisor, Unassociated Elastic IP Addresses; the meter is PublicIPv4:IdleAddress there.",
    action="Release the address.",
    risk="A released address is somebody else's the next day: names and lists of allowed addresses must not hold it.",
    rollback="None: the same address does not come back. Ask the owner first.",
    judge=judge,
)
