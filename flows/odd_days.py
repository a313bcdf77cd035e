"""Odd days and weeks over what the ledger keeps: bounds, episodes and weeks kept, recent ones as findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attribution.detection import (
    anomaly_findings,
    judge_days,
    subjects_of,
    together,
    weekly_findings,
    weekly_growth,
)
from attribution.detection.planned import told_as_planned, without
from flows.running import Run
from schemas.detection import Watermark
from schemas.plans import Plan

if TYPE_CHECKING:
    import polars as pl


def detect_days(
    run: Run,
    dimensions: tuple[str, ...],
    daily: pl.DataFrame,
    marks: Mapping[str, Watermark],
    grown: pl.DataFrame,
    *,
    plans: Sequence[Plan] = (),
) -> pl.DataFrame:
    """Judge each day of each subject, keep what was expected of it, and tell recent episodes.

    Args:
        run: the run in progress.
        dimensions: those of the rules.
        daily: daily costs up to the run's clock.
        marks: each source's first day and last complete day.
        grown: findings of growth; what they tell is not told twice.
        plans: planned changes that are not exceeded; what they foresaw is shown as planned.
    """
    workspace = run.workspace
    subjects = subjects_of(dimensions, *workspace.growth.subjects)
    long = run.ledger.query("long_usage")
    judged = judge_days(daily, marks, subjects, workspace.anomaly.minimum, long)
    run.ledger.keep("daily_bounds", judged.bounds)
    run.ledger.keep("anomalies", judged.episodes)
    odd = anomaly_findings(judged.episodes, grown)
    if plans:
        rest = judge_days(without(daily, plans), marks, subjects, workspace.anomaly.minimum, long).episodes
        known, fired = (rows.filter("recent") for rows in (judged.episodes, rest))
        odd = told_as_planned(odd, known, anomaly_findings(rest, grown), fired, plans)
    weeks = weekly_growth(daily, marks, workspace.growth, subjects, long)
    run.ledger.keep("weekly_growth", weeks)
    return together(odd, weekly_findings(weeks, together(grown, odd))) if workspace.growth.weekly else odd
