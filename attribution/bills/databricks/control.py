"""The control sum of Databricks: usage times price, row by row in the standard library's decimals.

Nothing of the reader's mapping is used: rows come from the csv module, pyarrow or single lines of JSON, numbers are
what the control sum of other bills takes for such, and prices are looked up in sorted lists.
"""

from __future__ import annotations

import csv
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from attribution.bills.control_numbers import NUMBER, plain
from attribution.bills.json_lines import lines_of, read_line
from attribution.bills.listing import read_head
from attribution.bills.nested_cells import read_nested
from schemas.bills import BillFile, Delivery, Stated
from schemas.instants import parse_instants
from schemas.money import EXACT
from schemas.text_file import delimiter_of, header_columns
from schemas.workspace import Source

_Row = dict[str, Any]
# Moments at which prices of one SKU begin, and of each its end, currency, effective and listed price.
_Prices = dict[tuple[str, str], dict[datetime, list[tuple[datetime | None, str, Decimal, Decimal]]]]


def sum_priced(delivery: Delivery) -> Stated:
    """Rows of the usage files, and the exact sums of what they cost at effective and at list prices."""
    source = delivery.source

    @cache
    def moment(written: str) -> datetime | None:
        (found,) = parse_instants(pl.Series([written]), source.timezone, source.date_format).to_list()
        return found  # type: ignore[no-any-return]

    prices: _Prices = defaultdict(lambda: defaultdict(list))
    for file in delivery.beside:
        for price_row in _rows(file, source):
            row = price_row or {}
            start, end = moment(str(row.get("price_start_time"))), row.get("price_end_time")
            if start:
                price = (moment(str(end)) if end else None, str(row["currency_code"]), *_pricing(row))
                prices[str(row["sku_name"]), str(row["cloud"])][start].append(price)
    rows = 0
    billed = listed = Decimal(0)
    for file in delivery.files:
        for usage_row in _rows(file, source):
            row = usage_row or {}
            rows += 1
            found, quantity = _price(prices, row, moment), _number(row.get("usage_quantity"), source)
            if found:
                billed = EXACT.add(billed, EXACT.multiply(quantity, found[0]))
                listed = EXACT.add(listed, EXACT.multiply(quantity, found[1]))
    return Stated(rows, {"BilledCost": billed, "ListCost": listed})


def _price(prices: _Prices, row: _Row, moment: Any) -> tuple[Decimal, Decimal] | None:  # noqa: ANN401
    starts = prices.get((str(row.get("sku_name")), str(row.get("cloud"))))
    when = moment(str(row.get("usage_start_time")))
    if not starts or not when or len({one[1] for found in starts.values() for one in found}) > 1:
        return None
    moments = sorted(starts)
    at = bisect_right(moments, when)
    if not at:
        return None
    same = starts[moments[at - 1]]
    ends = [one[0] for one in same if one[0]]
    return None if ends and when >= min(ends) else same[0][2:]


def _pricing(row: _Row) -> tuple[Decimal, Decimal]:
    """Effective and list price of a row of prices."""
    pricing = row.get("pricing") or {}
    if isinstance(pricing, str):
        pricing = read_nested(pricing)
    listed = row.get("pricing.default") or row.get("pricing_default") or pricing.get("default")
    effective = (
        row.get("pricing.effective_list.default")
        or row.get("pricing_effective_list_default")
        or (pricing.get("effective_list") or {}).get("default")
    )
    return Decimal(str(effective or listed)), Decimal(str(listed))


def _number(written: object, source: Source) -> Decimal:
    text = str(written)
    if source.decimal != "." or source.thousands:
        text = plain(pa.array([text]), source)[0].as_py()
    return Decimal(text) if NUMBER.fullmatch(text) else Decimal(0)


def _rows(file: BillFile, source: Source) -> Iterator[_Row | None]:
    """Rows by lower-case column; None for one that is none."""
    head = read_head(file, source)
    if head.parquet:
        for batch in pq.ParquetFile(file.path, pre_buffer=False).iter_batches():
            yield from (_lower(row) for row in batch.to_pylist())
    elif head.json:
        for _, line in lines_of(file.path, file.name):
            try:
                yield _lower(read_line(line))
            except ValueError:
                yield None
    else:
        with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
            yield from _csv_rows(file, source, Path(scratch))


def _csv_rows(file: BillFile, source: Source, scratch: Path) -> Iterator[_Row | None]:
    text = file.plain_text(scratch, source.encoding)
    with text.path.open(encoding="utf-8", newline="") as opened:
        header = opened.readline().rstrip("\r\n")
        names = header_columns(header)
        for fields in csv.reader(opened, delimiter=delimiter_of(header)):
            if fields:
                yield _lower(dict(zip(names, fields, strict=True))) if len(fields) == len(names) else None
    file.leave(text)


def _lower(row: Mapping[str, Any]) -> _Row:
    return {name.lower(): value for name, value in row.items()}
