"""The control sum over the raw file, apart from the reader: as exact as `decimal`, whatever the digits."""

from __future__ import annotations

from decimal import Context, Decimal

import pyarrow as pa
import pytest

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
