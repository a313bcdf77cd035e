"""The control sum: a delivery's files summed apart from the readers, by other means and exactly.

Nothing of the readers' mapping is used, only the plain text that they read too: pyarrow finds the raw columns, adds
them as 256-bit decimals, and whatever does not fit that is added one by one as the standard library's decimals.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from attribution.bills.control_numbers import NUMBER, filled, plain, summed
from attribution.bills.json_lines import lines_of, read_line
from attribution.bills.listing import Head, read_head
from schemas.bills import BillFile, Delivery, Stated
from schemas.faults import Fault, InputError
from schemas.money import EXACT
from schemas.text_file import delimiter_of, head_line, plain_blocks, whole_lines, without_header
from schemas.workspace import Source

_WITHIN = r"""(?:"NAME"|'NAME')\s*:\s*(?:Decimal\()?["']?([-+.\dEe]+)["']?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_BATCH = 1 << 19
_CSV_BLOCK = 1 << 22
_BLANKS = ("", "NULL", "null", "\\N")


Inner = Mapping[str, tuple[str, str]]
"""Cost column -> a raw column that holds lists, and the field of each element that is added to that cost."""


Costs = Mapping[str, tuple[str, ...]]
"""Cost column -> raw columns that may hold it, best first; in each row the first that is not blank counts."""


@dataclass(frozen=True)
class _Wanted:
    """What is summed: raw columns of each cost, from a file's columns, and amounts within lists."""

    costs: Callable[[tuple[str, ...]], Costs]
    inner: Inner
    blanks: tuple[str, ...] = _BLANKS

    def of(self, names: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, tuple[str, str]]]:
        """Those raw columns that a file has: of each cost, and of each cost within lists with the field."""
        lists = _columns(names, {cost: (raw,) for cost, (raw, _) in self.inner.items()})
        inside = {cost: (raw, self.inner[cost][1]) for cost, (raw,) in lists.items()}
        return _columns(names, self.costs(tuple(names))), inside


@dataclass
class _Sums:
    rows: int = 0
    totals: dict[str, Decimal] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)

    def add(self, cost: str, amount: Decimal, unreadable: int) -> None:
        self.totals[cost] = EXACT.add(self.totals.get(cost, Decimal(0)), amount)
        if unreadable:
            self.unreadable[cost] = self.unreadable.get(cost, 0) + unreadable

    def take(self, more: _Sums) -> None:
        self.rows += more.rows
        for cost, amount in more.totals.items():
            self.add(cost, amount, more.unreadable.get(cost, 0))


def sum_files(
    delivery: Delivery,
    wanted: Costs | Callable[[tuple[str, ...]], Costs],
    inner: Inner | None = None,
    blanks: tuple[str, ...] = (),
) -> Stated:
    """Rows and exact totals of raw columns over all files of a delivery.

    Args:
        delivery: its files are read as they are.
        wanted: what is summed; or what tells it from the columns of a file.
        inner: amounts within lists, which are added.
        blanks: texts that mean "no value", beside those of databases.
    """
    needed = _Wanted(wanted if callable(wanted) else lambda _: wanted, inner or {}, (*_BLANKS, *blanks))
    sums = _Sums()
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for file in delivery.files:
            head = read_head(file, delivery.source)
            if head.parquet:
                _parquet(file, needed, sums)
            elif head.json:
                _json(head, needed, sums)
            else:
                sums.take(_text(head, delivery.source, needed, Path(scratch)))
    return Stated(sums.rows, sums.totals, sums.unreadable)


