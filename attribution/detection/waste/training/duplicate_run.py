"""Runs that trained once more what had been trained: same configuration, same data, same experiment, both completed.

The surprise: a retry after a failure is none, for the first one completed nothing.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import DATA_STAGES, costed_runs, done_again


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Completed runs of late; undetermined where a hash is missing."""
    rows = costed_runs(estate).filter(~pl.col("stage_code").is_in(DATA_STAGES))
    return done_again(
        estate,
        at,
        rows,
        ["word", "config_hash", "data_hash"],
        evidence="Same configuration and data as {} of {}, both completed; {}",
        where="experiment",
        doubt="the hash of its configuration or data is missing",
    )


DETECTOR = Detector(
    name="duplicate_run",
    title="Trained twice",
    tier="training",
    needs=("runs.config_hash", "runs.data_hash"),
    uses=("runs.gpus", "resources.gpus"),
    thresholds={"window_days": Decimal(92)},
    meaning="Two runs of one experiment have the same config_hash and data_hash and both completed; the later one is "
    "named, for 92 days after its end. Work on data is judged by data_work_repeated.",
    source="House rule.",
    action="Look the result up before training; put the hashes into the tracker's search.",
    risk="Runs that differ in their random seed alone are duplicates only where the seed is part of no hash.",
    rollback="Nothing is changed by looking.",
    judge=judge,
    wasted=False,
)
