"""Costs kept: the whole star replaced in one transaction, and what it changed in months kept before.

Everything is replaced each time, for rules may change any line; the revision of a month is told by
comparing sums by dimension before and after. Subjects, long rows of text, stay a Parquet file beside the ledger
until they are published: DuckDB takes text in ten times more slowly than polars writes it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.connection import replace
from attribution.ledger.disk import WRITING, put_file, write_rows
from attribution.ledger.views import dimensions_kept, query_file, sql_text, view_query
from schemas.check import verify
from schemas.costs import (
    COST_COLUMNS,
    COST_SUBJECT_COLUMNS,
    LINEAGE_COLUMNS,
    POOLED_COLUMNS,
    Costs,
    CostSubjects,
    allocation_columns,
    allocations_schema,
)

if TYPE_CHECKING:
    import duckdb


SUBJECTS_FILES = "subjects-*.parquet"


def keep(
    con: duckdb.DuckDBPyConnection,
    costs: pl.DataFrame,
    subjects: pl.DataFrame,
    allocations: pl.DataFrame,
    lineage: pl.DataFrame,
    *,
    store: Path,
    pooled: pl.DataFrame | None,
    run: int,
) -> None:
    """Replace all kept costs; the caller wraps this in a transaction and lays the views after it.

    Args:
        con: the ledger.
        costs: COST_COLUMNS.
        subjects: COST_SUBJECT_COLUMNS and any columns beyond.
        allocations: allocation_columns of the dimensions.
        lineage: one row a pool and receiver of a split: weights and the pool's amounts.
        store: the folder that takes the subjects' file.
        pooled: which cost rows each pool was summed from; None where nothing was split.
        run: number of the run.

    Raises:
        LawBrokenError: a frame is not what its schema says; nothing is kept then.
    """
    _check(costs.select(*COST_COLUMNS), subjects, allocations)
    old = dimensions_kept(con)
    con.execute(f"CREATE OR REPLACE TEMP TABLE months_before AS {view_query('dimension_months', old)}")
    file = store / f"subjects-{run}.parquet"
    # polars packs text while DuckDB takes in numbers; each keeps one core busy.
    with ThreadPoolExecutor(1, "subjects") as beside:
        written = beside.submit(_write_subjects, subjects, file)
        replace(con, "allocations", allocations)
        replace(con, "split_lineage", lineage)
        replace(con, "split_pools", pl.DataFrame(schema=POOLED_COLUMNS) if pooled is None else pooled)
        replace(con, "cost_facts", costs.select(*COST_COLUMNS))
        written.result()
    lay_subjects(con, file)
    new = dimensions_kept(con)
    con.execute(f"CREATE OR REPLACE TEMP TABLE months_after AS {view_query('dimension_months', new)}")
    con.execute(query_file("restate", ()), {"run": run, "dimensions": [name for name in old if name in new]})
    con.execute("DROP TABLE months_before; DROP TABLE months_after")
    con.execute(
        "INSERT INTO book.costs_kept SELECT run, as_of, $file FROM book.runs WHERE run = $run",
        {"run": run, "file": file.name},
    )


def _write_subjects(subjects: pl.DataFrame, file: Path) -> None:
    unfinished = file.with_name(f"{file.name}{WRITING}")
    write_rows(subjects, unfinished)
    put_file(unfinished, file)


def kept_subjects(con: duckdb.DuckDBPyConnection, store: Path) -> Path | None:
    """The file of the subjects that costs speak of now; None before any costs were kept."""
    rows = con.execute("SELECT subjects_file FROM book.costs_kept ORDER BY run DESC LIMIT 1").fetchall()
    return store / rows[0][0] if rows else None


def lay_subjects(con: duckdb.DuckDBPyConnection, file: Path | None) -> None:
    """Let `book.subjects` read a file, or nothing where there is none."""
    source = "book.no_subjects" if file is None else f"read_parquet({sql_text(str(file))})"
    con.execute(f"CREATE OR REPLACE VIEW book.subjects AS SELECT * FROM {source}")  # noqa: S608 - our own file


def _check(costs: pl.DataFrame, subjects: pl.DataFrame, allocations: pl.DataFrame) -> None:
    dimensions = tuple(name for name in allocations.columns if f"{name}_method" in allocations.columns)
    verify(costs, Costs, "costs to keep")
    verify(subjects, CostSubjects, "subjects to keep")
    verify(allocations, allocations_schema(dimensions), "allocations to keep")


def empty_shapes(dimensions: tuple[str, ...]) -> dict[str, pl.DataFrame]:
    """Tables that take their shape from frames, as they are before anything was kept."""
    return {
        "no_subjects": pl.DataFrame(schema=COST_SUBJECT_COLUMNS),
        "allocations": pl.DataFrame(schema=allocation_columns(dimensions)),
        "split_lineage": pl.DataFrame(schema=LINEAGE_COLUMNS),
        "split_pools": pl.DataFrame(schema=POOLED_COLUMNS),
    }
