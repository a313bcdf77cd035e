"""Things whose one metric says that nobody uses them: connections, requests, operations, traffic.

The surprise: a metric that is missing is no zero, even where a provider sends no point for an unused thing.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from attribution.detection.waste.detector import NO, YES, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import STOPPED
from attribution.detection.waste.observed import hidden, observed
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import day, number


def watched(estate: Estate, at: Thresholds, sorts: Collection[str], *metrics: str) -> pl.LazyFrame:
    """Billed things of some kinds that run and are old enough, with what was measured; see `observed`.

    None where not one of them shows any of the metrics: who never measures them is not in doubt about each thing.
    """
    rows = standing(estate, sorts).filter(~pl.col("condition").is_in(STOPPED))
    born = estate.age_days("created_at").fill_null(estate.days_since("first_day"))
    seen = observed(estate, at, rows.filter((born >= at["min_age_days"]).fill_null(value=True)))
    return seen.filter(pl.any_horizontal(pl.col(f"{metric}_days") > 0 for metric in metrics).any())


def used_by_nobody(estate: Estate, at: Thresholds, sorts: Collection[str], metric: str, what: str) -> pl.DataFrame:
    """Judge things by the one metric that shows their use.

    Args:
        estate: everything known.
        at: thresholds: those of WINDOW, and one of the metric's name.
        sorts: kinds of resources, folded.
        metric: below whose threshold nobody uses them; undetermined where it was observed on too few days.
        what: the kind in a word, for the sentence.
    """
    return judged(
        watched(estate, at, sorts, metric),
        at,
        waste=below(metric, at),
        evidence=quiet_sentence(what, metric, at),
        confidence=sure("high", metric),
        doubt=too_few(metric, at),
    )


def sure(confidence: str | pl.Expr, *metrics: str) -> pl.Expr:
    """The confidence, but low where peaks may be `hidden`."""
    known = pl.lit(confidence) if isinstance(confidence, str) else confidence
    return pl.when(hidden(*metrics)).then(pl.lit("low")).otherwise(known)


def below(metric: str, at: Thresholds, limit: str | None = None) -> pl.Expr:
    """Whether neither average nor peak reached a threshold on any day; null where too few days are known."""
    line = at[limit or metric]
    used = ((pl.col(metric) >= line) | (pl.col(f"{metric}_peak") >= line)).fill_null(value=False)
    known = pl.col(f"{metric}_days") >= at["coverage"] * at["window_days"]
    return pl.when(used).then(NO).when(known).then(YES)


def quiet_sentence(what: str, metric: str, at: Thresholds) -> pl.Expr:
    """`Database, 14 days up to 2026-11-08: connections at most 0.0 on 14 days; its cost ...`."""
    return pl.format(
        "{}, {} days up to {}: {} at most {} on {} days; {}",
        pl.lit(what),
        at["window_days"].cast(pl.Int64),
        day("window_end"),
        pl.lit(metric),
        number(pl.max_horizontal(metric, f"{metric}_peak"), 1).fill_null("unknown"),
        pl.col(f"{metric}_days"),
        "told_cost",
    )


def too_few(metric: str, at: Thresholds) -> pl.Expr:
    """Why `below` gives null."""
    days, window = pl.col(f"{metric}_days"), at["window_days"].cast(pl.Int64)
    return pl.format("{} observed on only {} of {} days", pl.lit(metric), days, window)
