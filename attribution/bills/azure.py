"""Azure cost details: enterprise, customer, partner and pay-as-you-go layouts, actual or amortized."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.bills.azure_mapping import ACTUAL, Mapping, own_columns
from attribution.bills.deliveries import one_by_one
from attribution.bills.flat import has, read_flat, sum_flat
from attribution.bills.listing import Head
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.workspace import Source

NAME = "azure"
READER_VERSION = 1

# Columns that only cost details have together, layout by layout.
_SIGNS = (
    ("CostInBillingCurrency", "Date"),
    ("CostInBillingCurrency", "UsageDateTime"),
    ("PreTaxCost", "UsageDateTime"),
    ("Cost", "Date", "MeterCategory"),
    ("Cost", "Date", "MeterId"),
    ("ExtendedCost", "Date", "MeterId"),
)


def identify(head: Head) -> bool:
    """Whether the header has a cost, a day and a meter by the names of one of the layouts."""
    return any(has(head, *signs) for signs in _SIGNS)


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Each file is a delivery."""
    return one_by_one(source, files, NAME, READER_VERSION), []


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` has them."""
    return read_flat(delivery, ACTUAL, Mapping(amortized=False), own_columns)


def stated(delivery: Delivery) -> Stated:
    """Rows and the sum of costs, apart from the reader."""
    return sum_flat(delivery, ACTUAL)
