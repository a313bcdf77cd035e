"""Volumes that stayed when the machines of their account and project went.

The surprise: one volume says nothing about what mounts it, so the whole project in an account is asked: it had
machines, has none since the start of the last complete month, and its volumes are still paid.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import day
from schemas.words_by_row import each_counted

_PLACE = ["source", "SubAccountId", "project"]


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Volumes of places without machines; where an account is not told, nothing is."""
    machines = pl.col("family") == "machine"
    place = (
        estate.meters.filter(pl.col("SubAccountId").is_not_null() & (pl.col("ChargeCategory") == "Usage"))
        .group_by(_PLACE)
        .agg(
            machines.any().alias("had_machines"),
            (machines & pl.col("now")).any().alias("has_machines"),
            (pl.col("SkuMeter").is_null() & pl.col("family").is_null() & pl.col("now")).any().alias("unnamed"),
            pl.col("last_day").filter(machines).max().alias("last_machine"),
        )
    )
    account = place.group_by("source", "SubAccountId").agg(pl.col("has_machines").any().alias("shared_account"))
    volumes = (
        estate.meters.filter((pl.col("family") == "volume") & pl.col("now") & pl.col("key").is_not_null())
        .select("key", "BillingCurrency", *_PLACE)
        .unique(["key", "BillingCurrency"], keep="last", maintain_order=True)
    )
    rows = estate.billed.join(volumes.drop("source", "project"), on=["key", "BillingCurrency"]).join(
        place, on=_PLACE, how="left"
    )
    rows = rows.join(account, on=["source", "SubAccountId"], how="left")
    silent = (pl.col("last_mark") - pl.col("last_machine")).dt.total_days()
    age = (pl.col("last_mark") - pl.col("first_day")).dt.total_days() + 1
    rested = (silent >= at["min_age_days"]) & (age >= at["min_age_days"])
    fires = (pl.col("had_machines") & ~pl.col("has_machines") & rested).fill_null(value=False)
    text = "Volume still billed; the last machine of project {} in account {} was billed on {}, {} before {}; {}"
    return judged(
        rows,
        at,
        waste=pl.when(~(fires & pl.col("unnamed"))).then(fires),
        evidence=pl.format(
            text,
            "project",
            "SubAccountId",
            day("last_machine"),
            each_counted(silent, "day"),
            day("last_mark"),
            "told_cost",
        ),
        # Another project's machine in the same account may mount it.
        confidence=pl.when(pl.col("shared_account")).then(pl.lit("low")).otherwise(pl.lit("medium")),
        doubt=pl.lit("a line of its project in this account has no meter, and may be a machine's"),
    )


DETECTOR = Detector(
    name="storage_without_compute",
    title="Volume whose machines are gone",
    tier="bill",
    needs=("costs.SkuMeter", "costs.SubAccountId"),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The project had machines in this account, has had none since the start of the last complete month and for "
    "14 days, and its volumes are still billed. Confidence is low where other projects have machines in the account.",
    source="House rule; the bill alone does not say what mounts a volume.",
    action="Ask the project, take a snapshot of what it wants, delete the volumes.",
    risk="The data is lost with the volume; a project that only rests wants it back.",
    rollback="Snapshot first; a volume made from the snapshot holds the same data.",
    judge=judge,
)
