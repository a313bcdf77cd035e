"""GPU machines that run day and night and leave no trace of work: no traffic, no storage, no job.

The surprise: absence says something only where presence would be seen. A bill that meters no machine's traffic, beside
no list of jobs, leaves every machine undetermined.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.meters import HOURS
from attribution.detection.waste.signs import with_jobs, with_load
from attribution.detection.waste.telling import day, number
from schemas.money import known_sum


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """GPU machines by hours, then by every trace that the inputs could show."""
    window = (pl.col("last_mark") - pl.col("month")).dt.total_days() + 1
    rows = _nodes(estate).with_columns((pl.col("hours") / (24 * window)).alias("share"), window.alias("window"))
    limit = float(at.most("busy_percent"))
    traces = (_other_meters(estate), _children(estate), with_jobs(estate), with_load(estate, limit), estate.unnamed)
    for trace in traces:
        rows = rows.join(trace, on="key", how="left")
    sources = _other_meters(estate).filter("metered").join(_nodes(estate).select("key", "source"), on="key")
    rows = rows.join(
        sources.select("source", pl.lit(value=True).alias("meters_traffic")).unique(), on="source", how="left"
    )
    seen = pl.any_horizontal(pl.col(name).fill_null(value=False) for name in ("metered", "stored", "worked", "busy"))
    would_see = pl.col("meters_traffic").fill_null(value=False) | pl.lit(estate.has("jobs"))
    full = pl.col("share") >= at["run_share"]
    old = (pl.col("last_mark") - pl.col("first_day")).dt.total_days() + 1 >= at["min_age_days"]
    looked = ["traffic"] + ["attached storage"] * estate.has("resources.attached_to") + ["jobs"] * estate.has("jobs")
    text = "GPU machine, {} of {} hours from {} to {} billed, and no trace of {}; {}"
    return judged(
        rows,
        at,
        waste=pl.when(seen | ~old | (pl.col("share") < at["run_share"]).fill_null(value=False))
        .then(NO)
        .when(~would_see | pl.col("metered").eq_missing(other=False) | pl.col("unnamed").is_not_null())
        .then(UNKNOWN)
        .otherwise(full),
        evidence=pl.format(
            text,
            number("hours").fill_null("an unknown number"),
            number(pl.col("window") * 24),
            day("month"),
            day("last_mark"),
            pl.lit(" or ".join(looked)),
            "told_cost",
        ),
        confidence=pl.when(pl.col("meters_traffic") & pl.lit(estate.has("jobs")))
        .then(pl.lit("high"))
        .otherwise(pl.lit("medium")),
        doubt=pl.when(pl.col("share").is_null())
        .then(pl.lit("the bill does not tell its hours"))
        .when(would_see)
        .then(pl.lit("a line of its bill tells no quantity, or no meter"))
        .otherwise(pl.lit("neither the bill nor a list of jobs would show its work")),
    )


def _nodes(estate: Estate) -> pl.LazyFrame:
    """GPU machines with their hours in the window; null where the bill counts something else."""
    hours = (
        estate.meters.filter((pl.col("family") == "machine") & pl.col("now") & pl.col("key").is_not_null())
        .filter(pl.col("gpu") & (pl.col("ChargeCategory") == "Usage"))
        .group_by("key", "BillingCurrency")
        .agg(known_sum("ConsumedQuantity", pl.col("ConsumedUnit").str.contains(HOURS)).alias("hours"))
    )
    return estate.billed.join(hours, on=["key", "BillingCurrency"])


def _other_meters(estate: Estate) -> pl.LazyFrame:
    """Machines with a meter beside their hours, such as traffic: `metered`, false where it tells no quantity."""
    other = (pl.col("family") != "machine").fill_null(value=True) & (pl.col("ChargeCategory") == "Usage")
    rows = estate.meters.filter(pl.col("now") & pl.col("key").is_not_null() & other)
    told = rows.filter((pl.col("ConsumedQuantity") > 0).fill_null(value=True))
    return told.group_by("key").agg(pl.col("ConsumedQuantity").is_not_null().any().alias("metered"))


def _children(estate: Estate) -> pl.LazyFrame:
    """Machines that something billed in the window is attached to."""
    if not estate.has("resources.attached_to"):
        return pl.LazyFrame(schema={"key": pl.String, "stored": pl.Boolean})
    now = estate.meters.filter(pl.col("now")).select("key").unique()
    return (
        estate.listed.join(now, on="key")
        .select(pl.col("parent").alias("key"), pl.lit(value=True).alias("stored"))
        .unique()
    )


DETECTOR = Detector(
    name="gpu_node_without_trace",
    title="GPU machine without a trace of work",
    tier="bill",
    needs=("costs.SkuMeter",),
    uses=("jobs.resource_id", "resources.attached_to", "utilization.average"),
    thresholds={"run_share": Decimal("0.95"), "min_age_days": Decimal(14), "busy_percent": Decimal(5)},
    meaning="A machine with accelerators is billed for at least 95 % of all hours since the start of the last complete "
    "month, and nothing else of it is seen: no other meter, no billed volume attached, no job, no load of 5 %.",
    source="House rule; work reads and writes, and either costs something or is scheduled.",
    action="Ask the owner what it is for; stop it, or give it to the queue.",
    risk="Work on local data with free traffic inside one zone leaves no trace in a bill; stopping loses local disks.",
    rollback="Start it again; copy local disks first. Scarce types may not be there again.",
    judge=judge,
)
