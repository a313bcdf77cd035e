"""Figures and names as printed: one sign, one rounding, no letter that acts."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.reports import figures
from attribution.reports.period import Period, month_before, month_of, spans, week_before

AMOUNTS = st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**20), max_value=10**20)


@pytest.mark.parametrize(
    ("before", "this", "change", "percent"),
    [
        ("900", "675", "-225.00", "-25.0%"),
        ("450", "600", "+150.00", "+33.3%"),
        ("7", "7", "0.00", "0.0%"),
        ("0", "0", "0.00", "0.0%"),
        ("0", "12", "+12.00", "new"),
        ("12", "0", "-12.00", "gone"),
        ("-40", "10", "+50.00", "no base"),
        ("0", "-3", "-3.00", "no base"),
        ("100", "-50", "-150.00", "-150.0%"),
        ("0.001", "500", "+500.00", "over +999%"),
        ("100", "99.999", "0.00", "0.0%"),
        ("1000000000000000000000000000000", "1000000000000000000000000000001", "+1.00", "0.0%"),
    ],
)
def test_a_change_has_one_sign_and_words_where_there_is_no_base(
    before: str, this: str, change: str, percent: str
) -> None:
    assert figures.change(Decimal(this), Decimal(before), "USD") == change
    assert figures.percent(Decimal(this), Decimal(before)) == percent


@given(AMOUNTS, AMOUNTS)
def test_no_pair_of_amounts_prints_a_double_sign_or_a_number_that_is_none(this: Decimal, before: Decimal) -> None:
    for text in (figures.change(this, before, "USD"), figures.percent(this, before), figures.money(this, "JPY")):
        assert not any(bad in text.lower() for bad in ("--", "+-", "-+", "nan", "inf", "e+"))
        assert text.strip("-0.") != "" or not text.startswith("-")


def test_unknown_is_not_zero_and_halves_go_to_the_even_neighbour() -> None:
    assert figures.money(None, "USD") == figures.percent(None, Decimal(1)) == "unknown"
    assert [figures.money(Decimal(text), "USD") for text in ("0.125", "0.135", "-0.004")] == ["0.12", "0.14", "0.00"]
    assert figures.money(Decimal("1234.5"), "JPY") == "1,234"
    assert figures.total([Decimal(1), None]) == 1
    assert figures.total([None]) is None
    assert figures.total([]) == 0


def test_names_become_one_line_of_plain_letters_and_keep_the_rest() -> None:
    assert figures.label("a\r\nb\tc") == r"a\r\nb\tc"
    assert figures.label("x\u202ey\u200fz\u2028") == r"x\u202ey\u200fz\u2028"
    assert figures.label("\x1b[31m") == r"\u001b[31m"
    assert figures.label("预训练 \N{ROCKET}") == "预训练 \N{ROCKET}"
    assert figures.label("") == "(empty)"
    assert len(figures.label("x" * 300, 40)) == 40


def test_the_week_is_the_last_one_that_ended_and_is_complete() -> None:
    monday = date(2026, 11, 9)
    assert week_before(monday) == Period(date(2026, 11, 2), date(2026, 11, 8))
    assert week_before(date(2026, 11, 8)) == Period(date(2026, 10, 26), date(2026, 11, 1))
    assert week_before(monday, date(2026, 11, 8)).last == date(2026, 11, 8)
    assert week_before(monday, date(2026, 11, 4)).last == date(2026, 11, 1)
    assert week_before(monday, date(2026, 11, 1)).last == date(2026, 11, 1)
    assert week_before(monday, date(2026, 10, 31)).last == date(2026, 10, 25)


def test_the_month_comes_from_the_slot_and_not_from_a_clock() -> None:
    # A schedule slot at midnight on the first reports the month that just ended, wherever the office is.
    assert month_before(date(2027, 3, 1)) == Period(date(2027, 2, 1), date(2027, 2, 28))
    assert month_before(date(2027, 1, 1)) == month_of(date(2026, 12, 31))


def test_a_running_month_is_compared_with_the_same_days() -> None:
    times = spans(Period(date(2027, 3, 22), date(2027, 3, 28)), date(2027, 3, 30), date(2027, 3, 31))
    assert times.month == Period(date(2027, 3, 1), date(2027, 3, 30))
    assert times.month_before == month_of(date(2027, 2, 1))  # February has no 30th
    whole = spans(month_of(date(2027, 3, 1)), date(2027, 3, 31), date(2027, 4, 1))
    assert (whole.before, whole.month_before) == (month_of(date(2027, 2, 1)),) * 2
    old = spans(Period(date(2026, 8, 3), date(2026, 8, 9)), date(2026, 11, 4), date(2026, 11, 9))
    assert old.month == Period(date(2026, 8, 1), date(2026, 8, 15))  # a report of long ago stays in its time
