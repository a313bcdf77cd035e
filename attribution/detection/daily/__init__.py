"""Daily anomalies: what each series should cost a day, and episodes in which it cost otherwise."""

from __future__ import annotations

from attribution.detection.daily.findings import anomaly_findings
from attribution.detection.daily.judge import JudgedDays, judge_days
from attribution.detection.daily.series import LONG_COLUMNS

__all__ = ["LONG_COLUMNS", "JudgedDays", "anomaly_findings", "judge_days"]
