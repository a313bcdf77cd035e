"""Machines that run and do nothing, by what their metrics say.

The surprise: a GPU machine is judged by its GPUs alone, and one without GPU metrics by nothing: data that is
missing gives `undetermined`, never `idle`.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame
from attribution.detection.waste.billing import Billed, billing
from attribution.detection.waste.inputs import Explanation, Thresholds, WasteInputs
from attribution.detection.waste.inventory import MACHINES, STOPPED, Row, gone, of_kind, state
from attribution.detection.waste.metrics import Day, Metrics, metrics_of
from schemas.resource_ids import fold_azure_id

if TYPE_CHECKING:
    import polars as pl

NAME = "idle_by_utilization"
NEEDS: tuple[str, ...] = ("resources", "utilization")
THRESHOLDS = {
    "window_days": Decimal(14),
    "min_age_days": Decimal(14),
    "coverage": Decimal("0.80"),
    "gpu_percent": Decimal(5),
    "gpu_memory_percent": Decimal(5),
    "cpu_percent": Decimal(5),
    "peak_percent": Decimal(15),
    "network_bytes": Decimal(5_000_000),
    "minimum": Decimal(1),
}
EXPLANATION = Explanation(
    meaning="On every observed day of the last 14 the machine's daily averages lay below the thresholds and no peak "
    "above its own: GPUs and their memory for a GPU machine, processor and network for any other.",
    source="14-day lookback as in AWS Compute Optimizer; the thresholds are this project's own.",
    action="Ask the owner, then stop the machine or give it to the queue.",
    risk="A standby or a machine held for a coming run looks idle; stopping one loses its local disks.",
)
_GPU_NAMES = re.compile(
    r"gpu|\b(a100|h100|h200|h800|b200|gb200|a10g?|l4|l40s?|v100|t4|mi300x?|tpu)\b"
    r"|\b(p[2-6][a-z]*|g[4-7][a-z]*|trn\d\w*|inf\d)\.\w+|standard_n[cdvg]|\b(a2|a3|a4|g2)-\w+|ecs\.(gn|ebmgn)",
    re.IGNORECASE,
)


def detect(inputs: WasteInputs, thresholds: Thresholds) -> pl.DataFrame:
    """Findings of machines that are billed, or that no bill knows (their cost is unknown)."""
    if inputs.resources is None or inputs.utilization is None or not inputs.watermarks:
        return as_frame(())
    billed, metrics = billing(inputs), metrics_of(inputs.utilization)
    found = []
    for row in of_kind(inputs.resources, MACHINES):
        key = fold_azure_id(row["resource_id"])
        if state(row) in STOPPED or gone(row, inputs.as_of) or _young(row, billed.get(key, []), inputs, thresholds):
            continue
        bills: list[Billed | None] = [*billed.get(key, [])]
        for bill in bills or [None]:
            if bill is None or bill.matters(thresholds["minimum"]):
                found += _judge(row, bill, metrics.get(key, {}), inputs, thresholds)
    return as_frame(found)


def _young(row: Row, bills: list[Billed], inputs: WasteInputs, thresholds: Thresholds) -> bool:
    grace = timedelta(days=int(thresholds["min_age_days"]))
    if row["created_at"] is not None:
        return bool(inputs.as_of - row["created_at"] < grace)
    first = min((bill.first_day for bill in bills if bill.first_day), default=None)
    return first is not None and inputs.as_of.date() - first < grace


def _judge(
    row: Row, bill: Billed | None, days: dict[date, Day], inputs: WasteInputs, thresholds: Thresholds
) -> list[Finding]:
    newest = max(mark.last_day for mark in inputs.watermarks.values())
    last = inputs.watermarks[bill.source].last_day if bill else newest
    window = int(thresholds["window_days"])
    metrics = Metrics({day: found for day, found in days.items() if last - timedelta(days=window) < day <= last})
    gpu = _has_gpus(row, bill, metrics)
    needed = ("gpu_percent",) if gpu else ("cpu_percent", "network_bytes")
    looked_at = ("gpu_percent", "gpu_memory_percent") if gpu else needed
    if any(metrics.busy(name, thresholds[name], thresholds["peak_percent"]) for name in looked_at):
        return []
    enough = Fraction(thresholds["coverage"]) * window
    missing = [name for name in needed if metrics.days(name) < enough]
    figures = ", ".join(metrics.words(name) for name in looked_at if metrics.days(name)) or "no metrics"
    kind = "GPU machine" if gpu else "Machine"
    text = f"{kind}, {window} days up to {last}: {figures}; {bill.told_cost if bill else 'no bill names it'}"
    if missing:
        lacks = ", ".join(f"{name} on {metrics.days(name)} of {window} days" for name in missing)
        return [_finding(row, bill, f"{text}. Undetermined: only {lacks} observed.", "low", "undetermined")]
    sure = metrics.days("gpu_memory_percent") >= enough if gpu else row["gpus"] is not None
    return [_finding(row, bill, f"{text}.", "high" if sure else "medium" if gpu else "low")]


def _has_gpus(row: Row, bill: Billed | None, metrics: Metrics) -> bool:
    """By the inventory, else by GPU metrics, else by names that only GPU machines bear."""
    if row["gpus"] is not None:
        return bool(row["gpus"] > 0)
    if metrics.days("gpu_percent") or metrics.days("gpu_memory_percent"):
        return True
    names = (row["resource_type"], row["name"], bill.what if bill else None)
    return any(_GPU_NAMES.search(name) for name in names if name)


def _finding(row: Row, bill: Billed | None, evidence: str, confidence: str, verdict: str = "finding") -> Finding:
    if bill is not None:
        return bill.finding(NAME, evidence, confidence, verdict)
    return Finding(NAME, row["resource_id"], evidence, verdict, confidence)
