"""Billed resources that the inventory does not know.

The surprise: inventories never list everything, so only kinds are asked of which nearly all others are listed.
"""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from attribution.detection.waste.detector import NO, Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import day
from schemas.resource_ids import folded

_KIND = ("source", "service", "ResourceType")


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Resources of kinds (source, service, type on the bill) of which the inventory lists most."""
    known = estate.listed.select("key", listed=pl.lit(value=True))
    # A savings plan or reservation is a contract, and stands in no inventory.
    contracts = estate.meters.select(key=folded(pl.col("CommitmentDiscountId"))).drop_nulls().unique()
    rows = (
        estate.with_dimensions(estate.billed)
        .filter(pl.col("recent") & pl.col("ResourceType").is_not_null())
        .join(contracts, on="key", how="anti")
        .join(known, on="key", how="left")
        .with_columns(pl.col("listed").fill_null(value=False))
        .with_columns(
            pl.col("listed").mean().over(_KIND).alias("covered"),
            pl.col("listed").sum().over(_KIND).alias("others"),
            estate.days_since("first_day").alias("age"),
        )
        .filter(pl.col("others") > 0)
    )
    enough = pl.col("covered") >= at["coverage"]
    return judged(
        rows,
        at,
        waste=pl.when(pl.col("listed")).then(NO).when(enough).then(pl.col("age") >= at["min_age_days"]),
        evidence=pl.format(
            "{} of {}, billed since {}, is in no inventory, which lists {} others of its kind; {}",
            "ResourceType",
            "service",
            day("first_day").fill_null("an unknown day"),
            "others",
            "told_cost",
        ),
        confidence="medium",
        doubt=pl.lit("the inventory lists too few of its kind to miss it"),
    )


DETECTOR = Detector(
    name="unlisted_resource",
    title="Billed, and in no inventory",
    tier="inventory",
    needs=("resources",),
    thresholds={"coverage": Decimal("0.80"), "min_age_days": Decimal(14)},
    meaning="A resource has been billed for 14 days and the inventory does not list it, though it lists 80 % of the "
    "billed resources of its source, service and type. Commitments are contracts and in no inventory.",
    source="House rule; what an inventory does not see nobody looks after.",
    action="Find out what it is and who made it; then tag it, or end it.",
    risk="None in looking. An inventory that is older than the resource is the usual innocent cause.",
    rollback="Nothing is changed by looking.",
    judge=judge,
    wasted=False,
)
