"""One AWS bill in each layout that AWS delivers: legacy CSV, its Parquet for Athena, CUR 2.0 as Parquet and as CSV."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Legacy name -> flat name, as AWS's dictionaries of the two reports have them.
FLAT = {
    "identity/LineItemId": "identity_line_item_id",
    "bill/BillingPeriodEndDate": "bill_billing_period_end_date",
    "bill/BillingPeriodStartDate": "bill_billing_period_start_date",
    "bill/InvoiceId": "bill_invoice_id",
    "bill/PayerAccountId": "bill_payer_account_id",
    "lineItem/AvailabilityZone": "line_item_availability_zone",
    "lineItem/BlendedCost": "line_item_blended_cost",
    "lineItem/CurrencyCode": "line_item_currency_code",
    "lineItem/LegalEntity": "line_item_legal_entity",
    "lineItem/LineItemDescription": "line_item_line_item_description",
    "lineItem/LineItemType": "line_item_line_item_type",
    "lineItem/NetUnblendedCost": "line_item_net_unblended_cost",
    "lineItem/Operation": "line_item_operation",
    "lineItem/ProductCode": "line_item_product_code",
    "lineItem/ResourceId": "line_item_resource_id",
    "lineItem/UnblendedCost": "line_item_unblended_cost",
    "lineItem/UsageAccountId": "line_item_usage_account_id",
    "lineItem/UsageAmount": "line_item_usage_amount",
    "lineItem/UsageEndDate": "line_item_usage_end_date",
    "lineItem/UsageStartDate": "line_item_usage_start_date",
    "lineItem/UsageType": "line_item_usage_type",
    "pricing/publicOnDemandCost": "pricing_public_on_demand_cost",
    "pricing/publicOnDemandRate": "pricing_public_on_demand_rate",
    "pricing/unit": "pricing_unit",
    "product/ProductName": "product_product_name",
    "product/instanceType": "product_instance_type",
    "product/marketoption": "product_marketoption",
    "product/region": "product_region",
    "product/regionCode": "product_region_code",
    "product/sku": "product_sku",
    "product/vcpu": "product_vcpu",
    "reservation/EffectiveCost": "reservation_effective_cost",
    "reservation/ReservationARN": "reservation_reservation_a_r_n",
    "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod": (
        "reservation_unused_amortized_upfront_fee_for_billing_period"
    ),
    "reservation/UnusedRecurringFee": "reservation_unused_recurring_fee",
    "savingsPlan/SavingsPlanARN": "savings_plan_savings_plan_a_r_n",
    "savingsPlan/SavingsPlanEffectiveCost": "savings_plan_savings_plan_effective_cost",
    "savingsPlan/TotalCommitmentToDate": "savings_plan_total_commitment_to_date",
    "savingsPlan/UsedCommitment": "savings_plan_used_commitment",
    "splitLineItem/ParentResourceId": "split_line_item_parent_resource_id",
    "splitLineItem/SplitCost": "split_line_item_split_cost",
    "splitLineItem/SplitUsageRatio": "split_line_item_split_usage_ratio",
    "splitLineItem/UnusedCost": "split_line_item_unused_cost",
}
# What CUR 2.0 keeps in its map of products rather than in columns of their own.
IN_PRODUCT = {
    "product/ProductName": "product_name",
    "product/marketoption": "marketoption",
    "product/region": "region",
    "product/vcpu": "vcpu",
}
MAPS = {"product": pa.string(), "resource_tags": pa.string(), "cost_category": pa.string(), "discount": pa.float64()}
_DOUBLES = ("cost", "amount", "fee", "commitment_to_date", "used_commitment", "for_billing_period", "ratio", "discount")
Line = dict[str, str]
Nested = dict[str, str | dict[str, str]]


def athena_name(name: str) -> str:
    """A column of the legacy report in the Parquet that AWS makes of it."""
    if name in FLAT:
        return FLAT[name]
    group, _, rest = name.partition("/")
    groups = {"resourceTags": "resource_tags", "costCategory": "cost_category"}
    return f"{groups[group]}_{rest.replace(':', '_').lower()}"


def cur2_line(line: Line) -> Nested:
    """A line of the legacy report as CUR 2.0 has it: fixed columns, and maps without blanks."""
    flat: Nested = {}
    maps: dict[str, dict[str, str]] = {name: {} for name in MAPS}
    for name, cell in line.items():
        group, _, rest = name.partition("/")
        if name in IN_PRODUCT:
            maps["product"][IN_PRODUCT[name]] = cell
        elif group == "resourceTags":
            maps["resource_tags"][rest.replace(":", "_").lower()] = cell
        elif group == "costCategory":
            maps["cost_category"][rest.lower()] = cell
        else:
            flat[FLAT[name]] = cell
    filled = {name: {key: cell for key, cell in pairs.items() if cell} for name, pairs in maps.items()}
    # The schema is fixed: a column that says nothing is there all the same.
    return {"line_item_net_unblended_cost": "", "bill_payer_account_name": ""} | flat | filled


def csv_bytes(rows: list[dict[str, str]]) -> bytes:
    """Rows as CSV; columns in order of their first row."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def write_legacy(path: Path, lines: list[Line]) -> None:
    """The legacy report as csv.gz."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(csv_bytes(lines)))


def write_athena(path: Path, lines: list[Line]) -> None:
    """The legacy report as Parquet for Athena."""
    _write_parquet(path, [{athena_name(name): cell for name, cell in line.items()} for line in lines])


def write_cur2(path: Path, lines: list[Line]) -> None:
    """CUR 2.0, as Parquet or as CSV by the name of the file."""
    write_cur2_lines(path, [cur2_line(line) for line in lines])


def write_cur2_lines(path: Path, rows: list[Nested]) -> None:
    """Lines of CUR 2.0 as they are, as Parquet or as CSV by the name of the file."""
    if path.name.endswith(".parquet"):
        _write_parquet(path, rows)
        return
    texts = [
        {name: _json(name, cell) if isinstance(cell, dict) else cell for name, cell in row.items()} for row in rows
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(csv_bytes(texts)))


def _json(name: str, pairs: dict[str, str]) -> str:
    if MAPS.get(name) != pa.float64():
        return json.dumps(pairs, ensure_ascii=False)
    return "{" + ", ".join(f"{json.dumps(key)}: {number}" for key, number in pairs.items()) + "}"


def _write_parquet(path: Path, rows: Sequence[Mapping[str, str | dict[str, str]]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({name: _column(name, [row.get(name) for row in rows]) for name in names}), path)


def _column(name: str, cells: list[str | dict[str, str] | None]) -> pa.Array:
    if name in MAPS:
        pairs = [list(cell.items()) if isinstance(cell, dict) else None for cell in cells]
        return pa.array(pairs, pa.map_(pa.string(), pa.string())).cast(pa.map_(pa.string(), MAPS[name]))
    text = pa.array([cell or None for cell in cells], pa.string())
    if name.endswith(("start_date", "end_date")):
        return pa.array([cell and cell.rstrip("Z") for cell in text.to_pylist()], pa.string()).cast(pa.timestamp("ms"))
    return text.cast(pa.float64()) if name.endswith(_DOUBLES) else text
