"""The register of tags, as detectors ask it: what is tagged on a day, by the keys that join it to bills."""

from __future__ import annotations

from datetime import date

import polars as pl

from attribution.detection.waste.estate import Estate, once
from attribution.detection.waste.kinds import folded_word
from schemas.resource_ids import folded


@once
def register(estate: Estate) -> pl.LazyFrame:
    """Tags with a value: `subject` (the id as written), its `key`, `tag`, the folded `word` of it, and `value`."""
    tags = estate.inputs.tags
    if tags is None:
        message = "a detector that needs tags was run without them"
        raise TypeError(message)
    return (
        tags.lazy()
        .rename({"key": "tag", "resource_id": "subject"})
        .filter(pl.col("value").str.strip_chars() != "")
        .with_columns(folded(pl.col("subject")).alias("key"), folded_word("tag").alias("word"))
    )


def in_force(on: pl.Expr) -> pl.Expr:
    """Whether a tag holds on a day."""
    return (pl.col("valid_from").fill_null(date.min) <= on) & (pl.col("valid_to").fill_null(date.max) > on)


def billed_with(estate: Estate, tags: pl.LazyFrame) -> pl.LazyFrame:
    """Billed resources that some rows of the register name: rows of `Estate.billed` with those of the tags."""
    return estate.with_dimensions(estate.billed).join(tags.drop("subject"), on="key")
