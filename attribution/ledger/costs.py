"""Costs kept: the whole star replaced in one transaction, and what it changed in months kept before.

Everything is replaced each time, for rules may change any line; the revision of a month is told by
comparing sums by dimension before and after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.connection import replace
from attribution.ledger.views import dimensions_kept, query_file
from schemas.costs import COST_COLUMNS, SUBJECT_COLUMNS, allocation_columns
from schemas.money import COSTS, MONEY

if TYPE_CHECKING:
    import duckdb

# How these tables look while nothing is kept; afterwards they have the shape of the frames.
_LINEAGE: dict[str, pl.DataType] = {
    "split": pl.String(),
    "subject_id": pl.Int64(),
    "usage_date": pl.Date(),
    "pool_allocation_id": pl.Int32(),
    "negation_allocation_id": pl.Int32(),
    "receiver_allocation_id": pl.Int32(),
    "position": pl.Int32(),
    "weight": pl.String(),
    "total_weight": pl.String(),
    **dict.fromkeys(COSTS, MONEY),
}
_POOLED: dict[str, pl.DataType] = {
    "split": pl.String(),
    "subject_id": pl.Int64(),
    "usage_date": pl.Date(),
    "allocation_id": pl.Int32(),
    "pool_subject_id": pl.Int64(),
}


def keep(
    con: duckdb.DuckDBPyConnection,
    costs: pl.DataFrame,
    subjects: pl.DataFrame,
    allocations: pl.DataFrame,
    lineage: pl.DataFrame,
    *,
    pooled: pl.DataFrame | None,
    run: int,
) -> None:
    """Replace all kept costs; the caller wraps this in a transaction and lays the views after it.

    Args:
        con: the ledger.
        costs: COST_COLUMNS.
        subjects: SUBJECT_COLUMNS, `cost_element`, `elasticity`, and any columns beyond.
        allocations: allocation_columns of the dimensions.
        lineage: one row a pool and receiver of a split: weights and the pool's amounts.
        pooled: which cost rows each pool was summed from; None where nothing was split.
        run: number of the run.
    """
    old = dimensions_kept(con)
    con.execute(f"CREATE OR REPLACE TEMP TABLE months_before AS {query_file('dimension_months', old)}")
    replace(con, "subjects", subjects)
    replace(con, "allocations", allocations)
    replace(con, "split_lineage", lineage)
    replace(con, "split_pools", pl.DataFrame(schema=_POOLED) if pooled is None else pooled)
    replace(con, "cost_facts", costs.select(*COST_COLUMNS))
    new = dimensions_kept(con)
    con.execute(f"CREATE OR REPLACE TEMP TABLE months_after AS {query_file('dimension_months', new)}")
    con.execute(query_file("restate", ()), {"run": run, "dimensions": [name for name in old if name in new]})
    con.execute("DROP TABLE months_before; DROP TABLE months_after")
    con.execute("INSERT INTO book.costs_kept SELECT run, as_of FROM book.runs WHERE run = $run", {"run": run})


def empty_shapes(dimensions: tuple[str, ...]) -> dict[str, pl.DataFrame]:
    """Tables that take their shape from frames, as they are before anything was kept."""
    text = dict.fromkeys(("cost_element", "elasticity"), pl.String())
    return {
        "subjects": pl.DataFrame(schema={**SUBJECT_COLUMNS, **text}),
        "allocations": pl.DataFrame(schema=allocation_columns(dimensions)),
        "split_lineage": pl.DataFrame(schema=_LINEAGE),
        "split_pools": pl.DataFrame(schema=_POOLED),
    }
