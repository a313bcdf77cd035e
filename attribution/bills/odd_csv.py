"""Rows of a CSV that is out of the ordinary, read by pyarrow from its plain copy: rows of a wrong width are told apart.

On one core, since with more nobody tells which row is which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa
from pyarrow import csv as arrow_csv

from attribution.bills.ordinary_csv import Form
from schemas.faults import Fault, InputError
from schemas.packed import UnfinishedFileError
from schemas.text_file import PlainText

# Larger blocks fall out of the caches and take half as long again; no row is as long.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Ragged:
    """A row that is none: its number of fields is not the header's, or its line is no object. `text`: as written."""

    number: int
    text: str
    check: str


Part = tuple[pl.DataFrame, pl.Series, tuple[Ragged, ...]]
"""Rows, the number of each (from 1), and the ragged ones met since the part before."""


def odd_rows(text: PlainText, where: str, form: Form, seen: int) -> Iterator[Part]:
    """Rows after the first `seen`, none of which is ragged; at least one part, if an empty one.

    Args:
        text: the plain copy.
        where: what messages call the file.
        form: how to read it.
        seen: so many rows were read before.

    Raises:
        UnfinishedFileError: the last row is too short and has no line end.
        InputError: quotes that make no sense.
    """
    ragged: list[Ragged] = []
    short: list[bool] = []

    def skip(row: arrow_csv.InvalidRow) -> str:
        short.append(row.actual_columns < row.expected_columns)
        check = f"{row.expected_columns} fields, as the header has; found {row.actual_columns}"
        ragged.append(Ragged(row.number - 1, row.text, check))
        return "skip"

    good = told = 0
    given = False
    try:
        for whole in _frames(text, form, skip):
            numbers = _shift(row_numbers(good + 1, whole.height), ragged)
            known = max(0, min(seen - good, whole.height))
            good += whole.height
            if known < whole.height:
                yield whole[known:], numbers[known:], tuple(ragged[told:])
                told, given = len(ragged), True
    except pa.ArrowInvalid as error:
        raise InputError(Fault(where, f"the CSV cannot be read: {error}")) from error
    last = ragged[-1] if ragged else None
    if last and last.number == good + len(ragged) and short[-1] and not text.ends_with_newline:
        what = f"the last row must have {last.check}, and has no line end, so the file was cut"
        raise UnfinishedFileError(Fault(where, what))
    if not given or told < len(ragged):
        yield pl.DataFrame(schema=dict.fromkeys(form.columns, pl.String)), row_numbers(1, 0), tuple(ragged[told:])


def row_numbers(start: int, height: int) -> pl.Series:
    """Numbers of so many rows that follow each other."""
    return pl.int_range(start, start + height, dtype=pl.Int64, eager=True).alias("row_number")


def _frames(text: PlainText, form: Form, ragged: object) -> Iterator[pl.DataFrame]:
    """Arrow's small batches as larger frames with the header's names."""
    with text.path.open("rb") as file:
        header = file.readline()
        if not file.read(1):
            return  # no line follows, which pyarrow takes for a fault
    parsing = arrow_csv.ParseOptions(delimiter=form.delimiter, newlines_in_values=True, invalid_row_handler=ragged)
    written = arrow_csv.read_csv(pa.BufferReader(header), parse_options=parsing).column_names
    held: list[pa.RecordBatch] = []
    rows = length = 0
    for batch in arrow_csv.open_csv(
        text.path,
        read_options=arrow_csv.ReadOptions(block_size=_BLOCK, use_threads=False),
        parse_options=arrow_csv.ParseOptions(
            delimiter=form.delimiter, newlines_in_values=True, invalid_row_handler=ragged
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(written, pa.string()),
            null_values=["", *form.nulls],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    ):
        held.append(batch)
        rows += batch.num_rows
        length += batch.nbytes
        if rows >= form.rows or length >= form.size:
            yield _frame(held, form.columns)
            held, rows, length = [], 0, 0
    if rows:
        yield _frame(held, form.columns)


def _frame(batches: list[pa.RecordBatch], columns: Sequence[str]) -> pl.DataFrame:
    frame = pl.from_arrow(pa.Table.from_batches(batches))
    if not isinstance(frame, pl.DataFrame):
        message = "a table is a frame"
        raise TypeError(message)
    frame.columns = list(columns)
    return frame


def _shift(ordinals: pl.Series, ragged: list[Ragged]) -> pl.Series:
    """Row numbers of good rows from their ordinals: each ragged row before them moves them by one."""
    if not ragged:
        return ordinals
    before = pl.Series([row.number - 1 - at for at, row in enumerate(ragged)], dtype=pl.Int64)
    return (ordinals + before.search_sorted(ordinals, side="left").cast(pl.Int64)).alias("row_number")
