"""The bill of Meridian Cloud, a GPU cloud that delivers FOCUS 1.2: Parquet by month, and one small CSV."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

import meridian_estate
import polars as pl
import tagging
from world import Lived, Month, Node, Volume, instant, metered

Value = str | Decimal | datetime | None
Row = dict[str, Value]
Span = tuple[datetime, datetime]

TWELVE_PLACES = Decimal("1E-12")
CENTS = Decimal("0.01")
MONEY = pl.Decimal(38, 12)
INSTANT = pl.Datetime("us", "UTC")

ACCOUNT = "MC-0041-7730"
DISCOUNT = Decimal("0.80")  # the contract: eighty percent of the list price
SUPPORT_RATE = Decimal("0.025")
TAX_RATE = Decimal("0.019")
SHORT_HOURS = 0.003  # the share of hours in which a node ran for three quarters of it
SUB_ACCOUNTS = {"000731": "training", "000732": "serving", "000745": "sandbox", "000750": "data", "000902": "starter"}

_TEXT = (
    *("ProviderName", "PublisherName", "InvoiceIssuerName", "InvoiceId", "BillingAccountId", "BillingAccountName"),
    *("BillingAccountType", "SubAccountId", "SubAccountName", "SubAccountType"),
)
_PERIODS = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")
_KIND = ("ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency")
_COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "ListUnitPrice", "ContractedUnitPrice")
_WHAT = (
    *("ConsumedUnit", "ServiceName", "ServiceCategory", "ServiceSubcategory", "SkuId", "SkuMeter", "SkuPriceId"),
    *("SkuPriceDetails", "ResourceId", "ResourceName", "ResourceType", "RegionId", "RegionName", "AvailabilityZone"),
    *("CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountCategory", "CommitmentDiscountType"),
    "CommitmentDiscountStatus",
)
SCHEMA: Mapping[str, pl.DataType] = {
    **dict.fromkeys(_TEXT, pl.String()),
    **dict.fromkeys(_PERIODS, INSTANT),
    **dict.fromkeys(_KIND, pl.String()),
    **dict.fromkeys(_COSTS, MONEY),
    "PricingCategory": pl.String(),
    "PricingQuantity": MONEY,
    "PricingUnit": pl.String(),
    "PricingCurrency": pl.String(),
    "BillingCurrency": pl.String(),
    "ConsumedQuantity": MONEY,
    **dict.fromkeys(_WHAT, pl.String()),
    "CommitmentDiscountQuantity": MONEY,
    "CommitmentDiscountUnit": pl.String(),
    "CapacityReservationId": pl.String(),
    "CapacityReservationStatus": pl.String(),
    "Tags": pl.String(),
}


@dataclass(frozen=True)
class Service:
    """What FOCUS says of a service, and the unit it is priced in."""

    name: str
    category: str
    subcategory: str
    resource_type: str
    unit: str


SERVICES = {
    "node": Service("Meridian GPU Nodes", "Compute", "Virtual Machines", "GPU node", "Hours"),
    "kubernetes": Service("Meridian Kubernetes", "Compute", "Containers", "Cluster", "Hours"),
    "block": Service("Meridian Block Storage", "Storage", "Block Storage", "Volume", "GB-Months"),
    "object": Service("Meridian Object Storage", "Storage", "Object Storage", "Bucket", "GB-Months"),
    "egress": Service("Meridian Network", "Networking", "Network Infrastructure", "Network", "GB"),
    "port": Service("Meridian Interconnect", "Networking", "Network Connectivity", "Port", "Months"),
    "postgres": Service("Meridian Postgres", "Databases", "Relational Databases", "Database", "Hours"),
    "insight": Service("Meridian Insight", "Management and Governance", "Observability", "Workspace", "GB"),
    "support": Service("Meridian Expert Support", "Management and Governance", "Support", "Plan", "Months"),
}
LIST_PRICES = {
    "h100-8x": Decimal("28.00"),
    "l40s-8x": Decimal("12.00"),
    "l40s-4x": Decimal("8.00"),
    "a10-1x": Decimal("0.95"),
}
DISK_RATE = Decimal("0.09")
GPUS = {"h100-8x": 8, "l40s-8x": 8, "l40s-4x": 4, "a10-1x": 1}


def charges(month: Month, rng: random.Random) -> list[Row]:
    """All rows of one month of the main account."""
    rows = [*_nodes(month, rng), *_volumes(month), *_meters(month, rng), _port(month)]
    if month.complete:
        rows += [*_month_end(month, rows), *_once(month)]
    return rows


def frame(rows: Iterable[Row]) -> pl.DataFrame:
    """The rows with FOCUS's columns, money exact to twelve places."""
    columns: dict[str, list[Value]] = {name: [] for name in SCHEMA}
    for row in rows:
        for name, values in columns.items():
            values.append(row.get(name))
    return pl.DataFrame([pl.Series(name, values, dtype=SCHEMA[name]) for name, values in columns.items()])


