"""The old starter account at Meridian: one small month by hand as CSV, three of its rows broken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal

from meridian import LIST_PRICES, SCHEMA, SERVICES, Row, usage_row
from world import DEV_NODE, MONTHS, STARTER, instant, tagged
from world import Node, Volume

ACCOUNT = "MC-0009-1842"
NODE = Node(DEV_NODE, STARTER, "a10-1x", tags=tagged("sandbox", "evaluation", "dev-smoke", "kofi", "dev", "platform"))
VOLUME = Volume("mrd-dev-vol-01", STARTER, 200, DEV_NODE, tags=NODE.tags)

# (day, column, what stands there instead): each makes its row a reject, and leaves all others alone
BROKEN = (
    (date(2026, 10, 9), "BilledCost", "12,5x"),
    (date(2026, 10, 17), "BilledCost", ""),
    (date(2026, 10, 21), "ChargePeriodStart", "2026-10-32T00:00:00Z"),
)


def starter_csv() -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(SCHEMA), restval="", lineterminator="\n")
    writer.writeheader()
    for day, row in _rows():
        printed = {name: _printed(value) for name, value in row.items()}
        if row["ResourceId"] == DEV_NODE:
            printed |= {column: value for broken_day, column, value in BROKEN if broken_day == day}
        writer.writerow(printed)
    return text.getvalue()


def _rows() -> Iterator[tuple[date, Row]]:
    october = MONTHS[2]
    gigabytes = (Decimal(VOLUME.size_gb) / october.length).quantize(Decimal("1E-6"))
    own = {"BillingAccountId": ACCOUNT, "BillingAccountName": "Quillhaven Labs (starter)", "InvoiceId": "MI-202610-1842"}
    for day in october.days():
        node = usage_row(
            october, SERVICES["node"], NODE, instant(day), 24, "node a10-1x", Decimal(24), LIST_PRICES["a10-1x"]
        )
        yield day, node | own
        disk = usage_row(
            october, SERVICES["block"], VOLUME, instant(day), 24, "NVMe volume", gigabytes, Decimal("0.09")
        )
        yield day, disk | own


def _printed(value: str | Decimal | datetime | None) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M:%SZ}"
    return f"{value:f}" if isinstance(value, Decimal) else value
