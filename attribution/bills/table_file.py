"""Rows of one delivered file as they stand, CSV, JSON lines or Parquet, batch by batch and in order.

CSV and JSON lines are all text, and a row with too many or too few fields is told apart, never padded or cut. The
surprise: pyarrow reads CSV here and not polars, since polars fills short rows with nulls and does not say so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl
import pyarrow as pa
from pyarrow import csv as arrow_csv

from attribution.bills.json_lines import JsonTable, open_json
from attribution.bills.listing import Head
from attribution.bills.parquet_file import laid_flat, slices
from schemas.faults import Fault, InputError
from schemas.packed import UnfinishedFileError
from schemas.text_file import PlainText, delimiter_of, physical_lines

BATCH_ROWS = 250_000
# Reports of 200 columns come in smaller batches, so that memory stays bounded.
_BATCH_CELLS = 32_000_000
# A map holds about so many cells; as JSON text in CSV it is as long as they are.
_MAP_CELLS = 24
_BATCH_BYTES = 1 << 28
# Larger blocks fall out of the caches and take half as long again; no row is as long.
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Ragged:
    """A row that is none: its number of fields is not the header's, or its line is no object. `text`: as written."""

    number: int
    text: str
    check: str


@dataclass(frozen=True)
class RawRows:
    """Some rows of a file: raw columns, the number of each row (from 1), and rows of a wrong width met on the way."""

    head: Head
    frame: pl.DataFrame
    numbers: pl.Series
    ragged: tuple[Ragged, ...] = ()
    first: bool = False


@dataclass
class OpenTable:
    """A file made ready to read; `text` and `delimiter` for CSV, `objects` for JSON lines, `structs` for Parquet."""

    head: Head
    text: PlainText | None = None
    delimiter: str = ","
    structs: Collection[str] = ()
    objects: JsonTable | None = None
    lines: dict[int, int] = field(default_factory=dict)

    def close(self) -> None:
        """Give up the plain text; lines can no longer be told."""
        if self.text is not None:
            self.head.file.leave(self.text)

    def line_of(self, numbers: list[int]) -> list[int]:
        """Physical lines of data rows; a row of JSON lines has the number of its line, and Parquet has no lines."""
        if self.text is None:
            return numbers
        missing = set(numbers) - self.lines.keys() if self.text.quoted else set()
        if missing:
            self.lines |= physical_lines(self.text.path, missing)
        return [self.lines.get(number, number + 1) for number in numbers]


def open_table(head: Head, scratch: Path, encoding: str | None, structs: Collection[str] = ()) -> OpenTable:
    """Make a file ready: CSV becomes plain UTF-8 in `scratch`, and its columns are checked.

    Args:
        head: the file.
        scratch: a folder for copies; the caller removes it.
        encoding: what the source states.
        structs: nested columns of Parquet and JSON that are laid flat: what is inside becomes columns `outer.inner`.

    Raises:
        UnfinishedFileError: zero bytes, or what is packed stops before its end.
        InputError: undecodable, rows after a footer, or two columns of one name.
    """
    twice = sorted({name for name in head.columns if head.columns.count(name) > 1})
    if twice:
        raise InputError([Fault(head.file.name, f'column "{name}" stands twice in the header') for name in twice])
    if head.parquet:
        if not structs:
            return OpenTable(head)
        flat = laid_flat(pl.DataFrame(schema=pl.read_parquet_schema(head.file.path)), structs)
        return OpenTable(replace(head, columns=tuple(flat.columns)), structs=structs)
    if head.json:
        objects = open_json(head.file.path, head.file.name, scratch / head.file.file_id, structs)
        return OpenTable(replace(head, columns=objects.columns), objects=objects)
    text = head.file.plain_text(scratch, encoding)
    with text.path.open(encoding="utf-8") as opened:
        return OpenTable(head, text, delimiter_of(opened.readline().rstrip("\r\n")))


