"""The same data kept twice: one name and one size, several times.

The surprise: the oldest copy is the one that stays; words such as `copy` or `backup` at the end belong to no name.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BUCKETS, DATASETS, VOLUMES
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import number

_TAIL = r"[-_. ]*(copy|bak|backup|dup|duplicate|old)[-_. ]?\d*$"


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed buckets, datasets and volumes of one name; undetermined where one of them has no known size."""
    named = pl.col("name").fill_null(pl.col("resource_id")).str.split("/").list.last().str.to_lowercase()
    # A copy that costs nothing any more may be gone, and is none to keep another's place.
    rows = (
        standing(estate, BUCKETS | DATASETS | VOLUMES)
        .filter("recent")
        .with_columns(named.str.replace(_TAIL, "").alias("base"), estate.age_days("created_at").alias("age"))
    )
    same = ["base", "size_gb", "BillingCurrency"]
    rows = (
        rows.filter((pl.len().over("base", "BillingCurrency") > 1) & (pl.col("base") != ""))
        .sort("created_at", "resource_id", nulls_last=True)
        .with_columns(
            pl.col("resource_id").first().over(same).alias("first_copy"),
            pl.col("region").first().over(same).alias("first_region"),
            pl.len().over(same).alias("copies"),
        )
    )
    small = pl.col("size_gb") < at["size_gb"]
    sized = pl.when(~small).then(pl.col("copies") > 1).otherwise(~small)
    later = pl.col("resource_id") != pl.col("first_copy")
    here = (pl.col("region") == pl.col("first_region")).fill_null(value=False)
    return judged(
        rows,
        at,
        waste=sized & later & (pl.col("age") >= at["min_age_days"]),
        evidence=pl.format(
            "{} of {} GB with name and size of {}{}; {}",
            "resource_type",
            number("size_gb").fill_null("unknown"),
            "first_copy",
            pl.when(here).then(pl.lit(" in the same region")).otherwise(pl.lit("")),
            "told_cost",
        ),
        confidence=pl.when(here).then(pl.lit("medium")).otherwise(pl.lit("low")),
        doubt=pl.lit("its size or age is unknown, and another has its name"),
    )


DETECTOR = Detector(
    name="duplicate_data",
    title="The same data kept twice",
    tier="inventory",
    needs=("resources.size_gb",),
    uses=("resources.name", "resources.region", "resources.created_at"),
    thresholds={"size_gb": Decimal(10), "min_age_days": Decimal(14)},
    meaning="Two billed buckets, datasets or volumes of 10 GB or more have the same name (but for an ending such as "
    "-copy) and exactly the same size; all but the oldest are named.",
    source="House rule.",
    action="Compare the contents by their checksums, then delete one.",
    risk="Copies in other regions or accounts may be wanted for speed or safety.",
    rollback="Archive the copy first and delete it after a month.",
    judge=judge,
)
