"""What `attribution rejects` lists: refused values of the published file, each or counted."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from flows.questions import ask
from schemas.faults import Fault, InputError, suggest


def list_rejects(store: Path, source: str | None, *, held_back: bool) -> pl.DataFrame:
    """One row a refused value, with its delivery and the text of its row.

    Args:
        store: where the published file lies.
        source: only of this source or input.
        held_back: of deliveries that are held back, instead of those that count.

    Raises:
        InputError: nothing was refused of a source of that name.
    """
    rows = ask(
        store,
        """
        SELECT source, file, line, "column", "check", value, outcome, delivery, raw
        FROM rejected_rows WHERE state = ? ORDER BY source, file, line, "column"
        """,
        ("held back" if held_back else "counts",),
    )
    if source is None:
        return rows
    known = (
        ask(store, "SELECT source FROM bills UNION SELECT source FROM rejected_rows ORDER BY 1").to_series().to_list()
    )
    if source not in known:
        raise InputError(Fault("--source", f'nothing of a source "{source}"', ", ".join(known), suggest(source, known)))
    return rows.filter(pl.col("source") == source)


def count_rejects(rows: pl.DataFrame, by: str | None) -> pl.DataFrame:
    """How many values were refused, with the first of each as an example.

    Args:
        rows: from `list_rejects`.
        by: one column; None counts by source, file, column, check and outcome.
    """
    keys = ["source", "file", "column", "check", "outcome"] if by is None else [by]
    first = [pl.col("line").first().alias("first_line"), pl.col("value").first().alias("first_value")]
    if by is not None:
        first = [pl.struct("file", "line").n_unique().alias("rows"), pl.col("file").first().alias("first_file"), *first]
    counted = rows.group_by(keys).agg(pl.len().alias("refused"), *first)
    if by is None:
        return counted.sort(keys)
    return counted.sort("refused", by, descending=[True, False])
