"""Azure cost details: enterprise, customer, partner and pay-as-you-go layouts, actual and amortized.

The surprise: an actual and an amortized file of one period make one bill, and most rows stand in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from attribution.bills.azure import mapping
from attribution.bills.azure.balance import Balance, differing, lacking_actual, lacking_amortized
from attribution.bills.azure.deliveries import ACTUAL, AMORTIZED, UNTOLD, of_pairs
from attribution.bills.azure.mapping import Mapping, own_columns
from attribution.bills.charge_rows import late_batch
from attribution.bills.flat import has, read_flat, sum_flat
from attribution.bills.listing import Head
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.charges import CHARGE_COLUMNS
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
_LAYOUTS = {ACTUAL: mapping.ACTUAL, AMORTIZED: mapping.AMORTIZED}


def identify(head: Head) -> bool:
    """Whether the header has a cost, a day and a meter by the names of one of the layouts."""
    return any(has(head, *signs) for signs in _SIGNS)


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """The runs of exports; an actual and an amortized run of one period together."""
    return of_pairs(source, files, NAME, READER_VERSION)


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` has them.

    Raises:
        InputError: also, a file taken for actual cost holds rows of amortized cost.
    """
    sides = _sides(delivery)
    balance = Balance(paired=len(sides) > 1, told=UNTOLD not in delivery.roles)
    for side, part in sides.items():
        take = balance.amortized if side == AMORTIZED else balance.actual
        finish = Mapping(amortized=side == AMORTIZED)
        for batch in read_flat(part, _LAYOUTS[side], finish, own_columns):
            yield take(batch)
    tell = differing if balance.paired else lacking_actual if AMORTIZED in sides else lacking_amortized
    notices = balance.notices(tell)
    if notices:
        yield late_batch(delivery, notices, pl.DataFrame(schema=CHARGE_COLUMNS), lambda _, numbers: numbers)


def stated(delivery: Delivery) -> Stated:
    """Rows, and what each side's files say: billed cost the actual ones, effective cost the amortized ones."""
    sums = [sum_flat(part, _LAYOUTS[side]) for side, part in _sides(delivery).items()]
    return Stated(
        sum(one.rows for one in sums),
        {cost: total for one in sums for cost, total in one.totals.items()},
        {cost: count for one in sums for cost, count in one.unreadable.items()},
    )


def _sides(delivery: Delivery) -> dict[str, Delivery]:
    """The delivery's files by what they are, actual ones first."""
    of = list(zip(delivery.files, delivery.roles, strict=True))
    parts = {
        ACTUAL: tuple(file for file, role in of if role != AMORTIZED),
        AMORTIZED: tuple(file for file, role in of if role == AMORTIZED),
    }
    return {side: replace(delivery, files=files) for side, files in parts.items() if files}
