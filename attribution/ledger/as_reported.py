"""What is kept of costs while months are closed: their own rows in place of what was computed, and the difference."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.closing import FOLDER, Star, closed_months, read_rows, sums_by_bill
from attribution.ledger.connection import RESTORE, frame
from attribution.ledger.views import dimensions_among
from schemas.dimensions import UNALLOCATED
from schemas.faults import Fault, InputError
from schemas.money import MONEY, known_sum

if TYPE_CHECKING:
    import duckdb

_TOLD = ("EffectiveCost", "BilledCost")


def as_reported(con: duckdb.DuckDBPyConnection, store: Path, computed: Star) -> tuple[Star, pl.DataFrame]:
    """Put the rows of closed months in the place of those computed for them.

    Args:
        con: the ledger.
        store: where the rows of closed months lie.
        computed: what this run made of all months.

    Returns:
        What is to be kept; and of closed months what differs from it by dimension value: the columns of
        `pending_restatements` but `cause`.

    Raises:
        InputError: the rows of a closed month are gone, or do not sum to what was closed.
    """
    closed = closed_months(con)
    if not closed:
        return computed, pl.DataFrame()
    frozen = [_checked(con, store / FOLDER / str(closing), closing) for closing in closed.values()]
    frozen = [replace(one, allocations=_shaped(one.allocations, computed.allocations)) for one in frozen]
    mine = computed.subjects.filter(pl.col("billing_month").is_in(list(closed)))
    is_closed = pl.col("subject_id").is_in(mine.get_column("subject_id").implode())
    kept = {
        name: pl.concat(
            [rows if name == "allocations" else rows.filter(~is_closed), *(getattr(one, name) for one in frozen)],
            how="diagonal",
        )
        for name, rows in ((one.name, getattr(computed, one.name)) for one in fields(Star))
    }
    dimensions = dimensions_among(computed.allocations.columns)
    before = pl.concat(_by_value(one, dimensions, "reported") for one in frozen)
    after = replace(computed, costs=computed.costs.filter(is_closed), subjects=mine)
    return Star(**kept), _differences(before, _by_value(after, dimensions, "computed"))


def _checked(con: duckdb.DuckDBPyConnection, folder: Path, closing: int) -> Star:
    """The rows of a closing, once it is known that they sum to what was closed."""
    star = read_rows(folder)
    noted = frame(
        con,
        "SELECT * EXCLUDE (closing) FROM book.closed_sums WHERE closing = ? ORDER BY bill_no, BillingCurrency",
        [closing],
    )
    if noted.rows() != sums_by_bill(star).select(noted.columns).rows():
        what = "the rows of a closed month do not sum to what was closed"
        raise InputError(Fault(str(folder), what, hint=RESTORE))
    return star


def _shaped(allocations: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    """Allocations with the dimensions of today: one that is new was nobody's then."""
    absent = {name: pl.lit(None, pl.String) for name in like.columns if name not in allocations.columns}
    absent |= {
        name: pl.lit(UNALLOCATED) for name in absent if f"{name}_method" in like.columns or name.endswith("_method")
    }
    return allocations.with_columns(**absent).select(like.columns)


def _by_value(star: Star, dimensions: Collection[str], side: str) -> pl.DataFrame:
    """Rows (billing_month, dimension, value, BillingCurrency, <side>_EffectiveCost, <side>_BilledCost)."""
    summed = (
        star.costs.join(star.subjects.select("subject_id", "billing_month", "BillingCurrency"), on="subject_id")
        .group_by("billing_month", "BillingCurrency", "allocation_id")
        .agg(known_sum(name) for name in _TOLD)
        .join(star.allocations.select("allocation_id", *dimensions), on="allocation_id")
    )
    key = ["billing_month", "dimension", "value", "BillingCurrency"]
    return (
        summed.unpivot(
            on=list(dimensions),
            index=["billing_month", "BillingCurrency", *_TOLD],
            variable_name="dimension",
        )
        .group_by(key)
        .agg(known_sum(name).alias(f"{side}_{name}") for name in _TOLD)
        .with_columns(pl.lit(value=True).alias(f"{side}_is_there"))
    )


def _differences(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Values whose costs differ; one that is not there at all costs nothing there, while unknown stays unknown."""
    key = ["billing_month", "dimension", "value", "BillingCurrency"]
    both = before.join(after, on=key, how="full", coalesce=True)
    sides = [(side, f"{side}_{cost}") for cost in _TOLD for side in ("reported", "computed")]
    filled = both.with_columns(
        pl.when(pl.col(f"{side}_is_there").is_null()).then(pl.lit(0).cast(MONEY)).otherwise(name).alias(name)
        for side, name in sides
    )
    names = [name for _, name in sides]
    apart = pl.any_horizontal(pl.col(f"reported_{cost}").ne_missing(pl.col(f"computed_{cost}")) for cost in _TOLD)
    return filled.filter(apart).select(*key, *names).sort(key)
