"""Capacity that is reserved, paid, and runs nothing."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.billed import only, still
from attribution.detection.waste.detector import UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.savings import made_of
from attribution.detection.waste.telling import day, money, month, number
from schemas.money import known_sum
from schemas.resource_ids import folded


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Reservations by FOCUS's status, and by meters of unused capacity where the status is blank."""
    status = pl.col("CapacityReservationStatus").str.to_lowercase()
    unused = (status == "unused").fill_null(pl.col("family") == "capacity_unused").fill_null(value=False)
    name = pl.coalesce("CapacityReservationId", "ResourceId", "SkuMeter")
    in_month = pl.col("month") == pl.col("last_complete_month")
    rows = (
        estate.meters.with_columns(unused.alias("is_unused"))
        .filter(pl.col("CapacityReservationId").is_not_null() | pl.col("is_unused"))
        .filter(pl.col("ChargeCategory") == "Usage")
        .with_columns(name.alias("subject"))
        .group_by("subject", "BillingCurrency")
        .agg(
            known_sum("EffectiveCost", pl.col("is_unused") & in_month).alias("stake"),
            known_sum("EffectiveCost", in_month).alias("paid"),
            (in_month & pl.col("EffectiveCost").is_null()).any().alias("untold"),
            (pl.col("is_unused") & in_month).any().alias("hit"),
            *(only(dimension, pl.col("is_unused")) for dimension in estate.dimensions),
            still(estate.silent_days).alias("recent"),
            made_of(pl.col("is_unused") & in_month),
            pl.col("first_day").min(),
            pl.col("last_mark").max(),
            pl.col("last_complete_month").max().alias("month"),
        )
        .filter("hit")
        .with_columns(
            folded(pl.col("subject")).alias("key"),
            (pl.col("stake").cast(pl.Float64) / pl.col("paid").cast(pl.Float64)).alias("share"),
        )
    )
    age = (pl.col("last_mark") - pl.col("first_day")).dt.total_days() + 1
    fires = (pl.col("share") >= at["unused_share"]).fill_null(value=False) & (age >= at["min_age_days"])
    text = "Reserved capacity, held since {} or before: {} {} of {} in {} ({} %) ran nothing"
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("untold")).then(UNKNOWN).otherwise(fires.fill_null(value=False)),
        evidence=pl.format(
            text,
            day("first_day").fill_null("an unknown day"),
            money("stake").fill_null("an unknown amount of"),
            "BillingCurrency",
            money("paid").fill_null("an unknown amount"),
            month("month"),
            number(pl.col("share") * 100, 1).fill_null("unknown"),
        ),
        doubt=pl.lit("the cost of a part of it is unknown"),
    )


DETECTOR = Detector(
    name="unused_capacity_reservation",
    title="Reserved capacity that runs nothing",
    tier="bill",
    needs=("costs.SkuMeter",),
    uses=("costs.CapacityReservationId", "costs.CapacityReservationStatus"),
    thresholds={"unused_share": Decimal("0.10"), "min_age_days": Decimal(14)},
    meaning="In the last complete month at least 10 % of a capacity reservation's cost is for capacity that ran "
    "nothing, by FOCUS's CapacityReservationStatus or by a meter of unused capacity.",
    source="FOCUS, CapacityReservationStatus Unused; the share is this project's own.",
    action="Shrink the reservation to what runs, or give it back until the next run.",
    risk="Scarce machines (GPUs above all) may not be there when they are wanted again.",
    rollback="Reserve again, if the region has room; note size and zone first.",
    judge=judge,
)
