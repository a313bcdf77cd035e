"""The one door to pandera: a collected frame goes in, good rows and rejects come out.

Lazy frames are refused, since pandera checks only their schema and lets bad data pass.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from typing import Any

import polars as pl

from schemas.faults import LawBrokenError


class _NoPandas(MetaPathFinder):
    def find_spec(self, name: str, *_: Any) -> None:  # noqa: ANN401
        if name == "pandas":
            message = "No module named 'pandas'"
            raise ModuleNotFoundError(message, name=name)


@contextmanager
def _without_pandas() -> Iterator[None]:
    """Pandera loads pandas wherever another package has brought it; polars does not need it, and it takes a second.

    This holds while pandera is imported: its first check of rows still loads pandas.
    """
    hidden = _NoPandas()
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)


with _without_pandas():
    import pandera.polars as pa
    from pandera.errors import SchemaErrors

__all__ = ["FAILURE_COLUMNS", "Checked", "check", "pa", "verify"]

FAILURE_COLUMNS = {"index": pl.UInt32(), "column": pl.String(), "check": pl.String(), "value": pl.String()}


@dataclass(frozen=True)
class Checked:
    """`good`: the rows that passed. `failures`: one row a failed check, `index` counting rows of the input."""

    good: pl.DataFrame
    failures: pl.DataFrame


def check(frame: pl.DataFrame, schema: pa.DataFrameSchema) -> Checked:
    """Split a frame into rows that pass every check and the failures of those that do not.

    Raises:
        LawBrokenError: a column is missing or of another type; the reader made a wrong frame.
    """
    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as errors:
        cases = errors.failure_cases
    else:
        return Checked(frame, pl.DataFrame(schema=FAILURE_COLUMNS))
    whole = cases.filter(pl.col("index").is_null())
    if whole.height:
        message = f"{schema.name}: {whole.select('column', 'check', 'failure_case').rows()}"
        raise LawBrokenError(message)
    # A check over several columns is named "column: what"; its failure case is the whole row, told by the index.
    several = pl.col("check").str.contains(": ", literal=True)
    failures = cases.select(
        pl.col("index").cast(pl.UInt32),
        pl.when(several).then(pl.col("check").str.extract(r"^(.*): ")).otherwise("column").alias("column"),
        pl.col("check").str.replace(r"^.*: ", "").alias("check"),
        pl.when(~several).then(pl.col("failure_case").cast(pl.String)).alias("value"),
    )
    failures = _with_values(failures, frame)
    bad = failures.get_column("index").unique()
    good = frame.with_row_index("__index").filter(~pl.col("__index").is_in(bad.implode())).drop("__index")
    return Checked(good, failures)


def _with_values(failures: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """The values of checks over several columns, of the column each is named after."""
    blank = failures.filter(pl.col("value").is_null())
    values = pl.col("value")
    for name in blank.get_column("column").unique():
        if name in frame.columns:
            seen = frame.get_column(name).gather(failures.get_column("index")).cast(pl.String)
            values = pl.when(values.is_null() & (pl.col("column") == name)).then(seen).otherwise(values)
    return failures.with_columns(values.alias("value"))


def verify(frame: pl.DataFrame, schema: pa.DataFrameSchema, where: str) -> pl.DataFrame:
    """Assert that what we made ourselves is as its schema says: before it is kept, and once it is read back.

    Raises:
        LawBrokenError: a row fails; `where` names the frame, file or table.
    """
    checked = check(frame, schema)
    if checked.failures.height:
        message = f"{where}: {checked.failures.height} rows fail their own schema: {checked.failures.row(0)}"
        raise LawBrokenError(message)
    return frame
