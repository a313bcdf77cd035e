"""Charges become lines: sums exact, days right, one line a group however the batches fall."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from ledger_builder import Bill, bill, charge, charges, content, ingest, instant

from attribution.ledger import Ledger, RollUp, open_ledger, rollup
from schemas.charges import CHARGE_COLUMNS, INSTANT
from schemas.costs import LINE_COLUMNS, SUBJECT_COLUMNS
from schemas.faults import LawBrokenError

PLAIN = RollUp()


def lines(ledger: Ledger) -> pl.DataFrame:
    return ledger.lines(PLAIN).collect().sort("usage_date", "BilledCost")


def test_lines_and_subjects_have_the_schemas_columns(ledger: Ledger) -> None:
    assert dict(ledger.subjects(PLAIN).schema) == SUBJECT_COLUMNS
    ingest(ledger, bill("a.csv", charge("1")))
    assert dict(ledger.subjects(PLAIN).schema) == SUBJECT_COLUMNS
    assert dict(ledger.lines(PLAIN).collect_schema()) == LINE_COLUMNS


def test_charges_of_a_day_become_one_line_over_all_batches(ledger: Ledger) -> None:
    row = charge("0.000000000001")
    ingest(ledger, Bill("a.csv", [[row] * 3, [row] * 4, [charge("1", day="2026-09-05")]]))
    assert lines(ledger).get_column("BilledCost").to_list() == [Decimal("0.000000000007"), Decimal(1)]
    assert lines(ledger).get_column("ConsumedQuantity").to_list() == [0.7, 0.1]
    assert ledger.subjects(PLAIN).height == 1


def test_merging_by_ranges_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        charge(str(number), ResourceId=f"res-{number % 7}", day=f"2026-09-{1 + number % 9:02}") for number in range(60)
    ]
    one = Bill("a.csv", [rows[:20], rows[20:40], rows[40:]])
    with open_ledger(tmp_path / "whole") as ledger:
        ingest(ledger, one)
        expected = content(ledger)
    monkeypatch.setattr(rollup, "SUBJECTS_A_BLOCK", 2)
    with open_ledger(tmp_path / "ranges") as ledger:
        ingest(ledger, one)
        assert len(list(tmp_path.glob("ranges/charges/*/rollup-*/lines-*.parquet"))) > 3
        assert content(ledger) == expected


def test_two_subjects_of_one_hash_stay_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One half of a subject's key is looked up; where it turns out to be that of two, both halves are."""
    rows = [charge(str(number), ResourceId=f"res-{number % 9}") for number in range(40)]
    one = Bill("a.csv", [rows[:2], rows[2:5], rows[5:20], rows[20:]])
    with open_ledger(tmp_path / "plain") as ledger:
        ingest(ledger, one)
        expected = content(ledger)
    real = pl.DataFrame.hash_rows
    for alike in (1, 2, 5):
        monkeypatch.setattr(
            pl.DataFrame,
            "hash_rows",
            lambda frame, seed, many=alike: real(frame, seed=seed) % (many if seed == 1 else 1 << 63),
        )
        with open_ledger(tmp_path / str(alike)) as ledger:
            ingest(ledger, one)
            assert content(ledger) == expected


def test_unknown_is_not_zero_and_known_stays_known(ledger: Ledger) -> None:
    ingest(
        ledger,
        Bill("a.csv", [[charge("1", ListCost=None), charge("2", ListCost=None)], [charge("4", ListCost=None)]]),
        Bill(
            "b.csv", [[charge("1", month="2026-10", ListCost=None), charge("2", month="2026-10", ListCost=Decimal(5))]]
        ),
    )
    assert lines(ledger).get_column("ListCost").to_list() == [Decimal(5), None]
    assert ledger.bill_sums().get_column("ListCost").to_list() == [None, Decimal(5)]
    assert ledger.frame("SELECT stored_ListCost FROM bills ORDER BY bill_no").rows() == [(None,), (Decimal(5),)]


