"""What is drawn: cost a day by project, months by stage, waste by kind.

Names go into a chart as data, never as part of an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

import altair as alt

from attribution.reports import figures
from attribution.reports.charts import (
    INK,
    OTHER_COLOUR,
    PALETTE,
    Chart,
    Names,
    Size,
    data,
    extent,
    legend,
    specification,
)
from attribution.reports.period import Period
from attribution.reports.report import Amount, DayCost, Finding, Report, Section, StageMonth

_PROJECTS = 6
_BARS = 8
_LABELS_A_WEEK = 400  # narrower charts label every other Monday
_MARGIN = 96
_BAR_MARGIN = 40
_ONE_LINE = 18
_MONTH_COLOURS = ("#B8C4D6", "#4477AA", "#EE9F6B")
_MONDAY = 1

Key = TypeVar("Key", bound=Hashable)
Costed = TypeVar("Costed", DayCost, StageMonth, Finding)


def charts(report: Report, section: Section, size: Size) -> tuple[Chart, ...]:
    """The charts of a section that have something to show.

    Args:
        report: gives the period and how far data is complete.
        section: whose money.
        size: the page's, a phone's, or the mail's; in the mail, names that this machine has no letters for
            become numbers, explained in `Chart.note`.
    """
    made = (
        _daily(report, section, size),
        _stages(section, size),
        _waste(section, size),
    )
    return tuple(chart for chart in made if chart is not None)


def _sum_by(rows: Iterable[Costed], key: Callable[[Costed], Key]) -> dict[Key, Decimal]:
    """What is known, added up; unknown amounts have nothing to draw."""
    groups: dict[Key, list[Amount]] = {}
    for row in rows:
        if row.cost is not None:
            groups.setdefault(key(row), []).append(row.cost)
    return {name: figures.total(amounts) or Decimal(0) for name, amounts in groups.items()}


def _largest(totals: dict[str, Decimal], room: int) -> list[str]:
    order = sorted((name for name in totals if totals[name]), key=lambda name: (-abs(totals[name]), name))
    return order if len(order) <= room + 1 else order[:room]


def _daily(report: Report, section: Section, size: Size) -> Chart | None:
    top = _largest(_sum_by(section.daily, lambda row: row.project), _PROJECTS)
    if not top:
        return None
    names = Names(top, size)
    labels = [names[name] for name in top]
    rank = {name: n for n, name in enumerate(top)}
    sums = _sum_by(section.daily, lambda row: (row.day, rank.get(row.project, len(top)), row.provisional))
    if any(n == len(top) for _, n, _ in sums):
        labels.append("all other projects")
    values = [
        {"day": day.isoformat(), "project": labels[n], "rank": n, "amount": f"{cost:f}", "provisional": provisional}
        for (day, n, provisional), cost in sums.items()
    ]
    days = _days(section.daily)
    code = section.currency
    bars = (
        alt.Chart(data(values))
        .mark_bar()
        .encode(
            x=_day_axis(days, size.full),
            y=alt.Y("amount:Q", title=f"{code} a day", axis=alt.Axis(format="~s", tickCount=5)),
            color=alt.Color(
                "project:N",
                scale=alt.Scale(domain=labels, range=[*PALETTE, OTHER_COLOUR][: len(labels)]),
                legend=legend(size),
            ),
            order=alt.Order("rank:Q"),
            opacity=alt.condition("datum.provisional", alt.value(0.45), alt.value(1)),
        )
    )
    noun = figures.noun(report.period)
    cost, moved = (
        figures.with_currency(section.cost.this, code),
        figures.percent(section.cost.this, section.cost.before),
    )
    pale = [row.day for row in section.daily if row.provisional]
    shade = f"; paler from {figures.day(min(pale))}: provisional" if pale else ""
    return Chart(
        name="daily",
        title=f"Cost a day by project ({code}); shaded: this {noun}{shade}",
        alt_text=(
            f"Cost a day by project. This {noun}, {figures.period(report.period)}: {cost}, {moved} on the one before."
        ),
        spec=specification((_band(report.period, days, size) + bars).properties(width=size.full - _MARGIN, height=220)),
        numbered=names.numbered,
    )


def _band(period: Period, days: list[date], size: Size) -> alt.Chart:
    """A ground behind the days the report is about."""
    shaded = [{"day": day.isoformat()} for day in days if _inside(period, day)]
    band = alt.Chart(data(shaded)).mark_rect(color=INK, opacity=0.09, width=alt.RelativeBandSize(1.25))
    placed: alt.Chart = band.encode(x=_day_axis(days, size.full))
    return placed


def _inside(period: Period, day: date) -> bool:
    return period.first <= day <= period.last


def _days(rows: tuple[DayCost, ...]) -> list[date]:
    first, last = min(row.day for row in rows), max(row.day for row in rows)
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def _day_axis(days: list[date], width: int) -> alt.X:
    """One band a day, Mondays labelled: days are names here, so that no time zone can move them."""
    mondays = [day for day in days if day.isoweekday() == _MONDAY] or days[:1]
    labelled = mondays[:: 1 if width >= _LABELS_A_WEEK else 2]
    words = ", ".join(f"'{day.isoformat()}': '{figures.day(day)}'" for day in labelled)
    return alt.X(
        "day:O",
        title=None,
        scale=alt.Scale(domain=[day.isoformat() for day in days], paddingInner=0.2),
        axis=alt.Axis(
            values=[day.isoformat() for day in labelled],
            labelExpr=f"({{{words}}})[datum.value]",
            labelAngle=0,
            labelAlign="left",
            grid=False,
        ),
    )


def _stages(section: Section, size: Size) -> Chart | None:
    top = _largest(_sum_by(section.stages, lambda row: row.stage), _BARS)
    if not top:
        return None
    names = Names(top, size)
    labels = [names[name] for name in top]
    rank = {name: n for n, name in enumerate(top)}
    sums = _sum_by(section.stages, lambda row: (row.month, row.partial, rank.get(row.stage, len(top))))
    if any(n == len(top) for _, _, n in sums):
        labels.append("all other stages")
    months = sorted({(row.month, row.partial) for row in section.stages})
    words = {month: f"{figures.month(month)}{' so far' if partial else ''}" for month, partial in months}
    values = [
        {"stage": labels[n], "month": words[month], "amount": f"{cost:f}"} for (month, _, n), cost in sums.items()
    ]
    domain = [words[month] for month, _ in months]
    code = section.currency
    chart = (
        alt.Chart(data(values))
        .mark_bar()
        .encode(
            y=alt.Y("stage:N", title=None, sort=labels, axis=alt.Axis(minExtent=extent(labels))),
            yOffset=alt.YOffset("month:N", sort=domain),
            x=alt.X("amount:Q", title=f"{code} a month", axis=alt.Axis(format="~s", tickCount=5)),
            color=alt.Color(
                "month:N",
                scale=alt.Scale(domain=domain, range=list(_MONTH_COLOURS[: len(domain)])),
                legend=legend(size),
            ),
        )
        .properties(width=size.half - extent(labels) - _BAR_MARGIN, height=max(60, 36 * len(labels)))
    )
    before, last = section.last_month.before, section.last_month.this
    return Chart(
        name="stages",
        title=f"Months by stage ({code})",
        alt_text=(
            f"Cost by stage, month against month. Last month: {figures.with_currency(last, code)}, "
            f"{figures.percent(last, before)} on the month before."
        ),
        spec=specification(chart),
        numbered=names.numbered,
    )


def _waste(section: Section, size: Size) -> Chart | None:
    sums = _sum_by(section.findings, lambda row: row.what)
    top = _largest(sums, _BARS)
    if not top:
        return None
    names = Names(top, size)
    labels = [names[name] for name in top]
    values = [{"kind": names[name], "amount": f"{sums[name]:f}"} for name in top]
    code = section.currency
    chart = (
        alt.Chart(data(values))
        .mark_bar(color=PALETTE[1], size=_ONE_LINE)
        .encode(
            y=alt.Y("kind:N", title=None, sort=labels, axis=alt.Axis(minExtent=extent(labels))),
            x=alt.X("amount:Q", title=f"{code} a month at stake", axis=alt.Axis(format="~s", tickCount=5)),
        )
        .properties(width=size.half - extent(labels) - _BAR_MARGIN, height=max(40, 28 * len(labels)))
    )
    return Chart(
        name="waste",
        title=f"Likely waste by kind ({code}, last complete month)",
        alt_text=f"Likely waste by kind: {figures.with_currency(section.waste, code)} at stake.",
        spec=specification(chart),
        numbered=names.numbered,
    )
