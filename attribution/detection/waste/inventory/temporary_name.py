"""Resources whose name says that they were to live for a day.

The surprise: a test set of data is no test, so of stores only names of scratch count.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BUCKETS, DATASETS
from attribution.detection.waste.telling import day

_EDGE = r"(^|[^a-z]){}([^a-z]|$)"
_SCRATCH = _EDGE.format("(tmp|temp|temporary|scratch|throwaway|delete-?me|trash)")
_TRIAL = _EDGE.format("(test|testing|demo|trial|poc|playground|foo|dummy)")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed resources of the inventory, serving apart."""
    rows = estate.things.filter(pl.col("BillingCurrency").is_not_null() & ~pl.col("gone")).with_columns(
        pl.col("name").fill_null(pl.col("resource_id")).alias("called"),
    )
    # What bills name from their first day on may be older than they are.
    billed = estate.days_since("first_day") >= at["days"]
    old = (
        pl.when(pl.col("created_at").is_not_null())
        .then(estate.age_days("created_at") >= at["days"])
        .when(billed)
        .then(YES)
        .when(pl.col("first_day") > pl.col("first_mark"))
        .then(NO)
    )
    bare = pl.col("called").str.split("/").list.last().str.split(":").list.last().str.to_lowercase()
    stored = pl.col("sort_of").is_in(BUCKETS | DATASETS)
    temporary = bare.str.contains(_SCRATCH) | (bare.str.contains(_TRIAL) & ~stored)
    served = pl.col("stage") == "serving" if "stage" in estate.dimensions else pl.lit(value=False)
    return judged(
        rows,
        at,
        waste=temporary & ~served & old,
        evidence=pl.format(
            "{} called {}, which sounds temporary, {}; {}",
            "resource_type",
            bare,
            pl.format("there since {}", day(pl.col("created_at").dt.date().fill_null(pl.col("first_day")))).fill_null(
                "since an unknown day"
            ),
            "told_cost",
        ),
        confidence="low",
        doubt=pl.lit("the inventory tells no created_at of it, and the bills begin with it"),
    )


DETECTOR = Detector(
    name="temporary_name",
    title="Temporary by its name",
    tier="inventory",
    needs=("resources.resource_type",),
    uses=("resources.name", "resources.created_at"),
    thresholds={"days": Decimal(30)},
    meaning="A billed resource is 30 days old and has in the last part of its name (without one, of its id) a word of "
    "scratch (tmp, temp, temporary, scratch, throwaway, delete-me, trash) or of trial (test, testing, demo, trial, "
    "poc, playground, foo, dummy), with no letter before or after it. Stages of serving are spared, and of buckets and "
    "datasets only words of scratch count. Without a day of creation it is as old as its first day on the bills, and "
    "undetermined where the bills begin less than 30 days ago and with it.",
    source="House rule.",
    action="Ask its owner whether it may go.",
    risk="Temporary names stay on things that became permanent.",
    rollback="Snapshot first where it holds data.",
    judge=judge,
    wasted=False,
)
