"""Machines that have been stopped for long: what is kept for them goes on being billed.

The surprise: a stopped machine mostly costs nothing itself, so its volumes are counted to it.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import MACHINES, STOPPED
from attribution.detection.waste.stopped import STATE_DOUBT, stands_still, stopped_since
from attribution.detection.waste.telling import money, month
from schemas.money import known_sum
from schemas.words_by_row import each_counted


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Machines stopped or of unknown state of which something was billed lately, be it only their volumes."""
    machines = estate.things.filter(
        pl.col("sort_of").is_in(MACHINES) & pl.col("condition").is_in({*STOPPED, ""}) & ~pl.col("gone")
    )
    whose = stopped_since(estate, machines).unique("key").drop("stake", "BillingCurrency", "month", "recent")
    paid = estate.things.filter(pl.col("recent") & ~pl.col("gone"))
    kept = (
        pl.concat(
            [
                paid.select("key", "BillingCurrency", "month", "stake", hung=pl.lit(0)),
                paid.select(pl.col("parent").alias("key"), "BillingCurrency", "month", "stake", hung=pl.lit(1)),
            ]
        )
        .group_by("key", "BillingCurrency")
        .agg(known_sum("stake"), pl.col("hung").sum(), pl.col("month").max())
    )
    rows = whose.join(kept, on="key", how="inner")
    cost = pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("unknown")
    return judged(
        rows,
        at,
        waste=stands_still(estate, at),
        evidence=pl.format(
            "Machine {}, {}, with {} attached to it; cost of all in {}: {}",
            pl.when("off").then(pl.lit("stopped")).otherwise(pl.lit("of unknown state")),
            "told_stop",
            each_counted("hung", "billed thing"),
            month("month"),
            cost,
        ),
        doubt=STATE_DOUBT.otherwise(pl.lit("neither inventory nor bill tells since when it is stopped")),
    )


DETECTOR = Detector(
    name="stopped_long",
    title="Machine stopped for long",
    tier="inventory",
    needs=("resources.state",),
    uses=("resources.last_used_at", "resources.attached_to"),
    thresholds={"days": Decimal(30)},
    meaning="A machine has been stopped for 30 days, and it or what is attached to it is billed. One without a state "
    "is undetermined where neither the inventory nor a bill says that it ran in these days.",
    source="30 days as in CleanCloud's check of stopped machines.",
    action="Make an image of it, then delete the machine and its disks.",
    risk="Setups made by hand are lost with it.",
    rollback="A machine started from the image has the same disks.",
    judge=judge,
    wasted=False,
)
