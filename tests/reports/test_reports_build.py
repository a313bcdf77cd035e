"""Frames to Report: isolation, filter invariance, currencies apart, unknown kept unknown."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_company import WEEK, company, cost_row, finding, frame

from attribution.reports import figures, words
from attribution.reports.branch import Branch
from attribution.reports.build import build_report
from attribution.reports.frames import DAILY_COLUMNS, REPORT_FINDING_COLUMNS, RESOURCE_COLUMNS, ReportFrames
from attribution.reports.page import render_page
from attribution.reports.period import Period
from attribution.reports.report import Amount, Report
from attribution.reports.wording import wording
from schemas.detection import Watermark
from schemas.dimensions import NOBODY
from schemas.faults import InputError, LawBrokenError
from schemas.money import add


def test_every_table_adds_up_to_the_headline_exactly() -> None:
    report = build_report(company(), WEEK)
    assert [section.currency for section in report.sections] == ["USD", "EUR"]
    for section in report.sections:
        for table in section.tables:
            total = words.fold("Total", table.rows)
            assert (total.this, total.before) == (section.cost.this, section.cost.before)
            assert (total.month, total.last_month) == (section.month.this, section.last_month.this)
            assert total.billed == section.billed.this


def test_the_headline_is_the_plain_sum_of_the_days() -> None:
    frames = company()
    section = build_report(frames, WEEK).sections[0]
    rows = frames.daily.filter(pl.col("BillingCurrency") == "USD").rows(named=True)
    inside = [row["EffectiveCost"] for row in rows if WEEK.first <= row["usage_date"] <= WEEK.last]
    assert section.cost.this == add(*inside)


def _owner_numbers(report: Report, owner: str) -> dict[str, tuple[object, ...]]:
    rows = {
        section.currency: row
        for section in report.sections
        for table in section.tables
        if table.dimension == "owner"
        for row in table.rows
        if row.name == owner
    }
    return {code: (row.this, row.before, row.month, row.last_month, row.billed) for code, row in rows.items()}


def test_an_owners_numbers_are_those_of_the_report_for_all() -> None:
    everyone = build_report(company(), WEEK)
    for owner in ("mira", "jonas", "li-wei", "sana"):
        own = build_report(company(), WEEK, owner)
        mine = {
            one.currency: (one.cost.this, one.cost.before, one.month.this, one.last_month.this, one.billed.this)
            for one in own.sections
        }
        assert mine == _owner_numbers(everyone, owner)


OWNERS = ("ann", "ben", "unallocated", "shared")
ROWS = st.lists(
    st.tuples(
        st.integers(0, 80),
        st.sampled_from(("p1", "p2", "unallocated")),
        st.sampled_from(OWNERS),
        st.none() | st.decimals(-1000, 1000, places=12),
        st.sampled_from(("USD", "EUR")),
    ),
    max_size=30,
)


@settings(max_examples=25, deadline=None)
@given(ROWS)
def test_filtering_never_changes_a_number(
    rows: list[tuple[int, str, str, Decimal | None, str]],
) -> None:
    last = date(2026, 11, 6)
    daily = frame(
        DAILY_COLUMNS,
        [
            cost_row(last - timedelta(days=back), project, owner, None if cost is None else str(cost), currency)
            for back, project, owner, cost, currency in rows
        ],
    )
    everyone = build_report(company(daily=daily), WEEK)
    own = build_report(company(daily=daily), WEEK, "ann")
    totals = _owner_numbers(everyone, "ann")
    for section in own.sections:
        mine = (section.cost.this, section.cost.before, section.month.this, section.last_month.this)
        # An owner without any money in the stretches has no row in the report for all.
        assert mine == totals.get(section.currency, (Decimal(0),) * 5)[:4]


def test_an_owners_report_holds_nothing_of_others() -> None:
    report = build_report(company(), WEEK, "mira")
    printed = repr(asdict(report))
    for foreign in ("jonas", "li-wei", "sana", "borealis", "cygnus", "vol-09ce", "unallocated", "shared", "part-2",
                    "aws", "meridian", "starter", "512345", "148210", "EUR", "stage=sft", "owner=jonas"):  # fmt: skip
        assert foreign not in printed
    section = report.sections[0]
    assert section.whole is None
    assert [table.dimension for table in section.tables] == [
        "project", "stage", "experiment", "cost_element", "ServiceName",
    ]  # fmt: skip
    assert report.quality.rejects is None
    assert report.quality.files_missing
    assert [row.subject for row in section.findings] == ["i-0fb2c41d9e7a3310"]
    assert [row.subject for row in section.growth] == ["owner=mira"]


def test_what_is_below_sums_to_what_is_above_exactly_down_to_the_resource() -> None:
    frames = company()
    week = frames.resources.filter(pl.col("usage_date").is_between(WEEK.first, WEEK.last))

    def check(branches: tuple[Branch, ...], this: Amount, before: Amount, path: dict[str, str]) -> int:
        assert sum(one.this or 0 for one in branches) == this, path
        assert sum(one.before or 0 for one in branches) == before, path
        level = ("project", "stage", "experiment", "ResourceId")[len(path)]
        deeper = 0
        for one in branches:
            if one.below:
                deeper += check(one.below, one.this, one.before, path | {level: one.name})
            else:
                here = [pl.col(name) == value for name, value in path.items()]
                mine = week.filter(*here, pl.col("ResourceId").eq_missing(pl.lit(one.resource)))
                costs = mine.filter(pl.col("ServiceName") == one.service).get_column("EffectiveCost")
                assert sum(costs, Decimal(0)) == one.this, (path, one)
                deeper += 1
        return deeper

    for owner in (None, "mira", "jonas", "li-wei"):
        for section in build_report(frames, WEEK, owner).sections:
            assert check(section.tree, section.cost.this, section.cost.before, {}) > 0


def test_a_resource_of_unknown_cost_is_unknown_and_what_nets_to_nothing_is_left_out() -> None:
    rows = [
        cost_row(WEEK.first, "p", "mira", None) | {"ResourceId": "dark"},
        cost_row(WEEK.first, "p", "mira", "5") | {"ResourceId": "lit", "ResourceName": "lamp"},
        cost_row(WEEK.first, "pool", "mira", "7") | {"ResourceId": "a"},
        cost_row(WEEK.first, "pool", "mira", "-7") | {"ResourceId": "b"},
    ]
    resources = frame(RESOURCE_COLUMNS, [{name: row.get(name) for name in RESOURCE_COLUMNS} for row in rows])
    daily = frame(DAILY_COLUMNS, [{name: row[name] for name in DAILY_COLUMNS} for row in rows])
    (project,) = build_report(company(daily=daily, resources=resources), WEEK, "mira").sections[0].tree
    leaves = project.below[0].below[0].below
    assert [(one.name, one.resource, one.this, one.before) for one in leaves] == [
        ("lamp", "lit", Decimal(5), Decimal(0)),
        ("dark", "dark", None, Decimal(0)),
    ]
    assert project.this == Decimal(5)


def test_a_leads_page_holds_nothing_of_others_in_text_or_data() -> None:
    html = render_page(build_report(company(), WEEK, "mira"))
    assert 'data-owner="mira"' in html
    for foreign in ("jonas", "li-wei", "sana", "borealis", "cygnus", "dorado", "i-01-web-", "vol-02-prod", "EUR"):
        assert foreign not in html, foreign


@pytest.mark.parametrize("nobody", NOBODY)
def test_money_of_nobody_has_no_report_of_its_own(nobody: str) -> None:
    with pytest.raises(InputError, match="nobody in particular"):
        build_report(company(), WEEK, nobody)


def test_currencies_are_never_added() -> None:
    day = date(2026, 10, 27)
    daily = frame(DAILY_COLUMNS, [cost_row(day, "p", "ann", "10"), cost_row(day, "p", "ann", "5", "CNY")])
    report = build_report(company(daily=daily), WEEK, "ann")
    assert {section.currency: section.cost.this for section in report.sections} == {"CNY": 5, "USD": 10}


def test_unknown_costs_stay_unknown_and_are_counted() -> None:
    day = date(2026, 10, 27)
    daily = frame(
        DAILY_COLUMNS,
        [cost_row(day, "known", "ann", "10"), cost_row(day, "known", "ann", None), cost_row(day, "dark", "ann", None)],
    )
    report = build_report(company(daily=daily), WEEK, "ann")
    section = report.sections[0]
    assert section.cost.this == 10
    assert section.unknown_rows == 2
    assert {row.name: row.this for row in section.tables[0].rows} == {"known": Decimal(10), "dark": None}
    assert any("without a known EffectiveCost" in line.text for line in words.statements(report))


def test_waste_counts_a_subject_once_and_unknown_money_is_not_zero() -> None:
    section = build_report(company(), WEEK, "jonas").sections[0]
    assert len(section.findings) == 2
    assert section.waste == Decimal("212.5")
    found = frame(REPORT_FINDING_COLUMNS, [finding("idle_by_utilization", "i-1", "jonas", None, "?", currency="USD")])
    assert build_report(company(findings=found), WEEK, "jonas").sections[0].waste is None


def test_money_without_a_tag_is_no_waste_and_growth_is_told_once() -> None:
    section = build_report(company(), WEEK).sections[0]
    assert [row.subject for row in section.remarks] == ["i-0aa"]
    assert section.waste == Decimal("4561.12")
    assert "growth" not in {row.kind for row in (*section.findings, *section.remarks)}


def test_what_could_not_be_judged_is_no_waste() -> None:
    section = build_report(company(), WEEK, "li-wei").sections[0]
    assert [row.subject for row in section.undetermined] == ["mer-node-17"]
    assert section.waste == Decimal("38.4")


def test_a_week_beyond_the_watermark_is_partial_and_its_days_provisional() -> None:
    late = Period(date(2026, 11, 2), date(2026, 11, 8))
    report = build_report(company(), late)
    assert report.partial
    assert report.quality.complete_until == date(2026, 11, 4)
    assert report.quality.provisional_days == (date(2026, 11, 5), date(2026, 11, 6))
    assert {row.day for row in report.sections[0].daily if row.provisional} == {date(2026, 11, 5), date(2026, 11, 6)}
    assert any(line.text.startswith("Partial: data is complete up to 4 Nov 2026") for line in words.statements(report))
    assert not build_report(company(), WEEK).partial


def test_a_source_that_ended_long_ago_does_not_hold_the_report_back() -> None:
    marks = build_report(company(), WEEK).quality.watermarks
    assert {mark.source: mark.silent for mark in marks} == {"aws": False, "meridian": False, "starter": True}
    only = {"starter": Watermark(date(2026, 8, 1), date(2026, 9, 30))}
    assert build_report(company(watermarks=only), WEEK).partial


def test_a_quiet_week_is_fine_and_an_empty_ledger_says_so() -> None:
    day = date(2026, 10, 27)
    daily = frame(DAILY_COLUMNS, [cost_row(day - timedelta(days=n), "p", "ann", "10") for n in (0, 7)])
    quiet = build_report(ReportFrames(company().as_of, daily), WEEK)
    assert words.is_fine(quiet)
    assert "Nothing calls for a look" in words.statements(quiet)[0].text
    empty = build_report(ReportFrames(company().as_of, frame(DAILY_COLUMNS, [])), WEEK)
    assert empty.sections == ()
    assert words.statements(empty)[0].text == "No cost in these days."


def test_a_months_sum_counts_in_whole_months_and_in_no_part_of_one() -> None:
    day = date(2026, 10, 27)
    rows = [cost_row(day - timedelta(days=n), "p", "ann", "10") for n in (0, 7, 26)]
    labour = [cost_row(date(2026, month, 1), "p", "ann", "5000", monthly=True) for month in (9, 10, 11)]
    frames = ReportFrames(company().as_of, frame(DAILY_COLUMNS, rows + labour))
    report, without = build_report(frames, WEEK), build_report(replace(frames, daily=frame(DAILY_COLUMNS, rows)), WEEK)
    (section,), (bare,) = report.sections, without.sections
    assert (section.cost, section.month, section.daily) == (bare.cost, bare.month, bare.daily)
    assert section.last_month.this == (bare.last_month.this or 0) + 5000
    assert section.tables[0].rows[0].last_month == section.last_month.this
    assert "whole months only" in words.compared(report)
    assert "whole months only" not in words.compared(without)


def test_a_frame_of_another_shape_is_our_mistake() -> None:
    with pytest.raises(LawBrokenError, match="daily: missing or of another type: owner"):
        ReportFrames(company().as_of, frame(DAILY_COLUMNS, []).drop("owner"))


def test_a_team_column_gets_a_table_in_the_report_for_all() -> None:
    daily = company().daily.with_columns(team=pl.lit("research"))
    tables = [table.dimension for table in build_report(company(daily=daily), WEEK).sections[0].tables]
    assert tables[3:5] == ["owner", "team"]


def test_a_table_cut_short_keeps_its_total() -> None:
    table = build_report(company(), WEEK).sections[0].tables[0]
    part = words.shown(table, 2, wording("en"))
    assert part.rest is not None
    assert part.rest.name == "2 others"
    assert figures.total(row.this for row in (*part.rows, part.rest, *part.apart)) == part.total.this
    assert [row.name for row in part.apart] == ["unallocated", "shared"]
    assert words.shown(table, 3, wording("en")).rest is None  # one row too many is printed
