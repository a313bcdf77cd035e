"""Surcharges for versions that are out of standard support."""

from __future__ import annotations

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import money
from schemas.money import known_sum


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Resources with a surcharge in the last complete month that lasts into its newest days."""
    surcharge = (
        estate.meters.filter((pl.col("family") == "extended_support") & pl.col("now") & pl.col("key").is_not_null())
        .group_by("key", "BillingCurrency")
        .agg(
            known_sum("EffectiveCost", pl.col("month") == pl.col("last_complete_month")).alias("surcharge"),
            pl.col("last_day").max().alias("surcharged_until"),
            pl.col("SkuMeter").min().alias("meter"),
        )
    )
    rows = estate.billed.join(surcharge, on=["key", "BillingCurrency"])
    fires = (pl.col("last_mark") - pl.col("surcharged_until")).dt.total_days() <= 1
    said = pl.format("{} {}", money("surcharge"), "BillingCurrency").fill_null("an unknown part")
    return judged(
        rows.with_columns(pl.col("surcharge").alias("stake")),
        at,
        waste=fires,
        evidence=pl.format("Extended support ({}) costs {} of it a month; {}", "meter", said, "told_cost"),
        doubt=pl.lit("the bill does not tell until which day it was charged"),
    )


DETECTOR = Detector(
    name="extended_support",
    title="Surcharge for an old version",
    tier="bill",
    needs=("costs.SkuMeter",),
    meaning="A meter of extended support is billed for the resource: its version is out of standard support. At stake "
    "is the surcharge alone.",
    source="AWS RDS, EKS and ElastiCache extended support, Azure extended security updates, Google Cloud's likewise.",
    action="Move to a supported version.",
    risk="A new major version may break what uses it; try it on a copy first.",
    rollback="Snapshot first; restoring it brings the old version, and the surcharge, back.",
    judge=judge,
)
