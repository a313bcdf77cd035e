"""Views and comments laid over the tables: one SQL file a view, whose first line says what one row is.

Dimensions are configuration, so the files name them by a placeholder; they are read off the kept allocations.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.dimensions import DIMENSIONS, NOBODY, UNKNOWN
from schemas.findings import RESOLVED_FOR

if TYPE_CHECKING:
    import duckdb

_HERE = Path(__file__).parent
# A view stands after those it reads; all others follow by name.
_FIRST = ("bills", "costs", "dimension_months")


def view_files() -> list[Path]:
    """Every view's file, in an order in which they can be made."""
    files = {file.stem: file for file in sorted((_HERE / "views").glob("*.sql"))}
    return [files.pop(name) for name in _FIRST] + list(files.values())


def dimensions_kept(con: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Dimensions of the kept allocations; before any are kept, those that there always are."""
    columns = [name for (name,) in con.execute(
        """
        SELECT column_name FROM duckdb_columns()
        WHERE schema_name = 'book' AND table_name = 'allocations' AND database_name = current_database()
        ORDER BY column_index
        """
    ).fetchall()]  # fmt: skip
    return dimensions_among(columns) or DIMENSIONS


def dimensions_among(columns: Sequence[str]) -> tuple[str, ...]:
    """Dimensions of a table, in their order: each column that has its method beside it."""
    return tuple(name for name in columns if f"{name}_method" in columns)


def with_dimensions(sql: str, dimensions: Sequence[str]) -> str:
    """Fill in `{dimensions}`, `{dimensions_with_method}` (each with the method and rule that set it), and others."""
    plain = ", ".join(_quoted(name) for name in dimensions)
    full = ", ".join(_quoted(f"{name}{ending}") for name in dimensions for ending in ("", "_method", "_rule"))
    unknown = ", ".join(sql_text(value) for value in UNKNOWN)
    nobody = ", ".join(sql_text(value) for value in NOBODY)
    filled = {"{nobody}": nobody, "{dimensions}": plain, "{dimensions_with_method}": full, "{unknown}": unknown}
    filled["{resolved_for}"] = str(RESOLVED_FOR)
    for placeholder, text in filled.items():
        sql = sql.replace(placeholder, text)
    return sql


def query_file(name: str, dimensions: Sequence[str]) -> str:
    """SQL of `queries/<name>.sql`."""
    return with_dimensions((_HERE / "queries" / f"{name}.sql").read_text(encoding="utf-8"), dimensions)


def view_query(name: str, dimensions: Sequence[str]) -> str:
    """SQL of `views/<name>.sql`, for asking it while the views lag behind the tables."""
    return with_dimensions((_HERE / "views" / f"{name}.sql").read_text(encoding="utf-8"), dimensions)


def lay_views(con: duckdb.DuckDBPyConnection, charge_files: Sequence[Path], *, charges_inside: bool = False) -> None:
    """Make every view anew; comments are the published file's (a second for all is too long for each change).

    Args:
        con: a database with the tables of `book`.
        charge_files: Parquet files of the bills that count.
        charges_inside: leave out the view `charges`, because a table of that name holds them.
    """
    dimensions = dimensions_kept(con)
    for file in view_files():
        if file.stem == "charges" and charges_inside:
            continue
        sql = with_dimensions(file.read_text(encoding="utf-8"), dimensions)
        sql = sql.replace("{charge_files}", _charges_source(charge_files))
        con.execute(f"CREATE OR REPLACE VIEW main.{_quoted(file.stem)} AS\n{sql}")


def _charges_source(files: Sequence[Path]) -> str:
    """What the view `charges` reads: an empty table of all columns, since files lack those without any value."""
    if not files:
        return "book.no_charges"
    names = ", ".join(sql_text(str(file)) for file in files)
    rows = f"read_parquet([{names}], union_by_name = true, filename = true)"
    return f"(FROM book.no_charges UNION ALL BY NAME FROM {rows})"


def comment_on_all(con: duckdb.DuckDBPyConnection) -> None:
    """Set the comment of every table, view and column of ours from comments.toml and the views' first lines."""
    tables, columns = comments()
    objects = con.execute(
        """
        SELECT 'TABLE', schema_name, table_name FROM duckdb_tables()
        WHERE database_name = current_database() AND NOT temporary
        UNION ALL
        SELECT 'VIEW', schema_name, view_name FROM duckdb_views()
        WHERE database_name = current_database() AND NOT internal AND NOT temporary
        """
    ).fetchall()
    known = {(schema, name) for _, schema, name in objects}
    statements = [
        f"COMMENT ON {kind} {schema}.{_quoted(name)} IS {sql_text(tables[name])};"
        for kind, schema, name in objects
        if name in tables
    ]
    for schema, table, column in con.execute(
        """
        SELECT schema_name, table_name, column_name FROM duckdb_columns()
        WHERE database_name = current_database() AND NOT internal
        """
    ).fetchall():
        text = column_comment(column, columns)
        if (schema, table) in known and text:
            target = f"{schema}.{_quoted(table)}.{_quoted(column)}"
            statements.append(f"COMMENT ON COLUMN {target} IS {sql_text(text)};")
    con.execute("\n".join(["BEGIN;", *statements, "COMMIT;"]))  # one transaction: each by itself would be synced


def comments() -> tuple[dict[str, str], dict[str, str]]:
    """Comments by table or view, and by column: one name means one thing wherever it stands."""
    written = tomllib.loads((_HERE / "comments.toml").read_text(encoding="utf-8"))
    tables: dict[str, str] = dict(written["tables"])
    for file in view_files():
        tables[file.stem] = file.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("-- ")
    return tables, {**written["focus"], **written["ours"]}


def column_comment(column: str, columns: dict[str, str]) -> str | None:
    """A column's comment; columns that configuration or a provider names are explained by their form."""
    if column in columns:
        return columns[column]
    if column.startswith("x_"):
        return "Column of the provider's file that FOCUS does not have, as text."
    if column.endswith("_method"):
        return f"How {column.removesuffix('_method')} was found: {columns['method']}"
    if column.endswith("_rule"):
        return f"Name of the rule or tag key that gave {column.removesuffix('_rule')}; null where none did."
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sql_text(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
