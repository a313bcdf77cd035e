"""Machines and volumes of a generation that has a successor."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import money
from schemas.money import known_sum


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Resources with a meter of a former generation; what a successor would cost, the bill does not say."""
    former = (
        estate.meters.filter(pl.col("previous") & pl.col("now") & pl.col("key").is_not_null())
        .group_by("key", "BillingCurrency")
        .agg(
            known_sum("EffectiveCost", pl.col("month") == pl.col("last_complete_month")).alias("former"),
            pl.col("last_day").max().alias("former_until"),
            pl.col("first_day").min().alias("former_since"),
            pl.col("SkuMeter").sort().first().alias("meter"),
        )
    )
    rows = estate.billed.join(former, on=["key", "BillingCurrency"])
    current = (pl.col("last_mark") - pl.col("former_until")).dt.total_days() <= 1
    age = (pl.col("last_mark") - pl.col("former_since")).dt.total_days() + 1
    said = pl.format("{} {}", money("former"), "BillingCurrency").fill_null("an unknown amount")
    return judged(
        rows.with_columns(pl.col("former").alias("stake")),
        at,
        waste=(current & (age >= at["min_age_days"])).fill_null(value=False),
        evidence=pl.format("Billed as {}, of a former generation, {} a month; {}", "meter", said, "told_cost"),
    )


DETECTOR = Detector(
    name="previous_generation",
    title="Machine or volume of a former generation",
    tier="bill",
    needs=("costs.SkuMeter",),
    thresholds={"min_age_days": Decimal(14)},
    meaning="The meter names a machine or volume type whose maker sells a successor that does more for the money. What "
    "the successor would cost the bill does not say, so no saving is told.",
    source="AWS, previous generation instances, and gp2 against gp3; Azure, retired and retiring series.",
    action="Change the type at the next stop; a gp2 volume changes while it is in use.",
    risk="Drivers and images may not fit the new type; a reservation may be tied to the old one.",
    rollback="Change the type back.",
    judge=judge,
    wasted=False,
)
