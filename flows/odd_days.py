"""Odd days and weeks over what the ledger keeps: bounds, episodes and weeks kept, recent ones as findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

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
    rest = (
        judge_days(without(daily, plans), marks, subjects, workspace.anomaly.minimum, long).episodes if plans else None
    )
    odd = episodes_told(judged.episodes, grown, rest, plans)
    weeks = weekly_growth(daily, marks, workspace.growth, subjects, long)
    run.ledger.keep("weekly_growth", weeks)
    return together(odd, weekly_findings(weeks, together(grown, odd))) if workspace.growth.weekly else odd


def episodes_told(
    episodes: pl.DataFrame, grown: pl.DataFrame, rest: pl.DataFrame | None, plans: Sequence[Plan]
) -> pl.DataFrame:
    """Tell recent episodes, those that plans foresaw as planned.

    Args:
        episodes: EPISODE_COLUMNS of all money.
        grown: findings of growth.
        rest: EPISODE_COLUMNS of what no plan foresaw; None without plans.
        plans: those that hold.
    """
    silent = pl.col("shape") == "silence"
    loud = episodes.filter(~silent)
    odd = anomaly_findings(loud, grown)
    if rest is not None:
        # Days that lack the money of plans are not silent: what is left out of them did come.
        fired = rest.filter(~silent)
        odd = told_as_planned(odd, loud.filter("recent"), anomaly_findings(fired, grown), fired.filter("recent"), plans)
    return together(odd, anomaly_findings(episodes.filter(silent), grown))
