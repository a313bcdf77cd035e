"""How one line item of the AWS report is written: its money, its instants, its identity."""

from __future__ import annotations

import base64
import hashlib
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from aws_estate import PAYER, PLATFORM
from world import TEN_PLACES, Lived, Month, instant

Row = dict[str, str]

_PRINTED_PLAIN = Decimal("1E-6")
_INVOICES = {"2026-08": "2240017731", "2026-09": "2240018864", "2026-10": "2240019902"}

SAVINGS_PLAN = f"arn:aws:savingsplans::{PAYER}:savingsplan/7b1f6d20-0000-4000-8000-94c3e5a8d701"
RESERVATION = f"arn:aws:ec2:us-west-2:{PLATFORM}:reserved-instances/c2a90f47-0000-4000-8000-1de85b7306fc"


def money(amount: Decimal) -> str:
    """Ten places, as AWS prints them; what is smaller than a millionth comes in E-notation, also as there."""
    rounded = amount.quantize(TEN_PLACES)
    if rounded and abs(rounded) < _PRINTED_PLAIN:
        return str(rounded.normalize())
    return f"{rounded:f}"


def stamp(moment: datetime) -> str:
    """An instant as the report writes it."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def sku(*words: str) -> str:
    """A stable name for a price, in the look of AWS's own."""
    return base64.b32encode(hashlib.sha256("/".join(words).encode()).digest()).decode()[:16]


def price(amount: Decimal, rate: Decimal) -> Row:
    """The invoice's own price of a row; the public price stays what `usage_row` wrote."""
    cost = money(amount * rate)
    return {
        "lineItem/UnblendedRate": money(rate),
        "lineItem/UnblendedCost": cost,
        "lineItem/BlendedRate": money(rate),
        "lineItem/BlendedCost": cost,
    }


def spanning(account: str, start: datetime, end: datetime, kind: str, product_code: str) -> Row:
    """What every line item has, whatever it is for."""
    return {
        "identity/TimeInterval": f"{stamp(start)}/{stamp(end)}",
        "lineItem/UsageAccountId": account,
        "lineItem/LineItemType": kind,
        "lineItem/UsageStartDate": stamp(start),
        "lineItem/UsageEndDate": stamp(end),
        "lineItem/ProductCode": product_code,
        "lineItem/CurrencyCode": "USD",
        "lineItem/LegalEntity": "Amazon Web Services, Inc.",
    }


@dataclass(frozen=True)
class Usage:
    """So much of what, at which public rate."""

    product_code: str
    usage_type: str
    amount: Decimal
    rate: Decimal


def usage_row(thing: Lived, start: datetime, hours: int, usage: Usage) -> Row:
    """Metered usage at the public price, with the tags of the thing that caused it."""
    row = spanning(thing.account, start, start + timedelta(hours=hours), "Usage", usage.product_code)
    row |= price(usage.amount, usage.rate) | {
        "lineItem/ResourceId": thing.resource_id,
        "lineItem/UsageType": usage.usage_type,
        "lineItem/UsageAmount": f"{usage.amount:f}",
        "product/location": "US West (Oregon)",
        "product/region": "us-west-2",
        "product/regionCode": "us-west-2",
        "product/servicecode": usage.product_code,
        "product/usagetype": usage.usage_type,
        "pricing/currency": "USD",
        "pricing/publicOnDemandCost": money(usage.amount * usage.rate),
        "pricing/publicOnDemandRate": money(usage.rate),
        "pricing/term": "OnDemand",
    }
    return row | {f"resourceTags/user:{key}": value for key, value in thing.tags.items()}


def reservation_terms() -> Row:
    """What every row under the reservation says of it."""
    return {
        "pricing/LeaseContractLength": "1yr",
        "pricing/OfferingClass": "standard",
        "pricing/PurchaseOption": "Partial Upfront",
        "reservation/ReservationARN": RESERVATION,
    }


def finished(row: Row, month: Month, rng: random.Random) -> Row:
    """The bill's own columns, and an id that means nothing and differs on each delivery."""
    identity = base64.b32encode(rng.randbytes(20)).decode().lower()
    return row | {
        "identity/LineItemId": identity,
        "bill/InvoiceId": _INVOICES[month.label] if month.complete else "",
        "bill/BillingEntity": "AWS",
        "bill/BillType": "Anniversary",
        "bill/PayerAccountId": PAYER,
        "bill/BillingPeriodStartDate": stamp(instant(month.first)),
        "bill/BillingPeriodEndDate": stamp(instant(month.end)),
    }
