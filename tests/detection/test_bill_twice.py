"""A bill that came in by two sources is told; two sources that share an account by parts are not."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl
import pytest

from attribution.detection import bills_in_two_sources
from schemas.detection import BILLED_COLUMNS

OCTOBER = date(2026, 10, 1)


def billed(*rows: tuple[str, str, date, str, str | None]) -> pl.DataFrame:
    bills = [(*row[:4], None, None if row[4] is None else Decimal(row[4]), 0) for row in rows]
    return pl.DataFrame(bills, schema=BILLED_COLUMNS, orient="row")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ("1000.00", True),
        ("990", True),  # just as far apart as rounding and late rows may be
        ("989.99", False),
        ("250", False),  # one account, two projects
        ("0", False),
        (None, False),
    ],
)
def test_two_sources_that_bill_one_account_alike_are_told(other: str | None, told: bool) -> None:  # noqa: FBT001
    found = bills_in_two_sources(
        billed(("aws", "0042", OCTOBER, "USD", "1000"), ("aws-focus", "0042", OCTOBER, "USD", other))
    )
    assert found.height == told
    if told and other is not None:
        row = found.row(0, named=True)
        assert row["subject"] == "0042 in 2026-10: aws and aws-focus"
        assert row["cost_at_stake"] == min(Decimal(1000), Decimal(other))
        assert row["BillingCurrency"] == "USD"
        assert "counts twice" in row["evidence"]


def test_another_account_month_or_currency_is_another_bill() -> None:
    mine = ("aws", "0042", OCTOBER, "USD", "1000")
    others = [
        ("b", "0043", OCTOBER, "USD", "1000"),
        ("c", "0042", date(2026, 9, 1), "USD", "1000"),
        ("d", "0042", OCTOBER, "EUR", "1000"),
    ]
    assert bills_in_two_sources(billed(mine, *others)).is_empty()
    assert bills_in_two_sources(billed()).is_empty()


def test_credits_alike_and_three_sources_make_a_finding_a_pair() -> None:
    rows = [(name, "0042", OCTOBER, "USD", "-70") for name in ("a", "b", "c")]
    assert bills_in_two_sources(billed(*rows)).get_column("subject").to_list() == [
        "0042 in 2026-10: a and b", "0042 in 2026-10: a and c", "0042 in 2026-10: b and c",
    ]  # fmt: skip
