"""Budgets: on which day a line is reached, one unit on either side; what is foreseen, and when it is told."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, days, every_day

from attribution.detection.budgets import Ahead, Clock, budget_findings, budget_rows, ends_of, plan_budgets, projects_of
from attribution.detection.budgets.foresight import Ends
from schemas.detection import Watermark
from schemas.inputs import RUN_COLUMNS
from schemas.plans import Budget, Plan

OCTOBER, LAST, TODAY = date(2026, 10, 1), date(2026, 10, 20), date(2026, 10, 21)
UNIT = Decimal(1).scaleb(-12)
ORION = {"project": "orion"}


def clock(last: date = LAST, today: date = TODAY, **more: date) -> Clock:
    ends = {"nimbus": last, **more}
    return Clock(today, {source: Watermark(date(2026, 8, 1), day) for source, day in ends.items()})


def rows(frame: pl.DataFrame, *budgets: Budget, at: Clock | None = None, ahead: Ahead | None = None) -> list[Any]:
    return budget_rows(frame, budgets, at or clock(), "USD", ahead or Ahead()).to_dicts()


def row(frame: pl.DataFrame, budget: Budget, at: Clock | None = None, ahead: Ahead | None = None) -> dict[str, Any]:
    """The budget's newest period."""
    found: dict[str, Any] = rows(frame, budget, at=at, ahead=ahead)[-1]
    return found


def month(amount: str | Decimal, **more: Any) -> Budget:  # noqa: ANN401
    return Budget(ORION, Decimal(amount), name="b", **more)


STEADY = daily(every_day(OCTOBER, LAST, "10"))


@pytest.mark.parametrize(
    ("amount", "day", "status"),
    [
        ("200", LAST, "breached"),  # the sum comes up to it on the last day of data
        ("200.000000000001", TODAY + timedelta(days=1), "at risk"),  # the day after, and that is foreseen
        ("190", date(2026, 10, 19), "breached"),
        ("190.000000000001", LAST, "breached"),
        ("280", date(2026, 10, 28), "at risk"),  # eight days after the data
        ("280.000000000001", date(2026, 10, 29), "may breach"),
        ("310", date(2026, 10, 31), "may breach"),  # on the last day of the month, if all goes on
        ("310.000000000001", None, "warned" if 200 >= 310 * 0.8 else "kept"),
    ],
)
def test_a_line_is_reached_on_the_first_day_the_sum_comes_up_to_it(amount: str, day: date | None, status: str) -> None:
    found = row(STEADY, month(amount))
    assert (found["breach_date"], found["status"]) == (day, status)


@pytest.mark.parametrize(("share", "status"), [("0.5", "warned"), ("0.500000000001", "kept"), ("0.475", "warned")])
def test_the_warning_line_is_a_share_of_the_amount(share: str, status: str) -> None:
    found = row(STEADY, month(400, warn_at=Decimal(share)))
    assert found["status"] == status
    assert found["warn_amount"] == 400 * Decimal(share)
    past = found["warn_date"] is not None and found["warn_date"] <= TODAY
    assert past == (status == "warned")


def test_what_was_spent_is_exact_and_the_forecast_adds_the_days_to_come() -> None:
    frame = daily(every_day(OCTOBER, LAST, "10.000000000001"))
    found = row(frame, month(1000))
    assert found["spent"] == Decimal("200.00000000002")
    assert found["forecast"] == Decimal("310.000000000031")
    assert found["forecast_low"] == found["forecast"] == found["forecast_high"]
    assert (found["period_start"], found["period_end"], found["spent_to"]) == (OCTOBER, date(2026, 11, 1), LAST)


def test_there_is_a_row_a_period_and_quarters_are_calendar_quarters() -> None:
    frame = daily(every_day(date(2026, 8, 15), LAST, "1"))
    months = rows(frame, month(1000))
    assert [(one["period_start"], one["spent"]) for one in months] == [
        (date(2026, 8, 1), 17), (date(2026, 9, 1), 30), (OCTOBER, 20),
    ]  # fmt: skip
    quarters = rows(frame, month(1000, period="quarter"))
    assert [(one["period_start"], one["period_end"], one["spent"]) for one in quarters] == [
        (date(2026, 7, 1), OCTOBER, 47), (OCTOBER, date(2027, 1, 1), 20),
    ]  # fmt: skip
    (total,) = rows(frame, month(1000, period="total"))
    assert (total["period_start"], total["period_end"], total["spent"], total["forecast"]) == (
        date(2026, 8, 15), None, 67, 67 + 30,
    )  # fmt: skip
    (since,) = rows(frame, month(1000, period="total", since=OCTOBER))
    assert since["spent"] == 20


