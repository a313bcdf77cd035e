"""What all operators' CSVs share once they are text: ids, typed cells, the schema's checks, and doubles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from attribution.inputs.csv_file import PLACE, Read, Sheet, reject
from schemas.bills import ROW_REFUSED, VALUE_UNKNOWN, no_rejects
from schemas.cell_checks import MISSING
from schemas.check import check
from schemas.instants import parse_days, parse_instants
from schemas.money import NUMBER
from schemas.resource_ids import DAMAGED, damaged_ids, fold_azure_ids

if TYPE_CHECKING:
    from schemas.check import pa


@dataclass
class Rows:
    """Rows of one input on their way to its schema: good so far, and what was refused."""

    what: str
    frame: pl.DataFrame
    rejects: list[pl.DataFrame] = field(default_factory=list)

    def beyond(self, columns: Sequence[str]) -> list[str]:
        """Columns of the files that are not among some columns."""
        return [name for name in self.frame.columns if name not in columns and name not in PLACE]

    def refuse(self, bad: pl.Expr, column: str, rule: str) -> None:
        """Move rows out."""
        mask = bad.fill_null(value=False)
        gone = self.frame.filter(mask)
        if gone.height:
            self.rejects.append(reject(gone, self.what, column, rule))
            self.frame = self.frame.filter(~mask)

    def need(self, *columns: str) -> None:
        """Move out rows that lack a value."""
        for column in columns:
            self.refuse(pl.col(column).is_null(), column, MISSING)

    def read(self, column: str, read: pl.Series, rule: str, *, required: bool) -> None:
        """Put a typed column in the place of its text; unreadable text refuses the row, or is unknown."""
        bad = self.frame.get_column(column).is_not_null() & read.is_null()
        if bad.any():
            outcome = ROW_REFUSED if required else VALUE_UNKNOWN
            self.rejects.append(reject(self.frame.filter(bad), self.what, column, rule, outcome))
        self.frame = self.frame.with_columns(read.alias(column))
        if required and bad.any():
            self.frame = self.frame.filter(~bad)


def start(what: str, sheets: Sequence[Sheet], columns: Sequence[str], ids: Sequence[str]) -> Rows:
    """All sheets of one input together, with every column of the contract, ids as they compare.

    Args:
        what: which input it is.
        sheets: its files.
        columns: the contract's columns; what a file lacks is null.
        ids: columns that hold resource or account ids.
    """
    frame = pl.concat([sheet.frame for sheet in sheets], how="diagonal")
    missing = [name for name in columns if name not in frame.columns]
    rows = Rows(what, frame.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing))
    rows.rejects.extend(sheet.rejects for sheet in sheets)
    for name in ids:
        damaged = damaged_ids(rows.frame.get_column(name))
        if damaged.any():
            rows.rejects.append(reject(rows.frame.filter(damaged), what, name, DAMAGED))
            rows.frame = rows.frame.filter(~damaged)
        bare = rows.frame.get_column(name).str.strip_chars()
        rows.frame = rows.frame.with_columns(fold_azure_ids(bare).alias(name))
    return rows


def read_days(rows: Rows, column: str) -> None:
    """A column of calendar days; a row whose day cannot be read is refused."""
    rows.read(column, parse_days(rows.frame.get_column(column).str.strip_chars()), "a day, YYYY-MM-DD", required=True)


def read_instants(rows: Rows, column: str, timezone: str, *, required: bool = False) -> None:
    """A column of instants; unreadable text is unknown, or refuses the row where it is required."""
    text = rows.frame.get_column(column).str.strip_chars()
    rows.read(column, parse_instants(text, timezone), "an instant, ISO 8601, 1970 to 2199", required=required)


def read_numbers(rows: Rows, column: str, *, required: bool) -> None:
    """A column of numbers with a decimal point; NaN and infinity are none."""
    text = rows.frame.get_column(column).str.strip_chars()
    number = text.set(~text.str.contains(NUMBER).fill_null(value=True), None).cast(pl.Float64)
    finite = number.set(~number.is_finite().fill_null(value=True), None)
    rows.read(column, finite, "a plain number", required=required)


def read_whole(rows: Rows, column: str, *, required: bool = False) -> None:
    """A column of whole numbers of at most 18 digits; zeros behind a point do not matter."""
    text = rows.frame.get_column(column).str.strip_chars()
    whole = text.str.extract(r"^([0-9]{1,18})(?:\.0*)?$").cast(pl.Int64)
    rows.read(column, whole, "a whole number", required=required)


def collapse(rows: Rows, keys: Sequence[str], columns: Sequence[str], rule: str) -> None:
    """Rows that say the same count once; of rows that contradict each other under one key the first stays."""
    rows.frame = rows.frame.unique(list(columns), keep="first", maintain_order=True)
    later = ~pl.struct(list(keys)).is_first_distinct()
    contradicting = rows.frame.filter(later)
    if contradicting.height:
        rows.rejects.append(reject(contradicting, rows.what, keys[-1], rule))
        rows.frame = rows.frame.filter(~later)


def finish_once(rows: Rows, schema: pa.DataFrameSchema, columns: Sequence[str], keys: Sequence[str], rule: str) -> Read:
    """The rows that are as their schema says, one a key.

    Rows that fail the schema go before, so that a wrong row never stands in the place of a right one.
    """
    refuse_unfit(rows, schema)
    collapse(rows, keys, columns, rule)
    return _done(rows, columns)


def refuse_unfit(rows: Rows, schema: pa.DataFrameSchema) -> None:
    """Move out rows that fail their schema, with their place; columns beyond the schema's do not matter."""
    checked = check(rows.frame.select(list(schema.columns)), schema)
    if not checked.failures.height:
        return
    at = checked.failures.get_column("index")
    failures = pl.concat([rows.frame.select(PLACE)[at], checked.failures.drop("index")], how="horizontal")
    told = failures.select(
        pl.lit(rows.what).alias("source"),
        pl.col("__file").alias("file"),
        pl.col("__line").alias("line"),
        "column",
        "check",
        "value",
        pl.lit(ROW_REFUSED).alias("outcome"),
    )
    rows.rejects.append(told)
    unfit = pl.int_range(rows.frame.height, dtype=pl.UInt32, eager=True).is_in(at.unique().implode())
    rows.frame = rows.frame.filter(~unfit)


def finish(rows: Rows, schema: pa.DataFrameSchema, columns: Sequence[str]) -> Read:
    """The rows that are as their schema says, and all that was refused."""
    refuse_unfit(rows, schema)
    return _done(rows, columns)


def _done(rows: Rows, columns: Sequence[str]) -> Read:
    return Read(rows.frame.select(columns), pl.concat([no_rejects(), *rows.rejects]))
