"""Each number of the budgets' foresight from both sides: what a rate looks at, what a fee is, how far is looked."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isqrt

import pytest
from detection_worlds import cost, daily, every_day

from attribution.detection.budgets import Ahead, Clock, budget_findings, budget_rows, plan_budgets
from attribution.detection.budgets.foresight import foresee
from attribution.detection.budgets.lines import Line, Lines, fee_a_month, fees_due, is_fee
from attribution.detection.budgets.rate import Rate, rate_of, root
from schemas.detection import Watermark
from schemas.plans import Budget, BudgetPeriod, Plan
from schemas.workspace import OWN_COSTS

LAST = date(2026, 10, 18)  # a Sunday
TODAY = LAST + timedelta(days=1)
LINE = Line("nimbus", "Support", "Purchase", "compute", "unallocated", None)


def ago(days: int) -> date:
    return LAST - timedelta(days=days)


def rate(*values: int) -> Rate:
    return rate_of(values, LAST)


def clock(last: date = LAST, today: date = TODAY, **more: date) -> Clock:
    return Clock(today, {name: Watermark(date(2025, 1, 1), day) for name, day in {"nimbus": last, **more}.items()})


def budget(amount: str, period: BudgetPeriod = "month", **more: object) -> Budget:
    return Budget({"project": "orion"}, Decimal(amount), period, name="b", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("new", "level"), [(1, 100), (2, 300)])
def test_a_series_stands_where_two_of_its_last_three_days_are(new: int, level: int) -> None:
    assert rate(*[100] * 10, *[300] * new).level == level


@pytest.mark.parametrize(("day", "days"), [(125, 11), (126, 10), (75, 11), (74, 10)])
def test_a_day_up_to_a_quarter_away_is_of_the_same_level(day: int, days: int) -> None:
    found = rate(*[100] * 7, day, *[100] * 3)
    assert found.days == days
    assert found.level == Fraction(1000 + day * (days - 10), days)


@pytest.mark.parametrize(("odd", "days"), [(2, 8), (3, 3)])
def test_two_days_elsewhere_end_no_level_and_three_do(odd: int, days: int) -> None:
    assert rate(*[100] * 5, *[900] * odd, *[100] * 3).days == days


@pytest.mark.parametrize(("count", "days"), [(13, 13), (14, 14), (15, 14)])
def test_a_level_is_taken_over_fourteen_days_at_most(count: int, days: int) -> None:
    assert rate(*[100] * count).days == days


def test_a_weekday_pattern_needs_three_whole_weeks() -> None:
    week = [100] * 5 + [50] * 2  # the last day is a Sunday
    assert rate(*(week * 3)[1:]).factors == (1,) * 7
    flat = Fraction(7, 6)  # a weekday by the mean of its week, 600 / 7
    assert rate(*week * 3).factors == (*[flat] * 5, *[flat / 2] * 2)
    assert [rate(*week * 3).on(LAST + timedelta(days=ahead)) for ahead in (1, 6)] == [100, 50]
    assert (rate(*week * 3).level, rate(*week * 3).variance, rate(*week * 3).days) == (Fraction(600, 7), 0, 14)


def test_a_week_without_cost_says_nothing_of_weekdays() -> None:
    week = [100] * 5 + [50] * 2
    assert rate(*week * 2, *[0] * 7, *week).factors == (*[Fraction(7, 6)] * 5, *[Fraction(7, 12)] * 2)
    assert rate(*week, *[0] * 7, *week).factors == (1,) * 7


@pytest.mark.parametrize(
    ("week", "factors"),
    [
        ([10, 10, 10, 10, 10, 0, 0], (*[Fraction(7, 5)] * 5, 0, 0)),  # nothing at weekends is a pattern, too
        ([10, 10, 10, 10, 10, -1, 0], (1,) * 7),  # money back on Saturdays is none
    ],
)
def test_a_weekday_may_cost_nothing_and_not_less(week: list[int], factors: tuple[Fraction, ...]) -> None:
    found = rate(*week * 3)
    assert found.factors == factors
    if 1 not in factors:
        assert (found.level, found.variance) == (Fraction(50, 7), 0), "each day is held against its own weekday"


def test_a_cost_that_comes_on_another_day_each_week_has_no_weekdays() -> None:
    assert rate(*[7, *[0] * 6], *[0, 7, *[0] * 5], *[0, 0, 7, *[0] * 4]).factors == (1,) * 7


def test_two_odd_days_at_the_end_leave_the_level_and_its_days() -> None:
    assert (rate(100, 100, 100, 10, 1000).level, rate(100, 100, 100, 10, 1000).days) == (100, 3)


def test_days_scatter_by_the_sample_and_the_level_they_share() -> None:
    found = rate(90, 110, 90, 110, 100)
    assert (found.level, found.variance, found.days) == (100, 100, 5)
    assert found.spread(10) == 100 * 10 + Fraction(100 * 10 * 10, 5)
    assert rate(100).variance == 0
    assert (rate(90, 110).variance, rate(90, 110).days) == (200, 2)
    assert [root(Fraction(number)) for number in (-1, 0, 15, 16)] == [0, 0, 3, 4]


def test_the_interval_is_1645_thousandths_of_its_deviation() -> None:
    amounts = [90, 110, 90, 110, 100]
    frame = daily([cost(ago(4 - place), str(amount)) for place, amount in enumerate(amounts)])
    (found,) = budget_rows(frame, [budget("9999", "total")], clock(), "USD").to_dicts()
    spread = 100 * 30 + Fraction(100 * 30 * 30, 5)
    half = Decimal(1645 * isqrt(int(spread * 10**24))) / 1000 / 10**12
    assert found["forecast"] == 500 + 30 * 100
    assert round(found["forecast_high"] - found["forecast"], 9) == round(half, 9)
    assert found["forecast_high"] - found["forecast"] == found["forecast"] - found["forecast_low"]


def test_a_rate_looks_at_four_weeks() -> None:
    flat, quiet_sunday = [10] * 7, [10] * 6 + [5]
    values = [*flat * 3, *quiet_sunday * 2]
    days = {ago(34 - place): value for place, value in enumerate(values)}
    usage = LINE._replace(category="Usage")
    ((found, _),) = foresee(Lines({usage: days}), {"nimbus": Watermark(ago(99), LAST)}, TODAY, Ahead()).rates
    assert found.factors[6] == Fraction(10, 13), "between two weeks with a quiet Sunday and two without"


@pytest.mark.parametrize(("span", "fee"), [(3, False), (4, True)])
def test_a_fee_comes_on_a_quarter_of_its_days_at_most(span: int, *, fee: bool) -> None:
    assert is_fee(LINE, {ago(span - 1): 5}, LAST) == fee
    assert is_fee(LINE, {ago(2 * span - 1): 5, ago(1): 5}, LAST) == fee
    assert is_fee(LINE._replace(source=OWN_COSTS), {ago(1): 5, ago(0): 5}, LAST)


@pytest.mark.parametrize(("back", "fee"), [(61, True), (62, False)])
def test_fees_are_told_by_sixty_two_days(back: int, *, fee: bool) -> None:
    assert is_fee(LINE, {ago(back): 5}, LAST) == fee
    assert is_fee(LINE, {ago(10): 0}, LAST) is False, "a day without cost is none on which it came"


def test_a_fee_is_expected_as_it_was_in_the_newest_complete_month() -> None:
    days = {date(2026, 8, 3): 7, date(2026, 9, 3): 5}
    assert fee_a_month(LINE, days, LAST) == 5
    assert fee_a_month(LINE, {date(2026, 9, 3): 0}, LAST) == fee_a_month(LINE, {date(2026, 9, 3): -5}, LAST) == 0
    usage = LINE._replace(category="Usage")
    assert fee_a_month(usage, days, LAST) == 5
    assert fee_a_month(usage, {date(2026, 9, 3): 5}, LAST) == 0
    assert fee_a_month(usage._replace(source=OWN_COSTS), {date(2026, 9, 3): 5}, LAST) == 5
    months = [date(2026, 9, 1), date(2026, 10, 1), date(2026, 11, 1)]
    assert fees_due(LINE, days, LAST, months) == {date(2026, 10, 1): 5, date(2026, 11, 1): 5}
    assert fees_due(LINE, days | {date(2026, 10, 2): 1}, LAST, months) == {date(2026, 11, 1): 5}


@pytest.mark.parametrize(
    ("source", "back", "live"),
    [("nimbus", 30, True), ("nimbus", 31, False), (OWN_COSTS, 61, True), (OWN_COSTS, 62, False)],
)
def test_a_source_that_shows_nothing_for_thirty_one_days_has_ended(source: str, back: int, *, live: bool) -> None:
    assert clock(**{source: TODAY - timedelta(days=back)}).live(source) == live


@pytest.mark.parametrize(("units", "day"), [("920", LAST + timedelta(days=92)), ("920.000000000001", None)])
def test_a_breach_of_a_total_is_looked_for_over_ninety_two_days(units: str, day: date | None) -> None:
    frame = daily(every_day(ago(9), LAST, "10"))
    (found,) = budget_rows(frame, [budget(str(100 + Decimal(units)), "total")], clock(), "USD").to_dicts()
    assert (found["breach_date"], found["forecast"]) == (day, 100 + 30 * 10)


@pytest.mark.parametrize("lag", [1, 4])
def test_the_longest_quarter_and_a_longer_plan_are_foreseen_to_their_ends(lag: int) -> None:
    first = date(2026, 7, 1)
    last = first - timedelta(days=lag)
    frame = daily(every_day(date(2026, 6, 1), last, "10"))
    at = clock(last, first)
    quarter = budget_rows(frame, [budget("9999", "quarter")], at, "USD").to_dicts()[-1]
    assert (quarter["period_start"], quarter["forecast"]) == (first, 92 * 10)
    plan = budget("9999", "plan", since=first, until=date(2027, 1, 17))
    (planned,) = budget_rows(frame, [plan], at, "USD").to_dicts()
    assert planned["forecast"] == 200 * 10


@pytest.mark.parametrize(
    ("noise", "ahead", "status"), [(0, 3, "at risk"), (9, 3, "may breach"), (9, 2, "at risk"), (0, 7, "at risk")]
)
def test_a_breach_within_two_days_is_told_though_the_interval_leaves_it_open(
    noise: int, ahead: int, status: str
) -> None:
    last = date(2026, 10, 30) - timedelta(days=ahead)
    days = [last - timedelta(days=back) for back in range(14)]
    wave = [cost(day, str(100 + noise * (-1) ** place)) for place, day in enumerate(days)]
    today = last + timedelta(days=1)
    plain = budget_rows(daily(wave), [budget("9999")], clock(last, today), "USD").to_dicts()[-1]
    at_the_end = budget(str(plain["forecast"]))
    (*_, found) = budget_rows(daily(wave), [at_the_end], clock(last, today), "USD").to_dicts()
    assert found["breach_date"] == today + timedelta(days=ahead) == date(2026, 10, 31)
    assert found["status"] == status


@pytest.mark.parametrize(("days", "a_day"), [(2, 70), (3, 50)])
def test_a_plan_goes_by_its_own_rate_from_its_third_day_on(days: int, a_day: int) -> None:
    since, until = ago(days - 1), LAST + timedelta(days=5)
    frame = daily(every_day(date(2026, 9, 1), ago(days), "10"), every_day(since, LAST, "50"))
    plan = Plan(since, until, {"project": "orion"}, Decimal(70 * (days + 4)), "agreed")
    (*_, found) = budget_rows(frame, [budget("99999")], clock(), "USD", Ahead((plan,))).to_dicts()
    assert found["forecast"] == 10 * (18 - days) + 50 * days + 4 * a_day + 9 * 10


@pytest.mark.parametrize(("back", "after"), [(1, 20), (14, 20), (15, 10)])
def test_after_a_plan_comes_the_mean_of_fourteen_days_before_it(back: int, after: int) -> None:
    since, until = ago(3), LAST + timedelta(days=2)
    plan = Plan(since, until, {"project": "orion"}, Decimal(300), "agreed")
    days = {ago(place): 50 if place < 4 else 10 for place in range(40)} | {since - timedelta(days=back): 150}
    usage = LINE._replace(category="Usage", plan=0)
    marks = {"nimbus": Watermark(ago(99), LAST)}
    assert foresee(Lines({usage: days}), marks, until + timedelta(days=1), Ahead((plan,))).days[until] == after


@pytest.mark.parametrize(
    ("month", "named"), [(1, "2026-Q1"), (3, "2026-Q1"), (4, "2026-Q2"), (9, "2026-Q3"), (12, "2026-Q4")]
)
def test_a_finding_names_its_quarter(month: int, named: str) -> None:
    day = date(2026, month, 10)
    frame = daily([cost(day, "10")])
    rows = budget_rows(frame, [budget("5", "quarter")], clock(day, day + timedelta(days=1)), "USD")
    (found,) = budget_findings(rows, day + timedelta(days=1), {}).to_dicts()
    assert found["subject"] == f"budget=b {named}"


def test_a_plan_is_told_when_it_will_be_and_when_it_is_exceeded() -> None:
    frame = daily(every_day(date(2026, 10, 1), LAST, "10"))
    for amount, kind, beyond in (("180", "plan_breached", 20), ("190", "plan_at_risk", 10), ("201", None, None)):
        (plan,) = plan_budgets(
            [Plan(date(2026, 10, 1), date(2026, 10, 21), {"project": "orion"}, Decimal(amount), "agreed")]
        )
        found = budget_findings(budget_rows(frame, [plan], clock(), "USD"), TODAY, {}).to_dicts()
        assert [(one["kind"], one["cost_at_stake"]) for one in found] == ([(kind, beyond)] if kind else [])


def test_a_warning_of_a_period_that_is_over_is_told_no_more() -> None:
    frame = daily(every_day(date(2026, 10, 1), date(2026, 10, 31), "10"))
    for today, told in ((date(2026, 10, 31), ["budget_warned"]), (date(2026, 11, 1), [])):
        rows = budget_rows(frame, [budget("320")], clock(today - timedelta(days=1), today), "USD")
        found = budget_findings(rows, today, {}).filter(subject="budget=b 2026-10")
        assert found.get_column("kind").to_list() == told


def test_a_fee_that_is_due_when_a_month_has_begun_is_of_that_month() -> None:
    fees = [cost(date(2026, one, 1), "100", ChargeCategory="Purchase", ServiceName="Support") for one in (8, 9)]
    first = date(2026, 10, 1)
    frame = daily(fees, every_day(date(2026, 8, 1), first, "10"))
    (*_, found) = budget_rows(frame, [budget("9999")], clock(first, date(2026, 10, 2)), "USD").to_dicts()
    assert found["forecast"] == 310 + 100


def test_a_plan_under_way_beside_other_money_counts_once() -> None:
    frame = daily(every_day(date(2026, 9, 1), LAST, "10"), every_day(ago(9), LAST, "50", experiment="big"))
    plan = Plan(ago(9), LAST + timedelta(days=4), {"project": "orion", "experiment": "big"}, Decimal(9999), "agreed")
    (*_, found) = budget_rows(frame, [budget("99999")], clock(), "USD", Ahead((plan,))).to_dicts()
    assert found["forecast"] == 310 + 10 * 50 + 3 * 50


def test_a_day_without_cost_before_a_plan_cost_nothing() -> None:
    plan = Plan(ago(3), LAST, {"project": "orion"}, Decimal(300), "agreed")
    days = {ago(place): 50 if place < 4 else 10 for place in range(40) if place != 9}
    seen = foresee(Lines({LINE._replace(category="Usage", plan=0): days}), {"nimbus": Watermark(ago(99), LAST)},
                   LAST + timedelta(days=2), Ahead((plan,)))  # fmt: skip
    assert seen.days == {LAST + timedelta(days=1): Fraction(130, 14)}
