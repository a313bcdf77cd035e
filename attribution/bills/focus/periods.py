"""FOCUS 1.4's Billing Period dataset: whether a provider's billing periods are open or closed. It holds no charges.

It names a period by its start and the issuer of its invoices, not by account.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import polars as pl

from attribution.bills.cells import NULL_WORDS, read_instants, read_text
from attribution.bills.listing import Head
from attribution.bills.table_file import RawRows, open_table, raw_rows
from schemas.bills import PeriodState
from schemas.faults import Fault, InputError
from schemas.workspace import Source

_START, _STATUS, _ISSUER, _UPDATED = (
    "BillingPeriodStart",
    "BillingPeriodStatus",
    "InvoiceIssuerName",
    "BillingPeriodLastUpdated",
)
_STATES = {"open": "open", "closed": "closed"}


def identify(head: Head) -> bool:
    """Whether the header is that of billing periods: their start and status, and no charges."""
    folded = {name.casefold() for name in head.columns}
    return {_START.casefold(), _STATUS.casefold()} <= folded and "billedcost" not in folded


def read_periods(head: Head, source: Source) -> tuple[PeriodState, ...]:
    """What a file says of billing periods.

    Raises:
        UnfinishedFileError: the file was cut short.
        InputError: every row that cannot be read; nothing of the file counts then.
    """
    states: list[PeriodState] = []
    faults: list[Fault] = []
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for rows in raw_rows(open_table(head, Path(scratch), source.encoding), NULL_WORDS):
            faults += [Fault(head.file.name, f"row {one.number}: {one.check}") for one in rows.ragged]
            for number, start, status, issuer, updated in _cells(rows, source):
                if start is None or status is None:
                    what = f"row {number}: {_START} must be an instant, and {_STATUS} Open or Closed"
                    faults.append(Fault(head.file.name, what))
                else:
                    states.append(PeriodState(source.name, start, issuer, status, updated))
    if faults:
        raise InputError(faults)
    return tuple(states)


def _cells(
    rows: RawRows, source: Source
) -> Iterator[tuple[int, datetime | None, str | None, str | None, datetime | None]]:
    """Number of each row, then its start, status, issuer and last update; null where there is none to read."""
    raws = {name.casefold(): name for name in rows.frame.columns}
    absent = pl.Series([None] * rows.frame.height, dtype=pl.String)
    cells = {
        name: rows.frame[raws[name.casefold()]] if name.casefold() in raws else absent
        for name in (_START, _STATUS, _ISSUER, _UPDATED)
    }
    status = read_text(cells[_STATUS]).str.to_lowercase().replace_strict(_STATES, default=None, return_dtype=pl.String)
    yield from zip(
        rows.numbers,
        read_instants(cells[_START], source)[0],
        status,
        read_text(cells[_ISSUER]),
        read_instants(cells[_UPDATED], source)[0],
        strict=True,
    )