def hours_from(start: datetime, hours: int) -> Span:
    """The span of so many hours."""
    return start, start + timedelta(hours=hours)


def _base(month: Month, service: Service, account: str, span: Span) -> Row:
    return {
        "ProviderName": "Meridian Cloud",
        "PublisherName": "Meridian Cloud",
        "InvoiceIssuerName": "Meridian Cloud",
        "InvoiceId": f"MI-{month.first:%Y%m}-0417" if month.complete else None,
        "BillingAccountId": ACCOUNT,
        "BillingAccountName": "Quillhaven Labs",
        "BillingAccountType": "Organisation",
        "SubAccountId": account or None,
        "SubAccountName": SUB_ACCOUNTS.get(account),
        "SubAccountType": "Project" if account else None,
        "BillingPeriodStart": instant(month.first),
        "BillingPeriodEnd": instant(month.end),
        "ChargePeriodStart": span[0],
        "ChargePeriodEnd": span[1],
        "PricingCurrency": "USD",
        "BillingCurrency": "USD",
        "ServiceName": service.name,
        "ServiceCategory": service.category,
        "ServiceSubcategory": service.subcategory,
    }


@dataclass(frozen=True)
class Usage:
    """So much on which meter, at which list price."""

    meter: str
    quantity: Decimal
    rate: Decimal


def usage_row(month: Month, service: Service, thing: Lived, span: Span, usage: Usage) -> Row:
    """Metered usage: the list price, and the contract's share of it."""
    meter, quantity, rate = usage.meter, usage.quantity, usage.rate
    ours = rate * DISCOUNT
    cost = (quantity * ours).quantize(TWELVE_PLACES)
    code = meter.upper().replace(" ", "-").replace(",", "")
    return _base(month, service, thing.account, span) | {
        "ChargeCategory": "Usage",
        "ChargeDescription": f"{service.name}: {meter}",
        "ChargeFrequency": "Usage-Based",
        "BilledCost": cost,
        "EffectiveCost": cost,
        "ContractedCost": cost,
        "ListCost": (quantity * rate).quantize(TWELVE_PLACES),
        "ListUnitPrice": rate,
        "ContractedUnitPrice": ours,
        "PricingCategory": "Standard",
        "PricingQuantity": quantity,
        "PricingUnit": service.unit,
        "ConsumedQuantity": quantity,
        "ConsumedUnit": service.unit,
        "SkuId": f"MRD-{code}",
        "SkuMeter": meter,
        "SkuPriceId": f"MRD-{code}-NO1",
        "ResourceId": thing.resource_id or None,
        "ResourceName": thing.resource_id or None,
        "ResourceType": service.resource_type if thing.resource_id else None,
        "RegionId": "no-north-1",
        "RegionName": "Norway North",
        "Tags": json.dumps(dict(thing.tags)),
    }


def _nodes(month: Month, rng: random.Random) -> Iterator[Row]:
    for node in meridian_estate.NODES:
        for day in filter(node.there, month.days()):
            rate = LIST_PRICES[node.model]
            if node.pricing == "spot":
                rate = rate * Decimal(rng.randint(3600, 4400)) / 10_000
            if not node.hourly:
                yield _node(month, node, hours_from(instant(day), 24), Decimal(24), rate)
                continue
            for hour in range(24):
                quantity = Decimal("0.75") if rng.random() < SHORT_HOURS else Decimal(1)
                yield _node(month, node, hours_from(instant(day, hour), 1), quantity, rate)


