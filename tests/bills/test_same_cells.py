"""Reader and control sum take the same cells for money, whatever stands in them, in every form of file."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from bills_kit import csv_text, look, put, read_delivery
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.faults import InputError

ROW = {
    "BillPeriod": "2026-09",
    "PayerID": "2100057000",
    "OwnerID": "2100058000",
    "Product": "ML_Platform",
    "BillingMode": "",
    "ExpenseBeginTime": "2026-09-30 23:00:00",
    "ExpenseEndTime": "2026-10-01 00:00:00",
    "BillCategory": "",
    "InstanceNo": "i-1",
}
MONEY = ("应付金额", "PayableAmount", "原价", "OriginalBillAmount")
# Digits of other scripts are numbers to Python and to no bill.
CELLS = st.sampled_from(
    ["", " ", "-", "--", "NULL", "null", "\\N", "5", "-7.5", "n/a", "１２", "١.٥", "1e17", "0." + "1" * 30]
)
ROWS = st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=5)


def as_parquet(rows: list[dict[str, str]]) -> bytes:
    sink = io.BytesIO()
    pl.DataFrame(rows).write_parquet(sink)
    return sink.getvalue()


def as_json(rows: list[dict[str, str]]) -> bytes:
    """Without keys of blank cells, as programs write it."""
    lines = ({name: cell for name, cell in row.items() if cell or name == "PayerID"} for row in rows)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


FORMS = {"b.csv": lambda rows: csv_text(rows).encode(), "b.jsonl": as_json, "b.parquet": as_parquet}


@pytest.mark.parametrize("name", list(FORMS))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(cells=ROWS)
def test_of_several_columns_the_same_one_counts(
    tmp_path_factory: pytest.TempPathFactory, name: str, cells: list[tuple[str, ...]]
) -> None:
    form: Callable[[list[dict[str, str]]], bytes] = FORMS[name]
    root = tmp_path_factory.mktemp("cells")
    put(root, name, form([ROW | dict(zip(MONEY, row, strict=True)) for row in cells]))
    (delivery,) = look(root, format="volcengine").deliveries
    if name == "b.jsonl" and not any(row[0] or row[1] for row in cells):
        with pytest.raises(InputError, match="is missing"):
            read_delivery(delivery)
        return
    bill = read_delivery(delivery)
    bill.assert_nothing_lost()


def test_a_row_of_the_wrong_width_has_its_money_counted_alike(tmp_path: Path) -> None:
    rows = [ROW | dict(zip(MONEY, cells, strict=True)) for cells in (("-", "5", "NULL", "7"), ("null", "6", "", "1"))]
    put(tmp_path, "b.csv", csv_text(rows).rstrip("\n") + ",more\n")
    bill = read_delivery(look(tmp_path, format="volcengine").deliveries[0])
    bill.assert_nothing_lost()
    assert (bill.total("BilledCost"), bill.rejected["BilledCost"]) == (5, 6)


@pytest.mark.parametrize("other", ["cost_usd", "AMOUNT", "Amount ", "net-amount"])
def test_keys_of_json_that_differ_in_writing_are_told_by_the_whole_file(tmp_path: Path, other: str) -> None:
    """The first line may lack a key that is null there, and a later one may write it otherwise."""
    base = {"day": "2026-09-01", "org": "7"}
    lines = [base, base | {other: 5}, base | {"Amount": 6}, base | {"net_amount": 7}]
    put(tmp_path, "b.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    columns = {"BillingAccountId": "org", "ChargePeriodStart": "day"}
    for raw in ("Amount", "amount", "Net Amount"):
        found = look(
            tmp_path,
            format="generic-csv",
            columns=columns | {"BilledCost": raw},
            constants={"BillingCurrency": "USD"},
        )
        bill = read_delivery(found.deliveries[0])
        bill.assert_nothing_lost()
        assert bill.charges.height + bill.refused.get_column("line").n_unique() == len(lines)


def test_json_has_its_own_style_of_numbers(tmp_path: Path) -> None:
    """1.234 is no thousand there, whatever the source's other files mean by a point."""
    put(tmp_path, "b.jsonl", json.dumps(ROW | {"应付金额": 1.234}))
    with pytest.raises(InputError, match="numbers of JSON have a point"):
        look(tmp_path, format="volcengine", decimal=",", thousands=".")
