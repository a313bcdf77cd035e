"""Whose a job is: what its own columns say, then the run of its experiment. For pods, their labels say it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date

import polars as pl

from attribution.allocation.beside import Beside
from attribution.rules import Dimension, RuleBook, Take, taken
from schemas.dimensions import IDLE, TAG_CONFLICT, UNALLOCATED, fold
from schemas.inputs import USAGE_IDLE

NAMESPACE = "namespace"
FROM_RUNS = ("project", "stage", "owner")


def named_jobs(beside: Beside, book: RuleBook) -> pl.DataFrame:
    """Jobs and pods with their dimensions.

    Returns:
        The jobs' columns with `run_id`, then `of <dimension>` for each: its value, `unallocated` where nothing says.
    """
    jobs = beside.jobs
    jobs = jobs.with_columns(_said(jobs, takes, book.dimensions[name]) for name, takes in book.jobs.items())
    jobs = _with_runs(jobs, beside.runs, book)
    days = beside.pods.get_column("start").dt.date()
    pods = beside.pods.hstack(labelled(beside.pods, days, book.names, book.dimensions))
    both = pl.concat([jobs, pods], how="diagonal")
    return both.with_columns(pl.col(of(name)).fill_null(UNALLOCATED) for name in book.names)


def reserved_for(states: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """States with for whom a node is reserved, by the words of jobs: `of <dimension>`, `idle` where nothing says."""
    told = states.with_columns(_said(states, takes, book.dimensions[name]) for name, takes in book.jobs.items())
    return told.with_columns(pl.col(of(name)).fill_null(IDLE) for name in book.names)


def of(dimension: str) -> str:
    """The column of a job's value, which is not the column in which the list of jobs says it."""
    return f"of {dimension}"


def _said(jobs: pl.DataFrame, takes: tuple[Take, ...], dimension: Dimension) -> pl.Series:
    """The first of some columns that has a value, by the dimension's aliases."""
    columns = {fold(name): name for name in jobs.columns}
    days = jobs.get_column("start").dt.date()
    found = []
    for take in takes:
        if fold(take.column) in columns:
            texts = jobs.get_column(columns[fold(take.column)])
            distinct = texts.drop_nulls().unique()
            values = taken(take, distinct)
            said = texts.replace_strict(distinct, values, default=None, return_dtype=pl.String)
            found.append(_aliased(said, dimension, days))
    nothing = pl.repeat(None, jobs.height, dtype=pl.String, eager=True)
    return pl.select(pl.coalesce(*found, nothing)).to_series().alias(of(dimension.name))


def _aliased(values: pl.Series, dimension: Dimension, days: pl.Series) -> pl.Series:
    """Values by the aliases of their day; on an unknown day those hold that always do."""
    if not dimension.dated:
        return _spelled(values, dimension, None)
    at = pl.Series("edition", [dimension.edition(day) for day in days], dtype=pl.Date())
    asked = pl.DataFrame({"value": values}).with_columns(at).with_row_index("row")
    parts = []
    for edition in asked.get_column("edition").unique():
        mine = asked.filter(pl.col("edition").eq_missing(edition))
        parts.append(mine.select("row", _spelled(mine.get_column("value"), dimension, edition).alias("value")))
    return pl.concat(parts).sort("row").get_column("value") if parts else values


def _spelled(values: pl.Series, dimension: Dimension, edition: date | None) -> pl.Series:
    distinct = values.drop_nulls().unique()
    if distinct.is_empty():
        return values
    known = pl.Series([dimension.canonical(value, edition) for value in distinct], dtype=pl.String)
    return values.replace_strict(distinct, known, default=None, return_dtype=pl.String)


def _with_runs(jobs: pl.DataFrame, runs: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """Add `run_id`, and what the runs of a job's experiment say where the job says nothing.

    A run counts where it is the only one of the experiment at that time; all of an experiment, where they agree.
    """
    if "run_id" not in jobs.columns:
        jobs = jobs.with_columns(pl.lit(None, pl.String).alias("run_id"))
    names = [name for name in FROM_RUNS if name in book.dimensions]
    days = runs.get_column("started_at").dt.date()
    runs = runs.select(
        _aliased(runs.get_column("experiment"), book.dimensions["experiment"], days).alias(of("experiment")),
        pl.col("run_id").alias("run"),
        *("started_at", "ended_at"),
        *(_aliased(runs.get_column(name), book.dimensions[name], days).alias(f"run {name}") for name in names),
    )
    numbered = jobs.with_row_index("row")
    during = numbered.select("row", "start", "end", of("experiment")).join(runs, on=of("experiment"))
    during = during.filter(
        (pl.col("started_at") < pl.col("end")).fill_null(value=True),
        (pl.col("ended_at") > pl.col("start")).fill_null(value=True),
    )
    told = ["run", *(f"run {name}" for name in names)]
    then = during.group_by("row").agg(map(_only, told))
    ever = runs.group_by(of("experiment")).agg(_only(f"run {name}").alias(f"ever {name}") for name in names)
    found = numbered.join(then, on="row", how="left", maintain_order="left")
    found = found.join(ever, on=of("experiment"), how="left", maintain_order="left")
    return found.select(
        pl.coalesce("run_id", "run").alias("run_id"),
        *(pl.coalesce(of(name), f"run {name}", f"ever {name}").alias(of(name)) for name in names),
        pl.col(jobs.columns).exclude("run_id", *map(of, names)),
    )


def _only(column: str) -> pl.Expr:
    """The only value of a group, null where there are several or none."""
    values = pl.col(column).drop_nulls()
    return pl.when(values.n_unique() == 1).then(values.first()).alias(column)


def labelled(
    used: pl.DataFrame, days: pl.Series, names: tuple[str, ...], dimensions: Mapping[str, Dimension]
) -> pl.DataFrame:
    """What labels and namespaces say, a column `of <dimension>` each, row by row, by the aliases of a row's day.

    Keys of labels are compared as tag keys are, `namespace` is the pod's. Two values under one key are
    `(tag conflict)`; what no key answers is `unallocated`, and what an export calls idle is `idle`.
    """
    dated = any(dimensions[name].dated for name in names)
    asked = used.select(NAMESPACE, "labels").with_columns((days if dated else pl.lit(None, pl.Date)).alias("day"))
    sets = asked.unique(maintain_order=True)
    values = {
        of(name): [_labelled(namespace, labels, day, dimensions[name]) for namespace, labels, day in sets.iter_rows()]
        for name in names
    }
    told = sets.with_columns(pl.Series(name, column, dtype=pl.String) for name, column in values.items())
    rows = asked.join(told, on=asked.columns, how="left", nulls_equal=True, maintain_order="left")
    return rows.select(list(values))


def _labelled(namespace: str | None, labels: str | None, day: date | None, dimension: Dimension) -> str:
    if namespace == USAGE_IDLE:
        return IDLE
    said: dict[str, set[str]] = {}
    for key, value in json.loads(labels or "{}").items():
        said.setdefault(fold(key), set()).add(value)
    if namespace and not namespace.startswith("__"):
        said.setdefault(NAMESPACE, {namespace})
    for take in dimension.takes:
        values = taken(take, pl.Series(sorted(said.get(fold(take.key), ())), dtype=pl.String)).drop_nulls()
        found = {dimension.canonical(value, dimension.edition(day)) for value in values}
        if found:
            return found.pop() if len(found) == 1 else TAG_CONFLICT
    return UNALLOCATED
