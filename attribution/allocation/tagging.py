"""Tags: from what people wrote to one answer a field. A field is a dimension, or a tag that a condition asks.

The surprise: two values for one key are no answer by luck but the value `(tag conflict)`.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from attribution.allocation.answers import CONFLICT, Answers
from attribution.allocation.timeline import EVER, FOREVER, laid, spans_between
from attribution.rules import TAG, RuleBook
from schemas.dimensions import fold
from schemas.tagsets import tag_pairs

SLOT_COLUMNS: dict[str, pl.DataType] = {
    "slot": pl.Int32(),
    "field": pl.String(),
    "folded": pl.String(),
    "label": pl.String(),
    "rank": pl.Int32(),
}


@dataclass(frozen=True)
class Slots:
    """Which tag keys answer which field, in order of trust; and the numbers of their voices."""

    table: pl.DataFrame
    book: RuleBook

    @property
    def fields(self) -> list[str]:
        """Fields that have a key at all."""
        return self.table.get_column("field").unique(maintain_order=True).to_list()


def slots(book: RuleBook, tag_keys: tuple[str, ...] = ()) -> Slots:
    """The keys of every dimension, and those that conditions ask, each as a field `tag:<key>` of its own."""
    rows: list[tuple[str, str, str, int]] = []
    for dimension in book.dimensions.values():
        rows += [(dimension.name, fold(tag), f"{TAG}{tag}", rank) for rank, tag in enumerate(dimension.tags)]
    rows += [(f"{TAG}{key}", fold(key), f"{TAG}{key}", 0) for key in tag_keys]
    table = pl.DataFrame([(slot, *row) for slot, row in enumerate(rows)], schema=SLOT_COLUMNS, orient="row")
    return Slots(table, book)


def slotted(pairs: pl.DataFrame, where: Slots, answers: Answers) -> pl.DataFrame:
    """Put pairs (owner..., key, value) into their slots; other keys and blank values fall away.

    Returns:
        Owner columns with `slot` and `value_no`, the number of the canonical value; distinct rows.
    """
    pairs = pairs.filter(pl.col("value").str.contains(r"\S"))
    keys = pairs.select(pl.col("key").unique()).with_columns(
        pl.col("key").map_elements(fold, return_dtype=pl.String).alias("folded")
    )
    keys = keys.join(where.table.select("slot", "field", "folded"), on="folded").drop("folded")
    found = pairs.join(keys, on="key")
    written = found.select("field", "value").unique(maintain_order=False).sort("field", "value")
    numbers = [
        answers.value(
            where.book.dimensions[field].canonical(value) if field in where.book.dimensions else value.strip()
        )
        for field, value in written.iter_rows()
    ]
    written = written.with_columns(pl.Series("value_no", numbers, dtype=pl.Int64()))
    return found.join(written, on=["field", "value"]).drop("key", "value", "field").unique()


def settled(tags: pl.DataFrame, owner: list[str], where: Slots) -> pl.DataFrame:
    """One row an owner and field: the most trusted key that has a value, or the conflict inside it.

    Returns:
        Owner columns with `field`, `slot` and `value_no`.
    """
    value = pl.when(pl.col("value_no").min() == pl.col("value_no").max()).then(pl.col("value_no").min())
    one = tags.group_by(*owner, "slot").agg(value.otherwise(CONFLICT).alias("value_no"))
    return (
        one.join(where.table.select("slot", "field", "rank"), on="slot")
        .sort("rank")
        .unique(subset=[*owner, "field"], keep="first", maintain_order=True)
        .select(*owner, "field", "slot", "value_no")
    )


def bill_tags(tags: pl.Series, where: Slots, answers: Answers) -> pl.DataFrame:
    """The bill's own tags, slotted: rows (Tags, slot, value_no)."""
    return slotted(tag_pairs(tags), where, answers)


def csv_tags(tags: pl.DataFrame, numbers: pl.DataFrame, where: Slots, answers: Answers) -> pl.DataFrame:
    """The tag CSV as pieces of time that do not overlap.

    Args:
        tags: TAG_COLUMNS, repeated and contradicting rows allowed.
        numbers: (ResourceId, resource_no) of all resources that matter.
        where: the slots.
        answers: numbers of values.

    Returns:
        Rows (resource_no, start, end, field, slot, value_no), [start, end) partitioning what is tagged.
    """
    tags = tags.join(numbers, left_on="resource_id", right_on="ResourceId").select(
        "resource_no",
        pl.col("valid_from").fill_null(EVER).alias("start"),
        pl.col("valid_to").fill_null(FOREVER).alias("end"),
        "key",
        "value",
    )
    rows = slotted(tags, where, answers)
    bounds = pl.concat([rows.select("resource_no", pl.col(name).alias("start")) for name in ("start", "end")])
    spans = spans_between(bounds)
    return settled(laid(rows, spans), ["resource_no", "start", "end"], where)
