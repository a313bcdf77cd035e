"""The same data kept twice: one name and one size, several times.

The surprise: the oldest copy is the one that stays; words such as `copy` or `backup` at the end belong to no name.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BUCKETS, DATASETS, VOLUMES
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import number

_TAIL = r"[-_. ]*(copy|bak|backup|dup|duplicate|old)[-_. ]?\d*$"


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed buckets, datasets and volumes of one name; undetermined where it or an older one has no known size."""
    blank = pl.col("size_gb").is_null()
    large = pl.col("size_gb") >= at["size_gb"]
    maybe = (
        pl.when(blank)
        .then((pl.col("blanks") > 0) | (pl.col("larger") >= at["size_gb"]))
        .otherwise(large & (pl.col("blanks") > 0))
    )
    later = ~blank & large & (pl.col("resource_id") != pl.col("first_copy"))
    again = pl.when(later).then(YES).when(~maybe.fill_null(value=False)).then(NO)
    here = (pl.col("region") == pl.col("first_region")).fill_null(value=False)
    return judged(
        _alike(estate),
        at,
        waste=again & (pl.col("age") >= at["min_age_days"]),
        evidence=pl.format(
            "{} of {} GB with {} of {}{}; {}",
            "resource_type",
            number("size_gb").fill_null("unknown"),
            pl.when(later).then(pl.lit("name and size")).otherwise(pl.lit("the name")),
            pl.when(later).then("first_copy").otherwise("first_named"),
            pl.when(here).then(pl.lit(" in the same region")).otherwise(pl.lit("")),
            "told_cost",
        ),
        confidence=pl.when(here).then(pl.lit("medium")).otherwise(pl.lit("low")),
        doubt=pl.when(again.is_null())
        .then(pl.lit("the inventory does not tell size_gb of it or of an older one of its name"))
        .otherwise(pl.lit("neither created_at nor a bill tells how old it is")),
    )


def _alike(estate: Estate) -> pl.LazyFrame:
    """Things of one name, the oldest first, each with the first of its name and of its name and size."""
    named = pl.col("name").fill_null(pl.col("resource_id")).str.split("/").list.last().str.to_lowercase()
    # A copy that costs nothing any more may be gone, and is none to keep another's place.
    rows = (
        standing(estate, BUCKETS | DATASETS | VOLUMES)
        .filter("recent")
        .with_columns(named.str.replace(_TAIL, "").alias("base"), estate.age_days("created_at").alias("age"))
    )
    same, named_so = ["base", "size_gb", "BillingCurrency"], ["base", "BillingCurrency"]
    sized = pl.col("size_gb").is_not_null().any().over("sort_of")
    blank = pl.col("size_gb").is_null()
    return (
        rows.filter(sized)
        .filter((pl.len().over(named_so) > 1) & (pl.col("base") != ""))
        .sort("created_at", "resource_id", nulls_last=True)
        .with_columns(
            pl.col("resource_id").first().over(same).alias("first_copy"),
            pl.col("region").first().over(same).alias("first_region"),
            pl.col("resource_id").first().over(named_so).alias("first_named"),
            pl.col("size_gb").cum_max().forward_fill().shift(1).over(named_so).alias("larger"),
            blank.cum_sum().shift(1).fill_null(0).over(named_so).alias("blanks"),
        )
    )


DETECTOR = Detector(
    name="duplicate_data",
    title="The same data kept twice",
    tier="inventory",
    needs=("resources.size_gb",),
    uses=("resources.name", "resources.region", "resources.created_at"),
    thresholds={"size_gb": Decimal(10), "min_age_days": Decimal(14)},
    meaning="Two billed buckets, datasets or volumes of 10 GB or more have the same name and exactly the same size; "
    "all but the oldest are named. A name is what comes after the last slash, without copy, bak, backup, dup, "
    "duplicate or old at its end, be it after - or _ or with a number; -v2 or -2 make another name. Where one of two "
    "of a name has no size, the younger is undetermined, if the inventory tells sizes of other things of its kind.",
    source="House rule.",
    action="Compare the contents by their checksums, then delete one.",
    risk="Copies in other regions or accounts may be wanted for speed or safety.",
    rollback="Archive the copy first and delete it after a month.",
    judge=judge,
)
