"""Azure exports for tests: rows of cost details, and runs with their manifests."""

from __future__ import annotations

import json
from pathlib import Path

from bills_kit import csv_text, put

VM = "/subscriptions/5E1F/resourceGroups/RG-Train/providers/Microsoft.Compute/virtualMachines/gpu7"
EA = {
    "BillingAccountId": "77001",
    "BillingPeriodStartDate": "2026-09-01",
    "BillingPeriodEndDate": "2026-09-30",
    "SubscriptionId": "5E1F0000-AAAA-4BBB-8CCC-0123456789AB",
    "Date": "2026-09-14",
    "ProductName": "ND96 v5",
    "MeterCategory": "Virtual Machines",
    "MeterId": "m-1",
    "MeterName": "ND96isr H100 v5",
    "Quantity": "24",
    "UnitOfMeasure": "1 Hour",
    "UnitPrice": "90.1",
    "PayGPrice": "98.32",
    "CostInBillingCurrency": "2162.4",
    "BillingCurrencyCode": "EUR",
    "ResourceLocation": "UK South",
    "ResourceId": VM,
    "Tags": "",
    "ReservationId": "",
    "benefitId": "",
    "ChargeType": "Usage",
    "Frequency": "UsageBased",
    "PricingModel": "OnDemand",
    "PublisherType": "Azure",
}
PLAN = {"PricingModel": "Reservation", "ReservationId": "CD34"}
BOUGHT = PLAN | {"ChargeType": "Purchase", "Frequency": "Recurring", "Quantity": "1"}
UNUSED = PLAN | {"ChargeType": "UnusedReservation", "ResourceId": ""}
MONTH = "20260901-20260930"


def ea(*changes: dict[str, str]) -> str:
    return csv_text([EA | change for change in changes])


def cost(amount: str, changes: dict[str, str] | None = None) -> dict[str, str]:
    return (changes or {}) | {"CostInBillingCurrency": amount}


ACTUAL = ea(cost("10.5"), cost("0", PLAN), cost("900", BOUGHT), cost("-100", BOUGHT | {"ChargeType": "Refund"}))
AMORTIZED = ea(cost("10.5"), cost("21.25", PLAN), cost("3.75", UNUSED))


def run(
    root: Path,
    folder: str,
    content: str,
    submitted: str = "2026-09-10T04:00:00.123Z",
    kind: str = "ActualCost",
    *,
    days: tuple[str, str] = ("2026-09-01", "2026-09-10"),
    scope: str = "/subscriptions/5e1f",
    **said: object,
) -> None:
    """An export's run of one part, with a manifest as Azure writes it."""
    put(root, f"{folder}/part_0_0001.csv", content)
    blob = {"blobName": f"root/{folder}/part_0_0001.csv", "byteCount": len(content.encode())}
    manifest = {
        "dataRowCount": content.count("\n") - 1,
        "exportConfig": {"type": kind, "resourceId": f"{scope}/providers/Microsoft.CostManagement/exports/daily"},
        "runInfo": {"submittedTime": submitted, "startDate": f"{days[0]}T00:00:00", "endDate": f"{days[1]}T00:00:00Z"},
        "blobs": [blob],
    }
    put(root, f"{folder}/manifest.json", json.dumps(manifest | said))
