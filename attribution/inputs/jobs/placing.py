"""Which resource a node is: lists of jobs may write its name, bills and inventories its id."""

from __future__ import annotations

import polars as pl


def placed(rows: pl.DataFrame, resources: pl.DataFrame) -> pl.DataFrame:
    """Rows with `resource_id` as the inventory has it, where that is an id or the name of exactly one resource.

    Args:
        rows: jobs, pods or states of nodes.
        resources: RESOURCE_COLUMNS.
    """
    ids = resources.get_column("resource_id")
    named = resources.select("resource_id", "name").drop_nulls().unique("name", keep="none")
    named = named.filter(~pl.col("name").is_in(ids.implode()))
    if rows.is_empty() or named.is_empty():
        return rows
    one = pl.col("resource_id").replace(named.get_column("name"), named.get_column("resource_id"))
    return rows.with_columns(one)
