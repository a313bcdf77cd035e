"""The control sum of a CSV, read by pyarrow from the plain text."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from attribution.bills.control_numbers import plain, summed
from attribution.bills.control_sums import Sums, Wanted, all_columns, sum_within
from attribution.bills.listing import Head
from schemas.faults import Fault, InputError
from schemas.text_file import delimiter_of, head_line, plain_blocks, whole_lines, without_header
from schemas.workspace import Source

_BLOCK = 1 << 22


def sum_csv(head: Head, source: Source, wanted: Wanted, scratch: Path) -> Sums:
    """A CSV as it is unpacked; where a row is not as wide as the header, from a copy that has lost its footer."""
    file = head.file
    blocks = plain_blocks(file.path, file.name, source.encoding)
    if blocks is not None:
        with suppress(pa.ArrowInvalid):
            sums = _csv_once(without_header(blocks), head, source, wanted, ragged=False)
            file.leave(None)
            return sums
    copied = file.plain_text(scratch, source.encoding)
    try:
        with copied.path.open("rb") as opened:
            lines = whole_lines(iter(lambda: opened.read(_BLOCK), b""))
            return _csv_once(without_header(lines), head, source, wanted, ragged=True)
    except pa.ArrowInvalid as error:
        raise InputError(Fault(file.name, f"the CSV cannot be read: {error}")) from error
    finally:
        file.leave(copied)


def _csv_once(blocks: Generator[bytes], head: Head, source: Source, wanted: Wanted, *, ragged: bool) -> Sums:
    """Sums of rows; of one not as wide as the header the cells count that have their column's place.

    Raises:
        ArrowInvalid: quotes that make no sense; and a row of a wrong width unless `ragged` ones are meant.
    """
    meant = wanted.of(head.columns)
    places = {raw: head.columns.index(raw) for raw in all_columns(*meant)}
    names = [str(at) for at in range(len(head.columns))]  # as written they may have blanks around them
    included = [names[at] for at in places.values()] or names[:1]
    delimiter = delimiter_of(head_line(head.file.path, head.file.name, source.encoding))
    odd: list[str] = []

    def met(row: arrow_csv.InvalidRow) -> str:
        odd.append(row.text)
        return "skip" if ragged else "error"

    standard = partial(plain, source=source, blanks=wanted.blanks)
    sums = Sums()
    stream = _Stream(blocks)
    if not stream.fill():
        return sums
    try:
        for batch in arrow_csv.open_csv(
            stream,
            arrow_csv.ReadOptions(block_size=_BLOCK, column_names=names),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=met),
            arrow_csv.ConvertOptions(include_columns=included, column_types=dict.fromkeys(included, pa.string())),
        ):
            cells = {raw: batch.column(names[at]) for raw, at in places.items()}
            _add_texts(sums, batch.num_rows, cells, meant, standard)
    finally:
        stream.close()
    if odd:
        rows = [next(csv.reader([text], delimiter=delimiter), []) for text in odd]
        cells = {raw: pa.array([row[at] if at < len(row) else None for row in rows]) for raw, at in places.items()}
        _add_texts(sums, len(rows), cells, meant, standard)
    return sums


def _add_texts(
    sums: Sums,
    rows: int,
    cells: Mapping[str, pa.Array],
    meant: tuple[dict[str, list[str]], dict[str, tuple[str, str]]],
    read: Callable[[pa.Array], pa.Array],
) -> None:
    """Add some rows; `meant`: what the whole header says is summed, and no part of it tells."""
    sums.rows += rows
    found, lists = meant
    for cost, raws in found.items():
        sums.add(cost, *summed(pc.coalesce(*(read(cells[raw]) for raw in raws))))
    for cost, (raw, name) in lists.items():
        sums.add(cost, *sum_within(cells[raw], name))


class _Stream(io.RawIOBase):
    """Blocks of bytes as a file to read from, which a thread of pyarrow does, also for a while after an error."""

    def __init__(self, blocks: Generator[bytes]) -> None:
        self._blocks = blocks
        self._left = memoryview(b"")
        self._busy = Lock()

    def fill(self) -> bool:
        """Whether there is something to read."""
        if not self._left:
            self._left = memoryview(next(self._blocks, b""))
        return bool(self._left)

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        with self._busy:
            self.fill()
            size = min(len(into), len(self._left))
            into[:size] = self._left[:size]
            self._left = self._left[size:]
            return size

    def close(self) -> None:
        with self._busy:
            self._blocks.close()
        super().close()
