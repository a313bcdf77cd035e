"""Weekends evened out: four weekdays are not set against a weekend, and nothing else is touched."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import Row, cost, daily, days, mark

from attribution.detection import detect_growth, growth
from schemas.detection import EFFECTS
from schemas.workspace import Growth

OCT, NOV = date(2026, 10, 1), date(2026, 11, 1)  # a Thursday, a Sunday
SEP = date(2026, 9, 1)
PROJECT = [("project",)]


def weekly(first: date, last: date, weekday: str, weekend: str, **more: Any) -> list[Row]:  # noqa: ANN401
    return [cost(day, weekend if day.isoweekday() > 5 else weekday, **more) for day in days(first, last)]


def november(rows: list[Row], last: date, first: date = OCT) -> dict[str, Any]:
    found = growth(daily(rows), {"nimbus": mark(last, first)}, Growth(), PROJECT)
    return found.filter(pl.col("month") == last.replace(day=1)).row(0, named=True)


def test_the_same_week_is_steady_whatever_weekdays_a_month_begins_with() -> None:
    # 1 to 5 November are a Sunday and four weekdays, 1 to 5 October three weekdays and a weekend
    last = date(2026, 11, 5)
    row = november(weekly(OCT, last, "100.00", "20.00"), last)
    assert (row["status"], row["change"], row["percent"]) == ("steady", 0, 0)
    assert (row["cost"], row["previous"]) == (Decimal(420), Decimal(340))
    assert (row["previous_per_day"], row["weekday_adjustment"]) == (Decimal(84), Decimal(80))


def test_effects_sum_to_the_change_and_the_sentence_says_what_was_done() -> None:
    last = date(2026, 11, 5)
    rows = weekly(OCT, date(2026, 10, 31), "100.00", "20.00", SkuId="gpu", ConsumedQuantity=50.0)
    rows += weekly(NOV, last, "200.00", "40.00", SkuId="gpu", ConsumedQuantity=100.0)
    row = november(rows, last)
    assert (row["percent"], row["change"]) == (Decimal(100), Decimal(420))
    assert sum(row[name] for name in EFFECTS) == row["change"]
    found = growth(daily(rows), {"nimbus": mark(last, OCT)}, Growth(), PROJECT)
    assert (
        "84.00 in 2026-10 (1–5), weekdays evened out: +100.0 %" in detect_growth(found).row(0, named=True)["evidence"]
    )


@pytest.mark.parametrize(("weekend", "evened"), [("80.00", True), ("80.01", False)])
def test_a_pattern_is_a_quarter_dearer(weekend: str, *, evened: bool) -> None:
    last = date(2026, 11, 5)
    row = november(weekly(OCT, last, "100.00", weekend), last)
    assert (row["weekday_adjustment"] != 0) == evened


def test_chance_is_no_pattern() -> None:
    last = date(2026, 11, 5)
    rows = weekly(OCT, last, "100.00", "20.00")
    sunday = cost(date(2026, 10, 11), "80.00")
    assert november([*rows, sunday], last)["weekday_adjustment"] != 0, "the dearest Saturday is still below any weekday"
    saturday = cost(date(2026, 10, 10), "80.00")
    assert november([*rows, sunday, saturday], last)["weekday_adjustment"] == 0


def test_a_day_without_cost_is_no_pattern_and_a_charge_a_month_neither() -> None:
    last = date(2026, 11, 5)
    rows = [row for row in weekly(OCT, last, "100.00", "20.00") if row["usage_date"] != date(2026, 10, 14)]
    assert november(rows, last)["weekday_adjustment"] == 0
    assert november([cost(OCT, "310"), cost(NOV, "310")], last)["weekday_adjustment"] == 0


def test_three_weeks_make_a_pattern_and_a_day_less_does_not() -> None:
    last = date(2026, 11, 30)
    for first, evened in ((date(2026, 10, 11), True), (date(2026, 10, 12), False)):
        row = november(weekly(first, last, "100.00", "20.00"), last, first)
        assert (row["weekday_adjustment"] != 0) == evened


def test_a_fee_at_the_start_of_the_month_is_no_weekday() -> None:
    last = date(2026, 11, 30)
    plain = weekly(OCT, last, "100.00", "20.00")
    with_fee = [*plain, cost(OCT, "4000.00"), cost(NOV, "4000.00")]
    ratio = [
        november(rows, last)["weekday_adjustment"] / november(rows, last)["previous"] for rows in (plain, with_fee)
    ]
    assert round(ratio[0], 9) == round(ratio[1], 9)


def test_a_dimension_that_nothing_uses_tells_nothing() -> None:
    rows = [cost(day, amount) for day, amount in ((SEP, "300"), (OCT, "620"))]
    found = growth(daily(rows), {"nimbus": mark(date(2026, 10, 31), SEP)}, Growth(), [("experiment",)])
    assert found.filter(pl.col("month") == OCT).select("status", "verdict").rows() == [("grew", None)]
    rows += [cost(day, "1", experiment="run-1") for day in (SEP, OCT)]
    found = growth(daily(rows), {"nimbus": mark(date(2026, 10, 31), SEP)}, Growth(), [("experiment",)])
    assert found.filter(subject="experiment=unallocated", month=OCT).get_column("verdict").to_list() == ["finding"]
