"""AWS's own cost and usage reports: the legacy CSV, its Parquet, and CUR 2.0 of Data Exports as CSV or Parquet.

All three say the same under other names (see `columns`), so they are one reader with one mapping.

The surprise: fees of commitments become two charges, what was paid and what of it nobody used, so that used and
unused commitment together are the fee and nothing is counted twice (see `commitments`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

from attribution.bills.aws.columns import INSTANTS, NETS, Columns, flat_name
from attribution.bills.aws.commitments import Commitments
from attribution.bills.aws.manifest import group_files
from attribution.bills.aws.mapping import to_charges
from attribution.bills.aws.maps import tag_pairs
from attribution.bills.charge_rows import late_batch
from attribution.bills.control import sum_files
from attribution.bills.listing import Head, read_head
from attribution.bills.styles import proven_styles
from attribution.bills.table_file import OpenTable, open_table, raw_rows
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Notice, Stated
from schemas.faults import InputError, missing_columns
from schemas.money import add_money
from schemas.workspace import Source

NAME = "aws-cur"
READER_VERSION = 3

_BILLED = tuple(spelling for name in NETS["BilledCost"] for spelling in (name, flat_name(name)))
_REQUIRED = (
    "bill/PayerAccountId", "lineItem/LineItemType", "lineItem/UsageStartDate", "lineItem/UsageEndDate",
    "lineItem/CurrencyCode", "lineItem/UnblendedCost",
)  # fmt: skip


def identify(head: Head) -> bool:
    """Whether the header has the report's line item type or its cost, grouped or flat."""
    columns = Columns(head.columns)
    return any(columns.find(name) for name in ("lineItem/UnblendedCost", "lineItem/LineItemType"))


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """The parts of one assembly are one delivery; a file outside of a period folder is one of its own."""
    return group_files(source, files, NAME, READER_VERSION)


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; last come the derived rows of unused commitment, if any.

    Raises:
        UnfinishedFileError: a part was cut short.
        InputError: undecodable, or a column is missing that no charge can lack.
    """
    tags = TagTexts(tag_pairs)
    commitments = Commitments()
    netted: dict[str, Decimal] = {}
    tables: dict[str, OpenTable] = {}
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        for file in delivery.files:
            head = read_head(file, delivery.source)
            columns = _columns(head)
            table = tables[file.file_id] = open_table(head, Path(scratch), delivery.source.encoding)
            instants, costs = columns.present(tuple(INSTANTS.values())), columns.present(NETS["BilledCost"])
            styled = proven_styles(table, delivery.source, instants, costs)
            for rows in raw_rows(table, ()):
                batch = commitments.split_fees(to_charges(rows, table, styled, tags))
                add_money(netted, batch.netted)
                yield batch
            if not commitments.waits_for(file.file_id):
                table.close()
        last = _last(delivery, commitments, netted, tables)
        if last:
            yield last


def stated(delivery: Delivery) -> Stated:
    """Rows and the sum of what was billed, net of discounts where the report has that, apart from the reader."""
    return sum_files(delivery, {"BilledCost": _BILLED})


def _columns(head: Head) -> Columns:
    columns = Columns(head.columns)
    missing = [columns.spelled(name) for name in _REQUIRED if columns.find(name) is None]
    if missing:
        raise InputError(missing_columns(head.file.name, missing, head.columns))
    return columns


def _last(
    delivery: Delivery, commitments: Commitments, netted: dict[str, Decimal], tables: dict[str, OpenTable]
) -> Batch | None:
    """What is known only when all parts were read: unused commitment that had to be derived, and the netting."""
    unused, notices = commitments.derive()
    left = netted.get("BilledCost", Decimal(0))
    if left:
        what = "usage covered by savings plans and its negation do not cancel; the difference is in no charge"
        notices.append(Notice("savings_plan_netting", delivery.name, what, amount=left))
    if not notices:
        return None
    return late_batch(delivery, notices, unused, lambda file_id, numbers: tables[file_id].line_of(numbers))
