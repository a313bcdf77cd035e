"""Resources that the tags name and no bill does.

The surprise: a parent, such as a cluster, is tagged for its children's sake and need not be billed itself.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import polars as pl

from attribution.detection.waste.billed import only
from attribution.detection.waste.detector import Detector, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import STOPPED
from attribution.detection.waste.tagged import in_force, register
from attribution.detection.waste.telling import day
from schemas.money import MONEY

_LISTED = {"key": pl.String, "gone": pl.Boolean, "condition": pl.String, "parent": pl.String}


def judge(estate: Estate, at: Thresholds) -> pl.DataFrame:
    """Tagged resources; no cost is known of them, so none is at stake."""
    listed = pl.LazyFrame(schema=_LISTED) if estate.inputs.resources is None else estate.listed.select(*_LISTED)
    bills = estate.billed.group_by("key").agg(pl.col("last_day").max(), pl.col("last_mark").max())
    first, slowest = _reach(estate, int(at.most("days")))
    parents = listed.filter(pl.col("parent").is_not_null()).select(key="parent").unique()
    rows = (
        estate.with_dimensions(_tagged_now(estate))
        .join(bills, on="key", how="left")
        .join(listed.with_columns(pl.lit(value=True).alias("known")), on="key", how="left")
        .join(parents, on="key", how="anti")
        .with_columns(pl.col("last_mark").fill_null(pl.lit(slowest, pl.Date)).alias("until"))
        .filter(pl.col("until").is_not_null() & ~pl.col("condition").is_in(STOPPED).fill_null(value=False))
        .with_columns((pl.col("until") - pl.duration(days=at["days"].cast(pl.Int64) - 1)).alias("since"))
    )
    then = (
        register(estate)
        .join(rows.select("key", "since"), on="key")
        .filter(in_force(pl.col("since")))
        .select("key", pl.lit(value=True).alias("tagged_then"))
        .unique("key")
    )
    silent = pl.col("last_day").is_null() | (pl.col("last_day") < pl.col("since"))
    covered = pl.lit(first, pl.Date) <= pl.col("since")
    charged = (
        pl.when(pl.col("last_day").is_null())
        .then(pl.lit("no bill ever named it"))
        .otherwise(pl.format("its last charge was on {}", day("last_day")))
    )
    span = pl.format("without a charge from {} to {}: {}{}", day("since"), day("until"), charged, _listed_as(estate))
    unlisted = pl.col("known").is_null() & pl.lit(estate.inputs.resources is not None)
    return judged(
        rows.join(then, on="key", how="left"),
        at,
        waste=(covered & pl.col("tagged_then") & silent).fill_null(value=False),
        evidence=pl.format("Tagged {}, {}", "told", span),
        confidence=pl.when(unlisted).then(pl.lit("high")).otherwise(pl.lit("medium")),
    )


def _tagged_now(estate: Estate) -> pl.LazyFrame:
    """One resource that is tagged today: its tags in words, and whose they make it."""
    return (
        register(estate)
        .filter(in_force(pl.lit(estate.today)))
        .group_by("key")
        .agg(
            pl.col("subject").first(),
            pl.format("{}={}", "tag", "value").unique().sort().str.join(", ").alias("told"),
            *(only("value", pl.col("word") == name).alias(name) for name in ("owner", "project")),
        )
        .with_columns(BillingCurrency=pl.lit(None, pl.String), stake=pl.lit(None, MONEY), month=pl.lit(None, pl.Date))
    )


def _reach(estate: Estate, days: int) -> tuple[date | None, date | None]:
    """First day that every source covers; last day of the slowest source that is not silent."""
    marks = estate.inputs.watermarks.values()
    oldest = estate.today - timedelta(days=days)
    first = min((mark.first_day for mark in marks), default=None)
    return first, min((mark.last_day for mark in marks if mark.last_day >= oldest), default=None)


def _listed_as(estate: Estate) -> pl.Expr:
    if estate.inputs.resources is None:
        return pl.lit("")
    return (
        pl.when(pl.col("known").is_null())
        .then(pl.lit("; the inventory does not know it"))
        .when(pl.col("gone"))
        .then(pl.lit("; the inventory says it is deleted"))
        .otherwise(pl.lit("; the inventory still has it"))
    )


DETECTOR = Detector(
    name="orphaned_tag",
    title="Tagged, and never billed",
    tier="inventory",
    needs=("tags",),
    uses=("resources.state", "resources.attached_to"),
    thresholds={"days": Decimal(30)},
    meaning="A tag has been in force for 30 days in which no bill names its resource, and the inventory does not say "
    "that it is stopped.",
    source="House rule; tag registers outlive what they describe.",
    action="Correct the identifier, or end the tag with a valid_to.",
    risk="None for running systems. A resource may be billed by a source that is not connected.",
    rollback="Take the valid_to back.",
    judge=judge,
    wasted=False,
)
