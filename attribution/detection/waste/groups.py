"""Groups of machines, such as clusters and reservations: idle where each of their machines is."""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from attribution.detection.waste.detector import NO, YES, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.machines import running
from attribution.detection.waste.standing import standing
from attribution.detection.waste.telling import day, money, month
from schemas.money import known_sum
from schemas.words_by_row import each_counted


def idle_groups(estate: Estate, at: Thresholds, sorts: Collection[str], what: str, *, whole: bool) -> pl.DataFrame:
    """Judge groups by the machines attached to them.

    Args:
        estate: everything known.
        at: thresholds of machines; see `running`.
        sorts: kinds of groups, folded.
        what: the kind in a word.
        whole: count the machines' cost too, and not the group's alone.
    """
    members = running(estate, at).filter(pl.col("parent").is_not_null())
    verdicts = members.group_by(pl.col("parent").alias("key")).agg(
        (~pl.col("idle")).any(ignore_nulls=True).alias("works"),
        pl.col("idle").is_null().any().alias("unknown"),
        pl.col("key").n_unique().alias("machines"),
        pl.col("hidden").any(),
        pl.col("window_end").max(),
    )
    groups = standing(estate, sorts, billed=not whole).join(verdicts, on="key", how="left")
    if whole:
        groups = _with_members(estate, groups).filter(pl.col("machines").is_not_null())
    idle = pl.when("works").then(NO).when(~pl.col("unknown")).then(YES)
    cost = pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("unknown")
    return judged(
        groups.filter(pl.col("age") >= at["min_age_days"]),
        at,
        waste=idle,
        evidence=pl.format(
            "{} of {}, {}, {} days up to {}; cost in {}: {}",
            pl.lit(what),
            each_counted(pl.col("machines").fill_null(0), "machine"),
            pl.when(idle).then(pl.lit("all idle")).otherwise(pl.lit("none known to work")),
            at["window_days"].cast(pl.Int64),
            day("window_end").fill_null("today"),
            month("month").fill_null("the last month"),
            cost,
        ),
        confidence=pl.when("hidden").then(pl.lit("low")).otherwise(pl.lit("medium")),
        doubt=pl.when(pl.col("machines").is_null())
        .then(pl.lit("the inventory attaches no running machine to it"))
        .otherwise(pl.lit("some of its machines were not measured on enough days")),
    )


def _with_members(estate: Estate, groups: pl.LazyFrame) -> pl.LazyFrame:
    """Groups x currency with the cost of everything attached to them added to their own."""
    paid = estate.things.filter(pl.col("recent") & ~pl.col("gone"))
    named = ("BillingCurrency", "month", "stake", "recent")
    both = pl.concat([paid.select("key", *named), paid.select(pl.col("parent").alias("key"), *named)])
    sums = both.group_by("key", "BillingCurrency").agg(
        known_sum("stake"), pl.col("month").max(), pl.col("recent").any()
    )
    return groups.unique("key").drop(named).join(sums, on="key")
