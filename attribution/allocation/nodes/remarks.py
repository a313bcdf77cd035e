"""What should be known of nodes and jobs that do not fit together: each a notice, and a finding later on."""

from __future__ import annotations

import polars as pl

from attribution.allocation.nodes.hours import gpu_hours
from attribution.allocation.nodes.uses import Uses
from attribution.allocation.pools import Standing
from attribution.rules import Split
from schemas.detection import NOTICE_COLUMNS
from schemas.money import known_sum
from schemas.words_by_row import each_counted, plain

_NODE_HOUR = ("resource_id", "hour")


def remarks(split: Split, uses: Uses, cells: pl.DataFrame, standing: Standing) -> pl.DataFrame:
    """NOTICE_COLUMNS.

    Args:
        split: by jobs.
        uses: who used which hours.
        cells: the billed hours that were divided, with `subject_row`.
        standing: names subjects, currencies and sources.
    """
    subjects = standing.subjects
    placed = cells.with_columns(
        subjects.get_column(name).gather(cells.get_column("subject_row"))
        for name in ("BillingCurrency", "source", "BillingAccountId")
    )
    found = [
        _without_bill(uses.unbilled, cells, subjects.get_column("ResourceId")),
        _without_jobs(split, uses.rows, placed),
        _unknown_size(uses.capacity),
        _overbooked(uses),
        _claimed_twice(placed),
    ]
    return pl.concat(
        one.select(pl.col(name).cast(dtype) if name in one.columns else pl.lit(None, dtype).alias(name)
                   for name, dtype in NOTICE_COLUMNS.items())
        for one in found
    ).unique(maintain_order=True)  # fmt: skip


def _without_bill(unbilled: pl.DataFrame, cells: pl.DataFrame, billed: pl.Series) -> pl.DataFrame:
    """Jobs in hours that nobody billed, of nodes divided here and of nodes that no bill knows."""
    first, last = (cells.select(pl.col("since").min(), pl.col("until").max()).row(0)) if cells.height else (None, None)
    here = pl.col("resource_id").is_in(cells.get_column("resource_id").unique().implode())
    known = pl.col("resource_id").is_in(billed.drop_nulls().unique().implode())
    lost = unbilled.filter(
        here | ~known,
        pl.lit(first is not None) & (pl.col("hour") >= pl.lit(first)) & (pl.col("hour") < pl.lit(last)),
    )
    seconds = (pl.col("until") - pl.col("since")).dt.total_seconds().cast(pl.Int128)
    sums = lost.group_by("resource_id").agg(
        pl.col("job_id").n_unique().alias("jobs"),
        gpu_hours((pl.col("units") * seconds // pl.col("per")).sum()).alias("hours"),
        pl.col("since").min().dt.strftime("%Y-%m-%d %H:%M").alias("first"),
        pl.col("until").max().dt.strftime("%Y-%m-%d %H:%M").alias("last"),
    )
    return sums.sort("resource_id").select(
        pl.lit("job_without_bill").alias("kind"),
        pl.col("resource_id").alias("subject"),
        pl.format(
            "{} had {} GPU-hours of it between {} and {}, for which no bill has a charge",
            each_counted("jobs", "job"), plain(pl.col("hours").round(2)), "first", "last",
        ).alias("sentence"),
    )  # fmt: skip


def _without_jobs(split: Split, rows: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Nodes that were billed in a month in which no job ran on them."""
    worked = rows.filter(pl.col("kind") == "job").select(_NODE_HOUR).unique().with_columns(pl.lit(1).alias("worked"))
    month = pl.col("usage_date").dt.truncate("1mo").alias("month")
    months = (
        placed.join(worked, on=_NODE_HOUR, how="left")
        .group_by("resource_id", month, "BillingCurrency")
        .agg(pl.col("worked").count(), known_sum("EffectiveCost"))
        .filter(pl.col("worked") == 0)
        .sort("resource_id", "month")
    )
    return months.select(
        pl.lit("node_without_jobs").alias("kind"),
        pl.col("resource_id").alias("subject"),
        pl.format(
            'it was billed in {} and no job ran on it; split "{}" leaves all of it idle',
            pl.col("month").dt.strftime("%Y-%m"), pl.lit(split.name),
        ).alias("sentence"),
        pl.col("EffectiveCost").alias("amount"),
        "BillingCurrency",
    )  # fmt: skip


def _unknown_size(capacity: pl.DataFrame) -> pl.DataFrame:
    guessed = capacity.filter(pl.col("said_by").eq_missing("jobs") | pl.col("gpus").is_null()).sort("resource_id")
    return guessed.select(
        pl.lit("node_size_unknown").alias("kind"),
        pl.col("resource_id").alias("subject"),
        pl.when(pl.col("gpus").is_null())
        .then(pl.lit("how many GPUs it has is said neither by inventory, bill nor type, and no job had any"))
        .otherwise(
            pl.format(
                "how many GPUs it has is said neither by inventory, bill nor type; {} are counted, the most that jobs "
                "had at once",
                plain(pl.col("gpus")),
            )
        )
        .alias("sentence"),
    )


def _overbooked(uses: Uses) -> pl.DataFrame:
    """Hours in which jobs had more than there is: they share, and one of two lists may be wrong."""
    if uses.rows.is_empty():
        return pl.DataFrame(schema=NOTICE_COLUMNS)
    hours = uses.rows.filter(pl.col("kind") == "job").group_by(_NODE_HOUR).agg(pl.col("weight").sum().alias("had"))
    most = (pl.col("gpus") * 3600 * 1e12).cast(pl.Int128)
    over = hours.join(uses.capacity, on="resource_id").filter(pl.col("had") > most)
    sums = over.group_by("resource_id", "gpus").agg(pl.len().alias("hours"), pl.col("hour").min().alias("first"))
    return sums.sort("resource_id").select(
        pl.lit("node_overbooked").alias("kind"),
        pl.col("resource_id").alias("subject"),
        pl.format(
            "in {}, first {}, jobs had more than its {}; each got its part of what they had together",
            each_counted("hours", "hour"), pl.col("first").dt.strftime("%Y-%m-%d %H:%M"), each_counted("gpus", "GPU"),
        ).alias("sentence"),
    )  # fmt: skip


def _claimed_twice(placed: pl.DataFrame) -> pl.DataFrame:
    """Nodes that two bills charge for the same hours."""
    account = pl.concat_str("source", "BillingAccountId", separator=" ")
    hours = placed.group_by(_NODE_HOUR).agg(account.unique().sort().alias("by"))
    twice = hours.filter(pl.col("by").list.len() > 1)
    sums = twice.group_by("resource_id").agg(pl.len().alias("hours"), pl.col("by").list.explode().unique().sort())
    return sums.sort("resource_id").select(
        pl.lit("node_in_two_bills").alias("kind"),
        pl.col("resource_id").alias("subject"),
        pl.format(
            "{} charge for it in the same {}; jobs carry all of it, and one may be a copy",
            pl.col("by").list.join(" and "), each_counted("hours", "hour"),
        ).alias("sentence"),
    )  # fmt: skip