@pytest.mark.parametrize(("days_left", "status"), [("92", "may breach"), ("92.000000000001", "kept")])
def test_a_breach_of_a_total_is_looked_for_ninety_two_days_after_the_data(days_left: str, status: str) -> None:
    frame = daily(every_day(OCTOBER, LAST, "1"))
    found = row(frame, month(20 + Decimal(days_left), period="total", warn_at=Decimal("0.99")))
    assert (found["forecast"], found["status"]) == (50, status)
    assert found["breach_date"] == (LAST + timedelta(days=92) if status == "may breach" else None)


def test_only_money_of_its_dimensions_and_complete_days_counts() -> None:
    frame = daily(
        every_day(OCTOBER, LAST + timedelta(days=1), "10"),
        every_day(OCTOBER, LAST, "99", project="other"),
        every_day(OCTOBER, LAST, "5", stage="sft"),
        [cost(LAST, None)],
    )
    assert row(frame, month(10_000))["spent"] == 300
    assert row(frame, month(10_000))["note"] == "part of the cost is unknown"
    both = Budget({"project": "orion", "stage": "sft"}, Decimal(10_000), name="b")
    assert (row(frame, both)["spent"], row(frame, both)["note"]) == (100, None)
    assert row(frame, Budget({"service": "Compute"}, Decimal(10_000), name="b"))["spent"] == 2280


def test_a_fee_that_is_due_counts_and_one_that_came_is_not_expected_again() -> None:
    def fee(category: str, *months: int) -> list[dict[str, Any]]:
        return [cost(date(2026, one, 1), "100", ChargeCategory=category, ServiceName="Support") for one in months]

    base = every_day(date(2026, 8, 1), LAST, "10")
    assert row(daily(base, fee("Purchase", 8, 9)), month(10_000))["forecast"] == 410
    assert row(daily(base, fee("Purchase", 8, 9, 10)), month(10_000))["forecast"] == 410
    assert row(daily(base, fee("Tax", 9)), month(10_000))["forecast"] == 410
    assert row(daily(base, fee("Usage", 8, 9)), month(10_000))["forecast"] == 410
    assert row(daily(base, fee("Usage", 9)), month(10_000))["forecast"] == 310  # once is no habit
    assert row(daily(base, fee("Credit", 8, 9)), month(10_000))["forecast"] == 310
    soon = row(daily(base, fee("Purchase", 8, 9)), month(300))
    assert soon["breach_date"] == TODAY + timedelta(days=1)  # due already, dated to the start of the month


def test_a_step_up_counts_after_two_days_and_one_odd_day_does_not() -> None:
    stepped = daily(every_day(OCTOBER, LAST - timedelta(days=2), "10"), every_day(LAST - timedelta(days=1), LAST, "30"))
    assert row(stepped, month(10_000))["forecast"] == 18 * 10 + 60 + 11 * 30
    odd = daily(every_day(OCTOBER, LAST - timedelta(days=1), "10"), [cost(LAST, "500")])
    assert row(odd, month(10_000))["forecast"] == 190 + 500 + 110


def test_weekends_are_foreseen_as_weekends() -> None:
    week = [cost(day, "10" if day.weekday() < 5 else "2") for day in days(date(2026, 9, 1), LAST)]
    found = row(daily(week), month(10_000))
    whole = [10 if day.weekday() < 5 else 2 for day in days(OCTOBER, date(2026, 10, 31))]
    assert found["forecast"] == sum(whole)


def test_weeks_of_work_are_foreseen_on_whatever_day_the_data_ends() -> None:
    week = [
        cost(date(2026, 9, 1) + timedelta(days=at), "10" if (at + 1) % 7 not in {5, 6} else "0") for at in range(49)
    ]
    for last in range(11, 19):  # from a Sunday to the next
        day = date(2026, 10, last)
        given = daily([one for one in week if one["usage_date"] <= day])
        assert row(given, month(9999), clock(day, day + timedelta(days=1)))["forecast"] == 22 * 10


def test_each_source_is_foreseen_from_its_own_last_day() -> None:
    late = every_day(OCTOBER, date(2026, 10, 10), "5", source="cirrus")
    found = row(daily(every_day(OCTOBER, LAST, "10"), late), month(10_000), clock(cirrus=date(2026, 10, 10)))
    assert (found["spent"], found["forecast"], found["spent_to"]) == (250, 465, date(2026, 10, 10))
    gone = every_day(date(2026, 8, 1), date(2026, 8, 10), "5", source="cirrus")
    ended = row(daily(every_day(OCTOBER, LAST, "10"), gone), month(10_000), clock(cirrus=date(2026, 8, 10)))
    assert (ended["forecast"], ended["spent_to"]) == (310, LAST)


