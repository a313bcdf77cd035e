"""Resources that are billed on days after they were deleted.

The surprise: usage on the day of deletion itself is right, and a bill that arrives late is no fault.
"""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import DELETED
from attribution.detection.waste.telling import day
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Deleted resources with usage afterwards, as long as that reaches the last complete month."""
    taken = pl.lit(estate.inputs.inventory_day, pl.Date)
    deleted = pl.col("deleted_at").dt.date().fill_null(pl.when(pl.col("condition").is_in(DELETED)).then(taken))
    # It is told for as long as there is money to claim back, and longer than for what may still cost.
    rows = estate.things.with_columns(deleted.alias("deleted"), pl.col("paid").alias("recent")).filter(
        pl.col("deleted").is_not_null() & pl.col("last_day").is_not_null()
    )
    late = (pl.col("last_day") - pl.col("deleted")).dt.total_days()
    text = "Deleted on {}, yet with usage up to {}, {} later; {}"
    return judged(
        rows,
        at,
        waste=late > 0,
        evidence=pl.format(text, day("deleted"), day("last_day"), each_counted(late, "day"), "told_cost"),
        confidence=pl.when(pl.col("deleted_at").is_not_null()).then(pl.lit("high")).otherwise(pl.lit("medium")),
    )


DETECTOR = Detector(
    name="billed_after_deletion",
    title="Billed after it was deleted",
    tier="bill",
    needs=("resources",),
    uses=("resources.deleted_at", "resources.state"),
    meaning="The bill has usage on days after the inventory's day of deletion (or after the inventory itself, where it "
    "says deleted without a day).",
    source="House rule, by the usage date and never by the day a bill was loaded.",
    action="Look whether the resource still exists; if not, claim the charges back.",
    risk="None; an inventory that is wrong about the deletion is the usual innocent cause.",
    rollback="Nothing is changed by asking.",
    judge=judge,
)
