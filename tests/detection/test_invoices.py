"""Invoices against bills: what matches, what differs, what one side lacks, and who hears of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from attribution.detection import check_invoices, invoice_findings
from schemas.detection import BILLED_COLUMNS, INVOICE_CHECK_COLUMNS
from schemas.inputs import INVOICE_COLUMNS

AUGUST, SEPTEMBER, OCTOBER, NOVEMBER = (date(2026, month, 1) for month in (8, 9, 10, 11))
TODAY = date(2026, 11, 5)
CENT = Decimal("0.01")


def bill(cost: str, month: date = OCTOBER, invoice: str | None = None, **cells: object) -> dict[str, Any]:
    named = {"source": "aws", "BillingAccountId": "0012", "billing_month": month, "BillingCurrency": "USD"}
    return {**named, "InvoiceId": invoice, "BilledCost": Decimal(cost), "refused_rows": 0, **cells}


def paid(amount: str, month: date = OCTOBER, invoice: str | None = None, **cells: object) -> dict[str, Any]:
    named = {"source": "aws", "billing_account": "0012", "billing_month": month, "currency": "USD"}
    return {**named, "invoice_id": invoice, "amount": Decimal(amount), **cells}


def checks(invoices: list[dict[str, Any]], bills: list[dict[str, Any]], tolerance: Decimal = CENT) -> pl.DataFrame:
    return check_invoices(
        pl.DataFrame(invoices, schema=INVOICE_COLUMNS), pl.DataFrame(bills, schema=BILLED_COLUMNS), tolerance, TODAY
    )


def told(found: pl.DataFrame) -> list[tuple[str, str | None, str | None]]:
    """Status, invoice and difference, in order."""
    columns = found.select("status", "InvoiceId", "difference").rows()
    return [(one, name, None if apart is None else f"{apart.normalize():f}") for one, name, apart in columns]


@pytest.mark.parametrize(
    ("amount", "status", "apart"),
    [
        ("100", "matches", "0"),
        ("100.01", "matches", "0.01"),
        ("99.99", "matches", "-0.01"),
        ("100.010000000001", "differs", "0.010000000001"),
        ("99.98", "differs", "-0.02"),
        ("-100", "differs", "-200"),
    ],
)
def test_a_difference_up_to_the_tolerance_is_none(amount: str, status: str, apart: str) -> None:
    found = checks([paid(amount)], [bill("60"), bill("40", invoice="other")])
    assert told(found) == [(status, None, apart)]
    assert dict(found.schema) == INVOICE_CHECK_COLUMNS


def test_invoices_are_told_apart_where_both_sides_name_them() -> None:
    bills = [bill("60", invoice="a"), bill("40", invoice="b"), bill("5")]
    both = [paid("60", invoice="a"), paid("41", invoice="b")]
    assert told(checks(both, bills)) == [("no invoice", None, None), ("matches", "a", "0"), ("differs", "b", "1")]
    # Where one paid row names none, or no charge does, the month is compared whole.
    assert told(checks([*both, paid("5", invoice=None)], bills)) == [("differs", None, "1")]
    assert told(checks(both, [bill("105")])) == [("differs", None, "-4")]
    assert told(checks([paid("60", invoice="z")], [bill("60", invoice="a")])) == [
        ("no invoice", "a", None),
        ("no bill", "z", None),
    ]


def test_a_paid_invoice_without_a_bill_is_told_with_its_currency() -> None:
    found = checks([paid("7", currency="EUR"), paid("9", billing_account="9"), paid("100")], [bill("100")])
    assert found.select("BillingAccountId", "BillingCurrency", "BilledCost", "paid", "status").rows() == [
        ("0012", "EUR", None, 7, "no bill"),
        ("0012", "USD", 100, 100, "matches"),
        ("9", "USD", None, 9, "no bill"),
    ]
    (first, second) = invoice_findings(found).sort("cost_at_stake").iter_rows(named=True)
    assert (first["kind"], first["cost_at_stake"], first["BillingCurrency"]) == ("invoice_without_bill", 7, "EUR")
    assert second["subject"] == "bill=aws/9/2026-10"
    assert {first["owner"], second["owner"], first["project"]} == {"unallocated"}


def test_a_bill_without_an_invoice_is_told_once_its_month_is_over_and_its_source_is_invoiced() -> None:
    bills = [
        bill("1", AUGUST),
        bill("2", SEPTEMBER),
        bill("3", OCTOBER),
        bill("0.01", OCTOBER, BillingAccountId="free"),
        bill("4", NOVEMBER),
        bill("5", OCTOBER, source="gcp"),
    ]
    found = checks([paid("2", SEPTEMBER)], bills)
    assert found.select("billing_month", "status").rows() == [(SEPTEMBER, "matches"), (OCTOBER, "no invoice")]
    assert not checks([], bills).height
    (finding,) = invoice_findings(found).iter_rows(named=True)
    assert (finding["kind"], finding["cost_at_stake"], finding["month"]) == ("bill_without_invoice", 3, OCTOBER)


def test_a_difference_says_what_and_how_much_and_that_rows_were_refused() -> None:
    found = checks([paid("579.84", invoice="x")], [bill("525.120000216", invoice="x", refused_rows=3)])
    (finding,) = invoice_findings(found).iter_rows(named=True)
    assert finding["kind"] == "invoice_differs"
    assert finding["subject"] == "bill=aws/0012/2026-10 invoice=x"
    assert finding["cost_at_stake"] == Decimal("54.719999784")
    assert finding["evidence"] == (
        "Finance paid 579.84 USD for the invoice x of aws, account 0012, 2026-10, which sums to 525.12 USD: "
        "54.72 more. 3 rows of its files were refused: see attribution rejects."
    )


def test_a_source_is_asked_for_invoices_from_its_first_one_on() -> None:
    found = checks([paid("1", AUGUST), paid("3", OCTOBER)], [bill("1", AUGUST), bill("2", SEPTEMBER), bill("3")])
    assert found.select("billing_month", "status").rows() == [
        (AUGUST, "matches"), (SEPTEMBER, "no invoice"), (OCTOBER, "matches"),
    ]  # fmt: skip


@pytest.mark.parametrize(("amount", "text"), [("100.50", "0.50 more."), ("99.50", "0.50 less.")])
def test_a_difference_says_which_way_and_how_many_rows_were_refused(amount: str, text: str) -> None:
    bills = [bill("60", refused_rows=3), bill("40", invoice="other", refused_rows=0)]
    (found,) = invoice_findings(checks([paid(amount)], bills)).to_dicts()
    assert f"{text} 3 rows of its files were refused: see attribution rejects." in found["evidence"]
