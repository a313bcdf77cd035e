"""From daily costs to findings: which days are judged, one cause told once, and what is said of it."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, days, every_day, mark
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from attribution.detection import anomaly_findings, judge_days, subjects_of
from attribution.detection.daily import LONG_COLUMNS, JudgedDays
from attribution.detection.daily.series import usage_by_day
from schemas.detection import DAILY_BOUND_COLUMNS, EPISODE_COLUMNS, Watermark
from schemas.findings import FINDING_COLUMNS
from schemas.money import add
from schemas.workspace import Anomaly

FIRST, LAST = date(2026, 8, 1), date(2026, 10, 31)
NO_LONG = pl.DataFrame(schema=dict.fromkeys(LONG_COLUMNS, pl.String()))
NONE_GREW = pl.DataFrame(schema=FINDING_COLUMNS)
MARKS = {"nimbus": mark(LAST, FIRST)}


def judged(
    *groups: list[dict[str, Any]],
    marks: dict[str, Watermark] | None = None,
    subjects: tuple[tuple[str, ...], ...] = (("project",),),
    long: pl.DataFrame = NO_LONG,
    minimum: str = "100",
) -> JudgedDays:
    return judge_days(daily(*groups), marks or MARKS, subjects, Decimal(minimum), long)


def told(*groups: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return list(anomaly_findings(judged(*groups, **more).episodes, NONE_GREW).iter_rows(named=True))


def spike(day: date, amount: str, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [*every_day(FIRST, LAST, "100.00", **more), cost(day, amount, **more)]


def test_a_spike_is_one_finding_with_its_figures() -> None:
    (row,) = told(spike(date(2026, 10, 28), "400.00"))
    assert (row["kind"], row["subject"], row["owner"], row["project"]) == ("anomaly", "project=orion", "lin", "orion")
    assert (row["cost_at_stake"], row["confidence"], row["month"]) == (Decimal(400), "high", date(2026, 10, 1))
    assert row["evidence"] == (
        "project=orion cost 500.00 USD on 2026-10-28, 100.00 were to be expected: spike, +400.00 USD."
    )


def test_the_last_days_are_provisional_and_say_so() -> None:
    (row,) = told(spike(LAST, "400.00"))
    assert row["confidence"] == "medium"
    assert row["evidence"].endswith("not over yet, the last 2 days are provisional.")
    bounds = judged(spike(LAST, "400.00")).bounds
    assert bounds.filter("provisional").get_column("usage_date").to_list() == [date(2026, 10, 30), LAST]
    assert bounds.row(-1, named=True) == {
        "kind": "project", "subject": "project=orion", "BillingCurrency": "USD", "usage_date": LAST,
        "cost": Decimal(500), "expected": Decimal(100), "lower": Decimal(85), "upper": Decimal(115), "status": "above",
        "provisional": True,
    }  # fmt: skip


def test_an_episode_of_many_days_is_one_finding_that_keeps_its_name() -> None:
    base = every_day(FIRST, date(2026, 10, 24), "100.00")
    names = set()
    for length in (1, 3, 6):
        shift = every_day(date(2026, 10, 25), date(2026, 10, 24 + length), "300.00")
        (row,) = told(base, shift, marks={"nimbus": mark(date(2026, 10, 24 + length), FIRST)})
        names.add(row["fingerprint"])
    assert len(names) == 1
    assert "level shift, +1,200.00 USD, most on 2026-10-25 (300.00 for 100.00)" in row["evidence"]


def test_another_episode_of_the_same_subject_is_another_finding() -> None:
    rows = told([*spike(date(2026, 10, 20), "400.00"), cost(date(2026, 10, 28), "400.00")])
    assert len({row["fingerprint"] for row in rows}) == 2


def test_episodes_are_told_for_a_fortnight_and_kept_for_good() -> None:
    old = spike(date(2026, 10, 17), "400.00")
    assert told(old) == []
    assert len(told(spike(date(2026, 10, 18), "400.00"))) == 1
    (row,) = judged(old).episodes.iter_rows(named=True)
    assert (row["shape"], row["recent"], row["owner"]) == ("spike", False, None)


def test_one_cause_is_one_finding() -> None:
    other = every_day(FIRST, LAST, "300.00", project="vega", stage="sft", owner="omar")
    rows = told(spike(date(2026, 10, 28), "900.00"), other, subjects=subjects_of())
    assert [row["subject"] for row in rows] == ["project=orion stage=pretraining"]
    episodes = judged(spike(date(2026, 10, 28), "900.00"), other, subjects=subjects_of()).episodes
    assert set(episodes.get_column("explained_by")) == {None, "project=orion stage=pretraining"}
    assert episodes.height > 4


def test_two_causes_on_one_day_are_two_findings() -> None:
    omars = spike(date(2026, 10, 28), "900.00", project="vega", stage="sft", owner="omar")
    rows = told(spike(date(2026, 10, 28), "900.00"), omars, subjects=subjects_of())
    assert [row["owner"] for row in rows] == ["lin", "omar"]


def test_a_shift_that_growth_tells_is_not_told_twice() -> None:
    frame = [*every_day(FIRST, date(2026, 10, 20), "100.00"), *every_day(date(2026, 10, 21), LAST, "300.00")]
    grown = NONE_GREW.clear().vstack(
        pl.DataFrame(
            [{"subject": "project=orion", "BillingCurrency": "USD", "month": date(2026, 10, 1)}],
            schema=FINDING_COLUMNS,
        )
    )
    episodes = judged(frame).episodes
    assert len(anomaly_findings(episodes, NONE_GREW)) == 1
    assert anomaly_findings(episodes, grown).is_empty()


def test_a_feed_that_stops_is_undetermined_and_a_project_that_ends_is_no_finding() -> None:
    frame = every_day(FIRST, date(2026, 10, 24), "100.00") + every_day(FIRST, LAST, "50.00", ServiceName="Storage")
    (row,) = told(frame, subjects=(("service",), ("project",)))
    assert (row["kind"], row["subject"], row["verdict"]) == ("sudden_silence", "service=Compute", "undetermined")
    assert row["evidence"] == (
        "service=Compute cost next to nothing since 2026-10-25 (5 days), 500.00 USD less than usual: it ended, or its "
        "feed stopped; nothing is counted as saved."
    )


def test_a_silent_feed_is_told_where_a_project_is_all_of_it() -> None:
    frame = every_day(FIRST, date(2026, 10, 24), "100.00", ServiceName="Storage", project="vega")
    beside = every_day(FIRST, LAST, "50.00")
    subjects = (("service",), ("project",), ("stage",), ("project", "stage"))
    (row,) = told(frame, beside, subjects=subjects)
    assert (row["kind"], row["subject"]) == ("sudden_silence", "service=Storage")


def test_days_end_where_the_slowest_source_is_complete() -> None:
    slow = every_day(FIRST, date(2026, 10, 20), "100.00", source="cirrus")
    frame = judged(every_day(FIRST, LAST, "100.00"), slow, marks=MARKS | {"cirrus": mark(date(2026, 10, 20), FIRST)})
    assert frame.bounds.get_column("usage_date").max() == date(2026, 10, 20)
    gone = every_day(FIRST, date(2026, 8, 20), "100.00", source="cirrus")
    frame = judged(every_day(FIRST, LAST, "100.00"), gone, marks=MARKS | {"cirrus": mark(date(2026, 8, 20), FIRST)})
    assert frame.bounds.get_column("usage_date").max() == LAST


@pytest.mark.parametrize(("behind", "held"), [(27, True), (28, False)])
def test_a_source_holds_up_the_end_of_a_series_for_less_than_twenty_eight_days(behind: int, *, held: bool) -> None:
    end = LAST - timedelta(days=behind)
    slow = every_day(FIRST, end, "100.00", source="cirrus")
    frame = judged(every_day(FIRST, LAST, "100.00"), slow, marks=MARKS | {"cirrus": mark(end, FIRST)})
    assert frame.bounds.get_column("usage_date").max() == (end if held else LAST)


def test_bounds_are_kept_for_a_hundred_days_and_four_hundred_are_looked_at() -> None:
    long_ago = LAST - timedelta(days=500)
    frame, marks = daily(every_day(long_ago, LAST, "100.00")), {"nimbus": mark(LAST, long_ago)}
    shown = judge_days(frame, marks, [("project",)], Decimal(100), NO_LONG).bounds.get_column("usage_date")
    assert (shown.min(), shown.len()) == (LAST - timedelta(days=99), 100)
    looked_at = usage_by_day(frame, marks, NO_LONG).get_column("usage_date")
    assert (looked_at.min(), looked_at.len()) == (LAST - timedelta(days=399), 400)


@pytest.mark.parametrize(("later", "causes"), [(3, ["orion"]), (4, ["orion", "service"])])
def test_episodes_that_begin_within_three_days_may_be_one_cause(later: int, causes: list[str]) -> None:
    """The project is out of its bounds at once; its service, ten times as large, when it is dearer still."""
    first = date(2026, 10, 21)
    orion = every_day(FIRST, LAST, "100.00")
    more = [cost(day, "100.00") for day in days(first, date(2026, 10, 20) + timedelta(days=later))]
    most = [cost(day, "400.00") for day in days(first + timedelta(days=later), date(2026, 10, 27))]
    vega = every_day(FIRST, LAST, "1000.00", project="vega", owner="omar")
    rows = told([*orion, *more, *most, *vega], subjects=(("project",), ("service",)))
    assert [row["subject"].replace("project=", "").split("=")[0] for row in rows] == causes


def test_how_near_episodes_begin_is_asked_of_the_first_of_them() -> None:
    first = date(2026, 10, 18)
    steps = [(0, "100.00"), (3, "400.00"), (6, "4000.00")]
    more = [
        cost(first + timedelta(days=begin + day), amount) for begin, amount in steps for day in range(3)
    ]  # the project is dear at once, its service after three days, all that is computed after six
    vega = every_day(FIRST, LAST, "1000.00", project="vega", owner="omar")
    other = every_day(FIRST, LAST, "10000.00", project="lyra", owner="mo", ServiceName="Nodes")
    kinds = (("project",), ("service",), ("cost_element",))
    rows = told([*every_day(FIRST, LAST, "100.00"), *more, *vega, *other], subjects=kinds)
    assert [row["subject"] for row in rows] == ["cost_element=compute", "project=orion"]


def test_a_day_at_its_bounds_is_usual() -> None:
    for amount, status in (("115.00", "usual"), ("115.01", "above"), ("85.00", "usual"), ("84.99", "below")):
        rows = [*every_day(FIRST, LAST - timedelta(days=1), "100.00"), cost(LAST, amount)]
        assert judged(rows).bounds.row(-1, named=True)["status"] == status


def test_the_dearest_day_of_an_episode_is_named_with_its_figures() -> None:
    more = [cost(date(2026, 10, day), amount) for day, amount in ((26, "200.00"), (27, "500.00"), (28, "300.00"))]
    (row,) = told([*every_day(FIRST, LAST, "100.00"), *more])
    assert "spike, +1,000.00 USD, most on 2026-10-27 (600.00 for 100.00)" in row["evidence"]


@pytest.mark.parametrize(("amount", "found"), [("200.00", 1), ("199.999999999999", 0)])
def test_a_hundred_too_much_is_told_and_a_unit_less_is_not(amount: str, found: int) -> None:
    extra = str(Decimal(amount) - 100)
    assert len(told(spike(date(2026, 10, 28), extra), minimum=str(Anomaly().minimum))) == found


def test_what_is_told_is_decided_by_exact_money_and_not_by_the_numbers_of_the_baseline() -> None:
    base, more = every_day(FIRST, LAST, "100000000.00"), [cost(date(2026, 10, 28), "20000000.000000000001")]
    (row,) = told([*base, *more], minimum="20000000.000000000001")
    assert row["cost_at_stake"] == Decimal("20000000.000000000001")
    assert told([*base, *more], minimum="20000000.000000000002") == []


def test_sums_beyond_the_digits_of_a_number_are_still_judged_and_exact() -> None:
    most = "999999999999999999.999999999999"
    rows = [*every_day(FIRST, LAST, most), *(cost(date(2026, 10, 28), most) for _ in range(9))]
    (row,) = told(rows)
    found = judged(rows).bounds.filter(pl.col("usage_date") == date(2026, 10, 28)).row(0, named=True)
    assert found["cost"] == add(*[Decimal(most)] * 10)
    assert row["cost_at_stake"] == add(found["cost"], -found["expected"])
    assert abs(found["expected"] - Decimal(10**18)) < 1000


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 3 * 10**14), min_size=34, max_size=34), st.integers(10**14, 10**15))
def test_what_an_episode_tells_is_the_exact_cost_of_its_days_less_what_was_expected(
    units: list[int], peak: int
) -> None:
    amounts = [*units, *units[:6], peak]
    rows = [cost(FIRST + timedelta(days=place), str(Decimal(unit).scaleb(-12))) for place, unit in enumerate(amounts)]
    marks = {"nimbus": mark(FIRST + timedelta(days=len(amounts) - 1), FIRST)}
    for row in judge_days(daily(rows), marks, [("project",)], Decimal(0), NO_LONG).episodes.iter_rows(named=True):
        assert row["excess"] == add(row["cost"], -row["expected"])
        assert row["expected"] == row["expected"].quantize(Decimal("0.01"))
        if row["start"] == row["end"]:
            assert row["cost"] == Decimal(amounts[(row["start"] - FIRST).days]).scaleb(-12)


def test_a_long_shift_is_all_its_days() -> None:
    """The figures of many days are their sums, whatever a sum of numbers would give."""
    rows = [*every_day(FIRST, date(2026, 10, 20), "100.00"), *every_day(date(2026, 10, 21), LAST, "300.100000000001")]
    (row,) = judged(rows).episodes.iter_rows(named=True)
    assert row["cost"] == row["days"] * Decimal("300.100000000001")
    assert row["excess"] == add(row["cost"], -row["expected"])


def test_charges_longer_than_a_day_and_own_costs_make_no_anomaly() -> None:
    lump = [cost(date(2026, 10, 28), "9000.00", SkuId="month")]
    assert len(told(spike(date(2026, 10, 28), "0"), lump)) == 1
    long = pl.DataFrame({"source": ["nimbus"], "ServiceName": ["Compute"], "SkuId": ["month"]})
    assert told(spike(date(2026, 10, 28), "0"), lump, long=long) == []
    paid = [cost(date(2026, 10, 28), "9000.00", source="own_costs")]
    assert told(spike(date(2026, 10, 28), "0"), paid, marks=MARKS | {"own_costs": mark(LAST, FIRST)}) == []
    for category in ("Credit", "Tax", "Purchase"):
        other = [cost(date(2026, 10, 28), "9000.00", ChargeCategory=category)]
        assert told(spike(date(2026, 10, 28), "0"), other) == []


def test_currencies_are_series_apart_and_unknown_is_not_zero() -> None:
    euros = every_day(FIRST, LAST, "70.00", BillingCurrency="EUR")
    unknown = [cost(date(2026, 10, 5), None, BillingCurrency="EUR")]
    bounds = judged(every_day(FIRST, LAST, "100.00"), euros, unknown).bounds
    assert set(bounds.get_column("BillingCurrency")) == {"USD", "EUR"}
    day = bounds.filter(pl.col("usage_date") == date(2026, 10, 5), BillingCurrency="EUR").row(0, named=True)
    assert (day["cost"], day["status"]) == (None, "unknown")


def test_no_costs_no_days() -> None:
    empty = judge_days(daily(), {}, subjects_of(), Decimal(100), NO_LONG)
    assert (empty.bounds.schema, empty.episodes.schema) == (pl.Schema(DAILY_BOUND_COLUMNS), pl.Schema(EPISODE_COLUMNS))
    assert anomaly_findings(empty.episodes, NONE_GREW).is_empty()


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 10**15), min_size=40, max_size=60), st.randoms(use_true_random=False))
def test_costs_are_exact_and_the_order_of_rows_changes_nothing(units: list[int], rng: Any) -> None:  # noqa: ANN401
    rows = [
        cost(FIRST + timedelta(days=place), str(Decimal(unit).scaleb(-12)), project=name)
        for place, unit in enumerate(units)
        for name in ("orion", "vega")
    ]
    marks = {"nimbus": mark(FIRST + timedelta(days=len(units) - 1), FIRST)}
    found = judge_days(daily(rows), marks, subjects_of(), Decimal(0), NO_LONG)
    project = found.bounds.filter(pl.col("subject") == "project=orion").get_column("cost").to_list()
    assert add(*project) == Decimal(sum(units)).scaleb(-12)
    rng.shuffle(rows)
    again = judge_days(daily(rows), marks, subjects_of(), Decimal(0), NO_LONG)
    assert_frame_equal(again.bounds, found.bounds)
    assert_frame_equal(again.episodes, found.episodes)
    assert not any(dtype.is_float() for dtype in (*DAILY_BOUND_COLUMNS.values(), *EPISODE_COLUMNS.values()))
