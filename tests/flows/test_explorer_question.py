"""What is asked of the explorer, and the address that says it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.reports.period import Period
from flows.explorer.question import (
    CHARTS,
    GRAINS,
    VIEWS,
    Catalogue,
    Question,
    compared,
    period_text,
    read_address,
    read_period,
    usual,
    write_address,
)
from schemas.detection import Watermark

COLUMNS = ("project", "stage", "experiment", "owner", "ResourceId")


def day(text: str) -> date:
    return date.fromisoformat(text)


def days(first: str, last: str) -> Period:
    return Period(day(first), day(last))


THERE = Catalogue(
    dimensions=COLUMNS[:4],
    columns=COLUMNS,
    currencies=("USD", "CNY"),
    days=days("2026-08-03", "2026-11-04"),
    marks={
        "aws": Watermark(day("2026-08-03"), day("2026-11-03")),
        "gcp": Watermark(day("2026-08-03"), day("2026-11-04")),
        "ended": Watermark(day("2026-08-03"), day("2026-08-20")),
    },
)
NAMES = st.text(max_size=20)
PERIODS = st.none() | st.tuples(st.dates(day("2000-01-01"), day("2198-11-26")), st.integers(0, 400)).map(
    lambda one: Period(one[0], date.fromordinal(one[0].toordinal() + one[1]))
)
BY = st.lists(st.sampled_from(COLUMNS), max_size=3, unique=True).map(tuple)


def chosen(columns: tuple[str, ...]) -> st.SearchStrategy[Any]:
    values = st.lists(NAMES, min_size=1, max_size=3, unique=True).map(tuple)
    return st.dictionaries(st.sampled_from(columns), values, max_size=3).map(lambda found: tuple(found.items()))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    by = draw(BY)
    return Question(
        period=draw(PERIODS),
        currency=draw(st.sampled_from(THERE.currencies)),
        view=draw(st.sampled_from(VIEWS)),
        by=by,
        where=draw(chosen(COLUMNS)),
        cost=draw(st.sampled_from(("BilledCost", "EffectiveCost"))),
        chart=draw(st.sampled_from(CHARTS)),
        grain=draw(st.sampled_from(GRAINS)),
        row=draw(st.just(()) | st.tuples(*[NAMES] * len(by))),
        found=draw(chosen(("kind", "owner", "state"))),
        finding=draw(st.from_regex(r"[0-9a-f]{0,16}", fullmatch=True)),
    )


@settings(max_examples=100)
@given(questions())
def test_an_address_asks_again_for_what_it_was_made_from(question: Question) -> None:
    assert read_address(write_address(question, THERE), THERE) == (question, [])


def test_a_bare_address_asks_for_the_last_complete_month() -> None:
    question, remarks = read_address({}, THERE)
    assert (question, remarks) == (usual(THERE), [])
    assert question.period == days("2026-10-01", "2026-10-31")
    assert write_address(question, THERE) == {"period": ["2026-10"]}


def test_what_an_address_asks_for_in_vain_is_told_and_left_out() -> None:
    said = {
        "view": ["money"], "period": ["2026-10-09..2026-10-03"], "by": ["project", "projekt"], "cost": ["Cost"],
        "currency": ["EUR"], "where": ["nobody=1", "project", "owner=mira"], "row": ["a", "b"], "grain": ["year"],
    }  # fmt: skip
    question, remarks = read_address(said, THERE)
    assert question == replace(usual(THERE), where=(("owner", ("mira",)),))
    assert sorted(remarks) == [
        "by=projekt", "cost=Cost", "currency=EUR", "grain=year", "period=2026-10-09..2026-10-03", "view=money",
        "where=nobody=1", "where=project",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["2026-13", "2026-1", "", "x..y", "2026-10-01..", "١٢٣٤-١٠"])
def test_a_period_that_is_none_is_left_out(text: str) -> None:
    assert read_address({"period": [text]}, THERE)[0].period in (usual(THERE).period, days("2026-10-01", "2026-10-01"))


def test_a_figure_is_the_chosen_row_within_what_the_table_was_narrowed_to() -> None:
    question = Question(
        None, "USD", by=("project", "stage"), where=(("project", ("a", "b")), ("owner", ("mira",))), row=("a", "")
    )
    assert question.cell == {"project": ("a",), "owner": ("mira",), "stage": ("",)}


@pytest.mark.parametrize(
    ("period", "until", "counted", "before"),
    [
        (("2026-10-01", "2026-10-31"), None, None, ("2026-09-01", "2026-09-30")),
        (("2026-11-01", "2026-11-30"), "2026-11-04", ("2026-11-01", "2026-11-04"), ("2026-10-01", "2026-10-04")),
        (("2026-03-01", "2026-03-31"), "2026-03-30", ("2026-03-01", "2026-03-30"), ("2026-02-01", "2026-02-28")),
        (("2026-08-01", "2026-10-31"), "2026-11-04", None, ("2026-05-01", "2026-07-31")),
        (("2025-12-01", "2026-01-31"), None, None, ("2025-10-01", "2025-11-30")),
        (("2026-10-03", "2026-10-09"), None, None, ("2026-09-26", "2026-10-02")),
        (("2026-10-30", "2026-11-06"), "2026-11-02", ("2026-10-30", "2026-11-02"), ("2026-10-26", "2026-10-29")),
        (("2026-09-01", "2026-10-15"), None, None, ("2026-07-18", "2026-08-31")),
        (("2026-12-01", "2026-12-31"), "2026-11-04", None, ("2026-11-01", "2026-11-30")),
    ],
)
def test_days_are_compared_with_days_alike(
    period: tuple[str, str], until: str | None, counted: tuple[str, str] | None, before: tuple[str, str]
) -> None:
    found = compared(days(*period), day(until) if until else None)
    assert found == (days(*(counted or period)), days(*before))


def test_data_is_complete_where_all_sources_are_that_reach_so_far() -> None:
    assert THERE.complete_until(day("2026-11-01")) == day("2026-11-03")
    assert THERE.complete_until(day("2026-08-01")) == day("2026-08-20")
    assert replace(THERE, marks={}).complete_until(day("2026-08-01")) is None
    assert [period_text(month) for month in THERE.months] == ["2026-11", "2026-10", "2026-09", "2026-08"]


def test_without_costs_nothing_is_usual() -> None:
    empty = replace(THERE, days=None, currencies=(), marks={})
    assert read_address({}, empty) == (usual(empty), [])
    assert usual(empty).period is None
    assert write_address(usual(empty), empty) == {}
    assert read_period("all") is None


@pytest.mark.parametrize(
    "text", ["0001-01", "9999-12", "0001-01-01..0001-01-05", "9999-12-31", "2026-01-01..9999-12-31", "1999-12-31"]
)
def test_years_at_the_ends_of_calendars_are_left_out_and_named(text: str) -> None:
    asked, remarks = read_address({"period": [text]}, THERE)
    assert (asked, remarks) == (usual(THERE), [f"period={text}"])


@pytest.mark.parametrize("text", ["2000-01", "2199-12", "2000-01-01..2199-12-31", "2000-01-01", "2199-12-31"])
def test_every_period_that_is_read_can_be_compared(text: str) -> None:
    asked, remarks = read_address({"period": [text]}, THERE)
    assert asked.period is not None
    for until in (None, day("2026-11-03")):
        _, before = compared(asked.period, until)
        assert before.last < asked.period.first
    assert remarks == []
