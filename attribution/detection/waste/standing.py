"""What stands in the inventory and is paid for: one kind of thing, how long unused, attached to what, part of its cost.

The surprise: age counts from the later of creation and last use, so that a thing used yesterday is young however old.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from attribution.detection.waste.detector import NO, UNKNOWN, YES, Thresholds, judged
from attribution.detection.waste.estate import Estate
from attribution.detection.waste.kinds import ATTACHED
from attribution.detection.waste.telling import day
from schemas.money import MONEY

_MILLION = 1_000_000


def standing(estate: Estate, sorts: Collection[str], *, billed: bool = True) -> pl.LazyFrame:
    """Listed resources that are not gone.

    Args:
        estate: everything known.
        sorts: kinds of resources, folded.
        billed: only those that a bill names.

    Returns:
        Rows of `Estate.things` with `since`, the later of creation and last use, else the first day billed (null:
        unknown), and `age`, the days from then to the run's clock.
    """
    rows = estate.things.filter(pl.col("sort_of").is_in(sorts) & ~pl.col("gone"))
    if billed:
        rows = rows.filter(pl.col("BillingCurrency").is_not_null())
    first = pl.col("first_day").cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
    since = pl.max_horizontal("created_at", "last_used_at").fill_null(first)
    return rows.with_columns(since.alias("since")).with_columns(estate.age_days("since").alias("age"))


def loose(estate: Estate, detached: Collection[str]) -> pl.Expr:
    """Whether a listed thing hangs on nothing; null where the inventory contradicts itself or does not tell.

    An empty `attached_to` says something only where the inventory fills that column for others.
    """
    free, hung = pl.col("condition").is_in(detached), pl.col("parent").is_not_null()
    told = estate.has("resources.attached_to")
    bound = pl.col("condition").is_in(set(ATTACHED) - set(detached))
    return (
        pl.when(hung & ~free)
        .then(NO)
        .when(hung)
        .then(UNKNOWN)
        .when(free)
        .then(YES)
        .when(bound)
        .then(NO)
        .otherwise(pl.lit(True if told else None, pl.Boolean))
    )


LOOSE_DOUBT = (
    pl.when(pl.col("parent").is_not_null())
    .then(pl.format("the inventory calls it {}, yet attached to {}", "state", "attached_to"))
    .otherwise(pl.lit("the inventory tells neither its state nor what such things are attached to"))
)
"""Why `loose` gives null."""


def read_things(estate: Estate, sorts: Collection[str]) -> pl.LazyFrame:
    """`standing` things, none where the inventory tells the last use of not one of them."""
    return standing(estate, sorts).filter(pl.col("last_used_at").is_not_null().any())


def serving_nothing(estate: Estate, at: Thresholds, sorts: Collection[str], what: str) -> pl.DataFrame:
    """Judge things that serve others: waste serves none and is old.

    How many one serves is `targets` of the inventory, else how many things are attached to it; those of which nothing
    tells are left out.

    Args:
        estate: everything known.
        at: thresholds, of which `min_age_days` is asked.
        sorts: kinds of resources, folded.
        what: the kind and what it lacks, for the sentence.
    """
    hung = (
        estate.listed.filter(~pl.col("gone") & pl.col("parent").is_not_null())
        .group_by(pl.col("parent").alias("key"))
        .agg(pl.len().cast(pl.Float64).alias("hung"))
    )
    rows = standing(estate, sorts).join(hung, on="key", how="left")
    rows = rows.with_columns(pl.col("targets").fill_null(pl.col("hung")).alias("served"))
    return judged(
        rows.filter(pl.col("served").is_not_null()),
        at,
        waste=(pl.col("served") == 0) & (pl.col("age") >= at["min_age_days"]),
        evidence=pl.format("{}, there since {}; {}", pl.lit(what), day("since"), "told_cost"),
    )


def part(amount: str, share: pl.Expr) -> pl.Expr:
    """A share of an amount of money, in millionths of it, rounded down: shares may be floats, money never is."""
    millionths = (share * _MILLION).round().cast(pl.Int128, strict=False)
    return (pl.col(amount).to_physical().cast(pl.Int128) * millionths // _MILLION).reinterpret(dtype=MONEY)
