"""Network interfaces left behind by a machine: rarely billed, yet they hold addresses and keep subnets from going."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import DETACHED, INTERFACES
from attribution.detection.waste.standing import LOOSE_DOUBT, loose, standing
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Interfaces, billed or not; an interface on a machine that is gone is as loose as one on none."""
    gone = estate.listed.filter(pl.col("gone")).select(parent="key", parent_gone=pl.lit(value=True))
    rows = standing(estate, INTERFACES, billed=False).join(gone, on="parent", how="left")
    left = pl.col("parent_gone").fill_null(value=False)
    age = pl.col("age")
    return judged(
        rows,
        at,
        waste=(left | loose(estate, DETACHED)) & (age >= at["min_age_days"]),
        evidence=pl.format(
            "Network interface {} since {}; {}",
            pl.when(left)
            .then(pl.format("of {}, which is deleted,", "attached_to"))
            .otherwise(pl.lit("attached to nothing")),
            day("since").fill_null("an unknown day"),
            "told_cost",
        ),
        doubt=pl.when(age.is_null()).then(pl.lit("its age is unknown")).otherwise(LOOSE_DOUBT),
    )


DETECTOR = Detector(
    name="orphaned_interface",
    title="Network interface attached to nothing",
    tier="inventory",
    needs=("resources.resource_type",),
    uses=("resources.state", "resources.attached_to", "resources.created_at"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The inventory shows a network interface attached to nothing or to a deleted machine, older than the grace "
    "period, whether a bill names it or not; `minimum` clears those alone that are billed less.",
    source="azure-orphan-resources lists such interfaces at once; the grace here is 14 days, settable.",
    action="Delete the interface, and the address on it.",
    risk="An interface that a cluster keeps ready for new machines looks the same.",
    rollback="A new interface in the same subnet does the same; note its private address first.",
    judge=judge,
    wasted=False,
)
