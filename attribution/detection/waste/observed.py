"""What machines measured, summed over the window that a machine is judged by.

The surprise: the window ends at the watermark of the machine's own source, so that a bill that is late does not
make its machines look idle, and `network_bytes` is a day's traffic: average by samples, where samples are told.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from attribution.detection.waste.detector import Thresholds
from attribution.detection.waste.estate import Estate
from schemas.resource_ids import folded


def observed(estate: Estate, at: Thresholds, rows: pl.LazyFrame) -> pl.LazyFrame:
    """Join to each row what its metrics were in its window.

    Args:
        estate: everything known.
        at: thresholds, of which `window_days` is asked.
        rows: with `key`, `last_mark` (null: the newest source's counts) and every dimension.

    Returns:
        The rows with `window_end`, and for each metric measured at all `<metric>` (the highest daily average in the
        window; of network the highest day), `<metric>_peak` (the highest maximum) and `<metric>_days` (days observed).
        Null, and 0 days, where nothing was measured.
    """
    newest = max((mark.last_day for mark in estate.inputs.watermarks.values()), default=estate.today)
    placed = rows.with_columns(pl.col("last_mark").fill_null(newest).alias("window_end"))
    known = placed.select("key", "window_end", at["window_days"].cast(pl.Int64).alias("span")).unique("key")
    first = pl.col("window_end") - pl.duration(days=pl.col("span"))
    days = (
        daily_metrics(estate, int(at.most("window_days")))
        .join(known, on="key")
        .filter((pl.col("date") > first) & (pl.col("date") <= pl.col("window_end")))
        .group_by("key", "metric")
        .agg(pl.col("value").max(), pl.col("peak").max(), pl.col("value").count().alias("days"))
        .collect()
    )
    for metric in METRICS_ASKED:
        one = days.lazy().filter(pl.col("metric") == metric).drop("metric")
        one = one.rename({"value": metric, "peak": f"{metric}_peak", "days": f"{metric}_days"})
        placed = placed.join(one, on="key", how="left").with_columns(pl.col(f"{metric}_days").fill_null(0))
    return placed


METRICS_ASKED = (
    "cpu_percent", "gpu_percent", "gpu_memory_percent", "network_bytes", "disk_ops", "connections", "requests",
)  # fmt: skip


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
        .filter(pl.col("date") > oldest)
        .with_columns(
            folded(pl.col("resource_id")).alias("key"),
            whole.otherwise(pl.col("average")).alias("value"),
            pl.when(~network).then(pl.col("maximum")).alias("peak"),
        )
        .group_by("key", "date", "metric")
        .agg(pl.col("value").max(), pl.col("peak").max())
    )
