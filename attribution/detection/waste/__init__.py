"""Waste: money that buys nothing. One detector a file, five names each, all in one table.

Detectors never act; they report, with evidence. One that lacks an input says nothing and is named by `skipped`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from attribution.detection.candidates import together
from attribution.detection.waste import (
    billed_after_deletion,
    idle_by_utilization,
    orphaned_tag,
    unattached_volume,
    untagged_resource,
)
from attribution.detection.waste.inputs import Explanation, Thresholds, WasteInputs
from schemas.faults import Fault, InputError, suggest
from schemas.workspace import Waste

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DETECTORS", "Detector", "Explanation", "WasteInputs", "detect_waste", "override_faults", "skipped"]


class Detector(Protocol):
    """The five names of a detector's module."""

    NAME: str
    NEEDS: tuple[str, ...]
    THRESHOLDS: dict[str, Decimal]
    EXPLANATION: Explanation

    def detect(self, inputs: WasteInputs, thresholds: Thresholds) -> pl.DataFrame:
        """Candidate findings."""
        ...


DETECTORS: tuple[Detector, ...] = (
    unattached_volume,
    idle_by_utilization,
    orphaned_tag,
    untagged_resource,
    billed_after_deletion,
)


def detect_waste(inputs: WasteInputs, waste: Waste) -> pl.DataFrame:
    """Run every detector that has its inputs.

    Args:
        inputs: the frames and clocks of this run.
        waste: the workspace's thresholds; its overrides win over its general values, those over a detector's own.

    Returns:
        Findings of all detectors, checked.

    Raises:
        InputError: an override names no detector or no threshold of it.
    """
    faults = override_faults(waste)
    if faults:
        raise InputError(faults)
    lacking = skipped(inputs)
    return together(*(one.detect(inputs, _thresholds(one, waste)) for one in DETECTORS if one.NAME not in lacking))


def skipped(inputs: WasteInputs) -> dict[str, str]:
    """Detectors that cannot run, with the inputs they lack."""
    lacking = {one.NAME: [need for need in one.NEEDS if getattr(inputs, need) is None] for one in DETECTORS}
    return {name: ", ".join(needs) for name, needs in lacking.items() if needs}


def override_faults(waste: Waste, where: str = "attribution.toml: [waste]") -> tuple[Fault, ...]:
    """Every override that names an unknown detector or threshold."""
    known = {one.NAME: one.THRESHOLDS for one in DETECTORS}
    faults = []
    for name, values in waste.overrides.items():
        if name not in known:
            faults.append(Fault(where, f'unknown detector "{name}"', ", ".join(known), suggest(name, known)))
            continue
        faults += [
            Fault(where, f'unknown threshold "{threshold}" of {name}', ", ".join(known[name]), hint)
            for threshold in values
            if threshold not in known[name]
            for hint in [suggest(threshold, known[name])]
        ]
    return tuple(faults)


def _thresholds(detector: Detector, waste: Waste) -> dict[str, Decimal]:
    general = {"min_age_days": Decimal(waste.min_age_days), "coverage": waste.coverage, "minimum": waste.minimum}
    own = {name: general.get(name, value) for name, value in detector.THRESHOLDS.items()}
    return own | waste.overrides.get(detector.NAME, {})
