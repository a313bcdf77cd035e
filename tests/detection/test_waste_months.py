"""Months before that a month is compared with: how many, of which years, and which of them a source has whole."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from cases_bill_work import CPU, LOGS, OUT
from detection_worlds import mark, noon
from waste_cases import Case, billed, findings_of, world_of

NETWORK, SEEN = {"cost_element": "network"}, {"cost_element": "observability"}


def told(kind: str, until: date, first: date, **months: str) -> list[dict[str, Any]]:
    """What a detector says of a meter that cost so much a day in each month (`m2026_08="10"`), beside steady work."""
    meter, more = (OUT, NETWORK) if kind == "transfer_out_of_line" else (LOGS, SEEN)
    rows = billed(CPU, "100", 24, since=first, until=until, ResourceId=None)[1]
    for name, a_day in months.items():
        since = date(int(name[1:5]), int(name[6:]), 1)
        last = min((since + timedelta(days=31)).replace(day=1) - timedelta(days=1), until)
        rows = rows + billed(meter, a_day, 9, since=max(since, first), until=last, ResourceId=None, **more)[1]
    world = world_of([Case(kind, "waste", "", {"costs": rows}, "one")])
    world = replace(world, as_of=noon(until + timedelta(days=2)), watermarks={"nimbus": mark(until, first)})
    return findings_of(world, kind)


@pytest.mark.parametrize(
    ("june", "july", "found"),
    [("10", "10", True), ("900", "10", True), ("10", "40.01", False), ("10", "9", True)],
)
def test_transfer_is_held_against_three_months(june: str, july: str, found: bool) -> None:  # noqa: FBT001
    rows = told("transfer_out_of_line", date(2026, 11, 8), date(2026, 5, 1), m2026_05="10", m2026_06=june,
                m2026_07=july, m2026_08="10", m2026_09="10", m2026_10="30", m2026_11="30")  # fmt: skip
    assert bool(rows) == found
    if found:
        assert "as in 2026-07 to 2026-09" in rows[0]["evidence"]


@pytest.mark.parametrize(("november", "found"), [("10", True), ("900", True)])
def test_logs_are_held_against_the_month_before_even_over_a_new_year(november: str, found: bool) -> None:  # noqa: FBT001
    rows = told("logs_outgrow_compute", date(2027, 2, 6), date(2026, 10, 1), m2026_10="10", m2026_11=november,
                m2026_12="20", m2027_01="40", m2027_02="40")  # fmt: skip
    assert bool(rows) == found
    assert "in 2027-01, 2.00 times as much as in 2026-12" in rows[0]["evidence"]


def test_a_month_that_a_source_has_in_part_is_no_base() -> None:
    given = {"m2026_08": "900", "m2026_09": "10", "m2026_10": "30", "m2026_11": "30"}
    (row,) = told("transfer_out_of_line", date(2026, 11, 8), date(2026, 8, 2), **given)
    assert "as in 2026-09 (" in row["evidence"]
    assert told("transfer_out_of_line", date(2026, 11, 8), date(2026, 8, 1), **given) == []
    assert told("transfer_out_of_line", date(2026, 11, 8), date(2026, 9, 2), **given) == [], "no month before is whole"


def test_the_base_is_of_days_as_many_as_the_month_has() -> None:
    (row,) = told("transfer_out_of_line", date(2026, 11, 8), date(2026, 9, 1), m2026_09="10", m2026_10="30",
                  m2026_11="30")  # fmt: skip
    assert (row["cost_at_stake"], row["saving"]) == (930, 930 - 310)
    assert "(310.00 USD a month of that length)" in row["evidence"]
