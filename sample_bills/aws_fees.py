"""What the AWS report bills without a resource: commitments, discount, tax, support, credit, refund."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal

import aws_estate
import world
from aws import RESERVED_RECURRING, RESERVED_UPFRONT, usage_rows
from line_item import SAVINGS_PLAN, Row, finished, money, price, reservation_terms, sku, spanning, stamp
from world import Month, instant

CENTS = Decimal("0.01")
COMMITMENT = Decimal("50.0000")  # per hour; three busy nodes draw 45.6630 of it
RESERVED_UNITS = 4  # three of them run
ENTERPRISE_DISCOUNT = Decimal("0.04")
TAX_RATE = Decimal("0.0225")
SUPPORT_RATE = Decimal("0.03")
EARLY_OCTOBER_DELIVERY = date(2026, 10, 21)


def line_items(month: Month, rng: random.Random) -> list[Row]:
    """All rows of one delivery of one month; what is settled at month end only once the month is complete."""
    usage = usage_rows(month, rng)
    rows = [*usage, *_savings_plan_fees(month, usage), _reservation_fee(month, usage), *_enterprise_discount(usage)]
    if month.complete:
        rows += [*_taxes(month, usage), _support(month, usage), *_settlements(month)]
    return [finished(row, month, rng) for row in rows]


def october_as_of_the_21st(rng: random.Random) -> list[Row]:
    """The older October delivery: twenty days, nothing settled."""
    return line_items(world.MONTHS[2].until(EARLY_OCTOBER_DELIVERY), rng)


def _sum_by(rows: Iterable[Row], key: str, column: str) -> dict[str, Decimal]:
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[row[key]] += Decimal(row[column])
    return dict(sorted(sums.items()))


def _savings_plan_fees(month: Month, usage: Iterable[Row]) -> Iterator[Row]:
    covered = [row for row in usage if row["lineItem/LineItemType"] == "SavingsPlanCoveredUsage"]
    used = _sum_by(covered, "lineItem/UsageStartDate", "savingsPlan/SavingsPlanEffectiveCost")
    for day in month.days():
        for hour in range(24):
            start = instant(day, hour)
            yield (
                spanning(
                    aws_estate.PAYER,
                    start,
                    start + timedelta(hours=1),
                    "SavingsPlanRecurringFee",
                    "ComputeSavingsPlans",
                )
                | price(Decimal(1), COMMITMENT)
                | {
                    "lineItem/UsageType": "USW2-ComputeSP:3yrNoUpfront",
                    "lineItem/UsageAmount": "1",
                    "lineItem/LineItemDescription": "3 year No Upfront Compute Savings Plan",
                    "product/ProductName": "Savings Plans for AWS Compute usage",
                    "product/productFamily": "ComputeSavingsPlans",
                    "product/servicecode": "ComputeSavingsPlans",
                    "product/sku": sku("compute savings plan"),
                    "pricing/unit": "Hrs",
                    "pricing/currency": "USD",
                    "savingsPlan/SavingsPlanArn": SAVINGS_PLAN,
                    "savingsPlan/OfferingType": "ComputeSavingsPlans",
                    "savingsPlan/PaymentOption": "No Upfront",
                    "savingsPlan/PurchaseTerm": "3yr",
                    "savingsPlan/RecurringCommitmentForBillingPeriod": money(COMMITMENT),
                    "savingsPlan/TotalCommitmentToDate": money(COMMITMENT),
                    "savingsPlan/UsedCommitment": money(used[stamp(start)]),
                }
            )


def _reservation_fee(month: Month, usage: Iterable[Row]) -> Row:
    hours = Decimal(24 * RESERVED_UNITS * sum(1 for _ in month.days()))
    discounted = [row for row in usage if row["lineItem/LineItemType"] == "DiscountedUsage"]
    unused = hours - sum((Decimal(row["lineItem/UsageAmount"]) for row in discounted), Decimal(0))
    row = spanning(aws_estate.PLATFORM, instant(month.first), instant(month.data_end), "RIFee", "AmazonEC2")
    row |= price(hours, RESERVED_RECURRING) | reservation_terms()
    return row | {
        "lineItem/UsageType": "USW2-HeavyUsage:m6i.8xlarge",
        "lineItem/Operation": "RunInstances",
        "lineItem/UsageAmount": f"{hours:f}",
        "lineItem/LineItemDescription": f"USD {RESERVED_RECURRING} hourly fee per Linux/UNIX, m6i.8xlarge instance",
        "product/ProductName": "Amazon Elastic Compute Cloud",
        "product/instanceType": "m6i.8xlarge",
        "product/regionCode": "us-west-2",
        "product/servicecode": "AmazonEC2",
        "product/sku": "QH6M68XLUSW2AADE",
        "pricing/term": "Reserved",
        "pricing/unit": "Hrs",
        "reservation/AmortizedUpfrontFeeForBillingPeriod": money(RESERVED_UPFRONT * hours),
        "reservation/NumberOfReservations": str(RESERVED_UNITS),
        "reservation/TotalReservedUnits": f"{hours:f}",
        "reservation/UnusedQuantity": f"{unused:f}",
        "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod": money(RESERVED_UPFRONT * unused),
        "reservation/UnusedRecurringFee": money(RESERVED_RECURRING * unused),
    }


def _enterprise_discount(usage: Iterable[Row]) -> Iterator[Row]:
    """Four percent off on-demand EC2, one negative row a day and account."""
    plain = [r for r in usage if r["lineItem/LineItemType"] == "Usage" and r["lineItem/ProductCode"] == "AmazonEC2"]
    days: defaultdict[tuple[date, str], Decimal] = defaultdict(Decimal)
    for row in plain:
        day = date.fromisoformat(row["lineItem/UsageStartDate"][:10])
        days[day, row["lineItem/UsageAccountId"]] += Decimal(row["lineItem/UnblendedCost"])
    for (day, account), cost in sorted(days.items()):
        start = instant(day)
        row = spanning(account, start, start + timedelta(days=1), "EdpDiscount", "AmazonEC2")
        yield row | _amount(-cost * ENTERPRISE_DISCOUNT, "Enterprise Discount Program discount, AmazonEC2")


def _amount(cost: Decimal, description: str) -> Row:
    """A row that is nothing but an amount."""
    return {
        "lineItem/UsageAmount": "1",
        "lineItem/UnblendedCost": money(cost),
        "lineItem/BlendedCost": money(cost),
        "lineItem/LineItemDescription": description,
        "product/ProductName": "Amazon Elastic Compute Cloud",
    }


def _taxes(month: Month, usage: Iterable[Row]) -> Iterator[Row]:
    for account, cost in _sum_by(usage, "lineItem/UsageAccountId", "lineItem/UnblendedCost").items():
        row = spanning(account, instant(month.first), instant(month.end), "Tax", "AmazonEC2")
        tax = (cost * TAX_RATE).quantize(CENTS)
        yield row | _amount(tax, "Tax for product code AmazonEC2") | {"lineItem/TaxType": "USSalesTax"}


def _support(month: Month, usage: Iterable[Row]) -> Row:
    cost = sum((Decimal(row["lineItem/UnblendedCost"]) for row in usage), Decimal(0))
    row = spanning(aws_estate.PAYER, instant(month.first), instant(month.end), "Fee", "AWSSupportBusiness")
    return (
        row
        | _amount((cost * SUPPORT_RATE).quantize(CENTS), "AWS Support (Business), monthly charge")
        | {
            "lineItem/UsageType": "Dollar",
            "product/ProductName": "AWS Support (Business)",
            "product/servicecode": "AWSSupportBusiness",
        }
    )


def _settlements(month: Month) -> Iterator[Row]:
    """One credit in September, one refund in October."""
    if month.label == "2026-09":
        start = instant(date(2026, 9, 30))
        row = spanning(aws_estate.PRODUCT, start, start + timedelta(days=1), "Credit", "AmazonEC2")
        yield row | _amount(Decimal("-1500.00"), "Promotional credit QH-START-26")
    if month.label == "2026-10":
        start = instant(date(2026, 10, 6))
        row = spanning(aws_estate.TRAINING, start, start + timedelta(days=1), "Refund", "AmazonS3")
        yield (
            row
            | _amount(Decimal("-312.45"), "Refund of S3 requests charged twice")
            | {
                "lineItem/ResourceId": "quillhaven-raw-text",
                "product/ProductName": "Amazon Simple Storage Service",
                "product/servicecode": "AmazonS3",
            }
        )