def test_a_far_breach_is_told_where_the_low_end_reaches_it_and_a_near_one_always() -> None:
    def standing(noise: int) -> dict[int, set[str]]:
        wave = [cost(day, str(20 + noise * (day.toordinal() * 7 % 11 - 5))) for day in days(date(2026, 9, 1), LAST)]
        spent = sum(one["EffectiveCost"] for one in wave if one["usage_date"] >= OCTOBER)
        found = [row(daily(wave), month(spent + more)) for more in range(5, 215, 5)]
        told: dict[int, set[str]] = {}
        for one in found:
            if one["breach_date"]:
                told.setdefault((one["breach_date"] - TODAY).days, set()).add(one["status"])
        return told

    sure, unsure = standing(0), standing(1)
    assert set(sure) == set(range(1, 11))
    assert {ahead: told == {"at risk"} for ahead, told in sure.items()} == {ahead: ahead <= 7 for ahead in range(1, 11)}
    assert [unsure[ahead] for ahead in (1, 2)] == [{"at risk"}] * 2
    assert "may breach" in set.union(*unsure.values())


def runs(*rows: dict[str, Any]) -> pl.DataFrame:
    blank = dict.fromkeys(RUN_COLUMNS)
    return pl.DataFrame([blank | one for one in rows], schema=RUN_COLUMNS)


def test_a_run_that_states_its_end_stops_there() -> None:
    frame = daily(every_day(OCTOBER, LAST, "10", experiment="e-1"), every_day(OCTOBER, LAST, "1", experiment="e-2"))
    as_of = datetime(2026, 10, 21, 6, tzinfo=UTC)

    def run(name: str, end: int | None, gpus: float | None, experiment: str = "e-1") -> dict[str, Any]:
        ended = datetime(2026, 10, end, 23, tzinfo=UTC) if end else None
        return {"run_id": name, "experiment": experiment, "status": "running", "ended_at": ended, "gpus": gpus}

    def forecast(*given: dict[str, Any]) -> Any:  # noqa: ANN401
        ahead = Ahead(ends=ends_of(runs(*given), as_of, "UTC"))
        return row(frame, month(10_000), ahead=ahead)["forecast"]

    assert forecast() == 341
    assert forecast(run("a", None, 8)) == 341  # it does not say
    assert forecast(run("a", 25, 8)) == 341 - 6 * 10
    assert forecast(run("a", 25, 24), run("b", None, 8)) == 341 - 6 * Decimal("7.5")
    assert forecast(run("a", 25, None), run("b", None, 8)) == 341 - 6 * 5
    assert forecast(run("a", 19, 8)) == 341  # over by now: it says nothing of what runs


def test_shares_of_ends_are_fractions_of_the_rate() -> None:
    (ends,) = ends_of(
        runs({"run_id": "a", "experiment": "e", "status": "running",
              "ended_at": pl.datetime_range(date(2026, 11, 1), date(2026, 11, 1), eager=True, time_zone="UTC")[0]}),
        pl.datetime_range(date(2026, 10, 1), date(2026, 10, 1), eager=True, time_zone="UTC")[0], "UTC",
    ).values()  # fmt: skip
    assert isinstance(ends, Ends)
    assert (ends.running(date(2026, 11, 1)), ends.running(date(2026, 11, 2))) == (1, 0)


def plan(since: date, until: date, amount: str, **dimensions: str) -> Plan:
    return Plan(since, until, dimensions or ORION, Decimal(amount), "agreed")


def test_a_plan_to_come_counts_by_its_days_and_ends_with_them() -> None:
    pretraining = plan(date(2026, 10, 25), date(2026, 10, 29), "400", project="orion", experiment="big")
    assert row(STEADY, month(10_000), ahead=Ahead((pretraining,)))["forecast"] == 310 + 400
    other = plan(date(2026, 10, 25), date(2026, 10, 29), "400", project="other")
    assert row(STEADY, month(10_000), ahead=Ahead((other,)))["forecast"] == 310
    part = plan(date(2026, 10, 25), date(2026, 10, 29), "400", owner="lin")  # whose project nobody says
    assert row(STEADY, month(10_000), ahead=Ahead((part,)))["forecast"] == 310 - 4 * 10 + 400
    past = plan(date(2026, 10, 5), date(2026, 10, 20), "400")
    assert row(STEADY, month(10_000), ahead=Ahead((past,)))["forecast"] == 310


