"""What a series should cost on a day, from its own past: weekday pattern, level, trend, fees at the start of a month.

All are rolling medians over days before the day judged, so that up to half of a window may be odd without moving the
baseline, and yesterday's spike is no excuse for today's. The weekday factors are those of a classical decomposition
by ratio to the moving level, with medians for means; the width is the median absolute deviation, made comparable
with a standard deviation.

The surprise: nothing is remembered from night to night. A restated day changes the past and with it all that follows
from it, as if it had been delivered so at once.
"""

from __future__ import annotations

import polars as pl

WARM_UP = 14
"""Days with cost that a series has before anything is judged: two of each weekday."""

LEVEL = 14
SPREAD = 28
"""Days whose median is the level, and whose median deviation is the spread."""

WEEKDAYS = 8
"""Days of one weekday whose median ratio to the level is that weekday's factor."""

DEVIATIONS = 4.5
FLOOR = 0.15
"""Width of the bounds: so many deviations, and never less than this share of what is expected."""

TREND = 0.01
"""The trend followed is at most this share of the level a day."""

FEE_DAYS = 3
FEE_MONTHS = (1, 2)
FEE = 0.2
"""Days at the start of a month on which a fee is looked for, in which months before, and the share of the level from
which it is one."""

SILENT_SHARE = 0.02
"""A day at or below this share of the level says nothing of what the series costs when it runs."""

_TO_DEVIATION = 1.4826  # median absolute deviation -> standard deviation of a normal distribution
_WEEK = 7
_LEVEL_AGE = (LEVEL + 1) / 2  # how far back the middle of the level's window lies
_SERIES = "series"


def expect(days: pl.DataFrame) -> pl.DataFrame:
    """Add what was to be expected to each day of each series.

    Args:
        days: `series` (whole number), `usage_date`, `amount` (float); every day of a series once, sorted.

    Returns:
        The same rows with `level`, `expected`, `lower`, `upper`; null while a series warms up, and where it
        usually costs nothing.
    """
    limit = TREND * pl.col("level")
    trend = pl.min_horizontal(pl.max_horizontal(pl.col("trend"), -limit), limit)
    usual = (pl.col("factor") * (pl.col("level") + trend * _LEVEL_AGE)).clip(0)
    return (
        _levels(_factors(days.lazy()))
        .with_columns(usual.alias("usual"))
        .with_columns((pl.col("heard") - pl.col("usual")).abs().alias("deviation"))
        .with_columns((_past("deviation", SPREAD) * _TO_DEVIATION).alias("spread"))
        .with_columns(pl.max_horizontal(pl.col("spread") * DEVIATIONS, pl.col("usual") * FLOOR).alias("width"))
        .with_columns(
            pl.when((pl.col("age") >= WARM_UP) & (pl.col("usual") > 0)).then(value).alias(name)
            for name, value in (
                ("expected", pl.col("usual") + pl.col("fee")),
                ("lower", (pl.col("usual") - pl.col("width")).clip(0)),
                ("upper", pl.col("usual") + pl.col("width") + pl.col("fee") * (1 + FLOOR)),
            )
        )
        .select(*days.columns, "age", "plain", "level", "expected", "lower", "upper")
        .collect()
    )


def _factors(days: pl.LazyFrame) -> pl.LazyFrame:
    """Weekday factors, and the fee that the same day of one of the months before had."""
    amount, heard, day = pl.col("amount"), pl.col("heard"), pl.col("usage_date").dt.day()
    before = amount.rolling_median(SPREAD, min_samples=WARM_UP // 2).shift(1).over(_SERIES)
    silent = (amount <= SILENT_SHARE * before).fill_null(value=False)
    week = heard.rolling_median(_WEEK, min_samples=4).over(_SERIES)
    around = amount.rolling_median(2 * _WEEK + 1, min_samples=WARM_UP // 2, center=True).over(_SERIES)
    plain = around * pl.col("factor")
    fee = pl.when((day <= FEE_DAYS) & (amount - plain > FEE * plain)).then(amount - plain)
    factor = pl.col("ratio").rolling_median(WEEKDAYS, min_samples=2).shift(1).over(_SERIES, "weekday")
    fees = [pl.col("fee").shift(months).over(_SERIES, "day") for months in FEE_MONTHS]
    return (
        days.with_columns(
            pl.col("usage_date").dt.weekday().alias("weekday"),
            day.alias("day"),
            pl.when(~silent).then(amount).alias("heard"),
        )
        .with_columns(
            pl.when(week > 0).then(amount / week).alias("ratio"),
            heard.is_not_null().cum_sum().shift(1, fill_value=0).over(_SERIES).alias("age"),
        )
        .with_columns(factor.fill_null(1.0).alias("factor"))
        .with_columns(fee.alias("fee"))
        .with_columns(pl.max_horizontal(fees).fill_null(0.0).alias("fee"))
    )


def _levels(days: pl.LazyFrame) -> pl.LazyFrame:
    """Level and trend of what is left when weekdays are evened out."""
    plain = pl.col("plain")
    step = (plain - plain.shift(LEVEL).over(_SERIES)) / LEVEL
    return (
        days.with_columns(
            pl.when(pl.col("factor") > SILENT_SHARE).then(pl.col("heard") / pl.col("factor")).alias("plain")
        )
        .with_columns(_past("plain", LEVEL).alias("level"), step.alias("step"))
        .with_columns(_past("step", SPREAD).fill_null(0.0).alias("trend"))
    )


def _past(column: str, days: int) -> pl.Expr:
    """Median of the days before the day judged."""
    return pl.col(column).rolling_median(days, min_samples=WARM_UP // 2).shift(1).over(_SERIES)
