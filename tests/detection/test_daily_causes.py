"""Which odd days are one cause, whose they are, which leaks are told already: days and signs on both sides."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import cost, every_day, mark
from test_daily_anomalies import FIRST, LAST, MARKS, NONE_GREW, judged, spike, told

from attribution.detection import anomaly_findings
from attribution.detection.daily import episodes
from schemas.findings import FINDING_COLUMNS


def explained(*groups: list[dict[str, Any]], **more: Any) -> dict[str, str | None]:  # noqa: ANN401
    """Subject of each recent episode -> what explains it."""
    found = judged(*groups, **more).episodes.filter("recent")
    return dict(found.select("subject", "explained_by").iter_rows())


def test_a_silence_and_a_spike_of_one_day_are_two_causes() -> None:
    gone = every_day(FIRST, date(2026, 10, 24), "100.00", ServiceName="Storage", project="vega", owner="omar")
    dear = [*every_day(FIRST, LAST, "100.00"), *every_day(date(2026, 10, 25), LAST, "90.00")]
    found = explained(gone, dear, subjects=(("project",), ("service",), ("owner",)))
    assert found == {
        "project=orion": None, "owner=lin": "project=orion", "service=Compute": "project=orion",
        "project=vega": None, "owner=omar": "project=vega", "service=Storage": None,
    }  # fmt: skip


def test_what_is_silent_stands_for_what_lacks_as_much() -> None:
    gone = every_day(FIRST, date(2026, 10, 24), "100.00", ServiceName="Storage", project="vega", owner="omar")
    rest = every_day(FIRST, LAST, "1.00", ServiceName="Storage", project="lyra", owner="omar")
    found = explained(gone, rest, subjects=(("project",), ("owner",)))
    assert found == {"project=vega": None, "owner=omar": "project=vega"}


def test_currencies_are_causes_apart() -> None:
    euros = spike(date(2026, 10, 28), "900.00", BillingCurrency="EUR")
    dollars = spike(date(2026, 10, 28), "500.00")
    found = judged(euros, dollars, subjects=(("project",), ("owner",))).episodes
    assert found.select("BillingCurrency", "subject", "explained_by").rows() == [
        ("EUR", "owner=lin", "project=orion"), ("USD", "owner=lin", "project=orion"),
        ("EUR", "project=orion", None), ("USD", "project=orion", None),
    ]  # fmt: skip


@pytest.mark.parametrize(("length", "told_most"), [(1, False), (2, True), (3, True)])
def test_of_more_days_than_one_the_dearest_is_named(length: int, told_most: bool) -> None:  # noqa: FBT001
    dear = [cost(date(2026, 10, 20) + timedelta(days=at), "400.00") for at in range(length)]
    (row,) = told([*every_day(FIRST, LAST, "100.00"), *dear])
    assert (", most on 2026-10-20 (500.00 for 100.00)" in row["evidence"]) == told_most


@pytest.mark.parametrize(("first", "hidden"), [(date(2026, 9, 27), True), (date(2026, 9, 25), True)])
def test_a_shift_over_the_first_of_a_month_is_told_by_the_growth_of_that_month(first: date, hidden: bool) -> None:  # noqa: FBT001
    last = date(2026, 10, 1)
    base = [*every_day(FIRST, last, "100.00"), *every_day(first, last, "300.00")]
    grown = pl.DataFrame(
        [{"subject": "project=orion", "BillingCurrency": "USD", "month": last}], schema=FINDING_COLUMNS
    )
    found = judged(base, marks={"nimbus": mark(last, FIRST)}).episodes
    assert anomaly_findings(found, NONE_GREW).height == 1
    assert anomaly_findings(found, grown).is_empty() == hidden
    other = grown.with_columns(month=pl.lit(date(2026, 11, 1)))
    assert anomaly_findings(found, other).height == 1, "growth of a later month tells nothing of it"


def test_what_is_recent_is_asked_of_the_source_that_came_furthest() -> None:
    behind = LAST - timedelta(days=12)
    slow = [*every_day(FIRST, behind, "100.00", source="cirrus", project="vega"),
            cost(behind - timedelta(days=3), "900.00", source="cirrus", project="vega")]  # fmt: skip
    marks = MARKS | {"cirrus": mark(behind, FIRST)}
    (row,) = judged(slow, every_day(FIRST, LAST, "100.00"), marks=marks).episodes.iter_rows(named=True)
    assert (row["start"], row["recent"]) == (behind - timedelta(days=3), False)


def test_history_ends_four_hundred_days_before_the_source_that_came_furthest() -> None:
    long_ago = LAST - timedelta(days=450)
    slow = every_day(long_ago, LAST - timedelta(days=20), "100.00", source="cirrus", project="vega")
    marks = {"nimbus": mark(LAST, FIRST), "cirrus": mark(LAST - timedelta(days=20), long_ago)}
    bounds = judged(slow, every_day(FIRST, LAST, "1.00"), marks=marks).bounds.filter(subject="project=vega")
    assert bounds.get_column("usage_date").max() == LAST - timedelta(days=20)


def test_owners_of_an_episode_are_those_whose_cost_moved() -> None:
    dear = spike(date(2026, 10, 28), "900.00")
    nothing = every_day(FIRST, LAST, "0", owner="omar")
    (row,) = told(dear, nothing)
    assert row["owner"] == "lin"
    least = every_day(FIRST, LAST, "0.000000000001", owner="omar")
    (row,) = told(dear, least)
    assert row["owner"] == "shared"


def frame(*found: tuple[str, int, int, float]) -> pl.DataFrame:
    """Episodes by shape, first and last day and excess."""
    rows = [(0, shape, FIRST + timedelta(days=first), FIRST + timedelta(days=last), excess)
            for shape, first, last, excess in found]  # fmt: skip
    return pl.DataFrame(rows, schema=["series", "shape", "start", "end", "excess"], orient="row")


@pytest.mark.parametrize(("begins", "kept"), [(31, True), (32, False), (60, False), (65, False), (66, True)])
def test_a_leak_is_told_by_what_begins_in_its_four_weeks_or_while_it_lasts(begins: int, *, kept: bool) -> None:
    found = episodes.worth_telling(frame(("leak", 60, 65, 500.0), ("spike", begins, begins + 1, 500.0)), Decimal(100))
    assert ("leak" in found.get_column("shape").to_list()) == kept
    cheap = episodes.worth_telling(frame(("leak", 60, 65, 500.0), ("spike", 60, 61, 99.0)), Decimal(100))
    assert cheap.get_column("shape").to_list() == ["leak"], "what is not told itself tells nothing"
