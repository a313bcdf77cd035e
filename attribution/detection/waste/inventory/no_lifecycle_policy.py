"""Stores without a lifecycle policy: whatever is put into them stays for ever."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import BUCKETS, KEEPERS, NOT_SET, folded_word
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import maybe, number


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Billed buckets, log groups and registries above a cost; undetermined where their policy is not told."""
    rows = standing(estate, BUCKETS | KEEPERS).filter(pl.col("stake") >= at.money("least_cost"))
    policy = folded_word("lifecycle_policy")
    age = estate.age_days("created_at").fill_null(estate.days_since("first_day"))
    missing = policy.is_in(NOT_SET) & (age >= at["min_age_days"])
    return judged(
        rows,
        at,
        waste=missing,
        evidence=pl.format(
            "{}{} {}; {}",
            "resource_type",
            maybe(" of {} GB", number("size_gb")),
            pl.when(policy.is_null())
            .then(pl.lit("with an unknown lifecycle policy"))
            .otherwise(pl.lit("without a lifecycle policy")),
            "told_cost",
        ),
        doubt=pl.lit("the inventory does not tell its policy"),
    )


DETECTOR = Detector(
    name="no_lifecycle_policy",
    title="Store without a lifecycle policy",
    tier="inventory",
    needs=("resources.lifecycle_policy",),
    uses=("resources.size_gb", "resources.created_at"),
    thresholds={"least_cost": Decimal(50), "min_age_days": Decimal(14)},
    meaning="The inventory says that a bucket, log group or registry that costs 50 a month has no lifecycle policy.",
    source="Steampipe's thrifty checks of buckets; the 50 a month are the Azure Optimization Engine's.",
    action="Write a policy: move to cold storage after some weeks, delete what is scratch, end broken uploads.",
    risk="A policy that is too short deletes what is still needed.",
    rollback="Switch versions on before the policy; a deleted object can then be had again.",
    judge=judge,
    wasted=False,
)
