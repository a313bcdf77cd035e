"""The calendar of the sample, and what kinds of things can stand in it: machines, disks, meters.

What there is stands in aws_estate.py and meridian_estate.py. Bills and input files are written from
those alone, so a volume billed on the AWS report is the same volume that the inventory knows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

SEED = 20261105
FIRST_DAY = date(2026, 8, 1)
END_OF_DATA = date(2026, 11, 5)  # the first day without data
HOURS_A_DAY = 24
TEN_PLACES = Decimal("1E-10")
OCTOBER = date(2026, 10, 1)

Tags = Mapping[str, str]


@dataclass(frozen=True)
class Month:
    """A billing month and the days of it that have data."""

    first: date
    end: date
    data_end: date

    def days(self) -> Iterator[date]:
        """The days with data."""
        day = self.first
        while day < self.data_end:
            yield day
            day += timedelta(days=1)

    @property
    def length(self) -> int:
        """Days of the calendar month, with data or not."""
        return (self.end - self.first).days

    @property
    def complete(self) -> bool:
        """Whether the month has ended in the data, and so has been settled."""
        return self.data_end == self.end

    @property
    def label(self) -> str:
        """The month as people write it, 2026-08."""
        return f"{self.first:%Y-%m}"

    def until(self, day: date) -> Month:
        """The same month as it was known on the morning of `day`."""
        return Month(self.first, self.end, min(day, self.data_end))


MONTHS = (
    Month(date(2026, 8, 1), date(2026, 9, 1), date(2026, 9, 1)),
    Month(date(2026, 9, 1), date(2026, 10, 1), date(2026, 10, 1)),
    Month(date(2026, 10, 1), date(2026, 11, 1), date(2026, 11, 1)),
    Month(date(2026, 11, 1), date(2026, 12, 1), END_OF_DATA),
)


@dataclass(frozen=True)
class Lived:
    """Anything that is there from `start` up to, and not including, `end`."""

    resource_id: str
    account: str
    tags: Tags = field(default_factory=dict, kw_only=True)
    start: date = field(default=FIRST_DAY, kw_only=True)
    end: date = field(default=END_OF_DATA, kw_only=True)

    def there(self, day: date) -> bool:
        """Whether it was there, and billed, on that day."""
        return self.start <= day < self.end


@dataclass(frozen=True)
class Node(Lived):
    """A machine. `model` is a key of a provider's price book; `load` says what the metrics show."""

    model: str
    pricing: str = "on-demand"  # on-demand | savings | reserved | spot
    load: str = "busy"  # busy | idle-since-october | cpu-only
    hourly: bool = False
    attached_to: str = ""


@dataclass(frozen=True)
class Volume(Lived):
    """A disk; `attached_to` is empty when nobody mounts it."""

    size_gb: int
    attached_to: str = ""
    created: date = date(2026, 7, 20)
    last_used: date | None = None


@dataclass(frozen=True)
class Meter(Lived):
    """Anything metered by the day: `quantity` units a day, give or take five percent."""

    product: str
    usage_type: str
    quantity: Decimal
    rate: Decimal
    standing: bool = field(default=False, kw_only=True)  # an amount that stands all month, priced by the month


def instant(day: date, hour: int = 0) -> datetime:
    """The start of an hour of a day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=hour)


def metered(meter: Meter, month: Month, rng: random.Random) -> Decimal:
    """A day's quantity: steady for what runs by the hour, give or take five percent for the rest."""
    if meter.quantity == HOURS_A_DAY:
        return meter.quantity
    jitter = Decimal(rng.randint(950, 1050)) / 1000
    days = month.length if meter.standing else 1
    return (meter.quantity * jitter / days).quantize(TEN_PLACES)
