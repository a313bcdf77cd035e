"""Reconcile: both sides by bill and column, the difference, and what is unknown on one of them."""

from __future__ import annotations

import sys
from datetime import date
from decimal import Decimal

import polars as pl
import pytest

from attribution.allocation import broken, reconcile
from schemas.costs import COST_COLUMNS, LINE_COLUMNS, SUBJECT_COLUMNS
from schemas.money import COSTS

OCT, NOV = date(2026, 10, 1), date(2026, 11, 1)
Money = list[tuple[int, str | None]]


def subjects(*bills: tuple[int, int, date, str]) -> pl.DataFrame:
    """Rows (subject_id, bill_no, billing_month, BillingCurrency)."""
    names = ("subject_id", "bill_no", "billing_month", "BillingCurrency")
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in bills], schema=SUBJECT_COLUMNS)


def money(amounts: Money, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    rows = [
        {"subject_id": subject, "usage_date": OCT}
        | {name: None if amount is None or name == "ListCost" else Decimal(amount) for name in COSTS}
        for subject, amount in amounts
    ]
    return pl.DataFrame(rows, schema=schema)


BILLS = subjects((1, 7, OCT, "USD"), (2, 8, NOV, "USD"), (3, 7, OCT, "USD"), (4, 7, OCT, "EUR"))
LINES: Money = [(1, "10"), (2, "5"), (3, "0.000000000001"), (4, "3"), (1, "-4")]


def compared(costs: Money, lines: Money = LINES) -> dict[tuple[int, str], tuple[object, ...]]:
    found = reconcile(BILLS, money(lines, LINE_COLUMNS), money(costs, COST_COLUMNS), BILLS)
    shown = found.filter(pl.col("column") == "EffectiveCost")
    return {(row[0], row[1]): row[2:] for row in shown.select("bill_no", "BillingCurrency", *SIDES).iter_rows()}


SIDES = ("before", "after", "difference")


@pytest.mark.parametrize("at_once", [1, 2, 3, 1 << 20])
def test_each_bill_and_currency_is_compared_by_itself(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows are summed at once; the same bill may stand in several places among the subjects."""
    monkeypatch.setattr(sys.modules["attribution.allocation.reconcile"], "_AT_ONCE", at_once)
    costs: Money = [(4, "1"), (4, "1.5"), (3, "6.000000000001"), (2, "5")]
    same = Decimal("6.000000000001")
    assert compared(costs) == {
        (7, "EUR"): (Decimal(3), Decimal("2.5"), Decimal("-0.5")),
        (7, "USD"): (same, same, Decimal(0)),
        (8, "USD"): (Decimal(5), Decimal(5), Decimal(0)),
    }


def test_a_cent_too_much_is_found_and_an_unknown_that_became_a_number_too() -> None:
    found = reconcile(
        BILLS, money([(1, "1"), (2, None)], LINE_COLUMNS), money([(1, "1"), (2, "0")], COST_COLUMNS), BILLS
    )
    apart = broken(found)
    assert apart.select("bill_no", "column", "before", "after").rows() == [
        (8, name, None, Decimal(0)) for name in sorted(COSTS) if name != "ListCost"
    ]
    assert broken(reconcile(BILLS, money(LINES, LINE_COLUMNS), money(LINES, COST_COLUMNS), BILLS)).is_empty()


def test_money_of_no_subject_is_told_as_of_no_bill() -> None:
    found = reconcile(BILLS, money([(1, "1")], LINE_COLUMNS), money([(1, "1"), (99, "2")], COST_COLUMNS), BILLS)
    (row,) = broken(found).filter(pl.col("column") == "BilledCost").to_dicts()
    assert (row["bill_no"], row["before"], row["after"]) == (None, None, Decimal(2))


def test_nothing_reconciles_with_nothing() -> None:
    assert compared([], []) == {}
