"""Nodes that go on being billed after their last job.

The surprise: a list of jobs that ends early says nothing of later days, so silence counts up to its end alone, and a
list that ended long ago leaves open what its nodes do now.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.nodes import idle_for, resting_nodes
from attribution.detection.waste.telling import day
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed nodes that once had a job."""
    return judged(
        resting_nodes(estate),
        at,
        waste=idle_for(at["days"]),
        evidence=pl.format(
            "No job since {}, {} before {} ends, and billed up to {}; {}",
            day("last_end"),
            each_counted(pl.col("rested").floor(), "day"),
            pl.when(pl.col("until") < pl.col("through")).then(pl.lit("its bill")).otherwise(pl.lit("the list of jobs")),
            day("last_day"),
            "told_cost",
        ),
        doubt=pl.format("the list of jobs ends on {}", day("through")),
    )


DETECTOR = Detector(
    name="node_idle_after_last_job",
    title="Node idle since its last job",
    tier="training",
    needs=("jobs.end",),
    thresholds={"days": Decimal(7)},
    meaning="A node that is still billed had jobs, its last one ended 7 days or more before the end of the list of "
    "jobs, and none runs on it. Where the list ended 7 days ago or more, it is undetermined. The days of a node "
    "without a bill on the last two complete days of its source count to the end of its bill: it was handed back.",
    source="House rule.",
    action="Give the node back, or drain and stop it until the queue needs it.",
    risk="Work outside the queue, such as serving, leaves no job.",
    rollback="Start it again; only local disks are lost.",
    judge=judge,
)
