"""Costs kept: the whole star replaced in one transaction, and what it changed in months kept before.

Everything is replaced each time, for rules may change any line; the revision of a month is told by
comparing sums by dimension before and after. Subjects, long rows of text, stay a Parquet file beside the ledger
until they are published: DuckDB takes text in ten times more slowly than polars writes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.as_reported import as_reported
from attribution.ledger.causes import causes
from attribution.ledger.closing import Star
from attribution.ledger.connection import append, registered
from attribution.ledger.connection import replace as replace_table
from attribution.ledger.disk import WRITING, put_file, write_rows
from attribution.ledger.views import dimensions_among, dimensions_kept, query_file, sql_text, view_query
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
RULES_VERSION = "rules_version"


def keep(con: duckdb.DuckDBPyConnection, store: Path, made: Star, run: int, inputs: Mapping[str, str]) -> None:
    """Replace all kept costs but those of closed months; the caller wraps this in a transaction, then lays the views.

    Args:
        con: the ledger.
        store: the folder that takes the subjects' file.
        made: what the run made of all months, its allocations without a rule set's version.
        run: number of the run.
        inputs: what the costs were made from besides bills and rules: a name and a digest each.

    Raises:
        InputError: the rows of a closed month are gone.
        LawBrokenError: a frame is not what its schema says; nothing is kept then.
    """
    _check(made.costs.select(*COST_COLUMNS), made.subjects, made.allocations)
    old = dimensions_kept(con)
    made = replace(made, allocations=_with_version(con, made.allocations, run))
    star, pending = as_reported(con, store, made)
    con.execute(f"CREATE OR REPLACE TEMP TABLE months_before AS {view_query('dimension_months', old)}")
    file = store / f"subjects-{run}.parquet"
    # polars packs text while DuckDB takes in numbers; each keeps one core busy.
    with ThreadPoolExecutor(1, "subjects") as beside:
        written = beside.submit(_write_subjects, star.subjects, file)
        replace_table(con, "allocations", star.allocations)
        replace_table(con, "split_lineage", star.lineage)
        replace_table(con, "split_pools", star.pooled)
        replace_table(con, "job_shares", star.job_shares)
        replace_table(con, "cost_facts", star.costs.select(*COST_COLUMNS))
        written.result()
    lay_subjects(con, file)
    new = dimensions_kept(con)
    con.execute(f"CREATE OR REPLACE TEMP TABLE months_after AS {view_query('dimension_months', new)}")
    same = [name for name in old if name in new]
    _note_changes(con, pending, run, same, lambda months: causes(con, store, months, run, inputs))
    con.execute("DROP TABLE months_before; DROP TABLE months_after")
    con.execute(
        "INSERT INTO book.costs_kept SELECT run, as_of, $file, $inputs FROM book.runs WHERE run = $run",
        {"run": run, "file": file.name, "inputs": json.dumps(dict(inputs), sort_keys=True)},
    )


def _with_version(con: duckdb.DuckDBPyConnection, allocations: pl.DataFrame, run: int) -> pl.DataFrame:
    """Allocations that name the rule set that made them: thousands of rows, where costs are millions."""
    ((version,),) = con.execute("SELECT versions ->> 'rules' FROM book.runs WHERE run = ?", [run]).fetchall()
    return allocations.with_columns(pl.lit(version, pl.String).alias(RULES_VERSION))


def _note_changes(
    con: duckdb.DuckDBPyConnection,
    pending: pl.DataFrame,
    run: int,
    dimensions: list[str],
    why: Callable[[Collection[date]], Mapping[date, str]],
) -> None:
    """Note what changed in months kept before, and what closed months hold back, each with what made it differ."""
    months = [month for (month,) in con.execute("SELECT DISTINCT billing_month FROM months_before").fetchall()]
    told = pl.DataFrame(
        list(why(months).items()), schema={"billing_month": pl.Date(), "cause": pl.String()}, orient="row"
    )
    with registered(con, causes=told):
        con.execute(query_file("restate", ()), {"run": run, "dimensions": dimensions})
    con.execute("DELETE FROM book.pending_restatements")
    if pending.height:
        append(con, "pending_restatements", pending.join(told, on="billing_month", how="left", validate="m:1"))


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
    verify(costs, Costs, "costs to keep")
    verify(subjects, CostSubjects, "subjects to keep")
    verify(allocations, allocations_schema(dimensions_among(allocations.columns)), "allocations to keep")


def empty_shapes(dimensions: tuple[str, ...]) -> dict[str, pl.DataFrame]:
    """Tables that take their shape from frames, as they are before anything was kept."""
    return {
        "no_subjects": pl.DataFrame(schema=COST_SUBJECT_COLUMNS),
        "allocations": pl.DataFrame(schema={**allocation_columns(dimensions), RULES_VERSION: pl.String()}),
        "split_lineage": pl.DataFrame(schema=LINEAGE_COLUMNS),
        "split_pools": pl.DataFrame(schema=POOLED_COLUMNS),
    }
