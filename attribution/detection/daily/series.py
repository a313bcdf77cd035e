"""Daily costs as series: each subject on every day from its first to the last that is complete, exact and as a number.

The surprise: a day without a charge cost nothing and is a day like any other; a day with a charge of unknown cost is
unknown, and is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

import polars as pl

from attribution.detection.sums import COLUMN_OF, PLACES, UNKNOWN_VALUE, USAGE
from schemas.detection import Watermark
from schemas.dimensions import IDLE, SHARED, TAG_CONFLICT
from schemas.workspace import OWN_COSTS

LONG_COLUMNS: tuple[str, ...] = ("source", "ServiceName", "SkuId")
"""What names usage that is billed for longer than a day at once."""

HISTORY = 400
"""Days of a series that are looked at."""

_SILENT = (SHARED, IDLE, TAG_CONFLICT)
_RECENT = 28  # a source without a charge in a series for so many days no longer holds up its end


def usage_by_day(daily: pl.DataFrame, watermarks: Mapping[str, Watermark], long: pl.DataFrame) -> pl.DataFrame:
    """Usage of complete days, without what is billed for longer than a day at once.

    Args:
        daily: attributed daily costs, columns of `schemas.detection.daily_columns`.
        watermarks: each source's last complete day.
        long: LONG_COLUMNS of usage that is billed for longer than a day.

    Returns:
        The rows that series are made of; own costs, which come by the month, are not among them.
    """
    ends = pl.DataFrame(
        {"source": list(watermarks), "last_day": [mark.last_day for mark in watermarks.values()]},
        schema={"source": pl.String(), "last_day": pl.Date()},
    )
    newest = max((mark.last_day for mark in watermarks.values()), default=None)
    if newest is None:
        return daily.clear().with_columns(pl.lit(None, pl.Date()).alias("last_day"))
    return (
        daily.filter(pl.col("ChargeCategory") == USAGE, pl.col("source") != OWN_COSTS)
        .filter(pl.col("usage_date") > newest - timedelta(days=HISTORY))
        .join(ends, on="source")
        .filter(pl.col("usage_date") <= pl.col("last_day"))
        .join(long, on=list(LONG_COLUMNS), how="anti", nulls_equal=True)
        .with_columns(pl.col(name).fill_null(UNKNOWN_VALUE) for name in PLACES if name in daily.columns)
    )


def daily_series(usage: pl.DataFrame, subjects: Sequence[tuple[str, ...]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lay out every subject's days.

    Args:
        usage: what `usage_by_day` made.
        subjects: columns that make a subject together.

    Returns:
        `series`, `kind`, `subject`, `BillingCurrency`, `values` of each series; and its days: `series`, `usage_date`,
        `cost` (exact; null unknown), `amount` (the same as a number), sorted, each day once.
    """
    names, days = [], []
    count = 0
    for subject in subjects:
        keys = [COLUMN_OF.get(name, name) for name in subject]
        found = usage.filter(~pl.any_horizontal(pl.col(keys).is_in(_SILENT)))
        by = [*keys, "BillingCurrency"]
        mine = (
            found.group_by(by)
            .agg(pl.col("usage_date").min().alias("first"), _end().alias("end"))
            .sort(by)
            .with_row_index("series", offset=count)
            .with_columns(pl.col("series").cast(pl.Int32))
        )
        count += mine.height
        costs = (
            found.group_by([*by, "usage_date"])
            .agg(
                pl.when(pl.col("EffectiveCost").null_count() == 0).then(pl.col("EffectiveCost").sum()).alias("cost"),
                pl.lit(value=True).alias("there"),
            )
            .join(mine.select("series", *by), on=by)
            .select("series", "usage_date", "cost", "there")
        )
        grid = mine.select("series", pl.date_ranges("first", "end").alias("usage_date")).explode("usage_date")
        days.append(grid.join(costs, on=["series", "usage_date"], how="left", maintain_order="left"))
        named = pl.concat_str(
            [pl.format(f"{name}={{}}", key) for name, key in zip(subject, keys, strict=True)], separator=" "
        )
        names.append(
            mine.select(
                "series", pl.lit(" x ".join(subject)).alias("kind"), named.alias("subject"), "BillingCurrency",
                pl.concat_list(keys).alias("values"),
            )
        )  # fmt: skip
    nothing = pl.lit(0).cast(usage.schema["EffectiveCost"])
    laid = pl.concat(days).with_columns(
        pl.when(pl.col("there").is_null()).then(nothing).otherwise("cost").alias("cost")
    )
    return pl.concat(names), laid.drop("there").with_columns(pl.col("cost").cast(pl.Float64).alias("amount"))


def _end() -> pl.Expr:
    """The last day up to which all sources are complete that a series still has cost of."""
    recent = pl.col("usage_date") > pl.col("last_day").max() - pl.duration(days=_RECENT)
    return pl.col("last_day").filter(recent).min().fill_null(pl.col("last_day").max())
