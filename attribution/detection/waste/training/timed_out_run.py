"""Runs that were cut off by their time limit."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.runs import came_to_nothing

DETECTOR = Detector(
    name="timed_out_run",
    title="Run that hit its time limit",
    tier="training",
    needs=("runs.status", "runs.ended_at"),
    uses=("runs.gpus", "checkpoints", "resources.gpus"),
    thresholds={"window_days": Decimal(31)},
    meaning="A run of the last 31 days hit its time limit. Its cost is its share, by GPU time, of what its "
    "experiment's machines were billed; what its last checkpoint did not save is told as a second figure. Nothing of "
    "it can be saved any more.",
    source="House rule: such work counts in full, and what a checkpoint saved is shown apart.",
    action="Ask for enough time, and write a checkpoint before the limit.",
    risk="None for running systems.",
    rollback="Nothing is changed by looking.",
    judge=partial(came_to_nothing, statuses=("timeout",), how="cut off by its time limit"),
    wasted=False,
)
