"""Snapshots, what they were taken of, and who still needs them: an image, or a backup tool.

The surprise: images in every state count as users, for a disabled one still holds its snapshots.
"""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from attribution.detection.waste.detector import NO
from attribution.detection.waste.estate import Estate, once
from attribution.detection.waste.kinds import DATABASES, IMAGES, SNAPSHOTS, VOLUMES
from attribution.detection.waste.standing import standing
from schemas.resource_ids import folded

_RECENT = timedelta(days=31)
_ORIGIN = pl.col("source_id").fill_null(pl.col("attached_to"))


@once
def snapshots(estate: Estate) -> pl.LazyFrame:
    """Billed snapshots.

    Returns:
        Rows of `standing` with `origin` (what it was taken of), `taken` and `snapshot_age` in days, `newest` (when
        the newest of that origin was taken, billed or not), `spared` (an
        image or a backup tool needs it), `source_listed`, and `source_gone`: deleted, or in neither inventory nor
        the bills of the last month; null where nothing tells.
    """
    listed = estate.listed
    rows = standing(estate, SNAPSHOTS).with_columns(
        _ORIGIN.alias("origin"),
        folded(_ORIGIN).alias("origin_key"),
        folded(pl.col("image_id")).alias("image_key"),
        pl.col("created_at").alias("taken"),
        estate.age_days("created_at").alias("snapshot_age"),
    )
    sources = listed.select(origin_key="key", gone_source="gone")
    alive = (
        estate.billed.filter(pl.col("last_day") > estate.today - _RECENT)
        .select(origin_key="key", alive=pl.lit(value=True))
        .unique()
    )
    images = listed.filter(pl.col("sort_of").is_in(IMAGES) & ~pl.col("gone"))
    by_image = images.select(image_key="key", held=pl.lit(value=True))
    of_image = images.select(key=folded(pl.col("source_id")), backs=pl.lit(value=True)).drop_nulls().unique()
    kinds = listed.select(pl.col("sort_of").is_in(VOLUMES | DATABASES).any()).collect().item()
    gone = (
        pl.when(pl.col("gone_source").is_not_null())
        .then("gone_source")
        .when(pl.col("alive").is_not_null())
        .then(NO)
        .otherwise(pl.lit(True if kinds else None, pl.Boolean))
    )
    needed = pl.any_horizontal(pl.col("held", "backs").fill_null(value=False)) | pl.col("managed_by").is_not_null()
    return (
        rows.join(sources, on="origin_key", how="left")
        .join(_newest(listed), on="origin_key", how="left")
        .join(alive, on="origin_key", how="left")
        .join(by_image, on="image_key", how="left")
        .join(of_image, on="key", how="left")
        .with_columns(
            needed.alias("spared"),
            pl.col("gone_source").is_not_null().alias("source_listed"),
            pl.when(pl.col("origin").is_not_null()).then(gone).alias("source_gone"),
        )
    )


def _newest(listed: pl.LazyFrame) -> pl.LazyFrame:
    """One origin: when its newest snapshot was taken, billed or not."""
    return (
        listed.filter(pl.col("sort_of").is_in(SNAPSHOTS) & ~pl.col("gone"))
        .group_by(folded(_ORIGIN).alias("origin_key"))
        .agg(pl.col("created_at").max().alias("newest"))
    )
