"""Partitions of a cluster that are kept and billed, and to which nobody sends jobs any more."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.nodes import idle_for, resting_nodes
from attribution.detection.waste.telling import day, money, month
from schemas.money import known_sum
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Partitions that had jobs and whose nodes are billed; a node that works for another partition keeps all busy."""
    nodes = resting_nodes(estate).explode("partitions").filter(pl.col("partitions").is_not_null())
    rows = (
        nodes.group_by("partitions", "BillingCurrency")
        .agg(
            known_sum("stake"),
            pl.len().alias("nodes"),
            pl.col("last_end").max(),
            pl.col("rested").min(),
            pl.col("unseen").max(),
            pl.col("working").any(),
            pl.col("handed_back").all(),
            pl.col("through", "month").max(),
            *(pl.col(name).mode().sort().first() for name in estate.dimensions),
        )
        .with_columns(pl.format("partition={}", "partitions").alias("subject"))
        .with_columns(pl.col("subject").alias("key"))
    )
    return judged(
        rows,
        at,
        waste=idle_for(at["days"]),
        evidence=pl.format(
            "{} without a job since {}, {}; billed {} in {}",
            each_counted("nodes", "node"),
            day("last_end"),
            each_counted(pl.col("rested").floor(), "day"),
            pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("an unknown cost"),
            month("month"),
        ),
        doubt=pl.format("the list of jobs ends on {}", day("through")),
    )


DETECTOR = Detector(
    name="empty_partition",
    title="Partition without jobs",
    tier="training",
    needs=("jobs.partition", "jobs.end"),
    thresholds={"days": Decimal(7)},
    meaning="No node that ever worked for a partition has had a job in the 7 days before the list of jobs ends, and "
    "the nodes are billed. The saving is told with the nodes.",
    source="House rule.",
    action="Give the nodes to another partition, or back to the provider.",
    risk="A partition reserved for a coming run is empty until then.",
    rollback="Move the nodes back.",
    judge=judge,
    wasted=False,
)
