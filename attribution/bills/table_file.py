"""Rows of one delivered file as they stand, CSV, JSON lines or Parquet, batch by batch and in order.

CSV and JSON lines are all text, and a row with too many or too few fields is told apart, never padded or cut. The
surprise: CSV is read in two ways. polars reads it for as long as every byte is accounted for; from where it is not,
pyarrow does, which tells rows of a wrong width.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

import polars as pl
import pyarrow as pa

from attribution.bills.json_lines import JsonTable, open_json
from attribution.bills.listing import Head
from attribution.bills.odd_csv import Ragged, odd_rows, row_numbers
from attribution.bills.ordinary_csv import Form, OutOfTheOrdinaryError, ordinary_rows
from attribution.bills.parquet_file import laid_flat, slices
from schemas.faults import Fault, InputError
from schemas.reading_ahead import ahead
from schemas.text_file import PlainText, delimiter_of, head_line, plain_blocks, without_header
from schemas.text_lines import LinesAhead, physical_lines, rows_on_lines

BATCH_ROWS = 250_000
# Reports of 200 columns come in smaller batches, so that memory stays bounded.
_BATCH_CELLS = 32_000_000
# A map holds about so many cells; as JSON text in CSV it is as long as they are.
_MAP_CELLS = 24
_BATCH_BYTES = 1 << 26
# So much of a CSV is looked at before it is read.
_FIRST_BYTES = 1 << 20


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
    """A file made ready to read. Of CSV `delimiter` is set, of JSON lines `objects`; else it is Parquet.

    `structs`: nested columns of Parquet that are laid flat. `encoding`: what the source states. `ordinary`: so many
    rows are a line each.
    """

    head: Head
    scratch: Path | None = None
    encoding: str | None = None
    delimiter: str | None = None
    structs: Collection[str] = ()
    objects: JsonTable | None = None
    copied: PlainText | None = None
    footer_told: bool = False
    ordinary: int = 0
    lines: dict[int, int] = field(default_factory=dict)
    passing: LinesAhead | None = None

    @property
    def csv(self) -> bool:
        """Whether rows stand on lines of text."""
        return self.delimiter is not None

    def text(self) -> PlainText:
        """A plain UTF-8 copy of CSV on disk, made once it is asked for: most files are read without.

        Raises:
            UnfinishedFileError: what is packed stops before its end.
            InputError: undecodable, or rows after a footer.
        """
        if self.copied is None:
            if self.scratch is None:
                message = f"{self.head.file.name} is no text"
                raise TypeError(message)
            self.copied = self.head.file.plain_text(self.scratch, self.encoding)
        return self.copied

    def close(self) -> None:
        """Give up the plain text; lines can no longer be told."""
        if self.csv:
            self.head.file.leave(self.copied)

    def texts(self, lines: list[int], longest: int) -> dict[int, str]:
        """The rows that start on these lines of a CSV, as written; of each no more than its first `longest` bytes."""
        found = None
        if lines and max(lines) <= self.ordinary + 1:
            if self.passing is None:
                self.passing = self._lines_ahead()
            found = self.passing.of(lines, longest)
        return rows_on_lines(self.text().path, set(lines), longest) if found is None else found

    def _lines_ahead(self) -> LinesAhead:
        file = self.head.file
        blocks = plain_blocks(file.path, file.name, self.encoding)
        if blocks is None:
            message = f"{file.name} was read by its blocks, and has none"
            raise TypeError(message)
        return LinesAhead(blocks)

    def line_of(self, numbers: list[int]) -> list[int]:
        """Physical lines of data rows; a row of JSON lines has the number of its line, and Parquet has no lines."""
        if not self.csv:
            return numbers
        missing = {number for number in numbers if number > self.ordinary} - self.lines.keys()
        if missing and self.text().quoted:
            self.lines |= physical_lines(self.text().path, missing)
        return [self.lines.get(number, number + 1) for number in numbers]


def open_table(head: Head, scratch: Path, encoding: str | None, structs: Collection[str] = ()) -> OpenTable:
    """Make a file ready: its columns are checked.

    Args:
        head: the file.
        scratch: a folder for copies; the caller removes it.
        encoding: what the source states.
        structs: nested columns of Parquet and JSON that are laid flat: what is inside becomes columns `outer.inner`.

    Raises:
        UnfinishedFileError: zero bytes, or what is packed stops before its end.
        InputError: undecodable, or two columns of one name.
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
    delimiter = delimiter_of(head_line(head.file.path, head.file.name, encoding))
    return OpenTable(head, scratch, encoding, delimiter)


