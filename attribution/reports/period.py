"""Which days a report speaks of. Every date comes from a parameter: the schedule's slot, never a clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta


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

    @property
    def months(self) -> set[date]:
        """First days of the calendar months that a report shows, in whole or in part."""
        shown = (self.before.first, self.period.first, self.month.first, self.last_month.first)
        return {self.month_before_last.first, *(day.replace(day=1) for day in shown)}


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
