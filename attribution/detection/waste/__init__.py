"""Waste: money that buys nothing. One detector a file, each a record that explains itself, all in one table.

Detectors never act; they report, with evidence. One that lacks an input says nothing and is told in `detectors`.
"""

from __future__ import annotations

from attribution.detection.waste.bill import billed_after_deletion, untagged_resource
from attribution.detection.waste.detector import Detector
from attribution.detection.waste.inputs import WasteInputs
from attribution.detection.waste.inventory import orphaned_tag, unattached_volume
from attribution.detection.waste.judging import Judged, judge_all, override_faults
from attribution.detection.waste.utilization import idle_by_utilization
from schemas.faults import Fault
from schemas.workspace import Waste

__all__ = ["DETECTORS", "Detector", "Judged", "WasteInputs", "detect_waste", "threshold_faults"]

DETECTORS: tuple[Detector, ...] = (
    # the bill alone
    billed_after_deletion.DETECTOR,
    untagged_resource.DETECTOR,
    # inventory
    unattached_volume.DETECTOR,
    orphaned_tag.DETECTOR,
    # utilization
    idle_by_utilization.DETECTOR,
)


def detect_waste(inputs: WasteInputs, waste: Waste) -> Judged:
    """Run every detector that has what it needs; see `judging.judge_all`.

    Raises:
        InputError: a threshold is set that no detector has.
    """
    return judge_all(DETECTORS, inputs, waste)


def threshold_faults(waste: Waste, dimensions: tuple[str, ...]) -> tuple[Fault, ...]:
    """Every threshold set for an unknown detector, an unknown threshold, or an unknown dimension."""
    return override_faults(DETECTORS, waste, dimensions)