def raw_rows(table: OpenTable, nulls: tuple[str, ...]) -> Iterator[RawRows]:
    """Rows of a file in batches of about a quarter of a million; a file without rows gives one empty batch.

    Args:
        table: an opened file.
        nulls: cells that mean "no value" in CSV, beside the empty one.
    """
    if table.csv:
        yield from _csv(table, nulls)
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
            yield RawRows(
                table.head, laid_flat(frame, table.structs), row_numbers(start + 1, frame.height), first=first
            )
            first = False
    except (pl.exceptions.PolarsError, pa.ArrowInvalid) as error:
        raise InputError(Fault(table.head.file.name, f"the Parquet file cannot be read: {error}")) from error
    if first:
        empty = pl.DataFrame(schema=pl.read_parquet_schema(table.head.file.path))
        yield RawRows(table.head, laid_flat(empty, table.structs), row_numbers(1, 0), first=True)


def scan(table: OpenTable) -> pl.LazyFrame:
    """All rows of a file, unread: to look for something in some columns. Nested columns of Parquet are as they are."""
    if table.csv:
        return _as_text(table, table.text().path)
    return pl.scan_parquet(table.head.file.path) if table.objects is None else table.objects.scan()


def first_rows(table: OpenTable, rows: int) -> pl.LazyFrame:
    """The first rows of a file as `scan` gives them; fewer of CSV where they are very long."""
    file = table.head.file
    blocks = plain_blocks(file.path, file.name, table.encoding, _FIRST_BYTES) if table.csv else None
    if blocks is None:
        return scan(table).head(rows)
    with closing(blocks):
        return _as_text(table, BytesIO(next(blocks))).head(rows)


def _as_text(table: OpenTable, source: Path | BytesIO) -> pl.LazyFrame:
    query = pl.scan_csv(source, separator=table.delimiter or ",", infer_schema=False, truncate_ragged_lines=True)
    return query.rename(dict(zip(query.collect_schema().names(), table.head.columns, strict=True)))


def _json(table: OpenTable, objects: JsonTable) -> Iterator[RawRows]:
    first = True
    for frame, numbers in objects.frames():
        yield RawRows(table.head, frame, numbers, first=first)
        first = False
    bad = tuple(Ragged(number, text, f"one object a line; this is {what}") for number, what, text in objects.bad)
    if bad or first:
        yield RawRows(table.head, _no_rows(table.head), row_numbers(1, 0), bad, first=first)


def _csv(table: OpenTable, nulls: tuple[str, ...]) -> Iterator[RawRows]:
    """Rows of a CSV by polars, one frame parsed while the one before is used; from what is odd on by pyarrow."""
    head = table.head
    rows = min(BATCH_ROWS, _BATCH_CELLS // len(head.columns))
    form = Form(head.columns, table.delimiter or ",", nulls, rows, _BATCH_BYTES)
    blocks = plain_blocks(head.file.path, head.file.name, table.encoding)
    odd, seen = blocks is None, 0
    if blocks is not None:
        with (
            closing(ahead(without_header(blocks))) as coming,
            closing(ahead(ordinary_rows(coming, form))) as frames,
        ):
            try:
                for frame in frames:
                    table.ordinary += frame.height
                    yield RawRows(head, frame, row_numbers(seen + 1, frame.height), first=not seen)
                    seen += frame.height
            except OutOfTheOrdinaryError:
                odd = True
    if odd:
        first = not seen
        for frame, numbers, ragged in odd_rows(table.text(), head.file.name, form, seen):
            yield RawRows(head, frame, numbers, ragged, first=first)
            first = False
    elif not seen:
        yield RawRows(head, _no_rows(head), row_numbers(1, 0), first=True)


def _no_rows(head: Head) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(head.columns, pl.String))
