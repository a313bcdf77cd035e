"""What machines measured, summed over the window that a machine is judged by.

The surprise: the window ends at the watermark of the machine's own source, so that a bill that is late does not make
its machines look idle; a busy day after it counts all the same. `network_bytes` is a day's traffic: average by samples,
where samples are told.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, Thresholds
from attribution.detection.waste.estate import Estate, once
from schemas.resource_ids import folded

WINDOW = {"window_days": Decimal(14), "min_age_days": Decimal(14), "coverage": Decimal("0.80")}
"""Thresholds of every detector that asks what was measured."""


def observed(estate: Estate, at: Thresholds, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Join to each row what its metrics were in its window.

    Args:
        estate: everything known.
        at: thresholds, of which `window_days` is asked.
        rows: of `Estate.things`, with every dimension.

    Returns:
        The rows with `window_end`, and for each metric `<metric>` (the highest daily average in the window or since;
        of network the highest day), `<metric>_peak` (the highest maximum) and `<metric>_days` (days observed in the
        window). Null, and 0 days, where nothing was measured.
    """
    placed = rows.with_columns(_window_end(estate))
    span = at.sole("window_days")
    if span is not None:
        windows = _windows_of_all(estate, int(span))
    else:
        known = placed.select("key", "window_end", at["window_days"].cast(pl.Int64).alias("span"))
        windows = _windows(estate, known, int(at.most("window_days")))
    counts = [pl.col(f"{metric}_days").fill_null(0) for metric in METRICS_ASKED]
    return placed.join(windows, on="key", how="left").with_columns(counts)


def _window_end(estate: Estate) -> pl.Expr:
    """The last complete day of the bill that names a thing; the newest such day where none does."""
    newest = max((mark.last_day for mark in estate.inputs.watermarks.values()), default=estate.today)
    return pl.col("last_mark").fill_null(newest).alias("window_end")


@once
def _windows_of_all(estate: Estate, span: int) -> pl.LazyFrame:
    """`_windows` of every listed thing, for the detectors whose windows are equally long."""
    known = estate.things.select("key", _window_end(estate), pl.lit(span, pl.Int64).alias("span"))
    return _windows(estate, known, span)


def _windows(estate: Estate, known: pl.LazyFrame, longest: int) -> pl.LazyFrame:
    """One thing: its metrics over its window; a day after the window is no cover, and use on it is use."""
    places = known.group_by("key").agg(pl.col("window_end").max(), pl.col("span").max())
    inside = pl.col("date") <= pl.col("window_end")
    days = (
        daily_metrics(estate, longest)
        .join(places, on="key")
        .filter(pl.col("date") > pl.col("window_end") - pl.duration(days=pl.col("span")))
        .group_by("key", "metric")
        .agg(pl.col("value").max(), pl.col("peak").max(), (inside & pl.col("value").is_not_null()).sum().alias("days"))
    )
    names = {"value": "{}", "peak": "{}_peak", "days": "{}_days"}
    return days.group_by("key").agg(
        pl.when(pl.col("metric") == metric).then(column).max().alias(name.format(metric))
        for metric in METRICS_ASKED
        for column, name in names.items()
    )


def hidden(*metrics: str) -> pl.Expr:
    """Whether only averages above 0 are told of a metric: what lasts an hour a day hides in them.

    Network is summed over the day, and has no peak.
    """
    peaked = [name for name in metrics if name != "network_bytes"]
    alone = ((pl.col(name) > 0) & pl.col(f"{name}_peak").is_null() for name in peaked)
    return pl.any_horizontal(NO, *alone).fill_null(value=False)


METRICS_ASKED = (
    "cpu_percent", "gpu_percent", "gpu_memory_percent", "network_bytes", "disk_ops", "connections", "requests",
)  # fmt: skip


@once
def daily_metrics(estate: Estate, window: int) -> pl.LazyFrame:
    """One resource x day x metric: `value` and `peak`; of two rows for one the higher counts.

    Args:
        estate: everything known.
        window: days before the oldest watermark that matter.
    """
    utilization = estate.inputs.utilization
    if utilization is None:
        message = "a detector that needs utilization was run without it"
        raise TypeError(message)
    marks = [mark.last_day for mark in estate.inputs.watermarks.values()]
    oldest = min(marks, default=estate.today) - timedelta(days=window)
    network = pl.col("metric") == "network_bytes"
    whole = pl.when(network & pl.col("samples").is_not_null()).then(pl.col("average") * pl.col("samples"))
    return (
        utilization.lazy()
        .filter((pl.col("date") > oldest) & (pl.col("date") <= estate.today))
        .with_columns(
            folded(pl.col("resource_id")).alias("key"),
            whole.otherwise(pl.col("average")).alias("value"),
            pl.when(~network).then(pl.col("maximum")).alias("peak"),
        )
        .group_by("key", "date", "metric")
        .agg(pl.col("value").max(), pl.col("peak").max())
    )
