"""Growth over what the ledger keeps: rows of every month, the resources behind each cause, and the findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attribution.detection import (
    check_subjects,
    compared_days,
    contributors,
    detect_growth,
    growth,
    subjects_of,
)
from attribution.detection.worth import Worth
from flows.running import Run
from schemas.detection import Watermark

if TYPE_CHECKING:
    import polars as pl


def grow(
    run: Run, dimensions: tuple[str, ...], daily: pl.DataFrame, marks: Mapping[str, Watermark], rates: pl.DataFrame
) -> pl.DataFrame:
    """Compare months, keep the rows and what they come from.

    Args:
        run: the run in progress.
        dimensions: those of the rules.
        daily: daily costs up to the run's clock.
        marks: each source's first day and last complete day.
        rates: RATE_COLUMNS; those into the workspace's currency count.

    Returns:
        The findings of growth.
    """
    stated = run.workspace.growth
    known = rates.filter(to=run.workspace.currency).select("from", "month", "rate").iter_rows()
    worth = Worth(run.workspace.currency, {(currency, month): rate for currency, month, rate in known})
    grown = growth(daily, marks, stated, subjects_of(dimensions, *stated.subjects), worth=worth)
    laid = compared_days(daily, marks, grown)
    usage = run.ledger.compared_usage(laid.frame, check_subjects(stated, dimensions))
    parts = contributors(grown, usage, laid)
    run.ledger.keep("growth", grown)
    run.ledger.keep("growth_contributors", parts)
    return detect_growth(grown, parts)
