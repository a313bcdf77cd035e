"""All that is known of what a company runs, laid out once for every detector: billed, listed, measured.

The surprise: the owner is the one of the last days billed, so that a machine handed over is its new owner's matter.
"""

from __future__ import annotations

from functools import cached_property

import polars as pl

from attribution.detection.waste.billed import billed_things, marks_of
from attribution.detection.waste.inputs import WasteInputs
from attribution.detection.waste.kinds import DELETED, folded_word
from schemas.dimensions import UNALLOCATED
from schemas.resource_ids import folded


class Estate:
    """One run's frames; each is made when it is first asked for, and never again."""

    def __init__(self, inputs: WasteInputs) -> None:
        """Keep the inputs; nothing is computed yet."""
        self.inputs = inputs
        self.as_of = inputs.as_of
        self.today = inputs.as_of.date()
        self.dimensions = inputs.dimensions

    def has(self, need: str) -> bool:
        """Whether an input (`resources`) is there, and a column of it (`resources.state`) holds any value."""
        name, _, column = need.partition(".")
        frame: pl.DataFrame | None = getattr(self.inputs, name)
        if frame is None or not column:
            return frame is not None
        return column in frame.columns and frame.get_column(column).count() > 0

    def age_days(self, moment: str) -> pl.Expr:
        """Days, with their fraction, from an instant to the run's clock."""
        return (pl.lit(self.as_of) - pl.col(moment)).dt.total_microseconds() / 86_400_000_000

    def days_since(self, day: str) -> pl.Expr:
        """Whole days from a date to the run's clock."""
        return (pl.lit(self.today) - pl.col(day)).dt.total_days()

    @cached_property
    def marks(self) -> pl.LazyFrame:
        """One source: `last_complete_month`, `first_mark` and `last_mark`, its first and last complete day."""
        return marks_of(self.inputs.watermarks)

    @cached_property
    def meters(self) -> pl.LazyFrame:
        """Metered costs with `key` and the marks of their source."""
        return (
            self.inputs.costs.lazy()
            .join(self.marks, on="source")
            .with_columns(folded(pl.col("ResourceId")).alias("key"))
            .collect()
            .lazy()
        )

    @cached_property
    def billed(self) -> pl.LazyFrame:
        """One resource that was ever billed x currency; see `billed_things`."""
        return billed_things(self.meters, self.dimensions).collect().lazy()

    @cached_property
    def listed(self) -> pl.LazyFrame:
        """One resource of the inventory (its last row), with `key`, `parent`, `sort_of`, `condition` and `gone`."""
        resources = self.inputs.resources
        if resources is None:
            message = "a detector that needs the inventory was run without one"
            raise TypeError(message)
        condition = folded_word("state").fill_null("")
        return (
            resources.lazy()
            .with_columns(
                folded(pl.col("resource_id")).alias("key"),
                folded(pl.col("attached_to")).alias("parent"),
                folded_word("resource_type").alias("sort_of"),
                condition.alias("condition"),
                (condition.is_in(DELETED) | (pl.col("deleted_at") <= self.as_of).fill_null(value=False)).alias("gone"),
            )
            .unique("key", keep="last", maintain_order=True)
            .collect()
            .lazy()
        )

    @cached_property
    def things(self) -> pl.LazyFrame:
        """Every listed resource x currency it is billed in, with all columns of `listed` and `billed`.

        One that no bill names has one row: no currency, no cost, nobody's.
        """
        joined = self.listed.join(self.billed, on="key", how="left").with_columns(
            pl.col("subject").fill_null(pl.col("resource_id")),
            pl.col("told_cost").fill_null("no bill names it"),
        )
        return self.with_dimensions(joined).collect().lazy()

    def with_dimensions(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Every dimension has a column, and a value in every row."""
        there = rows.collect_schema().names()
        return rows.with_columns(
            pl.col(name).fill_null(UNALLOCATED) if name in there else pl.lit(UNALLOCATED).alias(name)
            for name in self.dimensions
        )
