"""What a day should cost: weekday pattern, level, trend, fees; and that each number in it matters."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import pytest

from attribution.detection.daily import baseline, episodes
from attribution.detection.daily.baseline import expect

FIRST = date(2026, 6, 1)  # a Monday


def days(amounts: list[float | None], first: date = FIRST, series: int = 0) -> pl.DataFrame:
    rows = [(series, first + timedelta(days=place), amount) for place, amount in enumerate(amounts)]
    schema = {"series": pl.Int32(), "usage_date": pl.Date(), "amount": pl.Float64()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def last(amounts: list[float | None], first: date = FIRST) -> dict[str, float | None]:
    return expect(days(amounts, first)).row(-1, named=True)


def shapes(amounts: list[float | None], minimum: str = "1", first: date = FIRST) -> list[tuple[str, date, date]]:
    found = episodes.worth_telling(episodes.episodes(expect(days(amounts, first))), Decimal(minimum))
    return [(row["shape"], row["start"], row["end"]) for row in found.iter_rows(named=True)]


def on(place: int) -> date:
    return FIRST + timedelta(days=place)


def test_a_series_warms_up_for_fourteen_days() -> None:
    assert last([100.0] * 14)["expected"] is None
    judged = last([100.0] * 15)
    assert (judged["expected"], judged["lower"], judged["upper"]) == (100.0, 85.0, 115.0)


def test_weekends_are_known() -> None:
    week = [100.0] * 5 + [20.0] * 2
    told = expect(days(week * 8)).tail(7)
    assert [round(value) for value in told.get_column("expected")] == [100] * 5 + [20] * 2


def test_what_usually_costs_nothing_is_not_judged() -> None:
    assert last([0.0] * 30 + [500.0])["expected"] is None
    assert shapes([0.0, 0.0, 900.0] * 20) == []


def test_a_trend_is_followed_and_a_leap_is_not() -> None:
    rising = [100 * 1.005**place for place in range(120)]
    assert shapes(rising) == []
    assert last(rising)["expected"] == pytest.approx(rising[-1], rel=0.02)


def test_an_odd_day_moves_no_baseline() -> None:
    assert last([100.0] * 40 + [5000.0] * 6 + [100.0])["expected"] == pytest.approx(100)


@pytest.mark.parametrize(("day", "told"), [(1, 0), (3, 0), (4, 3)])
def test_a_fee_in_the_first_three_days_of_a_month_is_known_when_it_comes_again(day: int, told: int) -> None:
    amounts = [100.0 + (300.0 if on(place).day == day else 0.0) for place in range(100)]
    assert len(shapes(amounts)) == told


def test_a_fee_is_at_least_a_fifth_of_the_level() -> None:
    assert shapes([100.0 + (20.1 if on(place).day == 1 else 0.0) for place in range(100)]) == []
    assert len(shapes([100.0 + (19.9 if on(place).day == 1 else 0.0) for place in range(100)])) == 3


def test_a_fee_may_skip_one_month_and_not_two() -> None:
    def fees(*months: int) -> list[float | None]:
        return [
            100.0 + (300.0 if (on(place).day, on(place).month) in {(1, m) for m in months} else 0.0)
            for place in range(125)
        ]

    assert shapes(fees(6, 8)) == []
    assert [start for _, start, _ in shapes(fees(6, 9))] == [date(2026, 9, 1)]


def test_a_fee_of_a_weekend_is_known_on_a_weekday() -> None:
    weekend, first = 5, date(2026, 1, 5)  # the 1st of February and of March 2026 are Sundays, that of April is none
    days_ = [first + timedelta(days=place) for place in range(100)]
    amounts = [(50.0 if day.weekday() >= weekend else 100.0) + (80.0 if day.day == 1 else 0.0) for day in days_]
    assert all(start < date(2026, 4, 1) for _, start, _ in shapes(amounts, first=first))


def test_a_fee_that_doubles_is_a_spike() -> None:
    amounts = [100.0 + (300.0 if on(place).day == 1 else 0.0) for place in range(100)]
    amounts[92] = 100.0 + 600.0
    assert shapes(amounts) == [("spike", date(2026, 9, 1), date(2026, 9, 1))]


def test_a_spike_is_out_of_bounds_by_any_amount() -> None:
    usual = [100.0] * 40
    assert shapes([*usual, 115.0]) == []
    assert shapes([*usual, 115.01]) == [("spike", on(40), on(40))]


def test_bounds_are_four_and_a_half_deviations_where_days_differ() -> None:
    uneven = [100.0 + (10.0 if place % 2 else -10.0) for place in range(60)]
    judged = last(uneven)
    assert judged["expected"] is not None
    assert judged["upper"] is not None
    assert judged["upper"] - judged["expected"] == pytest.approx(4.5 * 1.4826 * 10, rel=0.15)


def test_the_minimum_is_of_the_whole_episode() -> None:
    assert shapes([100.0] * 40 + [150.0], minimum="50") == [("spike", on(40), on(40))]
    assert shapes([100.0] * 40 + [150.0], minimum="50.01") == []


def test_three_odd_days_are_a_spike_and_four_a_shift() -> None:
    for count, shape in ((3, "spike"), (4, "level shift")):
        assert shapes([100.0] * 40 + [200.0] * count + [100.0] * 5) == [(shape, on(40), on(39 + count))]


def test_an_episode_bridges_two_usual_days_and_not_three() -> None:
    for gap, count in ((2, 1), (3, 2)):
        assert len(shapes([100.0] * 40 + [200.0] + [100.0] * gap + [200.0] + [100.0] * 5)) == count


def test_a_shift_ends_where_it_has_become_usual() -> None:
    ((shape, start, end),) = shapes([100.0] * 40 + [200.0] * 60)
    assert (shape, start) == ("level shift", on(40))
    assert on(45) <= end <= on(50)


def leak(rate: float, noise: float = 0.0) -> list[float | None]:
    return [100.0] * 60 + [100 * (1 + rate) ** step + (noise if step % 2 else -noise) for step in range(1, 41)]


def test_a_leak_is_told_by_weeks_that_rise_one_after_another() -> None:
    ((shape, start, _),) = shapes(leak(0.012))
    assert shape == "leak"
    assert on(60 + 14) <= start <= on(60 + 34)
    assert shapes(leak(0.0070)) == []


def test_a_leak_rises_by_a_quarter_in_four_weeks() -> None:
    def weeks(total: float) -> list[float | None]:
        steps = [100.0 + total * step / 4 for step in range(5)]
        return [100.0] * 35 + [level for level in steps for _ in range(7)] + [100.0 + total] * 2

    assert [shape for shape, *_ in shapes(weeks(26.0))] == ["leak"]
    assert shapes(weeks(24.0)) == []


def silent(count: int, after: int = 5, before: float = 100.0) -> list[float | None]:
    return [before] * 40 + [0.0] * count + [before] * after


def test_a_silence_is_two_days_without_cost_and_never_the_last_two() -> None:
    assert shapes(silent(1)) == []
    assert shapes(silent(2)) == [("silence", on(40), on(41))]
    assert shapes(silent(3, after=0)) == []
    assert shapes(silent(4, after=0)) == [("silence", on(40), on(41))]


def test_next_to_nothing_is_silence_too() -> None:
    assert shapes([100.0] * 40 + [2.0] * 3 + [100.0] * 5) == [("silence", on(40), on(42))]
    assert shapes([100.0] * 40 + [2.1] * 3 + [100.0] * 5) == []


def test_the_days_after_a_silence_are_usual() -> None:
    assert [shape for shape, *_ in shapes(silent(7, after=20))] == ["silence"]


def test_quiet_weekends_are_no_silence() -> None:
    assert shapes(([100.0] * 5 + [0.0] * 2) * 12) == []


def test_an_unknown_day_is_not_judged_and_moves_nothing() -> None:
    amounts: list[float | None] = [100.0] * 40
    amounts[30] = None
    told = expect(days(amounts))
    assert told.row(-1, named=True)["expected"] == 100.0
    assert shapes(amounts) == []


def test_a_steady_rise_is_expected_to_the_day() -> None:
    # The median of fourteen days lies seven and a half days back, and so much of the trend is added.
    assert last([1000.0 + place for place in range(70)])["expected"] == pytest.approx(1069, abs=0.1)


def test_the_level_is_of_the_days_before_the_day_judged() -> None:
    assert last([100.0] * 7 + [200.0] * 7 + [900.0])["level"] == 150


def test_little_money_has_a_baseline_too_and_money_back_has_none() -> None:
    told = expect(days(([0.5] * 5 + [0.1] * 2) * 8)).tail(7)
    assert told.get_column("expected").to_list() == pytest.approx([0.5] * 5 + [0.1] * 2)
    assert last([-10.0] * 40 + [500.0])["expected"] is None
    assert last([-10.0] * 15 + [0.0] * 14 + [500.0])["expected"] is None


def test_a_silent_day_is_none_that_warms_up() -> None:
    amounts = [100.0] * 7 + [0.0] + [100.0] * 7
    assert last(amounts)["expected"] is None
    assert last([*amounts, 100.0])["expected"] == 100.0


def test_a_fee_that_is_known_may_be_dearer_by_as_much_as_a_day() -> None:
    amounts = [100.0 + (300.0 if on(place).day == 1 else 0.0) for place in range(100)]
    for fee, told in ((359.9, []), (360.1, [("spike", on(92), on(92))])):
        amounts[92] = 100.0 + fee
        assert shapes(amounts) == told


@pytest.mark.parametrize("fees", [(200.0, 300.0), (300.0, 200.0)])
def test_of_the_fees_of_two_months_the_larger_is_expected(fees: tuple[float, float]) -> None:
    amounts = [100.0] * 62
    amounts[0], amounts[30] = (100.0 + fee for fee in fees)
    assert last(amounts)["expected"] == 400.0


def test_a_fee_is_what_a_day_costs_above_the_week_before_and_the_week_after() -> None:
    amounts = [100.0] * 62
    amounts[30 - 8 : 30 + 8] = [150.0, 50.0, *[100.0] * 3, *[150.0] * 3, 400.0, *[100.0] * 3, *[150.0] * 3, 50.0]
    assert baseline._factors(days(amounts).lazy()).collect().row(-1, named=True)["fee"] == 300.0


def test_a_peak_is_the_day_of_the_most_excess_and_the_first_of_equal_ones() -> None:
    for more, peak in (([200.0, 300.0, 200.0], 41), ([300.0, 300.0, 200.0], 40)):
        (row,) = episodes.episodes(expect(days([100.0] * 40 + more))).iter_rows(named=True)
        assert row["peak"] == on(peak)


def test_an_episode_is_open_for_two_days_after_its_end() -> None:
    for after, still in ((2, True), (3, False)):
        (row,) = episodes.episodes(expect(days([100.0] * 40 + [300.0] + [100.0] * after))).iter_rows(named=True)
        assert row["open"] == still


def leaks(*levels: float) -> list[str]:
    """Shapes of leaks alone, in five weeks at these levels after five at the first."""
    amounts = [levels[0]] * 35 + [level for level in levels for _ in range(7)] + [levels[-1]] * 2
    return episodes._leaks(expect(days(amounts))).get_column("shape").to_list()


@pytest.mark.parametrize(("before", "told"), [(111.0, ["leak"]), (109.6, [])])
def test_no_week_of_a_leak_makes_more_than_six_tenths_of_it(before: float, told: list[str]) -> None:
    rise = (before - 100) / 3
    assert leaks(100.0, 100 + rise, 100 + 2 * rise, before, 126.0) == told


@pytest.mark.parametrize(("second", "told"), [(102.1, ["leak"]), (101.9, [])])
def test_each_week_of_a_leak_rises_by_two_hundredths(second: float, told: list[str]) -> None:
    assert leaks(100.0, second, 110.0, 118.0, 127.0) == told


def test_what_begins_at_nothing_leaks_nothing() -> None:
    weeks = [float(level) for level in (0, 10, 20, 30, 40) for _ in range(7)] + [40.0] * 2
    assert episodes._leaks(expect(days(weeks))).is_empty()


@pytest.mark.parametrize(("busy", "told"), [(14, 1), (13, 0)])
def test_a_silence_comes_after_fourteen_days_with_cost(busy: int, told: int) -> None:
    amounts = [100.0] * 25 + [0.0] + [100.0] * busy + [0.0] * 3 + [100.0] * 5
    assert len(shapes(amounts)) == told


def test_a_silence_soon_after_another_is_none_and_little_money_can_fall_silent() -> None:
    assert shapes([100.0] * 40 + [0.0] * 2 + [100.0] * 3 + [0.0] * 2 + [100.0] * 5) == [("silence", on(40), on(41))]
    assert shapes(silent(2, before=0.5), minimum="0.9") == [("silence", on(40), on(41))]
