"""Volumes that wait for a machine which nobody starts again."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import MACHINES, VOLUMES
from attribution.detection.waste.standing import standing
from attribution.detection.waste.stopped import STATE_DOUBT, stands_still, stopped_since


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed volumes on listed machines; undetermined where nothing tells whether and since when these are stopped."""
    machines = stopped_since(estate, estate.things.filter(pl.col("sort_of").is_in(MACHINES) & ~pl.col("gone"))).select(
        "off", "ran_until", "stopped", "told_stop", parent="key"
    )
    rows = standing(estate, VOLUMES).join(machines.unique("parent"), on="parent", how="inner")
    return judged(
        rows,
        at,
        waste=stands_still(estate, at),
        evidence=pl.format(
            "Volume of {}, which is {}, {}; {}",
            "attached_to",
            pl.when("off").then(pl.lit("stopped")).otherwise(pl.lit("of unknown state")),
            "told_stop",
            "told_cost",
        ),
        confidence="medium",
        doubt=STATE_DOUBT.otherwise(pl.lit("neither inventory nor bill tells since when the machine is stopped")),
    )


DETECTOR = Detector(
    name="volume_of_deallocated_machine",
    title="Volume of a machine that is stopped",
    tier="inventory",
    needs=("resources.state", "resources.attached_to"),
    uses=("resources.last_used_at",),
    thresholds={"days": Decimal(30)},
    meaning="The inventory shows a billed volume on a machine that has been stopped or deallocated for 30 days. "
    "Where the machine has no state it is undetermined, unless the inventory or a bill says that it ran in these days.",
    source="30 days as in the Azure Optimization Engine's check of deallocated machines.",
    action="Take a snapshot, then delete the volume and the machine.",
    risk="The machine does not start again without its disk.",
    rollback="Snapshot first; a volume made from it can be attached again.",
    judge=judge,
)
