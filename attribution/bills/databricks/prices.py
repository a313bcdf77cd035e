"""Databricks' `list_prices`: which price was in force for a SKU on a cloud at a moment.

The surprise: an older export still shows a price without an end that a newer one has ended. Of all prices of a SKU the
one that began last counts, up to the earliest end that any file gives for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.bills.cells import read_instants
from attribution.bills.flat import RawColumns, has
from attribution.bills.listing import Head, read_head
from attribution.bills.table_file import RawRows, open_table, raw_rows
from schemas.bills import BillFile
from schemas.faults import Fault, InputError
from schemas.instants import INSTANT
from schemas.money import NUMBER
from schemas.workspace import Source

STRUCTS = ("pricing",)
PRICES: dict[str, pl.DataType] = {
    "sku": pl.String(),
    "cloud": pl.String(),
    "currency": pl.String(),
    "start": INSTANT,
    "end": INSTANT,
    "listed": pl.String(),
    "effective": pl.String(),
}
"""One row a price. `listed` is the list price, `effective` the list price less what Databricks gives everybody off."""

_KEY = ("sku", "cloud", "currency", "start")
_SHOWN = 5


def is_prices(head: Head) -> bool:
    """Whether a file has prices of SKUs by time."""
    return has(head, "sku_name", "price_start_time", "currency_code")


def read_prices(files: Sequence[BillFile], source: Source, scratch: Path) -> pl.DataFrame:
    """All prices of a source, PRICES, each once.

    Raises:
        UnfinishedFileError: a file was cut short.
        InputError: a row lacks what a price cannot lack, or two prices begin at one moment.
    """
    frames = [pl.DataFrame(schema=PRICES)]
    for file in files:
        table = open_table(read_head(file, source), scratch, source.encoding, STRUCTS)
        columns = RawColumns(table.head.columns)
        frames.extend(_prices(rows, columns, source) for rows in raw_rows(table, ()))
    prices = pl.concat(frames).unique()
    of_moment = prices.group_by(_KEY).agg(
        pl.col("end").min(),
        pl.col("listed", "effective").n_unique().name.prefix("n_"),
        pl.col("listed", "effective").first(),
    )
    twice = of_moment.filter((pl.col("n_listed") > 1) | (pl.col("n_effective") > 1)).sort(_KEY)
    if twice.height:
        names = ", ".join(file.name for file in files)
        raise InputError(
            [
                Fault(
                    names,
                    f"{row['sku']} on {row['cloud']} has two prices in {row['currency']} from {row['start']:%F %T}",
                )
                for row in twice.head(_SHOWN).to_dicts()
            ]
        )
    return of_moment.select(list(PRICES)).sort(_KEY)


def prices_at(prices: pl.DataFrame, skus: pl.Series, clouds: pl.Series, moments: pl.Series) -> pl.DataFrame:
    """The price of each row: currency, listed, effective; nulls where none was in force.

    A SKU with prices in several currencies has none, since usage does not say which of them is billed.
    """
    several = pl.col("currency").n_unique().over("sku", "cloud") > 1
    usage = pl.DataFrame({"sku": skus, "cloud": clouds, "moment": moments}).with_row_index("row")
    found = (
        usage.drop_nulls()
        .sort("moment")
        .join_asof(
            prices.filter(~several).sort("start"),
            left_on="moment",
            right_on="start",
            by=["sku", "cloud"],
            check_sortedness=False,
        )
        .filter(pl.col("end").is_null() | (pl.col("moment") < pl.col("end")))
    )
    return usage.join(
        found.select("row", "currency", "listed", "effective"), on="row", how="left", maintain_order="left"
    )


def _prices(rows: RawRows, columns: RawColumns, source: Source) -> pl.DataFrame:
    frame = rows.frame
    start, bad_start = read_instants(columns.text(frame, "price_start_time"), source)
    end, bad_end = read_instants(columns.text(frame, "price_end_time"), source)
    listed = _inside(frame, columns, "default")
    effective = _inside(frame, columns, "effective_list.default")
    prices = pl.DataFrame(
        {
            "sku": columns.text(frame, "sku_name"),
            "cloud": columns.text(frame, "cloud"),
            "currency": columns.text(frame, "currency_code"),
            "start": start,
            "end": end,
            "listed": listed,
            "effective": effective.zip_with(effective.is_not_null(), listed),
        },
        schema=PRICES,
    )
    needed = pl.any_horizontal(pl.col(name).is_null() for name in PRICES if name != "end")
    numbers = pl.any_horizontal(~pl.col(name).str.contains(NUMBER) for name in ("listed", "effective"))
    wrong = prices.select((needed | numbers).fill_null(value=True)).to_series() | bad_start | bad_end
    if wrong.any() or rows.ragged:
        at = [*rows.numbers.filter(wrong).to_list(), *(row.number for row in rows.ragged)]
        what = f"price {min(at)} of the file lacks its SKU, cloud, currency, start or a plain number as price"
        raise InputError(Fault(rows.head.file.name, what, hint="Without it the usage cannot be priced."))
    return prices


def _inside(frame: pl.DataFrame, columns: RawColumns, name: str) -> pl.Series:
    """A field of `pricing`, which is a struct, columns of its own, or JSON text."""
    flat = columns.text(frame, f"pricing.{name}")
    text = columns.text(frame, "pricing").str.json_path_match(f"$.{name}")
    return flat.zip_with(flat.is_not_null(), text)
