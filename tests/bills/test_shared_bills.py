"""Bills of others, where they are at hand: totals summed by the standard library straight from the files."""

from __future__ import annotations

import csv
import gzip
import re
from decimal import Context, Decimal
from pathlib import Path

import polars as pl
import pytest
from bills_kit import look, read_delivery

from schemas.charges import Charges
from schemas.check import check
from schemas.money import sum_exactly

SHARED = Path(__file__).resolve().parents[3] / "shared" / "bills"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the shared bills are not beside this repository")
EXACT = Context(prec=200)
COVERED = ("SavingsPlanCoveredUsage", "SavingsPlanNegation")


def raw_rows(path: Path) -> list[dict[str, str]]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def total(cells: list[str]) -> Decimal:
    amount = Decimal(0)
    for cell in cells:
        amount = EXACT.add(amount, Decimal(cell))
    return amount


def effective(rows: list[dict[str, str]]) -> Decimal:
    """Covered usage at its effective cost, plus the unused commitment, plus what is neither."""
    kind, cost = "lineItem/LineItemType", "lineItem/UnblendedCost"
    covered = total([row["savingsPlan/SavingsPlanEffectiveCost"] for row in rows if row[kind] == COVERED[0]])
    fees = total([row[cost] for row in rows if row[kind] == "SavingsPlanRecurringFee"])
    others = total([row[cost] for row in rows if row[kind] not in COVERED and not row[kind].startswith("SavingsPlan")])
    return covered + max(fees - covered, Decimal(0)) + others


@pytest.mark.parametrize(
    ("month", "rows", "unused"),
    [("20260801", 18026, "0.64"), ("20260901", 18937, "923.20"), ("20261001", 24073, "0.64"), ("20261101", 0, None)],
)
def test_the_aws_report_reconciles_by_month(month: str, rows: int, unused: str | None) -> None:
    found = look(SHARED, f"aws-cur/{month}-*/**/*")
    assert not found.held_back
    (delivery,) = found.deliveries
    assert delivery.current is True
    bill = read_delivery(delivery)
    raw = raw_rows(delivery.files[0].path)
    assert bill.rows == len(raw) == rows
    assert check(bill.charges, Charges).failures.height == 0
    if not raw:
        assert delivery.empty_keys[0].billing_month.isoformat() == "2026-11-01"
        return
    assert bill.total("BilledCost") == total([row["lineItem/UnblendedCost"] for row in raw])
    assert bill.total("EffectiveCost") == effective(raw)
    assert [notice.amount for notice in bill.notices] == [Decimal(str(unused))]


@pytest.mark.parametrize("path", sorted(SHARED.glob("focus/*.csv")), ids=lambda path: path.stem)
def test_focus_samples_reconcile(path: Path) -> None:
    (delivery,) = look(SHARED, f"focus/{path.name}").deliveries
    bill = read_delivery(delivery)
    raw = raw_rows(path)
    assert bill.rows == bill.charges.height == len(raw)
    assert not bill.refused.height
    assert check(bill.charges, Charges).failures.height == 0
    for cost in ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"):
        written = total([row[cost] for row in raw if row[cost] not in ("", "NULL")])
        assert written == sum_exactly(bill.charges.get_column(cost)) + bill.residual[cost]


@pytest.mark.parametrize(("month", "stated"), [("08", "312456.192"), ("09", "324489.5999999999928")])
def test_the_oracle_reports_reconcile(month: str, stated: str) -> None:
    (delivery,) = look(SHARED, f"oci/cost_2026-{month}*").deliveries
    bill = read_delivery(delivery)
    raw = raw_rows(delivery.files[0].path)
    assert bill.rows == bill.charges.height == len(raw)
    assert bill.total("BilledCost") + bill.residual["BilledCost"] == total([row["cost/myCost"] for row in raw])
    assert total([row["cost/myCost"] for row in raw]) == Decimal(stated)


GOOGLE = {
    "2026-07": "282.24",
    "2026-08": "12331.5199992384",
    "2026-09": "25554.5600005440001440",
    "2026-10": "31368.3199992384",
    "2026-11": "916.80",
}


def test_the_google_exports_reconcile_by_invoice_month() -> None:
    found = look(SHARED, "gcp/*.csv.gz", delivery="append")
    assert not found.held_back
    bills = [read_delivery(delivery) for delivery in found.deliveries]
    raw = [row for delivery in found.deliveries for row in raw_rows(delivery.files[0].path)]
    assert sum(bill.rows for bill in bills) == len(raw)
    charges = pl.concat([bill.charges for bill in bills], how="diagonal")
    assert check(charges, Charges).failures.height == 0
    # By the amount's own name in the text: these files print one credit a row at most.
    given = [found.group(1) for row in raw if (found := re.search(r"'amount': ([-0-9.e]+)", row["credits"]))]
    assert total(given) == Decimal("-10533.12")
    assert sum_exactly(charges.filter(ChargeCategory="Credit")["BilledCost"]) == total(given)
    residual = total([str(bill.residual["BilledCost"]) for bill in bills])
    assert sum_exactly(charges["BilledCost"]) + residual == total([row["cost"] for row in raw]) + total(given)
    for month, stated in GOOGLE.items():
        stored = sum_exactly(charges.filter(x_invoice_month=month.replace("-", ""))["BilledCost"])
        assert stored == Decimal(stated).quantize(Decimal("1e-12"))
    assert residual == total(list(GOOGLE.values())) - sum_exactly(charges["BilledCost"])


@pytest.mark.parametrize(
    ("month", "stated"), [("08", "82476.9694"), ("09", "99400.4220"), ("10", "122950.5694"), ("11", "3966.1474")]
)
def test_the_azure_exports_reconcile(month: str, stated: str) -> None:
    (delivery,) = look(SHARED, f"azure/container/2026{month}*/*.csv").deliveries
    bill = read_delivery(delivery)
    raw = raw_rows(delivery.files[0].path)
    assert bill.rows == bill.charges.height == len(raw)
    assert check(bill.charges, Charges).failures.height == 0
    assert bill.total("BilledCost") == total([row["CostInBillingCurrency"] for row in raw]) == Decimal(stated)
    assert bill.total("EffectiveCost") == bill.total("BilledCost")
    assert set(bill.texts("BillingCurrency")) == {"EUR"}
