"""Resources whose name says that they were to live for a day.

The surprise: a test set of data is no test, so of stores only names of scratch count.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
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
        (estate.age_days("created_at").fill_null(estate.days_since("first_day"))).alias("age"),
    )
    bare = pl.col("called").str.split("/").list.last().str.split(":").list.last().str.to_lowercase()
    stored = pl.col("sort_of").is_in(BUCKETS | DATASETS)
    temporary = bare.str.contains(_SCRATCH) | (bare.str.contains(_TRIAL) & ~stored)
    served = pl.col("stage") == "serving" if "stage" in estate.dimensions else pl.lit(value=False)
    return judged(
        rows,
        at,
        waste=temporary & ~served & (pl.col("age") >= at["days"]),
        evidence=pl.format(
            "{} called {}, which sounds temporary, {}; {}",
            "resource_type",
            bare,
            pl.format("there since {}", day(pl.col("created_at").dt.date().fill_null(pl.col("first_day")))),
            "told_cost",
        ),
        confidence="low",
        doubt=pl.lit("its age is unknown"),
    )


DETECTOR = Detector(
    name="temporary_name",
    title="Temporary by its name",
    tier="inventory",
    needs=("resources.resource_type",),
    uses=("resources.name", "resources.created_at"),
    thresholds={"days": Decimal(30)},
    meaning="A resource with a word such as tmp, scratch, test or demo in its name is billed and 30 days old. Stages "
    "of serving are spared, and of buckets and datasets only names of scratch count.",
    source="House rule.",
    action="Ask its owner whether it may go.",
    risk="Temporary names stay on things that became permanent.",
    rollback="Snapshot first where it holds data.",
    judge=judge,
    wasted=False,
)
