"""The DuckDB file: opened, brought to the newest tables, asked and changed with frames, all or nothing.

Tables stand in the schema `book`, the views that analysts read in `main`; both have the same names where
they speak of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from schemas.faults import Fault, InputError

if TYPE_CHECKING:
    import polars as pl

RESTORE = (
    "Restore the store from a backup. Without one, move it away and run again: all bills that still lie at their "
    "sources are read anew."
)
_DISK = re.compile(r"Could not (?:write|sync|truncate|move)[^\n]*|No space left[^\n]*")
_TABLES = Path(__file__).parent / "tables"


def connect(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the ledger file for writing; the caller holds the store's lock.

    Raises:
        InputError: it is no DuckDB file, or one of a newer program.
    """
    try:
        con = duckdb.connect(str(path))
    except duckdb.Error as error:
        hint = RESTORE
        if "Could not set lock" in str(error):
            hint = "Close the other program that has it open; analysts read costs.duckdb beside it instead."
        raise InputError(Fault(str(path), f"cannot be opened: {one_line(error)}", hint=hint)) from error
    con.execute("SET TimeZone = 'UTC'")
    return con


def one_line(error: Exception) -> str:
    """What DuckDB says, without its pointers into the SQL."""
    return str(error).split("\n\n", 1)[0].replace("\n", " ")


@contextmanager
def disk_faults(store: Path) -> Iterator[None]:
    """Tell in plain words what the disk said to DuckDB, which wraps it into errors of several kinds.

    Raises:
        InputError: the disk is full, or is gone.
    """
    try:
        yield
    except duckdb.Error as error:
        found = _DISK.search(str(error))
        if not found and not isinstance(error, duckdb.IOException):
            raise
        said = found.group().rstrip('"') if found else one_line(error)
        hint = "Is the disk full, or was it taken away? The ledger stands as it was; run again when there is room."
        raise InputError(Fault(str(store), f"cannot be written: {said}", hint=hint)) from error


def migrations() -> list[tuple[int, Path]]:
    """Numbered SQL files in order."""
    return sorted((int(file.name.split("_")[0]), file) for file in _TABLES.glob("*.sql"))


def migrate(con: duckdb.DuckDBPyConnection, where: Path) -> None:
    """Bring the tables forward, one transaction a file; never back.

    Raises:
        InputError: the ledger was written by a newer program.
    """
    con.execute("CREATE SCHEMA IF NOT EXISTS book")
    con.execute("CREATE TABLE IF NOT EXISTS book.schema_versions (version INTEGER NOT NULL, file VARCHAR NOT NULL)")
    done = {version for (version,) in con.execute("SELECT version FROM book.schema_versions").fetchall()}
    known = migrations()
    newest = max(version for version, _ in known)
    if done and max(done) > newest:
        what = f"was written by a newer version of this program (tables {max(done)}, this one knows {newest})"
        raise InputError(Fault(str(where), what, hint="Install the newer version; a ledger is never taken back."))
    for version, file in known:
        if version not in done:
            with transaction(con):
                con.execute(file.read_text(encoding="utf-8"))
                con.execute("INSERT INTO book.schema_versions VALUES (?, ?)", [version, file.name])


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All or nothing."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def frame(con: duckdb.DuckDBPyConnection, sql: str, params: list[Any] | dict[str, Any] | None = None) -> pl.DataFrame:
    """Rows of a query."""
    rows: pl.DataFrame = con.sql(sql, params=params or []).pl()
    return rows


@contextmanager
def registered(con: duckdb.DuckDBPyConnection, **frames: pl.DataFrame) -> Iterator[None]:
    """Let SQL read frames by these names."""
    for name, rows in frames.items():
        con.register(name, rows.to_arrow())
    try:
        yield
    finally:
        for name in frames:
            con.unregister(name)


def append(con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> None:
    """Add rows to a table of `book`, by column name; columns not given are null."""
    if rows.is_empty():
        return
    with registered(con, rows_to_append=rows):
        con.execute(f"INSERT INTO book.{table} BY NAME SELECT * FROM rows_to_append")  # noqa: S608 - our own table names


def replace(con: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame) -> None:
    """Make a table of `book` hold just these rows, in their shape."""
    with registered(con, rows_to_keep=rows):
        con.execute(f"CREATE OR REPLACE TABLE book.{table} AS SELECT * FROM rows_to_keep")  # noqa: S608 - our own table names
