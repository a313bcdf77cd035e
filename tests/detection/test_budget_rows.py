"""Rows of budgets to the unit and the day, what lies ahead day by day, and every sentence that is told."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, every_day
from test_budget_limits import LAST, LINE, TODAY, ago, budget, clock

from attribution.detection.budgets import Ahead, Clock, budget_findings, budget_rows, ends_of
from attribution.detection.budgets.foresight import foresee
from attribution.detection.budgets.lines import Line, Lines, fee_a_month, lines_of
from attribution.detection.budgets.stated import plans_of
from schemas.detection import Watermark
from schemas.inputs import RUN_COLUMNS
from schemas.plans import PLANNED_COLUMNS, Budget, Plan

OCTOBER = date(2026, 10, 1)
AFTER = LAST + timedelta(days=1)
USAGE = LINE._replace(category="Usage")


def rows(frame: pl.DataFrame, *budgets: Budget, at: Clock | None = None, ahead: Ahead | None = None) -> list[Any]:
    return budget_rows(frame, budgets, at or clock(), "USD", ahead or Ahead()).to_dicts()


def seen(lines: Lines, until: date, ahead: Ahead | None = None, **ends: date) -> dict[date, Fraction]:
    marks = {name: Watermark(ago(99), day) for name, day in {"nimbus": LAST, **ends}.items()}
    return foresee(lines, marks, until, ahead or Ahead()).days


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"amount": "150"},
            (
                "project=orion: 180.00 USD of 150.00 USD of 2026-10 was spent up to 2026-10-18; "
                "the line was reached on 2026-10-15."
            ),
        ),
        (
            {"amount": "260"},
            (
                "project=orion: 180.00 USD of 260.00 USD of 2026-10 was spent up to 2026-10-18; at this rate the line "
                "is reached on 2026-10-26; 310.00 is foreseen for the whole of it (310.00 to 310.00)."
            ),
        ),
        (
            {"amount": "500", "warn_at": Decimal("0.2")},
            (
                "project=orion: 180.00 USD of 500.00 USD of 2026-10 was spent up to 2026-10-18; the warning line of "
                "100.00 was reached on 2026-10-10; 310.00 is foreseen for the whole of it (310.00 to 310.00)."
            ),
        ),
        (
            {"amount": "5000", "warn_at": Decimal("0.02"), "period": "total"},
            (
                "project=orion: 180.00 USD of 5,000.00 USD in all was spent up to 2026-10-18; the warning line of "
                "100.00 was reached on 2026-10-10; 480.00 is foreseen 30 days on (480.00 to 480.00)."
            ),
        ),
    ],
)
def test_each_stage_has_its_sentence(given: dict[str, Any], sentence: str) -> None:
    frame = daily(every_day(OCTOBER, LAST, "10"))
    (found,) = budget_findings(budget_rows(frame, [budget(**given)], clock(), "USD"), TODAY, {}).to_dicts()
    assert found["evidence"] == sentence


def test_a_finding_is_of_the_month_up_to_which_was_spent() -> None:
    last = date(2026, 10, 31)
    frame = daily(every_day(OCTOBER, last, "10"))
    today = date(2026, 11, 2)
    found = budget_rows(frame, [budget("300", "total")], clock(last, today), "USD")
    assert budget_findings(found, today, {}).item(0, "month") == OCTOBER
    assert rows(frame, budget("300", "total"), at=clock(last, today))[0]["spent_to"] == last


def test_nothing_is_beyond_a_line_that_money_back_went_below_again() -> None:
    frame = daily([cost(date(2026, 10, 5), "100"), cost(LAST, "-60", ChargeCategory="Credit")])
    found = budget_findings(budget_rows(frame, [budget("100", "total")], clock(), "USD"), TODAY, {})
    assert found.select("kind", "cost_at_stake").rows() == [("budget_breached", Decimal(0))]
    exactly = daily([cost(date(2026, 10, 5), "100")])
    found = budget_findings(budget_rows(exactly, [budget("100", "total")], clock(), "USD"), TODAY, {})
    assert found.get_column("cost_at_stake").to_list() == [0]


@pytest.mark.parametrize(
    ("amount", "warn_at", "line"),
    [("0.000000000003", "0.5", "0.000000000002"), ("1", "0.33333333333333", "0.333333333333")],
)
def test_a_warning_line_is_a_whole_unit(amount: str, warn_at: str, line: str) -> None:
    (found,) = rows(daily([cost(LAST, "0")]), budget(amount, "total", warn_at=Decimal(warn_at)))
    assert found["warn_amount"] == Decimal(line)


@pytest.mark.parametrize(("amount", "status"), [("180", "breached"), ("225", "warned"), ("226", "kept")])
def test_a_line_that_is_reached_on_the_day_of_the_run_is_reached(amount: str, status: str) -> None:
    frame = daily(every_day(OCTOBER, LAST, "10"))
    (found,) = rows(frame, budget(amount, "plan", since=OCTOBER, until=AFTER), at=clock(LAST, LAST))
    assert found["status"] == status


def test_a_period_that_is_over_is_known_to_the_unit() -> None:
    september = [cost(date(2026, 9, day), str(10 + day % 3)) for day in range(1, 31)]
    whole = sum(10 + day % 3 for day in range(1, 31))
    for last in (date(2026, 9, 30), date(2026, 10, 18)):
        first, *_ = rows(daily(september), budget("9999"), at=clock(last, max(last, OCTOBER)))
        assert {first[name] for name in ("spent", "forecast", "forecast_low", "forecast_high")} == {whole}
        assert first["spent_to"] == date(2026, 9, 30)


def test_a_day_of_data_is_enough_for_what_was_spent() -> None:
    (*_, found) = rows(daily(every_day(date(2026, 9, 20), OCTOBER, "10")), budget("999"), at=clock(OCTOBER))
    assert (found["spent"], found["spent_to"]) == (10, OCTOBER)
    (*_, none) = rows(daily([cost(date(2026, 9, 30), "0")]), budget("999"), at=clock(date(2026, 9, 30), OCTOBER))
    assert (none["spent"], none["spent_to"], none["forecast"]) == (None, None, 0)
    (nothing,) = rows(daily([cost(LAST, "1")]), Budget({"project": "none"}, Decimal(5), name="b"))
    assert (nothing["spent"], nothing["forecast"]) == (None, 0), "of a month that goes on nothing is known yet"
    august = daily([cost(date(2026, 8, 31), "0")])
    _, september, october = rows(august, budget("999"), at=clock(date(2026, 9, 30), OCTOBER))
    assert (september["spent"], october["spent"]) == (0, None), "a month that is over cost nothing"


def test_money_counts_up_to_the_last_day_of_its_own_sources() -> None:
    frame = daily(every_day(OCTOBER, LAST, "10"))
    (found,) = rows(frame, budget("999"), at=clock(stratus=ago(5)))
    assert found["spent_to"] == LAST
    assert Clock(TODAY, {}).last == LAST, "yesterday, where there is no source"
    (none,) = rows(frame, Budget({"project": "none"}, Decimal(5), name="b"), at=clock(stratus=ago(5)))
    assert none["spent_to"] == ago(5), "no money of any source: as far as all have come"


def test_a_fee_that_is_due_lies_on_the_day_after_the_data_or_on_the_first() -> None:
    fees = Lines({LINE: {date(2026, 8, 1): 7, date(2026, 9, 1): 7}})
    due = {AFTER: Fraction(7), date(2026, 11, 1): Fraction(7)}
    assert seen(fees, date(2026, 12, 1)) == due
    assert seen(fees, date(2026, 11, 2)) == due


def test_usage_that_came_in_one_month_of_two_is_no_fee() -> None:
    assert fee_a_month(USAGE, {date(2026, 8, 3): 0, date(2026, 9, 3): 5}, LAST) == 0
    assert fee_a_month(USAGE, {date(2026, 8, 3): 2, date(2026, 9, 3): 5}, LAST) == 5
    assert fee_a_month(USAGE, {date(2026, 8, 3): -2, date(2026, 9, 3): 5}, LAST) == 0


def test_days_without_cost_are_days_of_the_rate() -> None:
    days = {ago(5): 12, ago(3): 12, ago(1): 12}
    (day,) = seen(Lines({USAGE: {ago(6): 12, **days}}), AFTER + timedelta(days=1)).values()
    assert day in {0, 12}
    assert seen(Lines({USAGE: {ago(2): 8, ago(0): 8}}), AFTER + timedelta(days=1)) == {AFTER: 8}


def test_a_source_ahead_of_the_horizon_adds_no_doubt() -> None:
    noisy = {ago(at): 100 + 9 * (-1) ** at for at in range(14)}
    found = foresee(Lines({USAGE: noisy}), {"nimbus": Watermark(ago(99), LAST)}, AFTER, Ahead())
    assert (found.days, found.margin(ago(3)), found.margin(AFTER)) == ({}, 0, 0)
    assert found.margin(AFTER + timedelta(days=1)) > 0


def test_after_a_plan_of_today_alone_comes_what_was_before_it() -> None:
    plan = Plan(LAST, AFTER, {"project": "orion"}, Decimal(300), "agreed")
    days = {ago(at): 20 if at < 6 else 10 for at in range(1, 30)} | {LAST: 300}
    found = seen(Lines({USAGE._replace(plan=0): days}), AFTER + timedelta(days=1), Ahead((plan,)))
    assert found == {AFTER: Fraction(5 * 20 + 9 * 10, 14)}


def test_a_plan_whose_money_nobody_saw_yet_counts_from_the_day_after_all_data() -> None:
    plan = Plan(ago(3), LAST + timedelta(days=4), {"project": "orion"}, Decimal(7), "agreed")
    ahead = Ahead((plan,), whole=(0,))
    a_day = Fraction(10**12)
    assert seen(Lines(), TODAY + timedelta(days=30), ahead, stratus=LAST + timedelta(days=1)) == {
        LAST + timedelta(days=2): a_day, LAST + timedelta(days=3): a_day,
    }  # fmt: skip
    budgeted = [Budget({"project": "orion"}, Decimal(99), name="b")]
    (found,) = rows(daily([cost(LAST, "1", project="vega")]), *budgeted, ahead=Ahead((plan,)))
    assert found["forecast"] == 3, "a plan of the very dimensions of the budget is all the budget's"


def test_a_plan_that_contradicts_one_dimension_is_none_of_the_budgets() -> None:
    plan = Plan(date(2026, 10, 25), date(2026, 10, 29), {"project": "orion", "stage": "evaluation"}, Decimal(400), "x")
    frame = daily(every_day(OCTOBER, LAST, "10"))
    narrow = Budget({"project": "orion", "stage": "pretraining"}, Decimal(999), name="b")
    (found,) = rows(frame, narrow, ahead=Ahead((plan,)))
    assert found["forecast"] == 310


def test_lines_are_told_apart_by_service_category_and_element() -> None:
    other = [{"ServiceName": "Disk"}, {"ChargeCategory": "Tax"}, {"cost_element": "storage"}, {"ServiceName": None}]
    frame = daily([cost(LAST, "1")], *([cost(LAST, "2", **one)] for one in other))
    found = lines_of(frame, {"nimbus": Watermark(ago(99), LAST)}, ())
    line = Line("nimbus", "Compute", "Usage", "compute", "unallocated", None)
    assert {one: list(days.values()) for one, days in found.days.items()} == {
        line: [10**12],
        line._replace(service="Disk"): [2 * 10**12],
        line._replace(category="Tax"): [2 * 10**12],
        line._replace(element="storage"): [2 * 10**12],
        line._replace(service=""): [2 * 10**12],
    }


def test_columns_of_planned_changes_that_are_no_dimensions_say_nothing() -> None:
    given = {"from": OCTOBER, "to": LAST, "amount": Decimal(5), "reason": "agreed", "Project": "orion", "note": "x"}
    frame = pl.DataFrame([given], schema={**PLANNED_COLUMNS, "Project": pl.String, "note": pl.String})
    (plan,) = plans_of(frame, ["project", "stage"], lambda _, value: value)
    assert plan == Plan(OCTOBER, LAST, {"project": "orion"}, Decimal(5), "agreed")


def test_a_run_that_ends_with_the_night_runs_no_more() -> None:
    as_of = datetime(2026, 10, 19, 6, tzinfo=UTC)
    blank = dict.fromkeys(RUN_COLUMNS) | {"run_id": "a", "experiment": "e", "status": "running"}
    for ended, told in ((as_of, False), (as_of + timedelta(seconds=1), True)):
        runs = pl.DataFrame([blank | {"ended_at": ended}], schema=RUN_COLUMNS)
        assert bool(ends_of(runs, as_of, "UTC")) == told
