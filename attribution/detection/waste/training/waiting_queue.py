"""Nodes that stood empty and paid for while their next job was already waiting in the queue."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.jobs import placed_jobs
from attribution.detection.waste.prices import by_node, payers, priced
from attribution.detection.waste.telling import money, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed nodes with jobs of late; undetermined where no job tells when it was submitted."""
    gpus = estate.listed.select(node="key", capacity="gpus") if estate.inputs.resources is not None else None
    jobs = placed_jobs(estate).sort("node", "start", "job_id")
    before = pl.col("until").cum_max().shift(1).over("node")
    gaps = jobs.with_columns(pl.max_horizontal("submit", before).alias("from"), before.alias("before")).with_columns(
        pl.when(pl.col("before").is_not_null() & pl.col("submit").is_not_null())
        .then((pl.col("start") - pl.col("from")).dt.total_seconds() / 3600)
        .clip(lower_bound=0)
        .alias("gap")
    )
    # A gap belongs to the days in which it ends: the job before it may have begun long ago.
    gaps = gaps.filter(estate.in_last(at["window_days"], "start"))
    most = pl.col("gpus").max().over("node")
    gaps = (
        gaps.with_columns(most.alias("held"))
        if gpus is None
        else gaps.join(gpus, on="node", how="left").with_columns(pl.col("capacity").fill_null(most).alias("held"))
    )
    waits = gaps.filter(pl.col("gap") > 0).with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    spans = waits.select("id", "from", payer="node", start="from", end="start", gpus="held")
    costs = (
        priced(spans.drop("from"), payers(estate, by_node()))
        .join(waits.select("id", "node"), on="id")
        .group_by(pl.col("node").alias("key"), "BillingCurrency")
        .agg(pl.col("stake").sum().alias("lost"))
    )
    nodes = gaps.group_by(pl.col("node").alias("key")).agg(
        pl.col("gap").sum().alias("hours"), pl.len().alias("jobs"), pl.col("submit").count().alias("told_submits")
    )
    rows = (
        estate.billed.join(nodes, on="key")
        .join(costs, on=["key", "BillingCurrency"], how="left")
        .with_columns(pl.col("lost").alias("stake"))
    )
    return judged(
        rows.filter(pl.col("stake").is_not_null() | (pl.col("hours") == 0)),
        at,
        waste=pl.when(pl.col("told_submits") > 0).then(pl.col("hours") >= at["hours"]),
        evidence=pl.format(
            "Stood empty for {} hours in {} days while the next of its {} jobs waited; paid for that time: {}",
            number("hours", 1),
            at["window_days"].cast(pl.Int64),
            "jobs",
            pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("unknown"),
        ),
        confidence="medium",
        doubt=pl.lit("no job tells when it was submitted"),
    )


DETECTOR = Detector(
    name="waiting_queue",
    title="Node empty while jobs wait",
    tier="training",
    needs=("jobs.submit", "jobs.end"),
    uses=("resources.gpus",),
    thresholds={"hours": Decimal(24), "window_days": Decimal(31)},
    meaning="In 31 days a node stood empty for 24 hours or more in all between a job's end and the start of its next "
    "one, which had been submitted already; what was submitted later waited from then on. "
    "The cost is that time at the node's billed rate.",
    source="House rule.",
    action="Let the queue fill gaps with small jobs; look for limits and reservations that hold jobs back.",
    risk="Jobs over many nodes wait until the last of them is free.",
    rollback="Take the new settings of the queue back.",
    judge=judge,
    wasted=False,
)
