"""Runs that somebody cancelled: rightly perhaps, yet paid for."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.runs import came_to_nothing

DETECTOR = Detector(
    name="cancelled_run",
    title="Run that was cancelled",
    tier="training",
    needs=("runs.status", "runs.ended_at"),
    uses=("runs.gpus", "checkpoints", "resources.gpus"),
    thresholds={"window_days": Decimal(31)},
    meaning="A run of the last 31 days was cancelled. Its cost is its share, by GPU time, of what its experiment's "
    "machines were billed; what its last checkpoint did not save is told as a second figure. Nothing of it can be "
    "saved any more.",
    source="House rule: cancelled work counts in full, and what a checkpoint saved is shown apart.",
    action="Try new settings on few GPUs first; stop early by rule where the loss says so.",
    risk="None for running systems.",
    rollback="Nothing is changed by looking.",
    judge=partial(came_to_nothing, statuses=("cancelled",), how="cancelled"),
    wasted=False,
)
