"""Runs that failed: what they cost, and what of it no checkpoint saved."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from attribution.detection.waste.detector import Detector
from attribution.detection.waste.runs import FAILED, came_to_nothing

DETECTOR = Detector(
    name="failed_run",
    title="Run that failed",
    tier="training",
    needs=("runs.status", "runs.ended_at"),
    uses=("runs.gpus", "checkpoints", "resources.gpus"),
    thresholds={"window_days": Decimal(31)},
    meaning="A run of the last 31 days failed, ran out of memory, lost a node or was preempted. Its cost is its share, "
    "by GPU time, of what its experiment's machines were billed; what its last checkpoint did not save is told as a "
    "second figure. Nothing of it can be saved any more.",
    source="House rule: failed work counts in full, and what a checkpoint saved is shown apart.",
    action="Read its log; write checkpoints more often where much was lost.",
    risk="None for running systems.",
    rollback="Nothing is changed by looking.",
    judge=partial(came_to_nothing, statuses=FAILED, how="failed"),
    wasted=False,
)