def _columns(names: Sequence[str], wanted: Costs) -> dict[str, list[str]]:
    """Raw columns present for each cost: by exact name, else without regard to case."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    found = {
        cost: [raw if raw in names else folded[raw.casefold()] for raw in raws if raw.casefold() in folded]
        for cost, raws in wanted.items()
    }
    return {cost: raws for cost, raws in found.items() if raws}


def _parquet(file: BillFile, wanted: _Wanted, sums: _Sums) -> None:
    opened = pq.ParquetFile(file.path, pre_buffer=False)  # else it fetches the columns of the whole file at once
    found, lists = wanted.of(list(opened.schema_arrow.names))
    sums.rows += opened.metadata.num_rows
    for batch in opened.iter_batches(_BATCH, columns=_needed(found, lists)):
        for cost, raws in found.items():
            columns = [filled(batch.column(raw), wanted.blanks) for raw in raws]
            if len({str(column.type) for column in columns}) > 1:
                # A decimal beside a double would become one.
                columns = [column.cast(pa.string()) for column in columns]
            sums.add(cost, *summed(pc.coalesce(*columns)))
        for cost, (raw, name) in lists.items():
            column = batch.column(raw)
            nested = pa.types.is_nested(column.type)
            inside = summed(pc.struct_field(pc.list_flatten(column), name)) if nested else _sum_within(column, name)
            sums.add(cost, *inside)


def _needed(found: dict[str, list[str]], lists: dict[str, tuple[str, str]]) -> list[str]:
    return sorted({raw for raws in found.values() for raw in raws} | {raw for raw, _ in lists.values()})


def _text(head: Head, source: Source, wanted: _Wanted, scratch: Path) -> _Sums:
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
            lines = whole_lines(iter(lambda: opened.read(_CSV_BLOCK), b""))
            return _csv_once(without_header(lines), head, source, wanted, ragged=True)
    except pa.ArrowInvalid as error:
        raise InputError(Fault(file.name, f"the CSV cannot be read: {error}")) from error
    finally:
        file.leave(copied)


def _csv_once(blocks: Generator[bytes], head: Head, source: Source, wanted: _Wanted, *, ragged: bool) -> _Sums:
    """Sums of rows; of one not as wide as the header the cells count that have their column's place.

    Raises:
        ArrowInvalid: quotes that make no sense; and a row of a wrong width unless `ragged` ones are meant.
    """
    meant = wanted.of(head.columns)
    places = {raw: head.columns.index(raw) for raw in _needed(*meant)}
    names = [str(at) for at in range(len(head.columns))]  # as written they may have blanks around them
    included = [names[at] for at in places.values()] or names[:1]
    delimiter = delimiter_of(head_line(head.file.path, head.file.name, source.encoding))
    odd: list[str] = []

    def met(row: arrow_csv.InvalidRow) -> str:
        odd.append(row.text)
        return "skip" if ragged else "error"

    standard = partial(plain, source=source, blanks=wanted.blanks)
    sums = _Sums()
    stream = _Stream(blocks)
    if not stream.fill():
        return sums
    try:
        for batch in arrow_csv.open_csv(
            stream,
            arrow_csv.ReadOptions(block_size=_CSV_BLOCK, column_names=names),
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
    sums: _Sums,
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
        sums.add(cost, *_sum_within(cells[raw], name))


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


def _json(head: Head, wanted: _Wanted, sums: _Sums) -> None:
    """Row by row in the standard library's decimals; a line that is no object has no money.

    Which columns are meant only all keys of the file tell. The first line nearly always has them; where it has not,
    the file is summed once more.
    """
    found = wanted.of(head.columns)
    once, keys = _json_once(head.file, *found, wanted.blanks)
    if (whole := wanted.of(tuple(keys))) != found:
        once, _ = _json_once(head.file, *whole, wanted.blanks)
    sums.take(once)


def _json_once(
    file: BillFile, found: dict[str, list[str]], lists: dict[str, tuple[str, str]], blanks: tuple[str, ...]
) -> tuple[_Sums, dict[str, None]]:
    """Sums of these columns, and all keys of the file."""
    sums = _Sums(totals=dict.fromkeys((*found, *lists), Decimal(0)))
    keys: dict[str, None] = {}
    for _, line in lines_of(file.path, file.name):
        sums.rows += 1
        try:
            row = read_line(line)
        except ValueError:
            continue
        keys |= dict.fromkeys(row)
        for cost, raws in found.items():
            cell = next((row[raw] for raw in raws if row.get(raw) not in (None, *blanks)), None)
            if cell is not None:
                sums.add(cost, *_number(cell))
        for cost, (raw, name) in lists.items():
            cell = row.get(raw) or ""
            for amount in nested_amounts(cell if isinstance(cell, str) else json.dumps(cell), name):
                sums.add(cost, Decimal(amount), 0)
    return sums, keys


def _number(cell: object) -> tuple[Decimal, int]:
    return (Decimal(cell), 0) if isinstance(cell, str) and NUMBER.fullmatch(cell) else (Decimal(0), 1)


def _sum_within(texts: pa.Array, name: str) -> tuple[Decimal, int]:
    """Exact sum of the amounts inside text cells; each distinct text is searched once."""
    total = Decimal(0)
    for pair in pc.value_counts(pc.drop_null(texts)).to_pylist():
        for amount in nested_amounts(pair["values"], name):
            total = EXACT.add(total, EXACT.multiply(Decimal(amount), pair["counts"]))
    return total, 0


def nested_amounts(text: str, name: str) -> Iterator[str]:
    """Numbers that stand behind a name inside a list, JSON or single-quoted; the text may be damaged.

    Whole texts in quotes are passed over, so that a name which only occurs within one is not met.
    """
    for found in re.finditer(_WITHIN.replace("NAME", re.escape(name)), text, re.DOTALL):
        if found.group(1) and re.fullmatch(NUMBER, found.group(1)):
            yield found.group(1)
