"""What else must hold of growth: days counted one by one, whom a cause stands for, what every word says."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, daily, every_day, mark
from test_causes import grew, rows, told
from test_growth import AUG, END, NOV, OCT, PROJECT, SEP, judged

from attribution.detection import detect_growth, growth, subjects_of, together, weekly_growth
from attribution.detection.candidates import Finding, as_frame, fingerprints
from attribution.detection.exchange import rates_on
from attribution.detection.notices import notice_findings
from attribution.detection.planned import _speaks_of
from attribution.detection.silence import silent_sources
from attribution.detection.windows import last_complete_month, month_length, next_month, previous_month, windows
from attribution.detection.wording import month as told_month
from schemas.detection import EFFECTS, NOTICE_COLUMNS, Watermark
from schemas.plans import Plan
from schemas.workspace import OWN_COSTS, Growth


def test_months_follow_each_other_whatever_their_length() -> None:
    firsts = [date(2024 + at // 12, at % 12 + 1, 1) for at in range(30)]
    for first, after in pairwise(firsts):
        assert (next_month(first), previous_month(after)) == (after, first)
        last = after - timedelta(days=1)
        assert month_length(first) == last.day
        assert [last_complete_month(day) for day in (last, after)] == [first, first]


def laid(last: date, first: date, *data: date) -> list[tuple[date, date, date, date]]:
    """Month, month of the days, first and last day of them."""
    found = windows({"nimbus": Watermark(first, last)}, {("nimbus", month) for month in data})
    return [tuple(row[1:]) for row in found.frame.iter_rows()]  # type: ignore[misc]


def test_the_days_compared_are_those_that_both_months_have() -> None:
    fifth, tenth = date(2026, 10, 5), date(2026, 11, 10)
    assert laid(tenth, fifth, OCT, NOV) == [
        (OCT, OCT, fifth, END[OCT]),
        (NOV, NOV, NOV, tenth),
        (NOV, OCT, fifth, date(2026, 10, 10)),
    ]
    assert laid(date(2026, 11, 5), fifth, OCT, NOV)[-1] == (NOV, OCT, fifth, fifth), "one day is a base"
    assert laid(date(2026, 11, 4), fifth, OCT, NOV)[-1] == (NOV, NOV, NOV, date(2026, 11, 4)), "no day is none"
    assert laid(NOV, OCT, OCT, NOV)[-2:] == [(NOV, NOV, NOV, NOV), (NOV, OCT, OCT, OCT)]
    march = date(2026, 3, 30)
    february = (date(2026, 3, 1), date(2026, 2, 1), date(2026, 2, 1), date(2026, 2, 28))
    assert laid(march, date(2026, 2, 1), date(2026, 2, 1), date(2026, 3, 1))[-1] == february
    found = windows({"nimbus": Watermark(fifth, tenth)}, {("nimbus", OCT), ("nimbus", NOV)})
    assert found.data_days == {("nimbus", OCT): 27, ("nimbus", NOV): 10}
    assert found.spans == {("nimbus", NOV): ((NOV, tenth), (fifth, date(2026, 10, 10)))}
    assert found.change_a_day("nimbus", NOV, 60, 30) == 6 - 5
    assert found.change_a_day("nimbus", OCT, 54, 30) == 2, "without a base it is all that a day costs"


def test_parts_of_other_owners_stay_told_to_those() -> None:
    owners = [grew("10", "60", experiment=f"run-{at}", owner=f"owner-{at}") for at in range(4)]
    assert told(*owners) == [*(f"experiment=run-{at}" for at in range(4)), "project=orion stage=pretraining"]


@pytest.mark.parametrize(("parts", "of_them"), [(2, 35), (3, 25), (4, 20)])
def test_a_whole_speaks_for_parts_that_do_not_cover_it_only_where_they_are_many(parts: int, of_them: int) -> None:
    """The rest of the growth is in experiments that each stay below the minimum of 100."""
    world = [grew("10", str(10 + of_them), experiment=f"run-{at}") for at in range(parts)]
    small = (100 - parts * of_them) // 3
    world += [grew("10", str(10 + small), experiment=f"small-{at}") for at in range(3)]
    subjects = told(*world, thresholds=Growth(minimum=Decimal(600)))
    whole = "project=orion stage=pretraining"
    assert subjects == ([whole] if parts > 3 else [*(f"experiment=run-{at}" for at in range(parts)), whole])


def test_a_part_lies_in_a_whole_that_has_four_fifths_of_it() -> None:
    def world(inside: str, beyond: str) -> list[str]:
        runs = [
            [*grew("10", inside, experiment=f"run-{at}"), *grew("10", beyond, experiment=f"run-{at}", project="vega")]
            for at in range(4)
        ]
        return told(*runs, thresholds=Growth(subjects=(), minimum=Decimal(100)))

    assert "experiment=run-0" not in world("50", "20")
    assert "experiment=run-0" in world("49.99", "20.01")


@pytest.mark.parametrize(
    ("subjects", "spoken"),
    [
        ([("owner",), ("project",), ("stage",), ("experiment",)], "experiment=run-1"),
        ([("owner",), ("project",), ("stage",)], "stage=pretraining"),
        ([("owner",), ("project",)], "project=orion"),
        ([("service",), ("owner",)], "owner=lin"),
        ([("service",), ("cost_element",)], "cost_element=compute"),
        ([("project",), ("service",)], "project=orion"),
        ([("project", "stage"), ("owner", "experiment")], "owner=lin experiment=run-1"),
    ],
)
def test_of_names_for_the_same_money_the_nearest_to_the_work_speaks(
    subjects: list[tuple[str, ...]], spoken: str
) -> None:
    frame = daily(grew("100", "200", experiment="run-1"))
    found = detect_growth(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), subjects))
    assert found.get_column("subject").to_list() == [spoken]
    nobody = daily(grew("100", "200", project="unallocated", owner="unallocated"))
    found = detect_growth(growth(nobody, {"nimbus": mark(END[OCT], SEP)}, Growth(), [("project",), ("service",)]))
    assert found.get_column("subject").to_list() == ["service=Compute"], "nobody is a worse name than a service"


def test_a_base_that_sums_to_nothing_over_other_days_makes_nobody_new() -> None:
    marks = {"nimbus": mark(date(2026, 10, 20), SEP), "cirrus": mark(date(2026, 10, 10), SEP)}
    other = [every_day(SEP, OCT, "1", project="vega"), every_day(SEP, OCT, "1", project="vega", source="cirrus")]
    base = [cost(SEP, "10"), cost(SEP, "-10", source="cirrus"), cost(OCT, "40")]
    row = judged(growth(daily(*other, base), marks, Growth(), PROJECT), OCT)
    assert (row["previous"], row["previous_per_day"]) == (0, Decimal("-0.5"))
    assert (row["change"], row["new_effect"], row["mix_effect"]) == (50, 0, 50)
    ends = [cost(SEP, "40"), cost(OCT, "10"), cost(OCT, "-10", source="cirrus")]
    row = judged(growth(daily(*other, ends), marks, Growth(), PROJECT), OCT)
    assert (row["cost"], row["per_day"], row["vanished_effect"]) == (0, Decimal("-0.5"), 0)
    assert sum(row[name] for name in EFFECTS) == row["change"]


def test_part_unknown_of_either_month_is_said_and_all_known_or_all_unknown_is_not() -> None:
    def note(*more: dict[str, Any]) -> str | None:
        frame = daily(every_day(SEP, END[OCT], "1", project="vega"), [cost(SEP, "5"), cost(OCT, "5"), *more])
        told: str | None = judged(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)["note"]
        return told

    assert note() is None
    assert note(cost(SEP, None)) == note(cost(OCT, None)) == "part of the cost is unknown"
    before = daily(every_day(SEP, END[OCT], "1", project="vega"), [cost(SEP, None), cost(OCT, "5")])
    assert judged(growth(before, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)["note"] is None
    whole = daily(every_day(SEP, END[OCT], "1", project="vega"), [cost(SEP, "5"), cost(OCT, None)])
    assert judged(growth(whole, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)["note"] is None


def test_a_month_before_of_which_all_is_unknown_has_no_rate_a_day() -> None:
    frame = daily(every_day(SEP, END[OCT], "1", project="vega"), [cost(SEP, None), cost(OCT, "310")])
    row = judged(growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), PROJECT), OCT)
    assert (row["status"], row["per_day"], row["previous_per_day"]) == ("unknown", 10, None)


def test_weeks_are_compared_where_both_are_whole() -> None:
    first, sunday = date(2026, 9, 7), date(2026, 9, 27)
    frame = daily(every_day(first, sunday, "10"))
    long = pl.DataFrame(schema=dict.fromkeys(("source", "ServiceName", "SkuId"), pl.String()))
    found = weekly_growth(frame, {"nimbus": Watermark(first, sunday)}, Growth(), PROJECT, long)
    assert found.select("week", "cost", "previous", "percent").rows() == [
        (date(2026, 9, 14), 70, 70, 0), (date(2026, 9, 21), 70, 70, 0),
    ]  # fmt: skip
    later = weekly_growth(frame, {"nimbus": Watermark(first + timedelta(days=1), sunday)}, Growth(), PROJECT, long)
    assert later.get_column("week").to_list() == [date(2026, 9, 21)]
    unknown = daily(every_day(first, sunday, "10", project="vega"), [cost(date(2026, 9, 21), "9999")],
                    [cost(date(2026, 9, 14), None)])  # fmt: skip
    found = weekly_growth(unknown, {"nimbus": Watermark(first, sunday)}, Growth(), PROJECT, long)
    row = found.filter(subject="project=orion", week=date(2026, 9, 21)).row(0, named=True)
    assert (row["previous"], row["change"], row["percent"], row["verdict"]) == (None, None, None, None)


def test_findings_stand_by_kind_subject_and_currency_under_names_of_sixteen_digits() -> None:
    given = [Finding(kind=kind, subject=subject, evidence="x.", cost_at_stake=None, currency=currency)
             for kind in ("b", "a") for subject in ("z", "y") for currency in ("USD", None, "EUR")]  # fmt: skip
    frame = as_frame(given)
    order = [(kind, subject, currency) for kind in "ab" for subject in "yz" for currency in (None, "EUR", "USD")]
    assert frame.select("kind", "subject", "BillingCurrency").rows() == order
    assert set(frame.get_column("fingerprint").str.len_chars()) == {16}
    assert fingerprints(frame).to_list() == frame.get_column("fingerprint").to_list()
    assert frame.get_column("fingerprint").n_unique() == frame.height


@pytest.mark.parametrize(("count", "text"), [(1, "a."), (2, "a. (and 1 more like it)"), (3, "a. (and 2 more like it)")])
def test_notices_of_one_kind_are_told_once_with_their_number(count: int, text: str) -> None:
    blank = dict.fromkeys(NOTICE_COLUMNS) | {"kind": "k", "subject": "s", "BillingCurrency": "USD"}
    notices = [blank | {"sentence": "a."} for _ in range(count)]
    (found,) = notice_findings(pl.DataFrame(notices, schema=NOTICE_COLUMNS)).to_dicts()
    assert found["evidence"] == text


def test_a_plan_speaks_of_a_subject_that_it_contradicts_in_nothing() -> None:
    plan = Plan(OCT, NOV, {"project": "orion", "stage": "sft"}, Decimal(5), "agreed")
    subjects = ("project=orion", "owner=lin", "project=orion stage=sft", "project=orion stage=pretraining", "stage=x")
    assert [_speaks_of(plan, subject) for subject in subjects] == [True, True, True, False, False]


def test_a_rate_is_of_the_newest_month_up_to_the_day() -> None:
    rates = pl.DataFrame(
        {"from": ["EUR"] * 3, "to": ["USD"] * 3, "month": [AUG, SEP, OCT], "rate": [Decimal(1), Decimal(2), Decimal(3)]}
    )
    assert [rates_on(day, rates, "USD")["EUR"] for day in (END[AUG], SEP, END[SEP], OCT, END[OCT])] == [1, 2, 2, 3, 3]


@pytest.mark.parametrize(("source", "days"), [("nimbus", 3), (OWN_COSTS, 34)])
def test_a_silent_source_says_how_many_days_are_expected(source: str, days: int) -> None:
    marks = {source: mark(SEP)}
    assert silent_sources(marks, SEP + timedelta(days=days)).is_empty()
    (found,) = silent_sources(marks, SEP + timedelta(days=days + 1)).to_dicts()
    assert f"{days + 1} days before" in found["evidence"]
    assert f"at most {days} are expected" in found["evidence"]


def test_days_of_a_month_are_told_as_people_write_them() -> None:
    assert [told_month(OCT, days) for days in (None, 1, 2, 31)] == [
        "2026-10", "2026-10 (1)", "2026-10 (1–2)", "2026-10 (1–31)",
    ]  # fmt: skip


def test_five_names_are_told_and_how_many_more_there_are() -> None:
    def evidence(count: int) -> str:
        subjects = [("owner",), *((name,) for name in ("project", "stage", "experiment", "service", "cost_element"))]
        frame = daily(grew("100", "200", experiment="run-1"))
        found = growth(frame, {"nimbus": mark(END[OCT], SEP)}, Growth(), subjects[: count + 1])
        return str(detect_growth(found).row(0, named=True)["evidence"])

    assert evidence(5).endswith(
        "The same growth is in cost_element=compute, owner=lin, project=orion, service=Compute, stage=pretraining."
    )


def test_a_running_month_of_which_one_source_has_more_days_is_not_complete() -> None:
    marks = {"nimbus": mark(date(2026, 11, 30), SEP), "cirrus": mark(date(2026, 11, 8), SEP)}
    frame = daily(
        every_day(SEP, END[OCT], "10.00"), every_day(NOV, date(2026, 11, 30), "30.00"),
        every_day(SEP, date(2026, 11, 8), "1.00", source="cirrus", project="vega"),
    )  # fmt: skip
    (found,) = detect_growth(growth(frame, marks, Growth(), PROJECT)).to_dicts()
    assert (found["month"], found["cost_at_stake"]) == (NOV, 900)


def test_growth_that_is_undetermined_gives_way_to_a_finding_of_another_month() -> None:
    frame = daily(
        every_day(SEP, END[SEP], "10.00"), every_day(OCT, END[OCT], "100.00"), [cost(OCT, "-99999.00")],
        every_day(NOV, date(2026, 11, 8), "50.00"), every_day(SEP, date(2026, 11, 8), "1", project="vega"),
    )  # fmt: skip
    found = detect_growth(growth(frame, {"nimbus": mark(date(2026, 11, 8), SEP)}, Growth(), PROJECT))
    assert found.select("subject", "month", "verdict").rows() == [("project=orion", NOV, "undetermined")]
    assert together(found).height == 1


def test_a_finding_speaks_before_what_is_undetermined_whichever_month_is_newer() -> None:
    frame = daily(
        every_day(SEP, END[SEP], "50.00"), every_day(OCT, END[OCT], "200.00"), [cost(date(2026, 10, 5), "-3000.00")],
        every_day(NOV, date(2026, 11, 8), "300.00"), every_day(SEP, date(2026, 11, 8), "1", project="vega"),
    )  # fmt: skip
    found = detect_growth(growth(frame, {"nimbus": mark(date(2026, 11, 8), SEP)}, Growth(), PROJECT))
    assert found.select("subject", "month", "verdict").rows() == [("project=orion", OCT, "finding")]
    assert "It was so in 2026-11, too" in found.item(0, "evidence")


def test_credits_alone_are_compared_over_the_days_of_whoever_came_furthest() -> None:
    marks = {"nimbus": mark(date(2026, 11, 8), SEP), "cirrus": mark(date(2026, 11, 3), SEP)}
    frame = daily(
        every_day(SEP, date(2026, 11, 8), "1", project="vega"),
        every_day(SEP, date(2026, 11, 3), "1", project="vega", source="cirrus"),
        [cost(month, "-5", ChargeCategory="Credit") for month in (SEP, OCT, NOV)],
    )
    row = judged(growth(frame, marks, Growth(), PROJECT), NOV)
    assert (row["status"], row["days"], row["previous_days"], row["net"]) == ("no_cost", 8, 8, -5)


def test_all_subjects_of_the_story_are_there() -> None:
    found = rows(grew("100", "200", experiment="run-1"))
    assert set(found.get_column("kind")) == {" x ".join(one) for one in subjects_of()}
