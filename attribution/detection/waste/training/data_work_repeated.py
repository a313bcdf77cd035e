"""Data processed again: the same step over the same data, in whatever experiment."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.runs import DATA_STAGES, costed_runs, done_again


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Completed runs of data stages; the step is the hash of the configuration, else the algorithm."""
    step = pl.coalesce("config_hash", "algorithm").alias("step")
    rows = costed_runs(estate).with_columns(step).filter(pl.col("stage_code").is_in(DATA_STAGES))
    return done_again(
        estate,
        at,
        rows,
        ["stage_code", "step", "data_hash"],
        evidence="Same step over the same data as {}, stage {}; {}",
        where="stage_code",
        doubt="the hash of its data, or its step, is missing",
        confidence="medium",
    )


DETECTOR = Detector(
    name="data_work_repeated",
    title="The same data processed again",
    tier="training",
    needs=("runs.data_hash", "runs.stage"),
    uses=("runs.config_hash", "runs.algorithm"),
    thresholds={"window_days": Decimal(92)},
    meaning="Two completed runs of data acquisition, data processing or tokenizer have the same data_hash and the same "
    "config_hash (the same algorithm where that is missing); the later one is named.",
    source="House rule.",
    action="Keep the result where the next one finds it, under the hash of its input.",
    risk="A step that was wrong the first time has to be done again.",
    rollback="Nothing is changed by looking.",
    judge=judge,
    wasted=False,
)
