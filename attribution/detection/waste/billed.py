"""What bills say of each resource: its cost at stake, its owner, its first and last day of use."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from attribution.detection.waste.telling import money, month
from attribution.detection.windows import last_complete_month
from schemas.detection import Watermark
from schemas.dimensions import NOBODY, SHARED, UNALLOCATED
from schemas.money import known_sum

_WHOSE = ["key", "BillingCurrency"]


def marks_of(watermarks: Mapping[str, Watermark]) -> pl.LazyFrame:
    """One source: its last complete month, and its first and last complete day."""
    rows = [
        (name, last_complete_month(mark.last_day), mark.first_day, mark.last_day) for name, mark in watermarks.items()
    ]
    days = dict.fromkeys(("last_complete_month", "first_mark", "last_mark"), pl.Date)
    return pl.LazyFrame(rows, schema={"source": pl.String, **days}, orient="row")


def billed_until() -> pl.Expr:
    """The last day that rows of a group were billed for, in an aggregation.

    A line a month is dated on the month's first day and stands for the whole of it; it is known by a rhythm of such
    lines, or by being alone.
    """
    lone = (pl.col("last_day") == pl.col("month")) & (pl.col("days") == 1)
    monthly = (lone.sum() > 1) | (pl.col("month").n_unique() == 1)
    covered = pl.when(monthly).then(pl.col("last_day").filter(lone).max().dt.month_end())
    return pl.max_horizontal(pl.col("last_day").max(), covered)


def silence() -> pl.Expr:
    """Days from what rows of a group were billed for last to the last complete day of their source, in an aggregation.

    The one rule of whether a thing still costs: it does while this is at most `silent_days`.
    """
    return (pl.col("last_mark").max() - billed_until()).dt.total_days()


def still(silent_days: int) -> pl.Expr:
    """Whether a group still costs, by `silence`; one without any day of usage may."""
    return (silence() <= silent_days).fill_null(value=True)


def billed_things(meters: pl.LazyFrame, dimensions: tuple[str, ...], silent_days: int) -> pl.LazyFrame:
    """Sum metered costs to what detectors ask of a resource.

    Args:
        meters: as `Estate.meters` has them.
        dimensions: of the workspace.
        silent_days: see `silence`.

    Returns:
        One resource x currency: `subject` its id as billed last, `source`, `month` the last complete month of that
        source, `stake` the EffectiveCost of that month (null: unknown), `paid` whether it cost something in it or
        later, or may have; `recent` whether it still does, see `silence`; every dimension by the last days billed;
        `first_day` and `last_day` of usage, `silent`, see `silence`; `unallocated` whether nobody is known for all of
        the stake, `service`, `ServiceCategory`, `ResourceType` and `RegionId` of its dearest meter, `first_mark` and
        `last_mark` of its source, `told_cost`.
    """
    rows = meters.filter(pl.col("key").is_not_null())
    newest = rows.group_by(_WHOSE).agg(
        pl.col("source", "last_complete_month", "first_mark", "last_mark", "ResourceId")
        .sort_by("month", pl.col("last_day").fill_null(pl.col("month")), "source", "ResourceId")
        .last(),
        pl.col("last_day").max(),
    )
    newest = newest.rename(
        {"ResourceId": "subject", "last_day": "end", "last_complete_month": "stake_month", "source": "newest_source"}
    )
    joined = rows.drop("first_mark", "last_mark").join(newest, on=_WHOSE)
    in_month = pl.col("month") == pl.col("stake_month")
    costs = pl.col("EffectiveCost").is_null() | (pl.col("EffectiveCost") != 0)
    nobody = (pl.col("project") == UNALLOCATED) & (pl.col("owner") == UNALLOCATED)
    current = pl.col("last_day").eq_missing(pl.col("end")) | pl.col("end").is_null()
    dearest = pl.col("EffectiveCost").fill_null(0)
    named = ("ServiceName", "ServiceCategory", "ResourceType", "RegionId")
    summed = joined.group_by(_WHOSE).agg(
        pl.col("subject", "newest_source", "stake_month", "first_mark", "last_mark").first(),
        known_sum("EffectiveCost", in_month).alias("stake"),
        (costs & (pl.col("month") >= pl.col("stake_month"))).any().alias("paid"),
        still(silent_days).alias("recent"),
        silence().alias("silent"),
        *(only(name, current) for name in dimensions),
        pl.col("first_day").min(),
        pl.col("last_day").max(),
        (in_month.any() & (nobody | ~costs).filter(in_month).all()).alias("unallocated"),
        *(pl.col(name).sort_by("month", dearest, name, nulls_last=False).last() for name in named),
    )
    known = pl.format("{} {}", money("stake"), "BillingCurrency").fill_null("unknown")
    return summed.rename({"newest_source": "source", "stake_month": "month", "ServiceName": "service"}).with_columns(
        pl.format("its cost in {}: {}", month("month"), known).alias("told_cost"), pl.col("recent") & pl.col("paid")
    )


def only(name: str, where: pl.Expr) -> pl.Expr:
    """The one somebody among the values; `shared` where there are several, `unallocated` where there is none."""
    # A choice row by row costs a fifth of a filter within each group.
    somebody = pl.when(where & ~pl.col(name).is_in(NOBODY)).then(pl.col(name))
    least, most = somebody.min(), somebody.max()
    return (
        pl.when(least.is_null())
        .then(pl.lit(UNALLOCATED))
        .when(least == most)
        .then(least)
        .otherwise(pl.lit(SHARED))
        .alias(name)
    )
