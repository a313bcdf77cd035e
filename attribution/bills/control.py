"""The control sum: a delivery's files summed apart from the readers, by other means and exactly.

Nothing of the readers' mapping is used, only the plain text that they read too: pyarrow finds the raw columns, adds
them as 256-bit decimals, and whatever does not fit that is added one by one as the standard library's decimals.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from attribution.bills.json_lines import lines_of, read_line
from attribution.bills.listing import Head, read_head
from schemas.bills import BillFile, Delivery, Stated
from schemas.money import EXACT
from schemas.text_file import delimiter_of, header_columns
from schemas.workspace import Source

# ASCII: Decimal reads digits of every script, and the readers take such text for no number.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_WITHIN = r"""(?:"NAME"|'NAME')\s*:\s*(?:Decimal\()?["']?([-+.\dEe]+)["']?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_WIDE = pa.decimal256(76, 30)
_LARGE = r"[eE]\+?\d|\d{38}"
_BATCH = 1 << 19
_PLACES = 12
_BLANKS = ("", "NULL", "null", "\\N")
# Two texts of so many digits are never one double, so the one found is the shortest.
_SAFE = 10.0**15


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
                _text(file, delivery.source, needed, sums, Path(scratch))
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
            columns = [_filled(batch.column(raw), wanted.blanks) for raw in raws]
            if len({str(column.type) for column in columns}) > 1:
                # A decimal beside a double would become one.
                columns = [column.cast(pa.string()) for column in columns]
            sums.add(cost, *_sum(pc.coalesce(*columns)))
        for cost, (raw, name) in lists.items():
            column = batch.column(raw)
            nested = pa.types.is_nested(column.type)
            inside = _sum(pc.struct_field(pc.list_flatten(column), name)) if nested else _sum_within(column, name)
            sums.add(cost, *inside)


def _needed(found: dict[str, list[str]], lists: dict[str, tuple[str, str]]) -> list[str]:
    return sorted({raw for raws in found.values() for raw in raws} | {raw for raw, _ in lists.values()})


def _text(file: BillFile, source: Source, wanted: _Wanted, sums: _Sums, scratch: Path) -> None:
    text = file.plain_text(scratch, source.encoding)
    with text.path.open(encoding="utf-8") as opened:
        header = opened.readline().rstrip("\r\n")
    names = list(header_columns(header))
    found, lists = wanted.of(names)
    query = pl.scan_csv(text.path, separator=delimiter_of(header), infer_schema=False, truncate_ragged_lines=True)
    written = query.collect_schema().names()
    query = query.select(pl.col(written[names.index(raw)]).alias(raw) for raw in _needed(found, lists))
    for frame in query.collect_batches(chunk_size=_BATCH):
        sums.rows += frame.height
        for cost, raws in found.items():
            cells = [plain(frame.get_column(raw).to_arrow(), source, wanted.blanks) for raw in raws]
            sums.add(cost, *_sum(pc.coalesce(*cells)))
        for cost, (raw, name) in lists.items():
            sums.add(cost, *_sum_within(frame.get_column(raw).to_arrow(), name))
    file.leave(text)


def _json(head: Head, wanted: _Wanted, sums: _Sums) -> None:
    """Row by row in the standard library's decimals; a line that is no object has no money.

    Which columns are meant only all keys of the file tell. The first line nearly always has them; where it has not,
    the file is summed once more.
    """
    found = wanted.of(head.columns)
    once, keys = _json_once(head.file, *found, wanted.blanks)
    if (whole := wanted.of(tuple(keys))) != found:
        once, _ = _json_once(head.file, *whole, wanted.blanks)
    sums.rows += once.rows
    for cost, total in once.totals.items():
        sums.add(cost, total, once.unreadable.get(cost, 0))


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


def _filled(values: pa.Array, blanks: tuple[str, ...]) -> pa.Array:
    """A column in which texts that mean "no value" are null."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    empty = pc.is_in(values, value_set=pa.array(blanks, type=values.type))
    return pc.if_else(empty, pa.scalar(None, values.type), values)


def plain(values: pa.Array, source: Source, blanks: tuple[str, ...] = ()) -> pa.Array:
    """Number text in the standard style; a text in another style counts as none."""
    text = _filled(values.cast(pa.string()), blanks)
    if source.decimal == "." and not source.thousands:
        return text
    point, mark = re.escape(source.decimal), re.escape(source.thousands)
    whole = rf"(?:\d{{1,3}}(?:{mark}\d{{3}})+|\d+)" if source.thousands else r"\d+"
    fits = pc.match_substring_regex(text, rf"^[+-]?(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?$")
    bare = pc.replace_substring(text, source.thousands, "") if source.thousands else text
    bare = pc.replace_substring(bare, source.decimal, ".")
    return pc.if_else(fits, bare, pa.scalar("not in the stated style", pa.string()))


def _sum(values: pa.Array) -> tuple[Decimal, int]:
    """Exact sum of one batch of a raw column, and the count of its cells that are no number.

    It is made of 256-bit decimals where all of it fits, else of Python's one distinct value at a time.
    """
    if pa.types.is_decimal(values.type) or pa.types.is_integer(values.type):
        wide = values.cast(pa.decimal256(76, getattr(values.type, "scale", 0)))
        return pc.sum(wide).as_py() or Decimal(0), 0
    if pa.types.is_float64(values.type):
        units, values = _short_doubles(values)
        total, unreadable = _sum(values.cast(pa.string()))
        return EXACT.add(total, units), unreadable
    if pa.types.is_floating(values.type) or pa.types.is_dictionary(values.type):
        values = values.cast(pa.string())
    number = pc.match_substring_regex(values, rf"^{NUMBER.pattern}$")
    unreadable = pc.sum(pc.invert(number)).as_py() or 0
    numbers = pc.array_filter(values, pc.fill_null(number, fill_value=False))
    # Too large a number is not refused by the cast but comes out as another one.
    large = pc.match_substring_regex(numbers, _LARGE)
    try:
        total = pc.sum(pc.cast(pc.array_filter(numbers, pc.invert(large)), _WIDE)).as_py() or Decimal(0)
        left = pc.array_filter(numbers, large)
    except pa.ArrowInvalid:
        total, left = Decimal(0), numbers
    for pair in pc.value_counts(left).to_pylist():
        total = EXACT.add(total, EXACT.multiply(Decimal(pair["values"]), pair["counts"]))
    return total, unreadable


def _short_doubles(values: pa.Array) -> tuple[Decimal, pa.Array]:
    """Sum of the doubles whose shortest text has no more than twelve places, and the other ones.

    As text they would take ten times as long. A whole number of 1e-12 that divides back to the very same double
    is that text's value; doubt (more digits, infinite, no number) leaves a value to the text.
    """
    scaled = pc.round(pc.multiply(values, 10.0**_PLACES))
    same = pc.and_(pc.equal(pc.divide(scaled, 10.0**_PLACES), values), pc.less(pc.abs(scaled), _SAFE))
    units = pc.sum(pc.cast(pc.cast(pc.array_filter(scaled, same), pa.int64()), pa.decimal128(19))).as_py()
    return (units or Decimal(0)).scaleb(-_PLACES, context=EXACT), pc.array_filter(values, pc.invert(same))