def raw_rows(table: OpenTable, nulls: tuple[str, ...]) -> Iterator[RawRows]:
    """Rows of a file in batches of about a quarter of a million; a file without rows gives one empty batch.

    Args:
        table: an opened file.
        nulls: cells that mean "no value" in CSV, beside the empty one.
    """
    if table.text is not None:
        yield from _csv(table, table.text, nulls)
        return
    if table.objects is not None:
        yield from _json(table, table.objects)
        return
    first = True
    try:
        query = pl.scan_parquet(table.head.file.path)
        cells = sum(_MAP_CELLS if dtype.is_nested() else 1 for dtype in query.collect_schema().values())
        at_once = min(BATCH_ROWS, _BATCH_CELLS // max(cells, 1))
        # Slice by slice, since polars' own batches are read ahead: 0.9 GiB more of ten million rows.
        for start, rows in slices(table.head.file.path, at_once):
            frame = query.slice(start, rows).collect()
            yield RawRows(table.head, laid_flat(frame, table.structs), _numbers(start + 1, frame.height), first=first)
            first = False
    except (pl.exceptions.PolarsError, pa.ArrowInvalid) as error:
        raise InputError(Fault(table.head.file.name, f"the Parquet file cannot be read: {error}")) from error
    if first:
        empty = pl.DataFrame(schema=pl.read_parquet_schema(table.head.file.path))
        yield RawRows(table.head, laid_flat(empty, table.structs), _numbers(1, 0), first=True)


def scan(table: OpenTable) -> pl.LazyFrame:
    """All rows of a file, unread: to look for something in some columns. Nested columns of Parquet are as they are."""
    if table.objects is not None:
        return table.objects.scan()
    if table.text is None:
        return pl.scan_parquet(table.head.file.path)
    query = pl.scan_csv(table.text.path, separator=table.delimiter, infer_schema=False, truncate_ragged_lines=True)
    return query.rename(dict(zip(query.collect_schema().names(), table.head.columns, strict=True)))


def _json(table: OpenTable, objects: JsonTable) -> Iterator[RawRows]:
    first = True
    for frame, numbers in objects.frames():
        yield RawRows(table.head, frame, numbers, first=first)
        first = False
    bad = tuple(Ragged(number, text, f"one object a line; this is {what}") for number, what, text in objects.bad)
    if bad or first:
        yield RawRows(table.head, _no_rows(table.head), _numbers(1, 0), bad, first=first)


def _csv(table: OpenTable, text: PlainText, nulls: tuple[str, ...]) -> Iterator[RawRows]:
    """Rows of a CSV, with all cores until a row of the wrong width is met, then on one core.

    Only one thread tells which row that is; most files have none, and theirs is the shorter way.
    """
    met: list[object] = []

    def stop(row: object) -> str:
        met.append(row)
        return "error"

    seen = 0
    try:
        for frame in _gather(_reader(table, text, nulls, stop, threads=True), table.head.columns):
            yield RawRows(table.head, frame, _numbers(seen + 1, frame.height), first=not seen)
            seen += frame.height
    except pa.ArrowInvalid as error:
        if not met:
            raise InputError(Fault(table.head.file.name, f"the CSV cannot be read: {error}")) from error
    if met:
        yield from _csv_with_ragged_rows(table, text, nulls, seen)
    elif not seen:
        yield RawRows(table.head, _no_rows(table.head), _numbers(1, 0), first=True)


def _csv_with_ragged_rows(table: OpenTable, text: PlainText, nulls: tuple[str, ...], seen: int) -> Iterator[RawRows]:
    """Rows after the first `seen` (none of which is ragged), rows of a wrong width told apart."""
    ragged: list[Ragged] = []
    short: list[bool] = []

    def skip(row: arrow_csv.InvalidRow) -> str:
        short.append(row.actual_columns < row.expected_columns)
        check = f"{row.expected_columns} fields, as the header has; found {row.actual_columns}"
        ragged.append(Ragged(row.number - 1, row.text, check))
        return "skip"

    good = told = 0
    try:
        for whole in _gather(_reader(table, text, nulls, skip, threads=False), table.head.columns):
            numbers = _shift(_numbers(good + 1, whole.height), ragged)
            known = max(0, min(seen - good, whole.height))
            good += whole.height
            if known < whole.height:
                rest = tuple(ragged[told:])
                told = len(ragged)
                yield RawRows(table.head, whole[known:], numbers[known:], rest, first=not seen and good == whole.height)
    except pa.ArrowInvalid as error:
        raise InputError(Fault(table.head.file.name, f"the CSV cannot be read: {error}")) from error
    last = ragged[-1]
    if last.number == good + len(ragged) and short[-1] and not text.ends_with_newline:
        what = f"the last row must have {last.check}, and has no line end, so the file was cut"
        raise UnfinishedFileError(Fault(table.head.file.name, what))
    if told < len(ragged):
        yield RawRows(table.head, _no_rows(table.head), _numbers(1, 0), tuple(ragged[told:]), first=not good)


def _no_rows(head: Head) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(head.columns, pl.String))


def _reader(
    table: OpenTable, text: PlainText, nulls: tuple[str, ...], ragged: object, *, threads: bool
) -> arrow_csv.CSVStreamingReader:
    written = _names_as_written(text.path, table.delimiter)
    return arrow_csv.open_csv(
        text.path,
        read_options=arrow_csv.ReadOptions(block_size=_BLOCK, use_threads=threads),
        parse_options=arrow_csv.ParseOptions(
            delimiter=table.delimiter, newlines_in_values=True, invalid_row_handler=ragged
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(written, pa.string()),
            null_values=["", *nulls],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _names_as_written(path: Path, delimiter: str) -> list[str]:
    with path.open("rb") as file:
        header = file.readline()
    options = arrow_csv.ParseOptions(delimiter=delimiter)
    return list(arrow_csv.read_csv(pa.BufferReader(header), parse_options=options).column_names)


def _gather(reader: arrow_csv.CSVStreamingReader, columns: tuple[str, ...]) -> Iterator[pl.DataFrame]:
    """Arrow's small batches as larger frames with the header's names."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in reader:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= BATCH_ROWS or rows * len(columns) >= _BATCH_CELLS or size >= _BATCH_BYTES:
            yield _frame(held, columns)
            held, rows, size = [], 0, 0
    if rows:
        yield _frame(held, columns)


def _frame(batches: list[pa.RecordBatch], columns: tuple[str, ...]) -> pl.DataFrame:
    frame = pl.from_arrow(pa.Table.from_batches(batches))
    if not isinstance(frame, pl.DataFrame):
        message = "a table is a frame"
        raise TypeError(message)
    frame.columns = list(columns)
    return frame


def _numbers(start: int, height: int) -> pl.Series:
    return pl.int_range(start, start + height, dtype=pl.Int64, eager=True).alias("row_number")


def _shift(ordinals: pl.Series, ragged: list[Ragged]) -> pl.Series:
    """Row numbers of good rows from their ordinals: each ragged row before them moves them by one."""
    if not ragged:
        return ordinals
    before = pl.Series([row.number - 1 - at for at, row in enumerate(ragged)], dtype=pl.Int64)
    return (ordinals + before.search_sorted(ordinals, side="left").cast(pl.Int64)).alias("row_number")
