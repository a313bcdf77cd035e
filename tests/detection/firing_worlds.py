"""A world in which each waste detector fires, of the tables of labelled cases, for tests that hold of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from detection_worlds import FIRST, LAST, WORLD, metric, tag, tags, utilization
from test_waste_inventory import INVENTORY
from test_waste_training import TRAINING
from test_waste_utilization import UTILIZATION
from waste_cases import around, every_case, world_of

from attribution.detection import WasteInputs


class Firing(NamedTuple):
    """One world, the detector that fires in it, and on what."""

    kind: str
    subject: str
    world: WasteInputs

    def __str__(self) -> str:
        return self.kind


def firing() -> Iterator[Firing]:
    """One world a detector that has labelled cases, the first of its table."""
    told = set()
    for case in every_case():
        if case.label == "waste" and case.kind not in told:
            told.add(case.kind)
            yield Firing(case.kind, case.name, world_of([case]))
    for cases in (*INVENTORY, *UTILIZATION, *TRAINING):
        if cases.kind not in told:
            told.add(cases.kind)
            yield Firing(cases.kind, cases.subject, cases.make(**cases.fires[0]))
    for kind, world in _further():
        if kind not in told:
            yield Firing(kind, "r-1", world)


def _further() -> Iterator[tuple[str, WasteInputs]]:
    """Detectors whose tests are no table."""
    yield "unattached_volume", around("volume", state="available")()
    yield "orphaned_tag", replace(WORLD, tags=tags(tag("r-1", "owner", "lin")))
    quiet = [metric("r-1", name, 0.0, FIRST, LAST) for name in ("cpu_percent", "network_bytes")]
    yield "idle_by_utilization", around("instance", state="running", gpus=0.0)(utilization=utilization(*quiet))
