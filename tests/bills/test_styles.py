"""Styles of dates and numbers: stated, proven by the whole file, or asked for; never told from one cell."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from bills_kit import FOCUS_ROW, cur_text, focus_text, look, put, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.bills import read as read_batches
from schemas.faults import InputError
from schemas.money import COSTS

PERIODS = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")


def on(day: str, **changes: str) -> dict[str, str]:
    """A row whose instants are the given one."""
    return dict.fromkeys(PERIODS, day) | {"BillingPeriodEnd": ""} | changes


def starts(root: Path, **options: str) -> list[str]:
    return [f"{one:%Y-%m-%d %H:%M}" for one in read_only(root, **options).texts("ChargePeriodStart")]  # type: ignore[str-bytes-safe]


def refusal(root: Path, **options: str) -> str:
    (delivery,) = look(root, **options).deliveries
    with pytest.raises(InputError) as refused:
        list(read_batches(delivery))
    return str(refused.value)


def test_a_day_above_twelve_proves_the_order_for_the_whole_file(tmp_path: Path) -> None:
    """Kinds of cases 24 and of month-first exports: the proof may stand in the last row."""
    put(tmp_path, "bill.csv", focus_text(*[on("03/04/2026")] * 2000, on("04/03/2026"), on("03/13/2026")))
    assert starts(tmp_path) == ["2026-03-04 00:00"] * 2000 + ["2026-04-03 00:00", "2026-03-13 00:00"]
    put(tmp_path, "bill.csv", focus_text(*[on("03.04.2026")] * 2000, on("31.03.2026")))
    assert starts(tmp_path)[-2:] == ["2026-04-03 00:00", "2026-03-31 00:00"]


def test_another_column_may_prove_it(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text(on("10/01/2026", BillingPeriodEnd="10/31/2026")))
    assert starts(tmp_path) == ["2026-10-01 00:00"]
    put(
        tmp_path,
        "bill.csv",
        cur_text({"lineItem/UsageStartDate": "9/3/2026 05:00", "lineItem/UsageEndDate": "9/13/2026"}),
    )
    assert starts(tmp_path) == ["2026-09-03 05:00"]


@pytest.mark.parametrize("cells", [("10/01/2026", "10/02/2026", "10/12/2026"), ("1.2.2026",), ("05-06-2026 04:00",)])
def test_days_that_could_be_months_are_refused_once_for_the_file(tmp_path: Path, cells: tuple[str, ...]) -> None:
    put(tmp_path, "bill.csv", focus_text(*map(on, cells)))
    said = refusal(tmp_path)
    assert f"bill.csv: no date in it tells whether day or month comes first in {min(cells)}" in said
    mark = cells[0].strip("0123456789 :")[0]
    assert f'State date_format = "%m{mark}%d{mark}%Y" (month first) or "%d{mark}%m{mark}%Y" (day first)' in said


def test_what_the_source_states_needs_no_proof_and_reads_the_clock_too(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text(on("03/04/2026"), on("3/4/2026 5:06"), on("03/04/2026 05:06:07 PM")))
    assert starts(tmp_path, date_format="%m/%d/%Y") == ["2026-03-04 00:00", "2026-03-04 05:06", "2026-03-04 17:06"]
    assert starts(tmp_path, date_format="%d/%m/%Y") == ["2026-04-03 00:00", "2026-04-03 05:06", "2026-04-03 17:06"]


def test_both_orders_in_one_file_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text(on("13/04/2026"), on("04/13/2026")))
    assert "dates in two orders of day and month stand in it: 13/04/2026 and 04/13/2026" in refusal(tmp_path)


def test_a_short_date_among_iso_ones_is_a_bad_cell(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({}, {"ChargePeriodStart": "13/09/2026"}))
    assert read_only(tmp_path).why() == [(3, "ChargePeriodStart", "13/09/2026", "row refused")]


def test_a_proof_holds_for_its_own_file_alone(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", focus_text(on("03/13/2026")))
    put(tmp_path, "b.csv", focus_text(on("03/04/2026")))
    proven, open_one = look(tmp_path).deliveries
    assert sum(batch.charges.height for batch in read_batches(proven)) == 1
    with pytest.raises(InputError, match="no date in it tells"):
        list(read_batches(open_one))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    days=st.lists(st.dates(date(2020, 1, 1), date(2030, 1, 1)), min_size=1, max_size=8),
    written=st.sampled_from(["%d/%m/%Y", "%m/%d/%Y"]),
)
def test_a_file_of_short_dates_is_read_right_or_not_at_all(tmp_path: Path, days: list[date], written: str) -> None:
    put(tmp_path, "bill.csv", focus_text(*(on(day.strftime(written)) for day in days)))
    if all(day.day <= 12 for day in days):
        assert "State date_format" in refusal(tmp_path)
    else:
        assert starts(tmp_path) == [f"{day:%Y-%m-%d} 00:00" for day in days]


def amounts(*cells: str) -> str:
    return focus_text(*(dict.fromkeys(COSTS, cell) for cell in cells), delimiter=";")


@pytest.mark.parametrize("cells", [("1.234,56",), ("0", "1.234", "0,5"), ("12,3456",)])
def test_decimal_commas_that_nobody_stated_are_asked_for(tmp_path: Path, cells: tuple[str, ...]) -> None:
    put(tmp_path, "bill.csv", amounts(*cells))
    said = refusal(tmp_path)
    assert f"bill.csv: amounts are written as {next(cell for cell in cells if ',' in cell)}" in said
    assert 'State decimal = ","' in said
    assert read_only(tmp_path, decimal=",", thousands=".").charges.height == len(cells)


def test_a_comma_among_points_is_a_bad_cell(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", amounts("1,50", "0.5"))
    assert {why[:3] for why in read_only(tmp_path).why()} >= {(2, "BilledCost", "1,50")}


def test_thousands_that_nobody_stated_are_refused_each(tmp_path: Path) -> None:
    """Kinds of cases 05 and 30: 2,718,281 is no plain number, and its row goes to the rejects."""
    put(tmp_path, "bill.csv", amounts("2,718,281", "1,234.50", "7.25"))
    bill = read_only(tmp_path)
    assert [why[2] for why in bill.why() if why[1] == "BilledCost"] == ["2,718,281", "1,234.50"]
    assert read_only(tmp_path, thousands=",").total("BilledCost") == Decimal("2719522.75")


def test_text_in_parquet_is_proven_alike(tmp_path: Path) -> None:
    for cells in (["03/04/2026", "03/13/2026"], ["03/04/2026"]):
        rows = [FOCUS_ROW | on(cell) for cell in cells]
        pl.DataFrame(rows).write_parquet(tmp_path / "bill.parquet")
        if len(cells) == 2:
            assert starts(tmp_path) == ["2026-03-04 00:00", "2026-03-13 00:00"]
        else:
            assert "State date_format" in refusal(tmp_path)


def test_a_date_in_digits_of_another_script_is_a_bad_cell(tmp_path: Path) -> None:
    head = "org,day,amount\n"
    put(tmp_path, "b.csv", f"{head}7,13/09/2026,5\n7,1３/09/2026,6\n7,１/２/2026,7\n")
    columns = {"BillingAccountId": "org", "ChargePeriodStart": "day", "BilledCost": "amount"}
    bill = read_only(tmp_path, format="generic-csv", columns=columns, constants={"BillingCurrency": "USD"})
    assert (bill.total("BilledCost"), sorted({line for line, *_ in bill.why()})) == (5, [3, 4])
