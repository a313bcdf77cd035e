"""Writes what others read: a published table as a file, and the charges as a FOCUS file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from attribution.ledger import Published, attributed_sql, read_published
from attribution.reports.focus_export import VERSIONS, as_text, columns_of, focus_rows, not_yet
from flows.plain_data import as_json_text
from flows.questions import as_csv, ask
from schemas.charges import FOCUS_COLUMNS
from schemas.faults import Fault, InputError, suggest

_ROWS = 200_000
_ENDINGS = (".csv", ".json", ".parquet")
# FOCUS allows a service one category; ours tells volumes and traffic from machines of one product.
_SERVICES = """
    SELECT ServiceName, mode(ServiceCategory ORDER BY ServiceCategory) AS ServiceCategory,
        mode(ServiceSubcategory ORDER BY ServiceSubcategory) AS ServiceSubcategory
    FROM charges GROUP BY ServiceName
"""
_FOCUS_ENDINGS = (".csv", ".parquet")


def export_table(store: Path, table: str, to: Path) -> int:
    """Write a published table to a file by its ending; how many rows.

    Raises:
        InputError: no such table, an unknown ending, or a path that cannot be written.
    """
    tables = ask(store, "SELECT view_name FROM duckdb_views() WHERE NOT internal UNION SELECT table_name "
                        "FROM duckdb_tables() WHERE schema_name = 'main' ORDER BY 1").to_series().to_list()  # fmt: skip
    if table not in tables:
        raise InputError(Fault("export", f'no table "{table}"', ", ".join(tables), suggest(table, tables)))
    rows = ask(store, f'SELECT * FROM "{table}"')  # noqa: S608 - one of the names above
    write_rows(rows, to)
    return rows.height


def write_rows(rows: pl.DataFrame, to: Path) -> None:
    """Write rows to a file by its ending.

    Raises:
        InputError: an unknown ending, or a path that cannot be written.
    """
    if to.suffix not in _ENDINGS:
        raise InputError(Fault(str(to), "has no ending that is known", ", ".join(_ENDINGS)))
    try:
        if to.suffix == ".parquet":
            rows.write_parquet(to)
        elif to.suffix == ".json":
            to.write_text(as_json_text(rows), encoding="utf-8")
        else:
            to.write_text(as_csv(rows), encoding="utf-8-sig", newline="")
    except OSError as error:
        raise InputError(Fault(str(to), f"cannot be written: {error.strerror or error}")) from error


def export_focus(
    store: Path,
    to: Path,
    version: str,
    month: str | None = None,
    source: str | None = None,
    *,
    attributed: bool = False,
) -> int:
    """Write the charges of the bills that count as one FOCUS Cost and Usage file; how many rows.

    Args:
        store: whose published file.
        to: ends in .csv or .parquet; renamed into place when it is whole.
        version: of FOCUS, "1.0" to "1.4".
        month: YYYY-MM, a billing month; all unless given.
        source: one source's alone.
        attributed: the costs of `costs` in place of the charges, with whose they are and how splits moved them.

    Raises:
        InputError: an unknown version or ending, nothing to export, or a path that cannot be written.
    """
    if version not in VERSIONS:
        raise InputError(Fault("--focus-version", f'no version "{version}"', ", ".join(VERSIONS)))
    if to.suffix not in _FOCUS_ENDINGS:
        raise InputError(Fault("export", f'"{to.name}" has no ending that is known', ", ".join(_FOCUS_ENDINGS)))
    partial = to.with_name(f"{to.name}.partial")
    try:
        with read_published(store) as published:
            rows = _write(_batches(published, version, month, source, attributed=attributed), partial, to.suffix)
        partial.replace(to)
    except OSError as error:
        raise InputError(Fault(str(to), f"cannot be written: {error.strerror or error}")) from error
    finally:
        partial.unlink(missing_ok=True)
    return rows


def _batches(
    published: Published, version: str, month: str | None, source: str | None, *, attributed: bool
) -> Iterator[pl.DataFrame]:
    """Rows as FOCUS has them, all batches with the same columns."""
    told, order, own = "charges", "bill_id, file, row_number", []
    if attributed:
        dimensions = published.dimensions()
        told, order = f"({attributed_sql(dimensions)})", "cost_id"
        own = [f"x_{name}" for name in dimensions]
    chosen = "($month IS NULL OR strftime(billing_month, '%Y-%m') = $month) AND ($source IS NULL OR source = $source)"
    params = {"month": month, "source": source}
    counts = ", ".join(f'count("{name}") AS "{name}"' for name in FOCUS_COLUMNS)
    filled = published.frame(f"SELECT count(*) AS all_rows, {counts} FROM {told} WHERE {chosen}", params)  # noqa: S608 - names of our own
    if not filled.item(0, "all_rows"):
        months = published.frame(
            "SELECT DISTINCT strftime(billing_month, '%Y-%m') AS m, source FROM charges ORDER BY ALL"
        )
        known = ", ".join(f"{m} {one}" for m, one in months.iter_rows())
        raise InputError(Fault("export", "no charge of this month and source", known))
    counted = filled.row(0, named=True)
    columns = columns_of(
        version,
        {name for name in FOCUS_COLUMNS if counted[name]},
        {name for name in FOCUS_COLUMNS if counted[name] == counted["all_rows"]},
    )
    services = published.frame(_SERVICES)
    wanted = ", ".join(f'"{name}"' for name in FOCUS_COLUMNS)
    wanted = ", ".join([wanted, *(f'"{name}"' for name in own)])
    query = f"SELECT source, {wanted} FROM {told} WHERE {chosen} ORDER BY {order}"  # noqa: S608
    early = not_yet(version) if attributed else ()
    own += [f"x_{name}" for name in early]
    for batch in published.batches(query, params, _ROWS):
        beside = batch.rename({name: f"x_{name}" for name in early}).select(own)
        yield pl.concat([focus_rows(batch, columns, services), beside], how="horizontal")


def _write(batches: Iterator[pl.DataFrame], path: Path, ending: str) -> int:
    rows = 0
    if ending == ".csv":
        with path.open("wb") as file:
            for batch in batches:
                as_text(batch).write_csv(file, include_header=not rows, float_scientific=False)
                rows += batch.height
        return rows
    first = next(batches).to_arrow()
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        rows = int(first.num_rows)
        for batch in batches:
            writer.write_table(batch.to_arrow().cast(first.schema))
            rows += batch.height
    return rows
