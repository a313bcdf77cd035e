"""The legacy AWS Cost and Usage Report as files: its columns, its folders, its manifests."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aws_estate import PAYER

if TYPE_CHECKING:
    from world import Month

Row = Mapping[str, str]

COLUMNS = (
    *("identity/LineItemId", "identity/TimeInterval"),
    *("bill/InvoiceId", "bill/BillingEntity", "bill/BillType", "bill/PayerAccountId"),
    *("bill/BillingPeriodStartDate", "bill/BillingPeriodEndDate"),
    *("lineItem/UsageAccountId", "lineItem/LineItemType", "lineItem/UsageStartDate", "lineItem/UsageEndDate"),
    *("lineItem/ProductCode", "lineItem/UsageType", "lineItem/Operation", "lineItem/AvailabilityZone"),
    *("lineItem/ResourceId", "lineItem/UsageAmount", "lineItem/CurrencyCode", "lineItem/UnblendedRate"),
    *("lineItem/UnblendedCost", "lineItem/BlendedRate", "lineItem/BlendedCost", "lineItem/LineItemDescription"),
    *("lineItem/TaxType", "lineItem/LegalEntity"),
    *("product/ProductName", "product/gpu", "product/instanceFamily", "product/instanceType", "product/location"),
    *("product/marketoption", "product/memory", "product/operatingSystem", "product/productFamily"),
    *("product/region", "product/regionCode", "product/servicecode", "product/sku", "product/tenancy"),
    *("product/usagetype", "product/vcpu", "product/volumeApiName"),
    *("pricing/LeaseContractLength", "pricing/OfferingClass", "pricing/PurchaseOption", "pricing/currency"),
    *("pricing/publicOnDemandCost", "pricing/publicOnDemandRate", "pricing/term", "pricing/unit"),
    *("reservation/AmortizedUpfrontCostForUsage", "reservation/AmortizedUpfrontFeeForBillingPeriod"),
    *("reservation/EffectiveCost", "reservation/NumberOfReservations", "reservation/RecurringFeeForUsage"),
    *("reservation/ReservationARN", "reservation/TotalReservedUnits"),
    *("reservation/UnusedAmortizedUpfrontFeeForBillingPeriod", "reservation/UnusedQuantity"),
    "reservation/UnusedRecurringFee",
    *("savingsPlan/OfferingType", "savingsPlan/PaymentOption", "savingsPlan/PurchaseTerm"),
    *("savingsPlan/RecurringCommitmentForBillingPeriod", "savingsPlan/SavingsPlanArn"),
    *("savingsPlan/SavingsPlanEffectiveCost", "savingsPlan/SavingsPlanRate"),
    *("savingsPlan/TotalCommitmentToDate", "savingsPlan/UsedCommitment"),
    *("resourceTags/user:PROJECT", "resourceTags/user:Project", "resourceTags/user:environment"),
    *("resourceTags/user:experiment", "resourceTags/user:owner", "resourceTags/user:pool"),
    *("resourceTags/user:proj", "resourceTags/user:project", "resourceTags/user:stage", "resourceTags/user:team"),
)


def write_assembly(
    folder: Path, month: Month, assembly: str, rows: Sequence[Row], *, current: bool, parts: int = 1
) -> None:
    """Write one delivery of a month; only the current one's manifest also lies in the period folder."""
    period = folder / f"{month.first:%Y%m%d}-{month.end:%Y%m%d}"
    home = period / assembly
    home.mkdir(parents=True, exist_ok=True)
    share = -(-len(rows) // parts)
    names = [f"quillhaven-cur-{part:05d}.csv.gz" for part in range(1, parts + 1)]
    for part, name in enumerate(names):
        (home / name).write_bytes(_packed(rows[part * share : (part + 1) * share]))
    manifest = _manifest(month, assembly, [f"{period.name}/{assembly}/{name}" for name in names])
    (home / "quillhaven-cur-Manifest.json").write_text(manifest, encoding="utf-8")
    if current:
        (period / "quillhaven-cur-Manifest.json").write_text(manifest, encoding="utf-8")


def _packed(rows: Iterable[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return gzip.compress(text.getvalue().encode("utf-8"), compresslevel=9, mtime=0)


def _manifest(month: Month, assembly: str, keys: Sequence[str]) -> str:
    columns = [dict(zip(("category", "name"), column.split("/", 1), strict=True)) for column in COLUMNS]
    content = {
        "assemblyId": assembly,
        "account": PAYER,
        "columns": columns,
        "charset": "UTF-8",
        "compression": "GZIP",
        "contentType": "text/csv",
        "reportId": "3f6d0c7a51b84e92a0d7c4f8e6b1935d2c8a70f4e1b6d93758ac02f7d4e6b189",
        "reportName": "quillhaven-cur",
        "billingPeriod": {
            "start": f"{month.first:%Y%m%d}T000000.000Z",
            "end": f"{month.end:%Y%m%d}T000000.000Z",
        },
        "bucket": "quillhaven-billing",
        "reportKeys": [f"finance/quillhaven-cur/{key}" for key in keys],
        "additionalArtifactKeys": [],
    }
    return json.dumps(content, indent=2) + "\n"
