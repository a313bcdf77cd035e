"""Volumes that wait for a machine which nobody starts again."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import MACHINES, STOPPED, VOLUMES
from attribution.detection.waste.standing import standing
from attribution.detection.waste.stopped import stopped_since


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed volumes on listed machines; undetermined where nothing tells since when the machine is stopped."""
    machines = stopped_since(estate, estate.things.filter(pl.col("sort_of").is_in(MACHINES) & ~pl.col("gone"))).select(
        parent="key", off=pl.col("condition").is_in(STOPPED), stopped="stopped", told_stop="told_stop"
    )
    rows = standing(estate, VOLUMES).join(machines.unique("parent"), on="parent", how="inner")
    rows = rows.with_columns(estate.days_since("stopped").alias("days_off"))
    return judged(
        rows,
        at,
        waste=pl.col("off") & (pl.col("days_off") >= at["days"]),
        evidence=pl.format(
            "Volume of {}, which is stopped, {}; {}",
            "attached_to",
            "told_stop",
            "told_cost",
        ),
        confidence="medium",
        doubt=pl.lit("neither inventory nor bill tells since when the machine is stopped"),
    )


DETECTOR = Detector(
    name="volume_of_deallocated_machine",
    title="Volume of a machine that is stopped",
    tier="inventory",
    needs=("resources.state", "resources.attached_to"),
    uses=("resources.last_used_at",),
    thresholds={"days": Decimal(30)},
    meaning="The inventory shows a billed volume on a machine that has been stopped or deallocated for 30 days.",
    source="30 days as in the Azure Optimization Engine's check of deallocated machines.",
    action="Take a snapshot, then delete the volume and the machine.",
    risk="The machine does not start again without its disk.",
    rollback="Snapshot first; a volume made from it can be attached again.",
    judge=judge,
)
