"""What somebody looks at in the explorer, and how the address says it: whoever opens the address sees the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from attribution.reports.period import Period, month_of
from flows.explaining.asked import read_days
from schemas.detection import Watermark
from schemas.faults import InputError
from schemas.money import COSTS

VIEWS = ("costs", "findings")
CHARTS = ("stack", "trend")
GRAINS = ("day", "week", "month")
STANDING = ("open", "reopened", "acknowledged")
MOST_BY = 3
"""Columns to group by at once: more make rows that nobody reads."""
EVERYTHING = "all"
FINDING_COLUMNS = ("kind", "owner", "state", "severity")
"""Columns of findings to choose by."""

Chosen = tuple[tuple[str, tuple[str, ...]], ...]
"""Columns with the values of which a row has one; a blank value stands for none."""


@dataclass(frozen=True)
class Catalogue:
    """What the published file has to choose from."""

    dimensions: tuple[str, ...]
    columns: tuple[str, ...]
    currencies: tuple[str, ...]  # the workspace's first
    days: Period | None  # None: there is no cost yet
    marks: Mapping[str, Watermark] = field(hash=False)
    published: str = ""  # which run made it, for reading

    @property
    def months(self) -> list[Period]:
        """Calendar months with a cost, newest first."""
        if self.days is None:
            return []
        found = [month_of(self.days.last)]
        while found[-1].first > self.days.first:
            found.append(found[-1].before())
        return found

    def complete_until(self, since: date) -> date | None:
        """Last day that is complete in all sources that reach `since`; None where nothing tells."""
        every = [mark.last_day for mark in self.marks.values()]
        return min((day for day in every if day >= since), default=max(every, default=None))

    @property
    def usual(self) -> Period | None:
        """The newest month that is complete, else the newest that there is."""
        for month in self.months:
            until = self.complete_until(month.first)
            if until is not None and month.last <= until:
                return month
        return self.months[0] if self.months else None


@dataclass(frozen=True)
class Question:
    """What is looked at. `period` None is all time; `row` holds the values of `by` in the row that was chosen."""

    period: Period | None
    currency: str
    view: str = VIEWS[0]
    by: tuple[str, ...] = ("project",)
    where: Chosen = ()
    cost: str = "EffectiveCost"
    chart: str = CHARTS[0]
    grain: str = GRAINS[0]
    row: tuple[str, ...] = ()
    found: Chosen = (("state", STANDING),)
    finding: str = ""

    @property
    def cell(self) -> dict[str, tuple[str, ...]]:
        """The figure of the chosen row: its values, and what the whole table was narrowed to."""
        row = {name: (value,) for name, value in zip(self.by, self.row, strict=False)}
        return row | {name: values for name, values in self.where if name not in row}


def usual(there: Catalogue) -> Question:
    """What is shown when nothing is asked for."""
    return Question(there.usual, next(iter(there.currencies), ""))


def write_address(question: Question, there: Catalogue) -> dict[str, list[str]]:
    """The query of an address that asks this; what is usual is left out, the period never is."""
    plain = usual(there)
    said = {name: [getattr(question, name)] for name in _WORDS if getattr(question, name) != getattr(plain, name)}
    if question.period or there.days:
        said["period"] = [period_text(question.period)]
    if question.by != plain.by:
        said["by"] = list(question.by) or [""]
    if question.where:
        said["where"] = _pairs(question.where)
    if question.row:
        said["row"] = list(question.row)
    if question.found != plain.found:
        said["found"] = _pairs(question.found) or [""]
    if question.finding:
        said["finding"] = [question.finding]
    return said


_WORDS = ("view", "cost", "currency", "chart", "grain")


def read_address(said: Mapping[str, Sequence[str]], there: Catalogue) -> tuple[Question, list[str]]:
    """What an address asks for, and what of it is not understood; that is left as it is usually."""
    plain = usual(there)
    remarks: list[str] = []

    def one_of(name: str, known: Iterable[str]) -> str:
        value = said[name][-1] if said.get(name) else ""
        if not value or value in known:
            return value or str(getattr(plain, name))
        remarks.append(f"{name}={value}")
        return str(getattr(plain, name))

    def chosen(name: str, known: Sequence[str], usually: Chosen) -> Chosen:
        found: dict[str, list[str]] = {}
        for pair in filter(None, said.get(name, ())):
            column, equals, value = pair.partition("=")
            if not equals or column not in known:
                remarks.append(f"{name}={pair}")
            elif value not in found.setdefault(column, []):
                found[column].append(value)
        return tuple((column, tuple(values)) for column, values in found.items()) if said.get(name) else usually

    period = plain.period
    if text := (said.get("period") or [""])[-1]:
        try:
            period = read_period(text)
        except InputError:
            remarks.append(f"period={text}")
    by = tuple(dict.fromkeys(one for one in said.get("by", plain.by) if one in there.columns))[:MOST_BY]
    remarks += [f"by={one}" for one in said.get("by", ()) if one and one not in by]
    row = tuple(said.get("row", ()))
    return Question(
        period=period,
        currency=one_of("currency", there.currencies),
        view=one_of("view", VIEWS),
        by=by,
        where=chosen("where", there.columns, plain.where),
        cost=one_of("cost", COSTS),
        chart=one_of("chart", CHARTS),
        grain=one_of("grain", GRAINS),
        row=row if len(row) == len(by) else (),
        found=chosen("found", FINDING_COLUMNS, plain.found),
        finding=(said.get("finding") or [""])[-1],
    ), remarks


def _pairs(chosen: Chosen) -> list[str]:
    return [f"{column}={value}" for column, values in chosen for value in values]


def period_text(period: Period | None) -> str:
    """A period as addresses have it: 2026-10, 2026-10-03..2026-10-09, or all."""
    if period is None:
        return EVERYTHING
    return f"{period.first:%Y-%m}" if period.is_month else f"{period.first}..{period.last}"


def read_period(text: str) -> Period | None:
    """What `period_text` wrote.

    Raises:
        InputError: it is no period.
    """
    if text == EVERYTHING:
        return None
    if len(text) == len("2026-10"):
        return month_of(read_days(f"{text}-01").first)
    return read_days(text)


def compared(period: Period, until: date | None) -> tuple[Period, Period]:
    """The complete days of a period, and those that they are compared with.

    A whole month is compared with the month before, whole months with as many months, the first days of a month with
    the same days of the month before, other days with as many just before them.
    """
    whole = until is None or until >= period.last or until < period.first
    days = period if whole else Period(period.first, until or period.last)
    if days.first.day > 1 or days.is_month:
        return days, days.before()
    month = month_of(days.first)
    if days.last < month.last:
        before = month.before()
        return days, Period(before.first, min(before.last, before.first + timedelta(days=days.days - 1)))
    if days.last == month_of(days.last).last:
        first = days.first
        for _ in range((days.last.year - first.year) * 12 + days.last.month - first.month + 1):
            first = month_of(first).before().first
        return days, Period(first, days.first - timedelta(days=1))
    return days, days.before()
