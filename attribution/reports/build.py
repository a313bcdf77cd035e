"""Frames to Report. An owner's report is the same sums over fewer rows, so no number in it can differ.

Money of an owner is chosen by `owner ==`, and nothing that names or adds up others gets past this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from attribution.reports.drilldown import drill_down
from attribution.reports.frames import ReportFrames
from attribution.reports.period import Period, Spans, spans
from attribution.reports.pieces import budgets, findings, grown_most, growth, restatements, waste, whole
from attribution.reports.report import (
    BudgetLine,
    Comparison,
    DayCost,
    Finding,
    Growth,
    Quality,
    Report,
    Section,
    SourceMark,
    StageMonth,
    Table,
    Whose,
)
from attribution.reports.sums import known_sum, rows_by, within
from attribution.reports.together import together_of
from schemas.detection import Watermark
from schemas.dimensions import DIMENSIONS, IDLE, NOBODY, SHARED
from schemas.faults import Fault, InputError

CHART_DAYS = 35
_TABLES = ("project", "stage", "experiment", "cost_element", "ServiceName")


def build_report(frames: ReportFrames, period: Period, owner: str | None = None, *, team: str | None = None) -> Report:
    """Build the report of a period, for one owner, for one team, or for all.

    Args:
        frames: rows of all owners; this function does the filtering.
        period: the days the report is about; `week_before` and `month_before` choose them.
        owner: without owner and team it is the report for all, the only one with the company's totals.
        team: the money of the team, whoever owns it.

    Raises:
        InputError: the owner or team is one of the words for "nobody in particular", or there are no teams.
    """
    whose = _whose(frames, owner, team)
    marks = _watermarks(frames.watermarks, period.before().first)
    until = _complete_until(marks)
    times = spans(period, until, frames.as_of.date())
    # Days after the day of the report can only come from a run that looks back; they are not shown.
    daily = _owned(frames.daily, whose).filter(pl.col("usage_date") <= frames.as_of.date())
    members, resources = _members(frames.daily, whose), _owned(frames.resources, whose)
    found = findings(_of_members(frames.findings, members), frames.as_of.date())
    grown = growth(_grown(frames.growth, whose, members), {times.month.first, times.last_month.first})
    changed = frames.restatements if whose is None else frames.restatements.filter(pl.col("owner") == whose.name)
    planned = budgets(frames.budgets, whose, times.month.last)
    currencies = {
        *_shown(daily, times).get_column("BillingCurrency").to_list(),
        *(row.currency for row in grown),
        *(row.currency for row in found if row.currency is not None),
        *changed.get_column("BillingCurrency").to_list(),
        *(row.currency for row in planned),
    }
    if whose is None:
        currencies |= set(frames.invoices.get_column("BillingCurrency"))
    sections = tuple(
        _section(frames, _Owned(whose, times, until, daily, resources, found, grown, changed, planned), currency)
        for currency in sorted(currencies, key=lambda code: (code != frames.currency, code))
    )
    return Report(
        locale=frames.locale,
        font=frames.font,
        as_of=frames.as_of,
        whose=whose,
        spans=times,
        monthly=bool(daily.get_column("monthly").any()),
        sections=sections,
        loose_findings=tuple(row for row in found if row.currency is None),
        quality=_quality(frames, daily, marks, until, whole=whose is None),
        together=together_of(
            _shown(daily, times), frames.rates, frames.currency, times, lambda rows: _tables(rows, times, whose)
        ),
    )


def _whose(frames: ReportFrames, owner: str | None, team: str | None) -> Whose | None:
    whose = Whose("owner", owner) if owner is not None else Whose("team", team) if team is not None else None
    if whose is not None and whose.name in NOBODY:
        raise InputError(
            Fault(
                where=f'report for {whose.dimension} "{whose.name}"',
                what="this is money of nobody in particular, shown in the report for all only",
                hint="Name a person or a team as owner, or ask for the report for all.",
            )
        )
    if whose is not None and whose.dimension not in frames.daily.columns:
        hint = "State [dimension.team] in rules.toml."
        raise InputError(Fault(f'report for team "{whose.name}"', "costs have no dimension team", hint=hint))
    return whose


@dataclass(frozen=True)
class _Owned:
    """What one owner or team may see, of every currency."""

    whose: Whose | None
    times: Spans
    until: date | None
    daily: pl.DataFrame
    resources: pl.DataFrame
    findings: tuple[Finding, ...]
    growth: tuple[Growth, ...]
    restated: pl.DataFrame
    budgets: tuple[BudgetLine, ...]


def _section(frames: ReportFrames, owned: _Owned, currency: str) -> Section:
    here = owned.daily.filter(pl.col("BillingCurrency") == currency)
    times, found = owned.times, [row for row in owned.findings if row.currency == currency]
    likely = [row for row in found if row.tier is not None]
    standing = tuple(row for row in likely if row.verdict == "finding")
    compared = Period(times.before.first, times.period.last)
    return Section(
        currency=currency,
        cost=_compare(here, times.period, times.before),
        billed=_compare(here, times.period, times.before, "BilledCost"),
        month=_compare(here, times.month, times.month_before),
        last_month=_compare(here, times.last_month, times.month_before_last),
        unknown_rows=here.filter(within(compared) & pl.col("EffectiveCost").is_null()).height,
        tables=_tables(here, times, owned.whose),
        tree=drill_down(owned.resources.filter(pl.col("BillingCurrency") == currency), times),
        daily=_by_day(here, times.period, owned.until),
        stages=_by_stage(here, times),
        growth=(grown := tuple(row for row in owned.growth if row.currency == currency)),
        grew=grown_most(grown, times.month, times.last_month),
        idle=_compare(here.filter(_named(here, IDLE)), times.period, times.before),
        undivided=_compare(here.filter(_named(here, SHARED) & ~_named(here, IDLE)), times.period, times.before),
        budgets=tuple(row for row in owned.budgets if row.currency == currency),
        findings=standing,
        undetermined=tuple(row for row in likely if row.verdict != "finding"),
        remarks=tuple(row for row in found if row.tier is None),
        waste=waste(standing),
        restatements=restatements(owned.restated.filter(pl.col("BillingCurrency") == currency)),
        whole=whole(frames, here, currency, times) if owned.whose is None else None,
    )


def _owned(frame: pl.DataFrame, whose: Whose | None) -> pl.DataFrame:
    return frame if whose is None or frame.is_empty() else frame.filter(pl.col(whose.dimension) == whose.name)


def _members(daily: pl.DataFrame, whose: Whose | None) -> tuple[str, ...] | None:
    """Owners all of whose money is this report's; None for all. A team's are those with money in no other team."""
    if whose is None or whose.dimension == "owner":
        return None if whose is None else (whose.name,)
    teams = daily.group_by("owner").agg((pl.col("team") == whose.name).all())
    return tuple(teams.filter("team", ~pl.col("owner").is_in(NOBODY)).get_column("owner"))


def _of_members(frame: pl.DataFrame, members: tuple[str, ...] | None) -> pl.DataFrame:
    return frame if members is None else frame.filter(pl.col("owner").is_in(members))


def _grown(frame: pl.DataFrame, whose: Whose | None, members: tuple[str, ...] | None) -> pl.DataFrame:
    """Growth of money that is this report's alone."""
    if whose is None or members is None:
        return frame
    return frame.filter(pl.col("owner").is_in(members) | (pl.col("subject") == f"{whose.dimension}={whose.name}"))


