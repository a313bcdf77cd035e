"""What docs/focus_use_cases.md asks, asked of a bill that has all that the sample company's bills have not."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest
from small_workspace import AS_OF, COLUMNS, attribution, charge, workspace

from attribution.ledger import query

PAGE = Path(__file__).parents[2] / "docs/focus_use_cases.md"
QUERIES = re.findall(r"^(\*\*[^\n]*)\n\n```sql\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
RARE = (
    "AllocatedMethodId", "AllocatedResourceId", "CapacityReservationId", "CapacityReservationStatus",
    "CommitmentDiscountId", "CommitmentProgramEligibilityDetails", "ContractApplied", "HostProviderName",
    "InvoiceIssuerName", "PricingCurrency", "PricingCurrencyContractedUnitPrice", "PricingCurrencyEffectiveCost",
    "PricingCurrencyListUnitPrice", "PricingQuantity", "PricingUnit", "PublisherName", "ServiceProviderName",
)  # fmt: skip
ELIGIBLE = '{"CommitmentPrograms": [{"ProgramType": "FlexibleSpendPlan"}]}'
APPLIED = '{"Elements": [{"ContractCommitmentID": "c-7", "ContractCommitmentAppliedCost": 60.5}]}'
# Query by a word of its title -> what it finds in the bill below.
FOUND = {
    "marketplace vendors": [(10, "Vector Search Ltd", "Northern Cloud", Decimal(30))],
    "marketplace purchases": [("Vector Search Ltd", "Northern Cloud", "Nodes", Decimal(30), 1)],
    "unused capacity": [("cr-1", "0012", Decimal(8), Decimal(8))],
    "consumption of virtual": [("Northern Cloud", "Tokens", 4.5)],
    "target of virtual": [("Nodes", "node hours", 4.5)],
    "purchase of virtual": [("Northern Cloud", "node hours", "Tokens", "USD", 1000.0, Decimal(100))],
    "savings by virtual": [("Nodes", "Tokens", 1.5)],
    "resources with shared": [("i-5", "by hours")],
    "allocated resource": [("pod-1", None, Decimal(5))],
    "Eligible Uncovered": [("Northern Cloud", "FlexibleSpendPlan", None, Decimal(16), Decimal(12))],
    "Coverage Rate": [("Northern Cloud", 25.0)],
    "contract commitments": [("c-7", "2026-10-01", "Purchase", Decimal("60.5"))],
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A FOCUS 1.4 bill: a marketplace, reserved capacity, tokens, a divided node, programs and a contract."""
    bill = [
        charge(cost="30", ServiceProviderName="Vector Search Ltd", PublisherName="Vector Search Ltd"),
        charge(cost="8", CapacityReservationId="cr-1", CapacityReservationStatus="Unused"),
        charge(
            cost="4", PricingCurrency="Tokens", PricingCurrencyEffectiveCost="4.5", PricingQuantity="3",
            PricingCurrencyListUnitPrice="2", PricingCurrencyContractedUnitPrice="1.5",
        ),
        charge(cost="100", ChargeCategory="Purchase", PricingUnit="Tokens", PricingQuantity="1000"),
        charge(cost="5", ResourceId="i-5", AllocatedMethodId="by hours", AllocatedResourceId="pod-1"),
        charge(cost="12", CommitmentProgramEligibilityDetails=ELIGIBLE),
        charge(cost="4", CommitmentProgramEligibilityDetails=ELIGIBLE, CommitmentDiscountId="plan-1"),
        charge(cost="60.5", ChargeCategory="Purchase", ContractApplied=APPLIED),
    ]  # fmt: skip
    root = workspace(tmp_path_factory.mktemp("use_cases"), bill)
    own = {"ServiceProviderName": "Northern Cloud", "PublisherName": "Northern Cloud"}
    own |= {"HostProviderName": "Northern Cloud", "InvoiceIssuerName": "Northern Cloud"}
    with (root / "bills" / "october.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*COLUMNS, *RARE], restval="")
        writer.writeheader()
        writer.writerows(own | row for row in bill)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def test_what_the_sample_lacks_is_found_where_a_bill_has_it(ran: Path) -> None:
    _, _, rare = PAGE.read_text(encoding="utf-8").partition("## Without rows here")
    asked = [(title, sql) for title, sql in QUERIES if sql in rare]
    assert len(asked) == len(FOUND)
    for (title, sql), (word, rows) in zip(asked, FOUND.items(), strict=True):
        assert word in title
        told = [tuple(str(cell) if hasattr(cell, "isoformat") else cell for cell in row) for row in rows_of(ran, sql)]
        assert told == rows, title


def test_every_query_of_the_page_runs_on_another_companys_bill(ran: Path) -> None:
    for _, sql in QUERIES:
        rows_of(ran, sql)


def rows_of(root: Path, sql: str) -> list[tuple[object, ...]]:
    return query(root / "ledger", sql).rows()