def test_no_quantity_is_null_and_a_quantity_beyond_all_meters_too(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1", ConsumedQuantity=None), charge("2", ConsumedQuantity=1e30, SkuId="x")))
    assert lines(ledger).get_column("ConsumedQuantity").to_list() == [None, None]


@pytest.mark.parametrize(
    ("start", "hours", "day"),
    [
        ("2026-09-03T20:00:00", 1, date(2026, 9, 4)),  # an hour counts for the day of the workspace's clock
        ("2026-09-03T15:59:59", 1, date(2026, 9, 3)),
        ("2026-09-03T16:00:00", 24, date(2026, 9, 3)),  # a day or longer keeps its own date
        ("2026-09-01T16:00:00", 30 * 24, date(2026, 9, 1)),
    ],
)
def test_usage_date_is_the_workspaces_day(start: str, hours: int, day: date) -> None:
    frame = charges(charge("1", start=instant(start), hours=hours))
    assert frame.select(rollup.usage_date("Asia/Shanghai")).item() == day


@pytest.mark.parametrize(
    "start", ["2026-08-31T16:00:00", "2026-09-01T00:00:00", "2026-09-01T07:00:00", "2026-08-31T10:00:00"]
)
def test_a_billing_month_is_the_same_on_every_clock(ledger: Ledger, start: str) -> None:
    ingest(ledger, bill("a.csv", charge("1", BillingPeriodStart=instant(start))))
    assert ledger.bills().get_column("billing_month").to_list() == [date(2026, 9, 1)]


def test_currencies_never_mix(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1"), charge("2", BillingCurrency="EUR")))
    assert ledger.bill_sums().select("BillingCurrency", "BilledCost").rows() == [
        ("EUR", Decimal(2)),
        ("USD", Decimal(1)),
    ]
    assert lines(ledger).height == 2


def test_null_and_blank_text_are_two_subjects(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1", Tags=None), charge("1", Tags=""), charge("1", Tags="{}")))
    assert sorted(map(str, ledger.subjects(PLAIN).get_column("Tags"))) == ["", "None", "{}"]


def test_a_subject_is_the_same_whatever_else_is_in_its_batch(ledger: Ledger) -> None:
    plain, tagged = charge("1"), charge("1", Tags='{"a":"b"}', SkuId="s")
    ingest(ledger, Bill("a.csv", [[plain, tagged], [plain], [tagged, tagged], [tagged, plain]]))
    assert ledger.subjects(PLAIN).height == 2
    assert lines(ledger).get_column("BilledCost").to_list() == [Decimal(3), Decimal(4)]


def test_another_column_or_clock_is_rolled_up_from_the_stored_charges(ledger: Ledger, store: Path) -> None:
    late = instant("2026-09-03T20:00:00")
    ingest(ledger, bill("a.csv", charge("1", start=late, x_Team="red"), charge("2", start=late, x_Team="blue")))
    assert lines(ledger).height == 1
    wanted = RollUp("Asia/Shanghai", ("x_Team", "x_Never", "SkuId"))
    assert ledger.roll_up(wanted) == 1
    assert ledger.roll_up(wanted) == 0
    assert ledger.subjects(wanted).select("x_Team", "x_Never").sort("x_Team").rows() == [("blue", None), ("red", None)]
    assert set(ledger.lines(wanted).collect().get_column("usage_date")) == {date(2026, 9, 4)}
    assert len(list(store.glob("charges/*/rollup-*"))) == 1
    with pytest.raises(LawBrokenError, match="another way"):
        ledger.lines(PLAIN)


def test_the_sign_of_a_cost_parts_lines_and_no_money(ledger: Ledger) -> None:
    unknown = charge("7", ListCost=None)
    ingest(ledger, Bill("a.csv", [[charge("5"), charge("-3"), charge("0"), unknown], [charge("-1.5"), charge("2")]]))
    signed = RollUp(columns=("BilledCost_sign", "ListCost_sign"))
    ledger.roll_up(signed)
    subjects = ledger.subjects(signed)
    sums = ledger.lines(signed).collect().join(subjects, on="subject_id", validate="m:1")
    found = sums.select("BilledCost_sign", "ListCost_sign", "BilledCost").rows()
    assert set(found) == {
        ("negative", "negative", Decimal("-4.5")),
        ("zero", "zero", Decimal(0)),
        ("positive", None, Decimal(7)),
        ("positive", "positive", Decimal(7)),
    }


def test_columns_that_are_blank_in_a_batch_are_null_and_not_missing(ledger: Ledger, store: Path) -> None:
    blank, full = charge("1", ListCost=None, ConsumedQuantity=None), charge("2", SkuPriceId="p", InvoiceId="i")
    ingest(ledger, Bill("a.csv", [[blank], [full], [full, blank]]))
    files = [set(pl.read_parquet_schema(file)) for file in sorted(store.glob("charges/*/charges-*.parquet"))]
    assert [{"ListCost", "SkuPriceId"} & columns for columns in files] == [set(), *[{"ListCost", "SkuPriceId"}] * 2]
    shown = ledger.frame("SELECT * FROM charges ORDER BY BilledCost")
    assert set(CHARGE_COLUMNS) < set(shown.columns)
    assert shown.get_column("InvoiceId").to_list() == [None, None, "i", "i"]
    known = [None, Decimal(4)]
    assert lines(ledger).get_column("ListCost").to_list() == known
    wanted = RollUp(columns=("InvoiceId",))
    assert ledger.roll_up(wanted) == 1
    assert ledger.lines(wanted).collect().sort("BilledCost").get_column("ListCost").to_list() == known
    assert ledger.subjects(wanted).get_column("InvoiceId").sort().to_list() == [None, "i"]


def test_the_watermark_ignores_charges_longer_than_a_day(ledger: Ledger) -> None:
    ingest(ledger, bill("a.csv", charge("1", day="2026-09-03"), charge("1", day="2026-09-01", hours=30 * 24)))
    assert ledger.bills().get_column("watermark").to_list() == [instant("2026-09-03T11:00:00")]
    assert lines(ledger).get_column("usage_date").sort().to_list() == [date(2026, 9, 1), date(2026, 9, 3)]


def test_what_does_not_read_back_is_never_posted(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    real = rollup.RollUpWriter.finish

    def lose_a_line(self: rollup.RollUpWriter) -> Iterator[Path]:
        for file in real(self):
            pl.read_parquet(file).head(0).write_parquet(file)
            yield file

    monkeypatch.setattr(rollup.RollUpWriter, "finish", lose_a_line)
    with pytest.raises(LawBrokenError, match="written 1"):
        ingest(ledger, bill("a.csv", charge("1")))
    assert ledger.bills().is_empty()


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_a_day_billed_elsewhere_keeps_its_date(zone: str) -> None:
    """A day charge of a source in Shanghai begins on the eve in UTC; it counts for the day on the bill."""
    rolled = RollUp(zone, zones=(("far", "Asia/Shanghai"),))
    begins, hour = datetime(2026, 9, 13, 16, tzinfo=UTC), timedelta(hours=1)
    times = pl.DataFrame(
        {"ChargePeriodStart": [begins, begins], "ChargePeriodEnd": [begins + 24 * hour, begins + hour]},
        schema=dict.fromkeys(("ChargePeriodStart", "ChargePeriodEnd"), INSTANT),
    )
    assert times.select(rolled.day_of("far")).to_series().to_list() == [date(2026, 9, 14), date(2026, 9, 13)]