def _named(daily: pl.DataFrame, value: str) -> pl.Expr:
    """Rows of which a dimension says this."""
    return pl.any_horizontal(pl.col(name) == value for name in (*DIMENSIONS, "team") if name in daily.columns)


def _shown(daily: pl.DataFrame, times: Spans) -> pl.DataFrame:
    first = min(times.before.first, times.month_before_last.first, times.period.last - timedelta(days=CHART_DAYS - 1))
    return daily.filter(pl.col("usage_date") >= first)


def _compare(daily: pl.DataFrame, this: Period, before: Period, column: str = "EffectiveCost") -> Comparison:
    sums = daily.select(known_sum(column, within(this), "this"), known_sum(column, within(before), "before")).row(0)
    return Comparison(*sums)


def _tables(daily: pl.DataFrame, times: Spans, whose: Whose | None) -> tuple[Table, ...]:
    dimensions = list(_TABLES)
    if whose is None:
        dimensions[3:3] = ["owner", "team"] if "team" in daily.columns else ["owner"]
    elif whose.dimension == "team":
        dimensions[3:3] = ["owner"]
    return tuple(Table(dimension, rows_by(daily, dimension, times)) for dimension in dimensions)


def _by_day(daily: pl.DataFrame, period: Period, until: date | None) -> tuple[DayCost, ...]:
    """Five weeks up to the period's end, and what is known of the week after."""
    shown = Period(period.last - timedelta(days=CHART_DAYS - 1), period.last + timedelta(days=6))
    sums = (
        daily.filter(within(shown))
        .group_by("usage_date", "project")
        .agg(known_sum("EffectiveCost", pl.lit(value=True), "cost"))
        .sort("usage_date", "project")
    )
    return tuple(DayCost(day, project, cost, until is not None and day > until) for day, project, cost in sums.rows())


def _by_stage(daily: pl.DataFrame, times: Spans) -> tuple[StageMonth, ...]:
    rows = []
    for month in (times.month_before_last, times.last_month, times.month):
        sums = (
            daily.filter(within(month))
            .group_by("stage")
            .agg(known_sum("EffectiveCost", pl.lit(value=True), "cost"))
            .sort("stage")
        )
        rows += [StageMonth(month.first, stage, cost, not month.is_month) for stage, cost in sums.rows()]
    return tuple(rows)


def _watermarks(marks: Mapping[str, Watermark], compared_from: date) -> tuple[SourceMark, ...]:
    """A source that ended before the days compared is missing from both sides alike: silent, not behind."""
    return tuple(
        SourceMark(source, mark.last_day, silent=mark.last_day < compared_from)
        for source, mark in sorted(marks.items())
    )


def _complete_until(marks: tuple[SourceMark, ...]) -> date | None:
    alive = [mark.complete_until for mark in marks if not mark.silent]
    return min(alive) if alive else max((mark.complete_until for mark in marks), default=None)


def _quality(
    frames: ReportFrames, daily: pl.DataFrame, marks: tuple[SourceMark, ...], until: date | None, *, whole: bool
) -> Quality:
    days = [] if until is None else daily.filter(pl.col("usage_date") > until)["usage_date"].unique().sort().to_list()
    return Quality(
        complete_until=until,
        provisional_days=tuple(days),
        files_missing=bool(frames.held_back or frames.rejects),
        watermarks=marks if whole else (),
        held_back=frames.held_back if whole else (),
        rejects=frames.rejects if whole else None,
    )
