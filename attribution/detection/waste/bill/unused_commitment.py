"""Savings plans and reservations that are paid and cover nothing."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.billed import only, still
from attribution.detection.waste.detector import UNKNOWN, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.savings import made_of
from attribution.detection.waste.telling import money, month, number
from schemas.money import known_sum


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Commitments, by how much of their last complete month bought nothing."""
    status = pl.col("CommitmentDiscountStatus").str.to_lowercase()
    unused = status == "unused"
    in_month = pl.col("month") == pl.col("last_complete_month")
    rows = (
        estate.meters.filter(pl.col("CommitmentDiscountId").is_not_null() & status.is_in(["used", "unused"]))
        .filter("now")
        .group_by("CommitmentDiscountId", "BillingCurrency")
        .agg(
            known_sum("EffectiveCost", unused & in_month).alias("stake"),
            known_sum("EffectiveCost", in_month).alias("paid"),
            (pl.col("EffectiveCost").is_null() & in_month).any().alias("untold"),
            in_month.any().alias("hit"),
            still(estate.silent_days).alias("recent"),
            made_of(unused & in_month),
            *(only(name, unused & in_month) for name in estate.dimensions),
            pl.col("last_complete_month").first().alias("month"),
        )
        .filter("hit")
        .with_columns(
            pl.col("CommitmentDiscountId").alias("key"),
            pl.col("CommitmentDiscountId").alias("subject"),
            (pl.col("stake").cast(pl.Float64) / pl.col("paid").cast(pl.Float64)).alias("share"),
        )
    )
    fires = (pl.col("share") >= at["unused_share"]).fill_null(value=False) & (pl.col("stake") > 0)
    text = "Of {} {} that this commitment cost in {}, {} {} ({} %) covered nothing"
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("untold")).then(UNKNOWN).otherwise(fires),
        evidence=pl.format(
            text,
            money("paid").fill_null("an unknown amount of"),
            "BillingCurrency",
            month("month"),
            money("stake").fill_null("an unknown amount of"),
            "BillingCurrency",
            number(pl.col("share") * 100, 1).fill_null("unknown"),
        ),
        doubt=pl.lit("the cost of a part of it is unknown"),
    )


DETECTOR = Detector(
    name="unused_commitment",
    title="Commitment that covers nothing",
    tier="bill",
    needs=("costs.CommitmentDiscountStatus",),
    thresholds={"unused_share": Decimal("0.05")},
    meaning="In the last complete month at least 5 % of a savings plan's or reservation's effective cost is unused.",
    source="FOCUS, CommitmentDiscountStatus Unused; FinOps Foundation, commitment utilization of 95 % as a usual aim.",
    action="Move fitting work under it, exchange or sell it, and let it end without renewal.",
    risk="Commitments are contracts: most cannot be given back, and one that is too small next month costs on demand.",
    rollback="Buy again; prices may differ.",
    judge=judge,
)
