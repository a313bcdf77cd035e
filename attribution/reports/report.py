"""The one Report record that every face prints; amounts are exact and rounded only when printed.

`None` as an amount is "unknown", which is not zero. A report never adds two currencies: all money lives in
a `Section`, one per currency. What only the report for all may hold is in `Whole`, which an owner's lacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from schemas.bills import HeldBack

Amount = Decimal | None


@dataclass(frozen=True)
class Period:
    """Whole days, both ends included."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.last < self.first:
            message = f"a period ends on {self.last}, before it begins on {self.first}"
            raise ValueError(message)

    @property
    def days(self) -> int:
        """How many days."""
        return (self.last - self.first).days + 1

    @property
    def is_month(self) -> bool:
        """Whether it is one whole calendar month."""
        return self.first.day == 1 and self == month_of(self.first)

    def before(self) -> Period:
        """What it is compared with: the month before a whole month, else as many days just before."""
        if self.is_month:
            return month_of(self.first - timedelta(days=1))
        return Period(self.first - timedelta(days=self.days), self.first - timedelta(days=1))


def month_of(day: date) -> Period:
    """The whole calendar month of a day."""
    first = day.replace(day=1)
    return Period(first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1))


def month_before(as_of: date) -> Period:
    """The last whole calendar month before the day `as_of` (a day in the workspace's time zone)."""
    return month_of(as_of.replace(day=1) - timedelta(days=1))


def week_before(as_of: date, complete_until: date | None = None) -> Period:
    """The last ISO week, Monday to Sunday, that ended before `as_of` and whose data is complete.

    Args:
        as_of: the day of the schedule slot in the workspace's time zone, never "now".
        complete_until: last day with complete data; None takes the calendar's last week as it is (a report
            of it marks it partial where data is still to come).
    """
    last = as_of - timedelta(days=as_of.isoweekday())
    if complete_until is not None and complete_until < last:
        last -= timedelta(days=7 * -((complete_until - last).days // 7))
    return Period(last - timedelta(days=6), last)


@dataclass(frozen=True)
class Spans:
    """The stretches of time a report speaks of, all derived from its period and how far data is complete."""

    period: Period
    before: Period
    month: Period  # the running month up to its last complete day, or the whole month
    month_before: Period  # the same days of the month before
    last_month: Period
    month_before_last: Period


def spans(period: Period, complete_until: date | None, as_of: date) -> Spans:
    """Derive the stretches of a report.

    The running month goes on to the last complete day within the week after the period, so that a weekly
    report does not hide days that are already known; a report of long ago stays in its own time.
    """
    through = period.last
    if complete_until is not None:
        through = max(through, min(complete_until, as_of, period.last + timedelta(days=6)))
    whole = month_of(through)
    month = Period(whole.first, through)
    last_month = month_of(whole.first - timedelta(days=1))
    same_last = min(last_month.last, last_month.first + timedelta(days=month.days - 1))
    same = last_month if month == whole else Period(last_month.first, same_last)
    return Spans(
        period=period,
        before=period.before(),
        month=month,
        month_before=same,
        last_month=last_month,
        month_before_last=last_month.before(),
    )


@dataclass(frozen=True)
class Comparison:
    """One cost and what it is compared with."""

    this: Amount
    before: Amount


@dataclass(frozen=True)
class Row:
    """One value of a dimension, EffectiveCost of four stretches of time; `billed` is BilledCost of the period."""

    name: str
    this: Amount
    before: Amount
    month: Amount
    last_month: Amount
    billed: Amount


@dataclass(frozen=True)
class Table:
    """All values of one dimension, dearest first; the rows add up to the section's headline."""

    dimension: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class DayCost:
    """EffectiveCost of a project on a day; `provisional`: after the last complete day."""

    day: date
    project: str
    cost: Amount
    provisional: bool


@dataclass(frozen=True)
class StageMonth:
    """EffectiveCost of a stage in a month, or in the part of it known so far."""

    month: date
    stage: str
    cost: Amount
    partial: bool


@dataclass(frozen=True)
class Growth:
    """A subject's month against the month before; `fraction` is day-adjusted, None where there is no base."""

    subject: str
    month: date
    currency: str
    status: str
    cost: Amount
    previous: Amount
    change: Amount
    fraction: Amount
    fired: bool  # True: above the thresholds, somebody should look


@dataclass(frozen=True)
class Finding:
    """A finding of waste, with the money at stake and its age in days on the day of the report."""

    kind: str
    subject: str
    verdict: str
    owner: str
    project: str
    cost: Amount
    currency: str | None
    confidence: str
    evidence: str
    state: str
    first_seen: date
    age: int


@dataclass(frozen=True)
class Restatement:
    """A past month whose cost changed after it was first reported."""

    month: date
    project: str
    owner: str
    before: Amount
    after: Amount
    changed_on: date


@dataclass(frozen=True)
class BillLine:
    """One bill as it was read: rows, and what it bills."""

    source: str
    month: date
    rows: int
    currency: str
    billed: Amount
    state: str


@dataclass(frozen=True)
class Reconciled:
    """EffectiveCost and BilledCost totals of the bills' lines against those of the attributed costs."""

    currency: str
    column: str
    lines: Decimal
    costs: Decimal


@dataclass(frozen=True)
class Coverage:
    """EffectiveCost of a stretch of time that has a known value in a dimension, and all of it."""

    dimension: str
    known: Amount
    total: Amount


@dataclass(frozen=True)
class Whole:
    """What only the report for all holds, in one currency."""

    unallocated: Comparison
    unallocated_services: tuple[Row, ...]
    coverage: tuple[Coverage, ...]
    reconciled: tuple[Reconciled, ...]
    bills: tuple[BillLine, ...]


@dataclass(frozen=True)
class Section:
    """All that a report says in one currency."""

    currency: str
    cost: Comparison
    billed: Comparison
    month: Comparison
    last_month: Comparison
    unknown_rows: int  # cost rows of the period and the one before whose EffectiveCost is unknown
    tables: tuple[Table, ...]
    daily: tuple[DayCost, ...]
    stages: tuple[StageMonth, ...]
    growth: tuple[Growth, ...]
    findings: tuple[Finding, ...]
    undetermined: tuple[Finding, ...]
    waste: Amount  # each subject counted once, whatever was found about it; None: only unknown amounts
    restatements: tuple[Restatement, ...]
    whole: Whole | None


@dataclass(frozen=True)
class Watermark:
    """How far a source's data is complete; `silent`: since before the days compared, so no bearing on them."""

    source: str
    complete_until: date | None
    silent: bool


@dataclass(frozen=True)
class Quality:
    """How far the figures can be trusted. An owner's holds no names of sources or files: those are others'."""

    complete_until: date | None
    provisional_days: tuple[date, ...]
    files_missing: bool
    watermarks: tuple[Watermark, ...]
    held_back: tuple[HeldBack, ...]
    rejects: int | None


@dataclass(frozen=True)
class Report:
    """One report, for one owner or for all (`owner` None)."""

    title: str
    as_of: datetime
    owner: str | None
    spans: Spans
    basis: str
    sections: tuple[Section, ...]
    loose_findings: tuple[Finding, ...]  # findings that no currency belongs to
    quality: Quality

    @property
    def period(self) -> Period:
        """The days the report is about."""
        return self.spans.period

    @property
    def partial(self) -> bool:
        """Whether days of the period are not complete yet."""
        until = self.quality.complete_until
        return until is not None and until < self.period.last

    @property
    def key(self) -> str:
        """Names the report in deliveries, whoever receives it."""
        return "all" if self.owner is None else f"owner={self.owner}"
