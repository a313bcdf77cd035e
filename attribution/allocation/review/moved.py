"""What a change of rules moves: the same charges under two rule books, to the last decimal."""

from __future__ import annotations

import polars as pl

from attribution.allocation.split import Divided
from schemas.dimensions import UNALLOCATED
from schemas.faults import LawBrokenError
from schemas.money import COSTS, known_sum

_KEY = ("dimension", "month", "BillingCurrency", "column")


def moved(before: Divided, after: Divided, dimensions: tuple[str, ...]) -> pl.DataFrame:
    """Compare what every value of every dimension carries.

    Args:
        before: costs under the old rules.
        after: costs of the same lines under the new ones.
        dimensions: those of both; one that a side does not have is `unallocated` there.

    Returns:
        One row a dimension, calendar month of usage, BillingCurrency, cost `column` and value that changed: `before`,
        `after`, `difference`. A value that is not there at all carries 0; what nobody knows stays null.

    Raises:
        LawBrokenError: what moved does not sum to zero.
    """
    both = [
        _sums(before, dimension, "before").join(
            _sums(after, dimension, "after"), on=[*_KEY, "value"], how="full", coalesce=True
        )
        for dimension in dimensions
    ]
    zero = pl.lit(0).cast(pl.Decimal(38, 12))
    found = pl.concat(both).with_columns(
        pl.when(pl.col(side).is_null() & pl.col(other).is_not_null()).then(zero).otherwise(side).alias(side)
        for side, other in (("before", "after"), ("after", "before"))
    )
    found = found.with_columns((pl.col("after") - pl.col("before")).alias("difference")).filter(
        pl.col("difference") != 0
    )
    left = found.group_by(_KEY).agg(pl.col("difference").sum()).filter(pl.col("difference") != 0)
    if left.height:
        message = f"what a change of rules moves does not sum to zero: {left.sort(_KEY).head(5).rows()}"
        raise LawBrokenError(message)
    largest = pl.col("difference").abs()
    return found.select(*_KEY, "value", "before", "after", "difference").sort(
        pl.col("dimension").replace_strict(dimensions, range(len(dimensions))),
        "month", "BillingCurrency", pl.col("column").replace_strict(COSTS, range(len(COSTS))), -largest, "value",
    )  # fmt: skip


def _sums(divided: Divided, dimension: str, name: str) -> pl.DataFrame:
    """One row a month, currency, value and cost column."""
    values = divided.allocations
    if dimension not in values.columns:
        values = values.with_columns(pl.lit(UNALLOCATED).alias(dimension))
    return (
        divided.costs.lazy()
        .group_by("subject_id", "allocation_id", pl.col("usage_date").dt.truncate("1mo").alias("month"))
        .agg(known_sum(column) for column in COSTS)
        .join(values.lazy().select("allocation_id", pl.col(dimension).alias("value")), on="allocation_id")
        .join(divided.subjects.lazy().select("subject_id", "BillingCurrency"), on="subject_id")
        .group_by("month", "BillingCurrency", "value")
        .agg(known_sum(column) for column in COSTS)
        .collect()
        .unpivot(on=COSTS, index=["month", "BillingCurrency", "value"], variable_name="column", value_name=name)
        .with_columns(pl.lit(dimension).alias("dimension"))
        .select(*_KEY, "value", name)
    )
