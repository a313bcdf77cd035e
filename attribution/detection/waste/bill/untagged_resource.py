"""Resources whose money nobody owns (无人认领): billed, with neither a project nor an owner known."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import money, month


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """The dearest such resources, at most `top` in each currency; the others are counted as at work."""
    nobodys = pl.col("unallocated") & (pl.col("stake") >= at.money("minimum"))
    dearest_first = estate.billed.sort("stake", "subject", descending=[True, False], nulls_last=True)
    place = nobodys.cum_sum().over("BillingCurrency")
    # Money wants an owner whether or not it goes on.
    rows = dearest_first.with_columns((nobodys & (place <= at["top"])).alias("dear"), pl.col("paid").alias("recent"))
    named = pl.concat_str("service", "ResourceType", separator=", ", ignore_nulls=True)
    what = pl.when(named != "").then(pl.format(" ({})", named)).otherwise(pl.lit(""))
    text = "{} {} in {}{} with neither project nor owner; no rule, tag, parent or account names one"
    return judged(
        rows,
        at,
        waste=pl.col("dear").fill_null(value=False),
        evidence=pl.format(text, money("stake"), "BillingCurrency", month("month"), what),
    )


DETECTOR = Detector(
    name="untagged_resource",
    title="Resource that nobody owns",
    tier="bill",
    needs=("costs",),
    thresholds={"top": Decimal(20)},
    meaning="In the last complete month all of the resource's cost is unallocated, by project and by owner.",
    source="FinOps Foundation, capability Allocation: cost that carries no metadata.",
    action="Tag the resource in the register, or write a rule that names its account or service.",
    risk="None for running systems.",
    rollback="Take the tag or the rule back.",
    judge=judge,
    wasted=False,
)
