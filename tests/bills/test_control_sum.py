"""The control sum is made apart from the readers, and both agree on every bill."""

from __future__ import annotations

import ast
import inspect
from decimal import Decimal
from pathlib import Path

import polars as pl
from bills_kit import FOCUS_ROW, focus_text, put, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.bills import control

CELLS = st.one_of(
    st.decimals(min_value=-(10**9), max_value=10**9, allow_nan=False, places=15).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.sampled_from(
        [
            "",
            "NULL",
            "None",
            "1e-40",
            "1E+24",
            "1e26",
            "1e999",
            "9" * 40,
            "0." + "1" * 60,
            "1,5",
            " 1",
            "٣",
            "1e0005",
            "1e-0005",
            "-1E-999",
        ]
    ),
)


def test_it_knows_nothing_of_the_readers() -> None:
    tree = ast.parse(inspect.getsource(control))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert not [module for module in modules if module.startswith("attribution")]
    assert "schemas.money" not in modules


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_reader_and_control_sum_agree_on_any_text(tmp_path: Path, cells: list[tuple[str, str]]) -> None:
    put(tmp_path, "bill.csv", focus_text(*({"BilledCost": one, "ListCost": two} for one, two in cells)))
    read_only(tmp_path)  # asserts the law of the door


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), min_size=1, max_size=8))
def test_reader_and_control_sum_agree_on_any_double(tmp_path: Path, cells: list[float]) -> None:
    rows = pl.DataFrame({name: [cell] * len(cells) for name, cell in FOCUS_ROW.items()})
    rows.with_columns(BilledCost=pl.Series(cells)).write_parquet(tmp_path / "bill.parquet")
    read_only(tmp_path)


def test_a_double_counts_as_its_shortest_text(tmp_path: Path) -> None:
    rows = pl.DataFrame({name: [cell] * 10 for name, cell in FOCUS_ROW.items()})
    rows.with_columns(BilledCost=pl.Series([0.1] * 10)).write_parquet(tmp_path / "bill.parquet")
    assert read_only(tmp_path).stated.totals["BilledCost"] == Decimal("1.0")


def test_ragged_rows_are_counted_by_position(tmp_path: Path) -> None:
    lines = focus_text({}, {"BilledCost": "2"}).splitlines()
    put(tmp_path, "bill.csv", "\n".join([lines[0], lines[1] + ",,", lines[2]]) + "\n")
    bill = read_only(tmp_path)
    assert (bill.stated.rows, bill.stated.totals["BilledCost"]) == (2, 3)
