"""Odd days and weeks over what the ledger keeps: bounds, episodes and weeks kept, recent ones as findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attribution.detection import (
    anomaly_findings,
    judge_days,
    subjects_of,
    together,
    weekly_findings,
    weekly_growth,
)
from flows.running import Run
from schemas.detection import Watermark

if TYPE_CHECKING:
    import polars as pl


def detect_days(
    run: Run, dimensions: tuple[str, ...], daily: pl.DataFrame, marks: Mapping[str, Watermark], grown: pl.DataFrame
) -> pl.DataFrame:
    """Judge each day of each subject, keep what was expected of it, and tell recent episodes.

    Args:
        run: the run in progress.
        dimensions: those of the rules.
        daily: daily costs up to the run's clock.
        marks: each source's first day and last complete day.
        grown: findings of growth; what they tell is not told twice.
    """
    workspace = run.workspace
    subjects = subjects_of(dimensions, *workspace.growth.subjects)
    long = run.ledger.query("long_usage")
    judged = judge_days(daily, marks, subjects, workspace.anomaly.minimum, long)
    run.ledger.keep("daily_bounds", judged.bounds)
    run.ledger.keep("anomalies", judged.episodes)
    odd = anomaly_findings(judged.episodes, grown)
    weeks = weekly_growth(daily, marks, workspace.growth, subjects, long)
    run.ledger.keep("weekly_growth", weeks)
    return together(odd, weekly_findings(weeks, together(grown, odd))) if workspace.growth.weekly else odd
