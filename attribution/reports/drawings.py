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
    Pen,
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
    pen = Pen.of(report.locale, report.font, size)
    made = (
        _daily(report, section, size, pen),
        _stages(section, size, pen),
        _waste(section, size, pen),
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


def _daily(report: Report, section: Section, size: Size, pen: Pen) -> Chart | None:
    top = _largest(_sum_by(section.daily, lambda row: row.project), _PROJECTS)
    if not top:
        return None
    names = Names(top, size, pen, "project")
    labels, code = [names[name] for name in top], section.currency
    rank = {name: n for n, name in enumerate(top)}
    sums = _sum_by(section.daily, lambda row: (row.day, rank.get(row.project, len(top)), row.provisional))
    if any(n == len(top) for _, n, _ in sums):
        labels.append(pen.drawn.say("all_other_projects"))
    told = [*map(names.whole, top), pen.say.say("all_other_projects")]
    values = [
        {"day": day.isoformat(), "project": labels[n], "rank": n, "amount": f"{cost:f}", "provisional": provisional,
         "told": pen.bar(pen.say.day(day), told[n], cost, code, provisional=provisional)}
        for (day, n, provisional), cost in sums.items()
    ]  # fmt: skip
    days = _days(section.daily)
    bars = (
        alt.Chart(data(values))
        .mark_bar()
        .encode(
            x=_day_axis(days, size.full, pen),
            y=alt.Y("amount:Q", title=pen.drawn.say("axis_a_day", code=code), axis=alt.Axis(format="~s", tickCount=5)),
            color=_coloured("project:N", labels, (*PALETTE, OTHER_COLOUR), size),
            order=alt.Order("rank:Q"),
            opacity=alt.condition("datum.provisional", alt.value(0.45), alt.value(1)),
            description="told:N",
        )
    )
    say, noun = pen.say, pen.say.noun(report.period)
    noun = noun[:1].lower() + noun[1:]
    pale = [row.day for row in section.daily if row.provisional]
    paler = {"day": say.day(min(pale))} if pale else {}
    return Chart(
        name="daily",
        title=say.say("chart_daily_pale" if pale else "chart_daily", code=code, noun=noun, **paler),
        alt_text=say.say(
            "chart_daily_alt",
            noun=noun,
            period=say.period(report.period),
            cost=say.with_currency(section.cost.this, code),
            change=say.percent(section.cost.this, section.cost.before),
        ),
        spec=specification(
            (_band(report.period, days, size, pen) + bars).properties(width=size.full - _MARGIN, height=220), pen.font
        ),
        note=names.note,
    )


def _coloured(field: str, domain: list[str], colours: tuple[str, ...], size: Size) -> alt.Color:
    return alt.Color(field, scale=alt.Scale(domain=domain, range=list(colours[: len(domain)])), legend=legend(size))


def _band(period: Period, days: list[date], size: Size, pen: Pen) -> alt.Chart:
    """A ground behind the days the report is about."""
    shaded = [{"day": day.isoformat()} for day in days if _inside(period, day)]
    band = alt.Chart(data(shaded)).mark_rect(color=INK, aria=False, opacity=0.09, width=alt.RelativeBandSize(1.25))
    placed: alt.Chart = band.encode(x=_day_axis(days, size.full, pen))
    return placed


def _inside(period: Period, day: date) -> bool:
    return period.first <= day <= period.last


def _days(rows: tuple[DayCost, ...]) -> list[date]:
    first, last = min(row.day for row in rows), max(row.day for row in rows)
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def _day_axis(days: list[date], width: int, pen: Pen) -> alt.X:
    """One band a day, Mondays labelled: days are names here, so that no time zone can move them."""
    mondays = [day for day in days if day.isoweekday() == _MONDAY] or days[:1]
    labelled = mondays[:: 1 if width >= _LABELS_A_WEEK else 2]
    words = ", ".join(f"'{day.isoformat()}': '{pen.drawn.day(day)}'" for day in labelled)
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


def _amounts(title: str) -> alt.X:
    return alt.X("amount:Q", title=title, axis=alt.Axis(format="~s", tickCount=5))


def _stages(section: Section, size: Size, pen: Pen) -> Chart | None:
    top = _largest(_sum_by(section.stages, lambda row: row.stage), _BARS)
    if not top:
        return None
    names = Names(top, size, pen, "stage")
    labels, code = [names[name] for name in top], section.currency
    rank = {name: n for n, name in enumerate(top)}
    sums = _sum_by(section.stages, lambda row: (row.month, row.partial, rank.get(row.stage, len(top))))
    if any(n == len(top) for _, _, n in sums):
        labels.append(pen.drawn.say("all_other_stages"))
    told = [*map(names.whole, top), pen.say.say("all_other_stages")]
    months = sorted({(row.month, row.partial) for row in section.stages})
    drawn = pen.drawn
    words = {
        month: drawn.say("month_so_far", month=drawn.month(month)) if partial else drawn.month(month)
        for month, partial in months
    }
    values = [
        {"stage": labels[n], "month": words[month], "amount": f"{cost:f}",
         "told": pen.bar(told[n], words[month], cost, code)}
        for (month, _, n), cost in sums.items()
    ]  # fmt: skip
    domain = [words[month] for month, _ in months]
    chart = (
        alt.Chart(data(values))
        .mark_bar()
        .encode(
            y=alt.Y("stage:N", title=None, sort=labels, axis=alt.Axis(minExtent=extent(labels))),
            yOffset=alt.YOffset("month:N", sort=domain),
            x=alt.X(
                "amount:Q", title=pen.drawn.say("axis_a_month", code=code), axis=alt.Axis(format="~s", tickCount=5)
            ),
            color=_coloured("month:N", domain, _MONTH_COLOURS, size),
            description="told:N",
        )
        .properties(width=size.half - extent(labels) - _BAR_MARGIN, height=max(60, 36 * len(labels)))
    )
    before, last = section.last_month.before, section.last_month.this
    return Chart(
        name="stages",
        title=pen.say.say("chart_stages", code=code),
        alt_text=pen.say.say(
            "chart_stages_alt", cost=pen.say.with_currency(last, code), change=pen.say.percent(last, before)
        ),
        spec=specification(chart, pen.font),
        note=names.note,
    )


def _waste(section: Section, size: Size, pen: Pen) -> Chart | None:
    sums = _sum_by(section.findings, lambda row: row.kind)
    top = _largest(sums, _BARS)
    if not top:
        return None
    names = Names(top, size, pen, "kind")
    labels = [names[name] for name in top]
    code = section.currency
    values = [
        {"kind": names[name], "amount": f"{sums[name]:f}", "told": pen.bar(names.whole(name), "", sums[name], code)}
        for name in top
    ]
    chart = (
        alt.Chart(data(values))
        .mark_bar(color=PALETTE[1], size=_ONE_LINE)
        .encode(
            y=alt.Y("kind:N", title=None, sort=labels, axis=alt.Axis(minExtent=extent(labels))),
            x=alt.X(
                "amount:Q", title=pen.drawn.say("axis_at_stake", code=code), axis=alt.Axis(format="~s", tickCount=5)
            ),
            description="told:N",
        )
        .properties(width=size.half - extent(labels) - _BAR_MARGIN, height=max(40, 28 * len(labels)))
    )
    return Chart(
        name="waste",
        title=pen.say.say("chart_waste", code=code),
        alt_text=pen.say.say("chart_waste_alt", amount=pen.say.with_currency(section.waste, code)),
        spec=specification(chart, pen.font),
        note=names.note,
    )
