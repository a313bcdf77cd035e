"""The control sum over the raw file, apart from the reader: as exact as `decimal`, whatever the digits."""

from __future__ import annotations

from decimal import Context, Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from bills_kit import focus_text, look, put

from attribution.bills.control import sum_files
from attribution.bills.control_numbers import summed

EXACT = Context(prec=1000)


@pytest.mark.parametrize(
    "values",
    [
        ["1.5", "-0.25", "1e-7"],
        ["5.765e54", "1"],  # more digits than a 256-bit decimal of many places holds
        ["1e-60", "1e60"],
        ["0.1"] * 10,
        ["999999999999.1234567890123"] * 50,
    ],
)
def test_text_is_summed_to_the_last_digit(values: list[str]) -> None:
    total = Decimal(0)
    for value in values:
        total = EXACT.add(total, Decimal(value))
    assert summed(pa.array(values)) == (total, 0)


def test_what_is_no_number_is_counted_apart() -> None:
    assert summed(pa.array(["1", "abc", "NaN", None])) == (Decimal(1), 2)


def test_doubles_are_summed_through_their_shortest_text() -> None:
    assert summed(pa.array([0.1, 0.2, 1e-7, 123456.789])) == (Decimal("123457.0890001"), 0)


@pytest.mark.parametrize("odd", ["", "short\n"])
def test_what_is_summed_is_told_by_the_whole_header(tmp_path: Path, odd: str) -> None:
    """A column that is not summed may decide which one is; and of two names that differ by case the first is meant."""
    put(tmp_path, "bill.csv", focus_text({"Zcost": "1", "zcost": "2", "note": "x"}, {"Zcost": "4", "zcost": "8"}) + odd)
    (delivery,) = look(tmp_path).deliveries
    found = sum_files(delivery, lambda names: {"A": ("ZCOST",) if "note" in names else ("zcost",), "B": ("zcost",)})
    assert found.totals == {"A": Decimal(5), "B": Decimal(10)}
    assert found.rows == 2 + bool(odd)