def _node(month: Month, node: Node, span: Span, quantity: Decimal, rate: Decimal) -> Row:
    row = usage_row(month, SERVICES["node"], node, span, Usage(f"node {node.model}", quantity, rate))
    details = {"InstanceType": node.model, "GpuCount": GPUS[node.model]}
    return row | {
        "SkuPriceDetails": json.dumps(details),
        "AvailabilityZone": "no-north-1a",
        "PricingCategory": "Dynamic" if node.pricing == "spot" else "Standard",
    }


def _volumes(month: Month) -> Iterator[Row]:
    for volume in meridian_estate.VOLUMES:
        quantity = (Decimal(volume.size_gb) / month.length).quantize(TWELVE_PLACES)
        for day in filter(volume.there, month.days()):
            yield _volume(month, volume, day, quantity)


def _volume(month: Month, volume: Volume, day: date, quantity: Decimal) -> Row:
    usage = Usage("NVMe volume", quantity, DISK_RATE)
    return usage_row(month, SERVICES["block"], volume, hours_from(instant(day), 24), usage)


def _meters(month: Month, rng: random.Random) -> Iterator[Row]:
    for meter in meridian_estate.METERS:
        for day in filter(meter.there, month.days()):
            usage = Usage(meter.usage_type, metered(meter, month, rng), meter.rate)
            yield usage_row(month, SERVICES[meter.product], meter, hours_from(instant(day), 24), usage)


def _whole(month: Month) -> Span:
    return instant(month.first), instant(month.end)


def _amount(cost: Decimal, category: str, frequency: str, description: str) -> Row:
    return {
        "ChargeCategory": category,
        "ChargeDescription": description,
        "ChargeFrequency": frequency,
        **dict.fromkeys(("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"), cost),
        "Tags": "{}",
    }


def _port(month: Month) -> Row:
    row = _base(month, SERVICES["port"], meridian_estate.TRAIN, _whole(month))
    row |= _amount(Decimal("1850.00"), "Purchase", "Recurring", "Private port to US West, 100 Gbit/s, one month")
    return row | {
        "PricingCategory": "Standard",
        "PricingQuantity": Decimal(1),
        "PricingUnit": "Months",
        "ListUnitPrice": Decimal("1850.00"),
        "ContractedUnitPrice": Decimal("1850.00"),
        "SkuId": "MRD-PORT-100G",
        "SkuPriceId": "MRD-PORT-100G-NO1",
        "ResourceId": "mrd-port-01",
        "ResourceName": "mrd-port-01",
        "ResourceType": "Port",
        "RegionId": "no-north-1",
        "RegionName": "Norway North",
        "Tags": json.dumps(dict(tagging.HUB)),
    }


def _month_end(month: Month, usage: Iterable[Row]) -> Iterator[Row]:
    """Support and tax on the month's usage, without a resource or a tag, and the rounding of the invoice."""
    total = sum((row["BilledCost"] for row in usage if isinstance(row["BilledCost"], Decimal)), Decimal(0))
    base = _base(month, SERVICES["support"], "", _whole(month))
    support = (total * SUPPORT_RATE).quantize(CENTS)
    yield base | _amount(support, "Purchase", "Recurring", "Expert Support, 2.5 percent of usage")
    tax = (total * TAX_RATE).quantize(CENTS)
    base = _base(month, SERVICES["node"], "", _whole(month))
    yield base | _amount(tax, "Tax", "Recurring", "Value added tax, reduced rate")
    rounding = (total + support + tax).quantize(CENTS) - (total + support + tax)
    last = _base(month, SERVICES["node"], "", hours_from(instant(month.end - timedelta(days=1)), 24))
    yield last | _amount(rounding, "Adjustment", "One-Time", "Rounding of the invoice to cents")


def _once(month: Month) -> Iterator[Row]:
    """A credit in September; in October the correction of an outage on September 12."""
    node = SERVICES["node"]
    if month.label == "2026-09":
        row = _base(month, node, "", hours_from(instant(date(2026, 9, 15)), 24))
        yield row | _amount(Decimal("-2500.00"), "Credit", "One-Time", "Start-up programme credit")
    if month.label == "2026-10":
        hit = meridian_estate.NODES[2]
        span = hours_from(instant(date(2026, 9, 12)), 24)
        row = usage_row(month, node, hit, span, Usage(f"node {hit.model}", Decimal(-18), LIST_PRICES[hit.model]))
        yield row | {"ChargeClass": "Correction", "ChargeDescription": "Outage of 2026-09-12, 18 node hours given back"}
