"""Growth over what the ledger keeps: rows of every month, the resources behind each cause, and the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from attribution.detection import (
    check_subjects,
    compared_days,
    contributors,
    detect_growth,
    growth,
    subjects_of,
)
from attribution.detection.planned import rows_as_planned, told_as_planned, without
from attribution.detection.worth import Worth
from flows.running import Run
from schemas.detection import Watermark
from schemas.plans import Plan


def grow(
    run: Run,
    dimensions: tuple[str, ...],
    daily: pl.DataFrame,
    marks: Mapping[str, Watermark],
    rates: pl.DataFrame,
    *,
    plans: Sequence[Plan] = (),
) -> pl.DataFrame:
    """Compare months, keep the rows and what they come from.

    Args:
        run: the run in progress.
        dimensions: those of the rules.
        daily: daily costs up to the run's clock.
        marks: each source's first day and last complete day.
        rates: RATE_COLUMNS; those into the workspace's currency count.
        plans: planned changes that are not exceeded; what they foresaw is shown as planned.

    Returns:
        The findings of growth.
    """
    stated = run.workspace.growth
    stated_rates = rates.filter(to=run.workspace.currency).select("from", "month", "rate").iter_rows()
    worth = Worth(run.workspace.currency, {(currency, month): rate for currency, month, rate in stated_rates})
    grown = growth(daily, marks, stated, subjects_of(dimensions, *stated.subjects), worth=worth)
    laid = compared_days(daily, marks, grown)
    usage = run.ledger.compared_usage(laid.frame, check_subjects(stated, dimensions))
    parts = contributors(grown, usage, laid)
    run.ledger.keep("growth_contributors", parts)
    if not plans:
        run.ledger.keep("growth", grown)
        return detect_growth(grown, parts)
    subjects = subjects_of(dimensions, *stated.subjects)
    rest = growth(without(daily, plans), marks, stated, subjects, worth=worth)
    grown = rows_as_planned(grown, rest)
    run.ledger.keep("growth", grown)
    found = detect_growth(grown, parts)
    newest = grown.get_column("month").unique().sort().tail(2).to_list()
    known, fired = (
        rows.filter(pl.col("verdict").is_not_null(), pl.col("month").is_in(newest)) for rows in (grown, rest)
    )
    return told_as_planned(found, known, detect_growth(rest), fired, plans)
