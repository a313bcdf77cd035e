"""Jobs of the queue that came to nothing, where no run tells of them.

The surprise: a job that belongs to an experiment with a failed run is left to that run, so that nothing counts twice.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.jobs import LOST, costed_jobs
from attribution.detection.waste.kinds import folded_word
from attribution.detection.waste.runs import ENDED_BADLY
from attribution.detection.waste.telling import day
from schemas.inputs import RUN_COLUMNS


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Jobs that held GPUs and ended lately; one without a state is undetermined."""
    runs = estate.inputs.runs
    told = (pl.DataFrame(schema=RUN_COLUMNS) if runs is None else runs).lazy()
    lost = told.filter(pl.col("status").is_in(ENDED_BADLY)).select(word=folded_word("experiment")).unique()
    rows = costed_jobs(estate).join(lost, on="word", how="anti")
    rows = rows.filter((pl.col("gpu_hours") > 0) & estate.in_last(at["window_days"], "end"))
    return judged(
        rows,
        at,
        waste=pl.col("outcome").is_in(LOST),
        evidence=pl.format(
            "Job{} of {} ended {} on {} after {}",
            pl.format(" {}", "name").fill_null(""),
            pl.col("user").fill_null(pl.col("owner")),
            pl.col("outcome").fill_null("in an unknown state"),
            day("end"),
            "told",
        ),
        doubt=pl.lit("its state is unknown"),
    )


DETECTOR = Detector(
    name="failed_job",
    title="Job that came to nothing",
    tier="training",
    needs=("jobs.state", "jobs.end"),
    uses=("runs.status", "resources.gpus"),
    thresholds={"window_days": Decimal(31)},
    meaning="A job with GPUs ended in the last 31 days as FAILED, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY, CANCELLED or "
    "PREEMPTED, and its experiment has no run that failed, was cancelled or timed out, since that one "
    "is told. Its cost is its share of its nodes. Nothing of it can be "
    "saved any more.",
    source="House rule; the states are Slurm's.",
    action="Read its log; look for nodes that fail often.",
    risk="None for running systems.",
    rollback="Nothing is changed by looking.",
    judge=judge,
    wasted=False,
)
