"""FOCUS 1.4's Billing Period files: what they say, beside bills, and what they cannot say."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from bills_kit import csv_text, focus_text, look, put

from schemas.bills import PeriodState
from schemas.faults import InputError

SEPTEMBER = datetime(2026, 9, 1, tzinfo=UTC)
PERIOD = {
    "BillingPeriodStart": "2026-09-01T00:00:00Z",
    "BillingPeriodEnd": "2026-10-01T00:00:00Z",
    "BillingPeriodStatus": "Closed",
    "BillingPeriodCreated": "2026-09-01T00:00:00Z",
    "BillingPeriodLastUpdated": "2026-10-04T10:00:00Z",
    "InvoiceIssuerName": "Cumulus",
}
SAID = PeriodState("cloud", SEPTEMBER, "Cumulus", "closed", datetime(2026, 10, 4, 10, tzinfo=UTC))


def test_periods_are_read_beside_bills_and_are_none(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({}))
    put(tmp_path, "periods.csv.gz", csv_text([PERIOD]))
    found = look(tmp_path)
    assert [delivery.name for delivery in found.deliveries] == ["bill.csv"]
    assert found.held_back == ()
    assert found.periods == (SAID,)


def test_parquet_with_instants_and_headers_of_any_case(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({}))
    rows = pl.DataFrame([PERIOD]).with_columns(
        pl.col("BillingPeriodStart", "BillingPeriodLastUpdated").str.to_datetime("%+", time_zone="UTC")
    )
    rows.rename(lambda name: name[0].lower() + name[1:]).write_parquet(tmp_path / "periods.parquet")
    assert look(tmp_path).periods == (SAID,)


def test_what_a_file_does_not_say_is_unknown(tmp_path: Path) -> None:
    put(tmp_path, "periods.csv", "BillingPeriodStart,BillingPeriodStatus\n2026-09-01T00:00:00Z,OPEN\n")
    assert look(tmp_path).periods == (PeriodState("cloud", SEPTEMBER, None, "open", None),)


@pytest.mark.parametrize(
    "change", [{"BillingPeriodStatus": "Pending"}, {"BillingPeriodStart": "soon"}, {"BillingPeriodStatus": ""}]
)
def test_a_row_that_says_nothing_readable_holds_its_file_back(tmp_path: Path, change: dict[str, str]) -> None:
    put(tmp_path, "bill.csv", focus_text({}))
    put(tmp_path, "periods.csv", csv_text([PERIOD, PERIOD | change]))
    found = look(tmp_path)
    assert found.periods == ()
    (held,) = found.held_back
    assert held.name == "periods.csv"
    assert "row 2" in held.reason
    assert "Open or Closed" in held.reason


def test_a_row_cut_short_holds_its_file_back(tmp_path: Path) -> None:
    put(tmp_path, "periods.csv", csv_text([PERIOD]) + "2026-10-01T00:00:00Z,x\n" + csv_text([PERIOD]).split("\n")[1])
    with pytest.raises(InputError, match="row 2"):
        look(tmp_path)
