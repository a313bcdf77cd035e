"""Volumes of machines that stand still: the machine costs nothing, its disks go on."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, YES, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import MACHINES, STOPPED, VOLUMES
from attribution.detection.waste.telling import day


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Volumes attached to a machine that is listed and has had no hours for `days`.

    A machine that is listed as running and that no bill names is undetermined: its hours may be billed elsewhere.
    """
    hours = (
        estate.meters.filter((pl.col("family") == "machine") & pl.col("key").is_not_null())
        .group_by("key")
        .agg(pl.col("last_day").max().alias("machine_end"))
    )
    machines = estate.listed.filter(pl.col("sort_of").is_in(MACHINES) & ~pl.col("gone")).select(
        pl.col("key").alias("parent"),
        pl.col("condition").alias("machine_condition"),
        pl.col("state").alias("machine_state"),
    )
    rows = (
        estate.things.filter(
            pl.col("sort_of").is_in(VOLUMES) & ~pl.col("gone") & pl.col("BillingCurrency").is_not_null()
        )
        .join(machines, on="parent")
        .join(hours.rename({"key": "parent"}), on="parent", how="left")
        .join(estate.unnamed.rename({"key": "parent"}), on="parent", how="left")
    )
    since = pl.max_horizontal(pl.col("machine_end"), pl.col("first_day"))
    still = (pl.col("last_mark") - since).dt.total_days()
    stopped = pl.col("machine_condition").is_in(STOPPED)
    sure = stopped & pl.col("unnamed").is_null()
    silent = still >= at["days"]
    end = day("machine_end").fill_null("a day before the first bill")
    text = "Volume of {}, a machine that is {} and was billed last on {}; {}"
    return judged(
        rows,
        at,
        waste=pl.when(sure & silent).then(YES).when(~sure & silent).then(UNKNOWN).otherwise(NO),
        evidence=pl.format(
            text, "attached_to", pl.col("machine_state").fill_null("of unknown state"), end, "told_cost"
        ),
        doubt=pl.when(stopped)
        .then(pl.lit("a line of the machine's bill has no meter, and may be its hours"))
        .otherwise(pl.lit("the inventory does not call the machine stopped")),
    )


DETECTOR = Detector(
    name="volume_of_stopped_instance",
    title="Volume of a machine that stands still",
    tier="bill",
    needs=("resources.attached_to", "costs.SkuMeter"),
    uses=("resources.state",),
    thresholds={"days": Decimal(30)},
    meaning="The inventory attaches the volume to a stopped machine for which no bill has had hours for 30 days.",
    source="Azure Advisor, disks of machines deallocated for 30 days; here the bill's silence dates the stop.",
    action="Snapshot the volume and delete it with its machine, or start the machine if it is still wanted.",
    risk="The machine does not start without its system disk; local data is lost.",
    rollback="Snapshot first, and keep the machine's description; both can be made again from them.",
    judge=judge,
)
