"""Bills of any other provider: CSV (or Parquet) whose columns the source maps to FOCUS columns in its own words.

No file says of itself that it is one, so only `format` chooses this reader. The surprise: what is mapped must be in
the file, even where a charge could do without it, so that a typing error or a renamed column loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from attribution.bills.charge_rows import Reading
from attribution.bills.deliveries import one_by_one
from attribution.bills.ends import settle_ends
from attribution.bills.flat import Layout, RawColumns, categorize, read_flat, sum_flat
from attribution.bills.listing import Head
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.charges import CATEGORIES, FOCUS_COLUMNS
from schemas.instants import INSTANT
from schemas.money import MONEY
from schemas.workspace import Source

NAME = "generic-csv"
READER_VERSION = 1

NEEDED: tuple[tuple[str, ...], ...] = (
    ("BilledCost",),
    ("BillingAccountId",),
    ("BillingCurrency",),
    ("ChargePeriodStart", "BillingPeriodStart"),
)
"""What a source must map; of each line one column is enough."""

_KINDS: dict[str, tuple[str, str, str | None]] = {
    **{category.casefold(): (category, "Usage-Based", None) for category in CATEGORIES},
    "refund": ("Usage", "Usage-Based", "Correction"),
}


def mapping_faults(columns: Mapping[str, str], constants: Mapping[str, str], tags: Mapping[str, str]) -> list[str]:
    """What is wrong with a source's mapping by itself, before any file is seen."""
    given = columns.keys() | constants.keys()
    missing = [" or ".join(names) for names in NEEDED if given.isdisjoint(names)]
    faults = [f"maps nothing to {', '.join(missing)}"] if missing else []
    faults += [
        f"states {name} for all rows, which only a column can give"
        for name in constants
        if FOCUS_COLUMNS[name] != pl.String()
    ]
    currency = constants.get("BillingCurrency", "USD")
    if not re.fullmatch("[A-Z]{3}", currency):
        faults.append(f'states "{currency}" as BillingCurrency, and a currency is three capital letters')
    if tags and "Tags" in given:
        faults.append("maps columns to tags and another one to Tags")
    return faults


def identify(head: Head) -> bool:  # noqa: ARG001 - the same five names in every reader
    """Never: the source must say so."""
    return False


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Each file is a delivery; a date or run id in its path orders deliveries of one bill."""
    return one_by_one(source, files, NAME, READER_VERSION), []


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` has them."""
    tags = TagTexts()
    layout = _layout(delivery.source)

    def finish(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:  # noqa: ARG001
        settle_ends(reading)
        _settle_category(reading)
        if layout.tags:
            named = {key: columns.find(raw) or raw for key, raw in layout.tags.items()}
            reading.columns["Tags"] = tags.of_columns(reading.rows.frame, named)
        elif "Tags" in reading.columns:
            reading.read_tags(tags, reading.columns["Tags"])

    return read_flat(delivery, layout, finish)


def stated(delivery: Delivery) -> Stated:
    """Rows and sums of the columns that are mapped to costs, apart from the reader."""
    return sum_flat(delivery, _layout(delivery.source))


def _layout(source: Source) -> Layout:
    """The source's mapping as a table; with `effective = "billed"` its EffectiveCost is left out."""
    skipped = ("EffectiveCost",) if source.effective == "billed" else ()
    mapped = {name: (raw,) for name, raw in source.columns.items() if name not in skipped}

    def of(dtype: pl.DataType) -> dict[str, tuple[str, ...]]:
        return {name: raws for name, raws in mapped.items() if FOCUS_COLUMNS[name] == dtype}

    return Layout(
        costs=of(MONEY),
        texts=of(pl.String()),
        instants=of(INSTANT),
        quantities=of(pl.Float64()),
        constants=source.constants,
        required=tuple(mapped),
        tags=source.tags,
    )


def _settle_category(reading: Reading) -> None:
    """FOCUS's categories in any case; how often something is charged is known only where a column says so."""
    stated = {name: reading.get(name) for name in ("ChargeFrequency", "ChargeClass")}
    categorize(reading, reading.get("ChargeCategory"), _KINDS, "charge categories")
    found = reading.columns["ChargeClass"]
    reading.columns["ChargeFrequency"] = stated["ChargeFrequency"]
    reading.columns["ChargeClass"] = pl.select(pl.coalesce(stated["ChargeClass"], found)).to_series()
