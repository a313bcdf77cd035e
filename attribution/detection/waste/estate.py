"""All that is known of what a company runs, laid out once for every detector: billed, listed, measured.

The surprise: the owner is the one of the last days billed, so that a machine handed over is its new owner's matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec

import polars as pl

from attribution.detection.waste.billed import billed_things, marks_of
from attribution.detection.waste.inputs import WasteInputs
from attribution.detection.waste.kinds import DELETED, folded_word
from attribution.detection.waste.meters import with_families
from schemas.dimensions import UNALLOCATED
from schemas.resource_ids import folded
from schemas.workspace import Waste

_Asked = ParamSpec("_Asked")


class Estate:
    """One run's frames; each is made when it is first asked for, and never again."""

    def __init__(self, inputs: WasteInputs, silent_days: int = Waste.silent_days) -> None:
        """Keep the inputs; nothing is computed yet. What was billed last `silent_days` ago is over; see `silence`."""
        self.inputs = inputs
        self.silent_days = silent_days
        self.made: dict[Any, pl.LazyFrame] = {}
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

    def in_last(self, days: pl.Expr, moment: str) -> pl.Expr:
        """Whether an instant lies in the days before the run's clock; one that is yet to come does not."""
        return self.age_days(moment).is_between(0, days, closed="left").fill_null(value=False)

    def days_since(self, day: str) -> pl.Expr:
        """Whole days from a date to the run's clock."""
        return (pl.lit(self.today) - pl.col(day)).dt.total_days()

    @cached_property
    def marks(self) -> pl.LazyFrame:
        """One source: `last_complete_month`, `first_mark` and `last_mark`, its first and last complete day."""
        return marks_of(self.inputs.watermarks)

    @cached_property
    def meters(self) -> pl.LazyFrame:
        """Metered costs of usage and all else, with `key`, `family`, `gpu`, `previous` and the marks of their source.

        `now` marks the last complete month and what came after it: the window that use is asked in.
        """
        return (
            with_families(self.inputs.costs.lazy())
            .join(self.marks, on="source")
            .with_columns(
                folded(pl.col("ResourceId")).alias("key"),
                (pl.col("month") >= pl.col("last_complete_month")).alias("now"),
            )
            .collect()
            .lazy()
        )

    @cached_property
    def billed(self) -> pl.LazyFrame:
        """One resource that was ever billed x currency; see `billed_things`.

        `recent` is false, too, where the inventory says that it is deleted: billed_after_deletion alone speaks of it.
        """
        rows = self.with_dimensions(billed_things(self.meters, self.dimensions, self.silent_days))
        if self.inputs.resources is not None:
            deleted = self.listed.filter("gone").select("key", deleted=pl.lit(value=True))
            rows = rows.join(deleted, on="key", how="left").with_columns(pl.col("recent") & pl.col("deleted").is_null())
            rows = rows.drop("deleted")
        return rows.collect().lazy()

    @cached_property
    def used(self) -> pl.LazyFrame:
        """One resource x currency x family in the window `now`, and the meter's history.

        Of the window `days`, `something` (a line has a quantity or a cost above 0) and `untold` (a line has neither
        that nor a known quantity); `first` the first day ever billed, `gpu`.
        """
        now = pl.col("now")
        something = (pl.col("ConsumedQuantity") > 0).fill_null(value=False)
        something |= (pl.col("EffectiveCost") > 0).fill_null(value=False)
        return (
            self.meters.filter(
                pl.col("key").is_not_null() & pl.col("family").is_not_null() & (pl.col("ChargeCategory") == "Usage")
            )
            .group_by("key", "BillingCurrency", "family")
            .agg(
                (now & something).any().alias("something"),
                (now & ~something & pl.col("ConsumedQuantity").is_null()).any().alias("untold"),
                pl.col("days").filter(now).sum(),
                now.any().alias("seen"),
                pl.col("first_day").min().alias("first"),
                pl.col("last_day").max().alias("last"),
                pl.col("gpu").any(),
            )
            .collect()
            .lazy()
        )

    def using(self, rows: pl.LazyFrame, *families: str) -> pl.LazyFrame:
        """Add to rows with `key` and `BillingCurrency` whether they use some families: `uses`, null where unknown.

        A meter that is billed with a quantity or a cost is use, one that is not billed is none. Unknown is one that is
        billed without telling its quantity, and a line of the resource without a meter: it may be this one.
        """
        use = (
            self.used.filter(pl.col("family").is_in(families) & pl.col("seen"))
            .group_by("key", "BillingCurrency")
            .agg(pl.col("something").any(), pl.col("untold").any())
        )
        joined = rows.join(use, on=["key", "BillingCurrency"], how="left").join(self.unnamed, on="key", how="left")
        told, untold, unnamed = (pl.col(name).fill_null(value=False) for name in ("something", "untold", "unnamed"))
        uses = pl.when(told).then(pl.lit(value=True)).when(~untold & ~unnamed).then(pl.lit(value=False))
        return joined.with_columns(uses.alias("uses")).drop("something", "untold", "unnamed")

    @cached_property
    def unnamed(self) -> pl.LazyFrame:
        """Resources (`key`) of which the window has a line of usage without a meter: `unnamed`."""
        blank = pl.col("now") & pl.col("SkuMeter").is_null() & (pl.col("ChargeCategory") == "Usage")
        rows = self.meters.filter(blank & pl.col("key").is_not_null())
        return rows.select("key", pl.lit(value=True).alias("unnamed")).unique().collect().lazy()

    def metered(self, *families: str) -> pl.LazyFrame:
        """Resources x currency that some families bill in the window: columns of `billed`, `metered_days`, `gpu`."""
        rows = self.used.filter(pl.col("family").is_in(families) & pl.col("seen")).group_by("key", "BillingCurrency")
        days = rows.agg(
            pl.col("days").max().alias("metered_days"),
            pl.col("first").min().alias("metered_since"),
            pl.col("gpu").any(),
        )
        # Two meters of one thing may stand on the same days or follow each other; more than all days there are none.
        whole = (pl.col("last_mark") - pl.col("month")).dt.total_days() + 1
        return self.billed.join(days, on=["key", "BillingCurrency"]).with_columns(
            pl.min_horizontal("metered_days", whole).alias("metered_days")
        )

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


def once(
    make: Callable[Concatenate[Estate, _Asked], pl.LazyFrame],
) -> Callable[Concatenate[Estate, _Asked], pl.LazyFrame]:
    """Let a frame that several detectors ask for be computed when it is first asked for, and never again in a run."""

    @wraps(make)
    def kept(estate: Estate, /, *args: _Asked.args, **named: _Asked.kwargs) -> pl.LazyFrame:
        asked = (make, args, tuple(named.items()))
        if asked not in estate.made:
            estate.made[asked] = make(estate, *args, **named).collect().lazy()
        return estate.made[asked]

    return kept
