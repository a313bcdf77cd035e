"""The old starter account at Meridian: one small month by hand as CSV, three of its rows broken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

from meridian import DISK_RATE, LIST_PRICES, SCHEMA, SERVICES, Row, Usage, Value, hours_from, usage_row
from meridian_estate import STARTER_NODE, STARTER_VOLUME
from world import MONTHS, instant

ACCOUNT: Row = {
    "BillingAccountId": "MC-0009-1842",
    "BillingAccountName": "Quillhaven Labs (starter)",
    "InvoiceId": "MI-202610-1842",
}

# (day, column, what stands there instead): each makes its row a reject, and leaves all others alone
BROKEN = (
    (date(2026, 10, 9), "BilledCost", "12,5x"),
    (date(2026, 10, 17), "BilledCost", ""),
    (date(2026, 10, 21), "ChargePeriodStart", "2026-10-32T00:00:00Z"),
)


def starter_csv() -> str:
    """The month as CSV; the node's rows of three days are broken."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(SCHEMA), restval="", lineterminator="\n")
    writer.writeheader()
    for day, row in _rows():
        printed = {name: _printed(value) for name, value in row.items()}
        if row["ResourceId"] == STARTER_NODE.resource_id:
            printed |= {column: value for broken_day, column, value in BROKEN if broken_day == day}
        writer.writerow(printed)
    return text.getvalue()


def _rows() -> Iterator[tuple[date, Row]]:
    october = MONTHS[2]
    node = Usage("node a10-1x", Decimal(24), LIST_PRICES["a10-1x"])
    gigabytes = (Decimal(STARTER_VOLUME.size_gb) / october.length).quantize(Decimal("1E-6"))
    disk = Usage("NVMe volume", gigabytes, DISK_RATE)
    for day in october.days():
        span = hours_from(instant(day), 24)
        yield day, usage_row(october, SERVICES["node"], STARTER_NODE, span, node) | ACCOUNT
        yield day, usage_row(october, SERVICES["block"], STARTER_VOLUME, span, disk) | ACCOUNT


def _printed(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    return f"{value:f}" if isinstance(value, Decimal) else value
