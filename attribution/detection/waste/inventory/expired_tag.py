"""Resources that outlived the day which their own tag gave them."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.tagged import billed_with, in_force, register
from attribution.detection.waste.telling import day

_KEYS = frozenset(
    "expiry expires expireson expiresat expirydate expirationdate deleteafter deleteon until enddate".split(),
)


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed resources with a tag of expiry; undetermined where its value is no date written year first."""
    tags = register(estate).filter(pl.col("word").is_in(_KEYS) & in_force(pl.lit(estate.today)))
    until = pl.col("value").str.strip_chars().str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    rows = billed_with(estate, tags.with_columns(until.alias("expiry")).unique("key", keep="last"))
    past = estate.days_since("expiry")
    return judged(
        rows,
        at,
        waste=past > at["grace_days"],
        evidence=pl.format(
            "Tagged {}={}, and usage goes on up to {}; {}", "tag", "value", day("last_day"), "told_cost"
        ),
        confidence="medium",
        doubt=pl.lit("the value of the tag is no date written as 2026-12-31"),
    )


DETECTOR = Detector(
    name="expired_tag",
    title="Outlived its own expiry",
    tier="inventory",
    needs=("tags",),
    thresholds={"grace_days": Decimal(7)},
    meaning="A tag such as expiry or delete-after names a day that passed more than 7 days ago, and the resource is "
    "billed.",
    source="House rule, after the tags that Cloud Custodian marks resources with.",
    action="End it as its tag says, or give it a new day.",
    risk="Experiments are often prolonged without touching the tag.",
    rollback="Snapshot first where it holds data.",
    judge=judge,
)
