"""costs.duckdb: a compact copy for analysts, renamed into place, and read without being able to write.

The surprise: a DuckDB connection that is read-only and has no external access still writes files with COPY TO
wherever it may read some; so only statements that select are let through.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import polars as pl

from attribution.ledger.connection import one_line
from attribution.ledger.disk import PUBLISHED, WRITING, charges_folder, part_sizes, put_file
from attribution.ledger.hourly import periods_in
from attribution.ledger.ledger import Ledger
from attribution.ledger.lines import lines_in, parts_that_count, subjects_in
from attribution.ledger.parts import roll_up_beside
from attribution.ledger.rollup import RollUp
from attribution.ledger.views import comment_on_all, dimensions_kept, lay_views
from schemas.faults import Fault, InputError

Params = Sequence[Any] | Mapping[str, Any]
"""Values for a query's `?`, or by name for its `$name`."""

Stamp = tuple[int, int, int]
"""A published file: its inode, when it was written, its size."""

_CATALOG = "costs"  # as DuckDB calls the file when it is opened by itself
_CHARGES_FILE = re.compile(r"/charges/[0-9a-f]+/charges-\d+\.parquet")
# What only the next run needs.
_UNPUBLISHED = (
    "accepted_deliveries", "approvals", "costs_kept", "empty_bills", "no_subjects", "places", "schema_versions",
)  # fmt: skip


def publish(ledger: Ledger, target: Path | None = None, *, with_charges: bool = False) -> Path:
    """Write what analysts need into a new file and rename it over the published one.

    Args:
        ledger: the open ledger.
        target: `costs.duckdb` in the store unless given.
        with_charges: put the charges inside too, so that a copy of the file holds all.

    Returns:
        Where it lies. Readers that have the file before it open keep that one.
    """
    target = target or ledger.store / PUBLISHED
    temporary = target.with_name(f"{target.name}{WRITING}")
    temporary.unlink(missing_ok=True)
    Path(f"{temporary}.wal").unlink(missing_ok=True)
    ledger.con.execute("CHECKPOINT")
    _copy(ledger, temporary, with_charges=with_charges)
    # Views and comments are laid by a connection of its own, for a view remembers the name its database had.
    con = duckdb.connect(str(temporary))
    try:
        con.execute("SET TimeZone = 'UTC'")
        lay_views(con, ledger.charge_files(), charges_inside=with_charges)
        comment_on_all(con)
        con.execute("CHECKPOINT")
    finally:
        con.close()
    put_file(temporary, target)
    return target


def _copy(ledger: Ledger, temporary: Path, *, with_charges: bool) -> None:
    con = ledger.con
    tables = [name for (name,) in con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'book' AND database_name = current_database()"
    ).fetchall()]  # fmt: skip
    path = str(temporary).replace("'", "''")
    con.execute(f"ATTACH '{path}' AS published")
    try:
        con.execute("CREATE SCHEMA published.book")
        for table in sorted({*tables, "subjects"} - set(_UNPUBLISHED)):
            con.execute(f"CREATE TABLE published.book.{table} AS SELECT * FROM book.{table}")  # noqa: S608 - our own table names
        if with_charges:
            con.execute("CREATE TABLE published.main.charges AS SELECT * FROM main.charges")
    finally:
        con.execute("DETACH published")


def published_stamp(store: Path) -> Stamp:
    """What tells one published file from the next; zeros where there is none."""
    try:
        found = (store / PUBLISHED).stat()
    except FileNotFoundError:
        return (0, 0, 0)
    return found.st_ino, found.st_mtime_ns, found.st_size


@contextmanager
def read_published(store: Path) -> Iterator[Published]:
    """Open the published file for reading.

    Raises:
        InputError: nothing was published yet, or the file is none of ours.
    """
    path = store.resolve() / PUBLISHED
    if not path.is_file():
        raise InputError(Fault(str(path), "nothing is published yet", hint="Run `attribution run` first."))
    # An instance of its own: those of a path are shared inside a process, settings and an outdated file with them.
    con = duckdb.connect()
    try:
        con.execute("SET enable_progress_bar = false")  # it would stand in the middle of what a command prints
        _attach(con, path)
        con.execute("SET TimeZone = 'UTC'")
        con.execute("SET allowed_directories = $folders", {"folders": [f"{charges_folder(store.resolve())}/"]})
        con.execute("SET python_enable_replacements = false")  # else a name in SQL could mean a variable of ours
        con.execute("SET enable_external_access = false")
        con.execute("SET lock_configuration = true")
        yield Published(con, store.resolve())
    finally:
        con.close()


