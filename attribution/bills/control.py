"""The control sum: a delivery's files summed apart from the readers, by other means and exactly.

Nothing of the readers' mapping is used, only the plain text that they read too: pyarrow finds the raw columns, adds
them as 256-bit decimals, and whatever does not fit that is added one by one as the standard library's decimals.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from attribution.bills.control_csv import sum_csv
from attribution.bills.control_numbers import NUMBER, filled, summed
from attribution.bills.control_sums import BLANKS, Costs, Inner, Sums, Wanted, all_columns, nested_amounts, sum_within
from attribution.bills.json_lines import lines_of, read_line
from attribution.bills.listing import Head, read_head
from schemas.bills import BillFile, Delivery, Stated

_BATCH = 1 << 19


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
    needed = Wanted(wanted if callable(wanted) else lambda _: wanted, inner or {}, (*BLANKS, *blanks))
    sums = Sums()
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for file in delivery.files:
            head = read_head(file, delivery.source)
            if head.parquet:
                _parquet(file, needed, sums)
            elif head.json:
                _json(head, needed, sums)
            else:
                sums.take(sum_csv(head, delivery.source, needed, Path(scratch)))
    return Stated(sums.rows, sums.totals, sums.unreadable)


def _parquet(file: BillFile, wanted: Wanted, sums: Sums) -> None:
    opened = pq.ParquetFile(file.path, pre_buffer=False)  # else it fetches the columns of the whole file at once
    found, lists = wanted.of(list(opened.schema_arrow.names))
    sums.rows += opened.metadata.num_rows
    for batch in opened.iter_batches(_BATCH, columns=all_columns(found, lists)):
        for cost, raws in found.items():
            columns = [filled(batch.column(raw), wanted.blanks) for raw in raws]
            if len({str(column.type) for column in columns}) > 1:
                # A decimal beside a double would become one.
                columns = [column.cast(pa.string()) for column in columns]
            sums.add(cost, *summed(pc.coalesce(*columns)))
        for cost, (raw, name) in lists.items():
            column = batch.column(raw)
            nested = pa.types.is_nested(column.type)
            inside = summed(pc.struct_field(pc.list_flatten(column), name)) if nested else sum_within(column, name)
            sums.add(cost, *inside)


def _json(head: Head, wanted: Wanted, sums: Sums) -> None:
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
) -> tuple[Sums, dict[str, None]]:
    """Sums of these columns, and all keys of the file."""
    sums = Sums(totals=dict.fromkeys((*found, *lists), Decimal(0)))
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
