"""Nodes that go on being billed after their last job.

The surprise: a list of jobs that ends early says nothing of later days, so silence counts up to its end alone.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.nodes import resting_nodes
from attribution.detection.waste.telling import day, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed nodes that once had a job."""
    rows = resting_nodes(estate)
    rested = pl.col("rested") >= at["days"]
    stale = ~rested & (pl.col("unseen") >= at["days"]) & ~pl.col("working")
    return judged(
        rows,
        at,
        waste=pl.when(~stale).then(rested & ~pl.col("working")),
        evidence=pl.format(
            "No job since {}, {} days before the list of jobs ends, and billed up to {}; {}",
            day("last_end"),
            number(pl.col("rested").floor()),
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
    meaning="A billed node had jobs, its last one ended 7 days or more before the end of the list of jobs, and none "
    "runs on it.",
    source="House rule.",
    action="Give the node back, or drain and stop it until the queue needs it.",
    risk="Work outside the queue, such as serving, leaves no job.",
    rollback="Start it again; only local disks are lost.",
    judge=judge,
)
