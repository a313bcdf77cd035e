"""A machine's metrics by day. `network_bytes` is the day's traffic: average by samples, where samples are told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from schemas.resource_ids import fold_azure_id

if TYPE_CHECKING:
    import polars as pl

Day = dict[str, tuple[float, float | None]]
"""Metric -> average (of network: the whole day) and peak, where one is told."""


def metrics_of(utilization: pl.DataFrame) -> dict[str, dict[date, Day]]:
    """Metrics by resource and day; of two rows for one metric and day the higher counts."""
    found: dict[str, dict[date, Day]] = {}
    for resource, day, metric, average, peak, samples in utilization.select(
        "resource_id", "date", "metric", "average", "maximum", "samples"
    ).iter_rows():
        network = metric == "network_bytes"
        value = average * samples if network and samples is not None else average
        metrics = found.setdefault(fold_azure_id(resource), {}).setdefault(day, {})
        before, before_peak = metrics.get(metric, (value, None))
        peaks = [one for one in (before_peak, None if network else peak) if one is not None]
        metrics[metric] = (max(value, before), max(peaks, default=None))
    return found


@dataclass(frozen=True)
class Metrics:
    """One machine's days of the window."""

    by_day: dict[date, Day]

    def days(self, metric: str) -> int:
        """Days on which the metric was observed."""
        return sum(metric in day for day in self.by_day.values())

    def busy(self, metric: str, threshold: Decimal, peak: Decimal) -> bool:
        """On some day the average reached the threshold, or the peak its own."""
        return any(
            Decimal(day[metric][0]) >= threshold
            or (day[metric][1] is not None and Decimal(day[metric][1] or 0) >= peak)
            for day in self.by_day.values()
            if metric in day
        )

    def words(self, metric: str) -> str:
        """`gpu_percent at most 0.3 on 14 days`."""
        values = [day[metric][0] for day in self.by_day.values() if metric in day]
        return f"{metric} at most {max(values):,.1f} on {len(values)} days"