def test_a_plan_under_way_counts_by_its_own_rate_and_what_was_before_comes_back_after_it() -> None:
    frame = daily(every_day(date(2026, 9, 1), date(2026, 10, 9), "10"), every_day(date(2026, 10, 10), LAST, "50"))
    running = plan(date(2026, 10, 10), date(2026, 10, 26), "100000")
    assert row(frame, month(10_000), ahead=Ahead((running,)))["forecast"] == 90 + 550 + 5 * 50 + 6 * 10


def test_a_plan_is_a_budget_of_its_own_days() -> None:
    going = plan(OCTOBER, date(2026, 10, 26), "250")
    (found,) = rows(STEADY, *plan_budgets((going, plan(date(2026, 11, 1), date(2026, 11, 2), "1"))))
    assert (found["period"], found["period_end"], found["status"]) == ("plan", date(2026, 10, 26), "at risk")
    assert found["breach_date"] == date(2026, 10, 25)
    assert len({one.name for one in plan_budgets((going, going))}) == 2


def told(frame: pl.DataFrame, *budgets: Budget, at: Clock | None = None) -> list[dict[str, Any]]:
    moment = at or clock()
    whose = projects_of(frame, budgets)
    return budget_findings(budget_rows(frame, budgets, moment, "USD"), moment.today, whose).to_dicts()


def test_findings_are_one_a_stage_with_the_money_beyond_the_line() -> None:
    (breached,) = told(STEADY, month(150))
    assert (breached["kind"], breached["subject"], breached["cost_at_stake"]) == (
        "budget_breached", "budget=b 2026-10", 160,
    )  # fmt: skip
    assert breached["project"] == "orion"
    of_lin = Budget({"owner": "lin"}, Decimal(150), name="b")
    assert [one["project"] for one in told(STEADY, of_lin)] == ["orion"], "all that lin pays for"
    vega, nothing = [cost(LAST, "1", project="vega")], [cost(LAST, "0", project="lyra")]
    assert [one["project"] for one in told(pl.concat([STEADY, daily(vega)]), of_lin)] == ["shared"]
    assert [one["project"] for one in told(pl.concat([STEADY, daily(nothing)]), of_lin)] == ["orion"]
    (risk,) = told(STEADY, month(260))
    assert (risk["kind"], risk["cost_at_stake"], risk["confidence"]) == ("budget_at_risk", 50, "medium")
    assert "260.00 USD of 2026-10" in risk["evidence"]
    (warned,) = told(STEADY, month(400, warn_at=Decimal("0.5")))
    assert (warned["kind"], warned["cost_at_stake"]) == ("budget_warned", 110)
    assert told(STEADY, month(500)) == []


@pytest.mark.parametrize(("today", "told_of"), [(date(2026, 11, 30), True), (date(2026, 12, 1), True),
                                                (date(2026, 12, 31), True), (date(2027, 1, 1), False)])  # fmt: skip
def test_a_breach_is_told_until_the_month_after_the_next_begins(today: date, told_of: bool) -> None:  # noqa: FBT001
    frame = daily(every_day(date(2026, 11, 1), date(2026, 11, 30), "10"))
    found = told(frame, month(200), at=clock(min(today - timedelta(days=1), date(2026, 11, 30)), today))
    assert ("budget=b 2026-11" in {one["subject"] for one in found}) == told_of


def test_a_budget_belongs_to_whom_it_names_or_to_its_only_owner() -> None:
    mixed = daily(every_day(OCTOBER, LAST, "10"), every_day(OCTOBER, LAST, "1", owner="mo"))
    assert row(STEADY, month(100))["owner"] == "lin"
    assert row(mixed, month(100))["owner"] == "shared"
    assert row(mixed, month(100, responsible="ada"))["owner"] == "ada"
    assert row(mixed, Budget({"owner": "mo"}, Decimal(1), name="b"))["owner"] == "mo"


def test_a_period_without_data_yet_is_unknown_and_a_budget_without_money_says_so() -> None:
    found = row(STEADY, month(10_000), clock(LAST, date(2026, 11, 2)))
    assert (found["period_start"], found["spent"], found["spent_to"]) == (date(2026, 11, 1), None, None)
    assert found["forecast"] == 300
    assert row(STEADY, Budget({"project": "none"}, Decimal(5), name="b"))["forecast"] == 0
    assert UNIT > 0
