"""Small worlds for the detection tests: daily costs, resources and tags written in a few words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.detection import WasteInputs, detect_waste
from schemas.detection import Watermark, daily_columns
from schemas.inputs import RESOURCE_COLUMNS, TAG_COLUMNS, UTILIZATION_COLUMNS
from schemas.waste import meter_columns
from schemas.workspace import Waste

Row = dict[str, Any]
FIRST = date(2026, 8, 1)


def days(first: date, last: date) -> Iterator[date]:
    while first <= last:
        yield first
        first += timedelta(days=1)


def cost(day: date, amount: str | None, **more: Any) -> Row:  # noqa: ANN401 - any column
    row: Row = dict.fromkeys(daily_columns())
    row |= {
        "usage_date": day,
        "source": "nimbus",
        "BillingCurrency": "USD",
        "ChargeCategory": "Usage",
        "ServiceName": "Compute",
        "cost_element": "compute",
        "project": "orion",
        "stage": "pretraining",
        "experiment": "unallocated",
        "owner": "lin",
    }
    amounts = {"EffectiveCost": None if amount is None else Decimal(amount)}
    return row | {"BilledCost": amounts["EffectiveCost"]} | amounts | more


def every_day(first: date, last: date, amount: str | None, **more: Any) -> list[Row]:  # noqa: ANN401
    return [cost(day, amount, **more) for day in days(first, last)]


def daily(*groups: list[Row]) -> pl.DataFrame:
    return pl.DataFrame([row for group in groups for row in group], schema=daily_columns())


def mark(last: date, first: date = FIRST) -> Watermark:
    return Watermark(first, last)


def noon(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def billed(resource: str, amount: str | None, month: date = date(2026, 10, 1), **more: Any) -> Row:  # noqa: ANN401
    row: Row = dict.fromkeys(meter_columns()) | {
        "source": "nimbus",
        "ResourceId": resource,
        "month": month,
        "BillingCurrency": "USD",
        "project": "orion",
        "owner": "lin",
        "stage": "pretraining",
        "experiment": "unallocated",
        "ServiceCategory": "Compute",
        "ServiceName": "Machines",
        "ChargeCategory": "Usage",
        "cost_element": "compute",
        "EffectiveCost": None if amount is None else Decimal(amount),
        "first_day": month,
        "last_day": month + timedelta(days=27),
    }
    return row | more


def metered(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=meter_columns())


def thing(resource: str, kind: str, **more: Any) -> Row:  # noqa: ANN401
    return dict.fromkeys(RESOURCE_COLUMNS) | {"resource_id": resource, "resource_type": kind} | more


def inventory(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=RESOURCE_COLUMNS)


def tag(resource: str, key: str, value: str, since: date | None = None, until: date | None = None) -> Row:
    return {"resource_id": resource, "key": key, "value": value, "valid_from": since, "valid_to": until}


def tags(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=TAG_COLUMNS)


def metric(
    resource: str, name: str, average: float, first: date, last: date, *, maximum: float | None = None
) -> list[Row]:
    return [
        {"resource_id": resource, "date": day, "metric": name, "average": average, "maximum": maximum, "samples": None}
        for day in days(first, last)
    ]


def utilization(*groups: list[Row]) -> pl.DataFrame:
    return pl.DataFrame([row for group in groups for row in group], schema=UTILIZATION_COLUMNS)


AS_OF = noon(date(2026, 11, 10))
LAST = date(2026, 11, 8)
WORLD = WasteInputs(as_of=AS_OF, watermarks={"nimbus": mark(LAST)}, costs=metered())
BIRTH = datetime(2026, 8, 1, tzinfo=UTC)


def told(world: WasteInputs, kind: str, waste: Waste | None = None) -> list[dict[str, Any]]:
    rows = detect_waste(world, waste or Waste()).findings.filter(pl.col("kind") == kind)
    return list(rows.iter_rows(named=True))
