"""How one line item of the AWS report is written: its money, its instants, its identity."""

from __future__ import annotations

import base64
import hashlib
import random
from datetime import datetime, timedelta
from decimal import Decimal

from world import AWS_PAYER, AWS_PLATFORM, TEN_PLACES, Month, Tags, instant

Row = dict[str, str]

_PRINTED_PLAIN = Decimal("1E-6")
_INVOICES = {"2026-08": "2240017731", "2026-09": "2240018864", "2026-10": "2240019902"}

SAVINGS_PLAN = f"arn:aws:savingsplans::{AWS_PAYER}:savingsplan/7b1f6d20-0000-4000-8000-94c3e5a8d701"
RESERVATION = f"arn:aws:ec2:us-west-2:{AWS_PLATFORM}:reserved-instances/c2a90f47-0000-4000-8000-1de85b7306fc"


def money(amount: Decimal) -> str:
    """Ten places, as AWS prints them; what is smaller than a millionth comes in E-notation, also as there."""
    rounded = amount.quantize(TEN_PLACES)
    if rounded and abs(rounded) < _PRINTED_PLAIN:
        return str(rounded.normalize())
    return f"{rounded:f}"


def stamp(moment: datetime) -> str:
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


def usage_row(
    account: str, start: datetime, hours: int, product_code: str, usage_type: str, amount: Decimal, rate: Decimal, tags: Tags
) -> Row:
    """Metered usage at the public price, with its tags."""
    row = spanning(account, start, start + timedelta(hours=hours), "Usage", product_code) | price(amount, rate)
    row |= {
        "lineItem/UsageType": usage_type,
        "lineItem/UsageAmount": f"{amount:f}",
        "product/location": "US West (Oregon)",
        "product/region": "us-west-2",
        "product/regionCode": "us-west-2",
        "product/servicecode": product_code,
        "product/usagetype": usage_type,
        "pricing/currency": "USD",
        "pricing/publicOnDemandCost": money(amount * rate),
        "pricing/publicOnDemandRate": money(rate),
        "pricing/term": "OnDemand",
    }
    return row | {f"resourceTags/user:{key}": value for key, value in tags.items()}


def reservation_terms() -> Row:
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
        "bill/PayerAccountId": AWS_PAYER,
        "bill/BillingPeriodStartDate": stamp(instant(month.first)),
        "bill/BillingPeriodEndDate": stamp(instant(month.end)),
    }
