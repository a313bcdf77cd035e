"""Days out of bounds as episodes: a spike, a level shift, a slow leak, a sudden silence; each with start, peak, end.

The surprise: a leak never leaves the bounds, for they follow it; so it is told by weeks that rise one after another.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.daily.baseline import SILENT_SHARE, WARM_UP

GAP = 2
"""Usual days in between after which odd days are another episode."""

SHIFT_DAYS = 4
"""Odd days from which an episode is a level shift."""

LEAK_WEEKS = 4
LEAK_RISE = 0.25
LEAK_STEP = 0.02
LEAK_JUMP = 0.6
LEAK_DAYS = 3
"""A leak: on so many days, so many weeks rise one after another, by such a share in all and each by such a share at
least, none by more than such a part of the whole (that would be a shift)."""

SILENT_DAYS = 2
"""A silence: at most this share of what is expected on so many days, after days that all had cost."""

PROVISIONAL = 2
"""Last days of a series that late charges may still raise: nothing is called silent by them."""

_SERIES = "series"
_WEEK = 7


def episodes(days: pl.DataFrame) -> pl.DataFrame:
    """Find the episodes of every series, of any size.

    Args:
        days: what `expect` made.

    Returns:
        One row an episode: `series`, `shape`, `start`, `peak`, `end`, `odd` (its days), `days` (how many), `amount`,
        `expected`, `excess` (negative for a silence), `open` (its end is one of the last days of the series).
    """
    found = pl.concat([_outbursts(days), _leaks(days), _silences(days)])
    last = days.group_by(_SERIES).agg(pl.col("usage_date").max().alias("last"))
    return (
        found.join(last, on=_SERIES)
        .with_columns((pl.col("last") - pl.col("end") <= pl.duration(days=GAP)).alias("open"))
        .drop("last")
        .sort(_SERIES, "start", "shape")
    )


def worth_telling(found: pl.DataFrame, minimum: Decimal) -> pl.DataFrame:
    """Episodes of some size, without the leaks that an outburst tells already.

    Args:
        found: episodes, as numbers or with their exact money.
        minimum: least excess of an episode (of a silence: least missing cost).
    """
    kept = found.filter(pl.col("excess").abs() >= minimum)
    told = kept.filter(pl.col("shape") != "leak").select(_SERIES, other_start="start", other_end="end")
    beside = kept.filter(pl.col("shape") == "leak").join(told, on=_SERIES)
    month = pl.duration(days=LEAK_WEEKS * _WEEK)
    covered = beside.filter(pl.col("other_start").is_between(pl.col("start") - month, pl.col("end")))
    key = [_SERIES, "shape", "start"]
    return kept.join(covered.select(key).unique(), on=key, how="anti", maintain_order="left")


def _outbursts(days: pl.DataFrame) -> pl.DataFrame:
    """Runs of days above the upper bound: a spike, or a level shift where they are many."""
    odd = days.lazy().filter(pl.col("amount") > pl.col("upper"))
    many = pl.col("days") >= SHIFT_DAYS
    return _runs(odd).with_columns(pl.when(many).then(pl.lit("level shift")).otherwise(pl.lit("spike")).alias("shape"))


def _leaks(days: pl.DataFrame) -> pl.DataFrame:
    """Runs of days at which the weeks before rose one after another, each by a little."""
    week = pl.col("plain").rolling_median(_WEEK, min_samples=_WEEK).over(_SERIES)
    ages = range(LEAK_WEEKS + 1)
    frame = days.lazy().with_columns(week.alias("week")).with_columns(
        pl.col("week").shift(age * _WEEK).over(_SERIES).alias(f"week {age}") for age in ages
    )  # fmt: skip
    first = pl.col(f"week {LEAK_WEEKS}")
    steps = [pl.col(f"week {age}") - pl.col(f"week {age + 1}") for age in range(LEAK_WEEKS)]
    rise = pl.col("week 0") - first
    leaking = (
        (first > 0)
        & (rise >= LEAK_RISE * first)
        & pl.all_horizontal(step >= LEAK_STEP * first for step in steps)
        & (pl.max_horizontal(steps) <= LEAK_JUMP * rise)
    )
    odd = frame.filter(leaking).with_columns(first.alias("expected"))
    return _runs(odd).filter(pl.col("days") >= LEAK_DAYS).with_columns(pl.lit("leak").alias("shape"))


def _silences(days: pl.DataFrame) -> pl.DataFrame:
    """Runs of days almost without cost after days that all had some."""
    amount = pl.col("amount")
    busy = amount.rolling_min(WARM_UP).shift(1).over(_SERIES) > 0
    quiet = (amount <= SILENT_SHARE * pl.col("level")) & (pl.col("level") > 0)
    begins = quiet & busy & ~quiet.shift(1).over(_SERIES).fill_null(value=False)
    run = (quiet != quiet.shift(1).over(_SERIES)).fill_null(value=True).cum_sum().over(_SERIES)
    odd = (
        days.lazy()
        .with_columns(quiet.alias("quiet"), begins.fill_null(value=False).alias("begins"), run.alias("run"))
        .with_columns(pl.col("usage_date").max().over(_SERIES).alias("newest"))
        .filter("quiet")
        .with_columns(pl.col("begins").any().over(_SERIES, "run"), pl.col("level").first().over(_SERIES, "run"))
        .filter("begins", pl.col("usage_date") <= pl.col("newest") - pl.duration(days=PROVISIONAL))
        .with_columns(pl.col("level").alias("expected"))
    )
    return _runs(odd).filter(pl.col("days") >= SILENT_DAYS).with_columns(pl.lit("silence").alias("shape"))


def _runs(odd: pl.LazyFrame) -> pl.DataFrame:
    """Odd days, at most GAP usual days apart, as one row a run."""
    apart = pl.col("usage_date").diff().over(_SERIES) > pl.duration(days=GAP + 1)
    excess = pl.col("amount") - pl.col("expected")
    return (
        odd.with_columns(apart.fill_null(value=True).cum_sum().over(_SERIES).alias("run"), excess.alias("excess"))
        .group_by(_SERIES, "run")
        .agg(
            pl.col("usage_date").min().alias("start"),
            pl.col("usage_date").sort_by(pl.col("excess").abs(), descending=True, maintain_order=True).first()
            .alias("peak"),
            pl.col("usage_date").max().alias("end"),
            pl.col("usage_date").sort().alias("odd"),
            pl.len().cast(pl.Int32).alias("days"),
            pl.col("amount", "expected", "excess").sum(),
        )
        .drop("run")
        .collect()
    )  # fmt: skip