def _attach(con: duckdb.DuckDBPyConnection, path: Path) -> None:
    con.execute("SET temp_directory = $folder", {"folder": f"{path}.tmp"})
    file = str(path).replace("'", "''")
    try:
        con.execute(f"ATTACH '{file}' AS {_CATALOG} (READ_ONLY)")
        con.execute(f"USE {_CATALOG}")
    except duckdb.Error as error:
        hint = "Run `attribution publish` to write it anew."
        raise InputError(Fault(str(path), f"cannot be read: {one_line(error)}", hint=hint)) from error


@dataclass(frozen=True)
class RolledUp:
    """Charges in one roll-up: subjects, lines, and a function from resources to their charges by their own periods."""

    subjects: pl.DataFrame
    lines: pl.DataFrame
    periods: Callable[[pl.Series], pl.DataFrame]


class Published:
    """The published file, open for reading alone."""

    def __init__(self, con: duckdb.DuckDBPyConnection, store: Path) -> None:
        self._con = con
        self._store = store

    def dimensions(self) -> tuple[str, ...]:
        """Dimensions that costs have, in their order."""
        return dimensions_kept(self._con)

    @contextmanager
    def rolled_up(self, rollup: RollUp) -> Iterator[RolledUp]:
        """The charges that count in whatever roll-up; one that is not published is made beside, and thrown away.

        Raises:
            InputError: charges that count are gone.
        """
        parts = parts_that_count(self._con)
        with TemporaryDirectory(prefix="attribution-") as folder:
            store = self._store
            if (parts.get_column("rollup") != rollup.folder).any():
                store = Path(folder)
                for part, source in parts.select("part_id", "source").iter_rows():
                    roll_up_beside(self._store, store, part, source, rollup)
            parts = parts.with_columns(rollup=pl.lit(rollup.folder))
            lines = lines_in(parts, store).collect()
            yield RolledUp(subjects_in(parts, store, rollup), lines, partial(periods_in, parts, store, rollup))

    def stored(self) -> pl.DataFrame:
        """What charges take on disk: a row for those that count, one for older and held-back ones; parts, bytes."""
        parts = self.frame(
            """
            SELECT DISTINCT part_id FROM book.bills JOIN book.bill_parts USING (bill_no) JOIN book.parts USING (part_no)
            WHERE superseded_run IS NULL
            """
        )
        counting = set(parts.get_column("part_id"))
        sizes = part_sizes(self._store)
        sides = [[size for part, size in sizes.items() if (part in counting) is side] for side in (True, False)]
        return pl.DataFrame(
            {
                "charges": ["counting", "superseded or held back"],
                "parts": [len(side) for side in sides],
                "bytes": [sum(side) for side in sides],
            }
        )

    def frame(self, sql: str, params: Params = ()) -> pl.DataFrame:
        """Rows of one query.

        Raises:
            InputError: the SQL is wrong, is more than one statement, or does more than read.
        """
        with self._reading(sql):
            rows: pl.DataFrame = self._con.sql(sql, params=_given(params)).pl()
        return rows

    def batches(self, sql: str, params: Params = (), rows: int = 200_000) -> Iterator[pl.DataFrame]:
        """Rows of one query, about so many at a time; raises as `frame` does."""
        with self._reading(sql):
            for batch in self._con.sql(sql, params=_given(params)).to_arrow_reader(rows):
                yield pl.DataFrame(batch)

    @contextmanager
    def _reading(self, sql: str) -> Iterator[None]:
        try:
            statements = duckdb.extract_statements(sql)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                what = "only one statement that reads is allowed (SELECT, FROM, WITH, DESCRIBE, SHOW, SUMMARIZE)"
                raise InputError(
                    Fault("sql", what, hint="To keep a result: `attribution sql --json`, or `attribution export`.")
                )
            yield
        except (duckdb.PermissionException, duckdb.IOException) as error:
            if not _CHARGES_FILE.search(str(error)):
                what = "only the published file is read here, no other"
                raise InputError(Fault("sql", f"{what}: {one_line(error)}")) from error
            what = "the files of the charges are not where this file says: the store was moved, or they were removed"
            hint = "`attribution publish` writes it anew for the store as it is."
            raise InputError(Fault(str(self._store / PUBLISHED), what, hint=hint)) from error
        except duckdb.Error as error:
            hint = "`SHOW TABLES` lists what there is, `DESCRIBE costs` its columns."
            raise InputError(Fault("sql", str(error), hint=hint)) from error


def _given(params: Params) -> list[Any] | dict[str, Any]:
    return dict(params) if isinstance(params, Mapping) else list(params)


def query(store: Path, sql: str, params: Params = ()) -> pl.DataFrame:
    """Rows of one query over the published file; see Published.frame."""
    with read_published(store) as published:
        return published.frame(sql, params)
