"""Which days of which month are compared, source by source.

The surprise: sources end on different days, so one month has several lengths; each source is compared over its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction

import polars as pl

from schemas.detection import Watermark

WINDOW_COLUMNS: dict[str, pl.DataType] = {
    "source": pl.String(),
    "month": pl.Date(),  # month that is judged
    "data_month": pl.Date(),  # month the days lie in: that one, or the one before
    "first": pl.Date(),
    "last": pl.Date(),
}


@dataclass(frozen=True)
class Compared:
    """Days of one source in one month and in the month before; `previous_days` is 0 where there is no base."""

    days: int
    previous_days: int


@dataclass(frozen=True)
class Windows:
    """All comparisons. `notes` holds, per month and source, what weakens a comparison.

    `spans`: first and last day of a comparison that has a base, and of its base; `data_days`: days of a month that a
    source has complete data of.
    """

    frame: pl.DataFrame
    compared: dict[tuple[str, date], Compared]
    notes: dict[tuple[str, date], str]
    spans: dict[tuple[str, date], tuple[tuple[date, date], tuple[date, date]]] = field(default_factory=dict)
    data_days: dict[tuple[str, date], int] = field(default_factory=dict)

    def change_a_day(self, source: str, month: date, cost: int, previous: int) -> Fraction:
        """Cost a day of a source in a month, less that of the days it is compared with; in units of 1e-12."""
        days = self.compared[source, month]
        return Fraction(cost, days.days) - (Fraction(previous, days.previous_days) if days.previous_days else 0)


def month_of(day: date) -> date:
    """First day of the day's month."""
    return day.replace(day=1)


def next_month(month: date) -> date:
    """First day of the month after."""
    return month_of(month + timedelta(days=31))


def previous_month(month: date) -> date:
    """First day of the month before."""
    return month_of(month - timedelta(days=1))


def month_length(month: date) -> int:
    """Days of the month that starts on this day."""
    return (next_month(month) - month).days


def last_complete_month(last_day: date) -> date:
    """The newest month of which every day is complete when `last_day` is the last complete one."""
    month = month_of(last_day)
    return month if next_month(month) - timedelta(days=1) == last_day else previous_month(month)


def windows(watermarks: Mapping[str, Watermark], with_data: AbstractSet[tuple[str, date]]) -> Windows:
    """Lay out the days to compare.

    A month is compared from its first complete day to its last with the same days of the month before; a complete
    month with the whole month before. A source without one complete day in a month stays out of that month, and
    one without data in the days before has no base: its cost of that time counts as zero, and a note says so.

    Args:
        watermarks: source -> its first day of data and its last complete day.
        with_data: (source, month) pairs that have a charge at all; a month missing here is a gap.
    """
    frame: list[tuple[str, date, date, date, date]] = []
    compared: dict[tuple[str, date], Compared] = {}
    notes: dict[tuple[str, date], str] = {}
    laid = Windows(pl.DataFrame(schema=WINDOW_COLUMNS), compared, notes)
    if not watermarks:
        return laid
    newest = max(month_of(mark.last_day) for mark in watermarks.values())
    for source, mark in sorted(watermarks.items()):
        month = month_of(mark.first_day)
        while month <= newest:
            before = previous_month(month)
            if mark.last_day < month:
                notes[source, month] = f"{source} has no complete day in {month:%Y-%m} and is left out"
                month = next_month(month)
                continue
            end = next_month(month) - timedelta(days=1)
            last = min(end, mark.last_day)
            first = max(month, mark.first_day)
            same = month - timedelta(days=1) if last == end else min(before + (last - month), month - timedelta(days=1))
            start = max(before, mark.first_day)
            based = start <= same and (source, before) in with_data
            frame.append((source, month, month, first, last))
            laid.data_days[source, month] = (last - first).days + 1
            if based:
                laid.spans[source, month] = ((first, last), (start, same))
                frame.append((source, month, before, start, same))
            else:
                notes[source, month] = f"{source} has no data in {_days(before, same)}"
            previous_days = (same - start).days + 1 if based else 0
            compared[source, month] = Compared((last - first).days + 1, previous_days)
            month = next_month(month)
    return replace(laid, frame=pl.DataFrame(frame, schema=WINDOW_COLUMNS, orient="row"))


def _days(month: date, last: date) -> str:
    whole = last.day == month_length(month)
    return f"{month:%Y-%m}" if whole else f"the first {last.day} days of {month:%Y-%m}"
