"""Instants and days from text: ISO 8601 in the ways exports write it, or a stated format; all come out in UTC.

Distinct texts are parsed once, since a bill has few. A clock reading without a zone is one of the stated zone.
"""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

INSTANT = pl.Datetime("us", "UTC")
# Clocks of no bill: programs write the year 1 or 9999 where they know none, and calendars end there.
_FIRST, _AFTER = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
# Minutes by which a clock is ahead of UTC at most, on Kiritimati; a larger offset is damage.
_FARTHEST = 14 * 60
_CLOCK_MARKS = ("%H", "%I", "%T", "%R", "%r", "%X", "%c")
_CLOCKS = (" %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p")
_ISO = (
    r"(?-u)^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(\.\d{1,9})?)?)?"
    r" ?(?:GMT)?(Z|UTC|[+-]\d{2}:?\d{2}|[+-]\d{2}:?\d{2} UTC)?$"
)


def parse_instants(text: pl.Series, timezone: str = "UTC", date_format: str | None = None) -> pl.Series:
    """Read instants; null where the text is none.

    Args:
        text: as written. A date alone is its first moment.
        timezone: the zone of readings that name none.
        date_format: a format that is tried before ISO 8601, in chrono's letters (`%m/%d/%Y`); one without a
            clock also reads days with one after them.
    """
    first = text.head(1)
    if (text == first).all(ignore_nulls=False) and text.len():  # as the period of a bill is: nothing to hash
        return _parse(first, timezone, date_format).new_from_index(0, text.len()).rename(text.name)
    distinct = text.drop_nulls().unique()
    if not distinct.len():
        return pl.Series(text.name, [None], dtype=INSTANT).new_from_index(0, text.len())
    return text.replace_strict(distinct, _parse(distinct, timezone, date_format), return_dtype=INSTANT)


def parse_months(text: pl.Series, timezone: str = "UTC") -> pl.Series:
    """Read months as their first moment in a zone; null for others.

    `2026-09`, `202609`, `2026/09`, `2026年9月`, and the first day, `2026-09-01`.
    """
    part = pl.col("text").str.extract_groups(r"^(\d{4})[-/.年]?(\d{1,2})(?:月|-01)?$")
    clock = pl.format("{}-{}-01", part.struct[0], part.struct[1].str.zfill(2)).str.to_datetime(
        "%Y-%m-%d", time_unit="us", strict=False
    )
    distinct = text.drop_nulls().unique().to_frame("text")
    # Exports guard months with a tab or an apostrophe, so that no spreadsheet turns them into a date.
    plain = distinct.select(pl.col("text").str.strip_chars(" \t'"))
    if not distinct.height:
        return pl.Series(text.name, [None], dtype=INSTANT).new_from_index(0, text.len())
    moments = plausible(place(plain.select(clock).to_series(), timezone))
    return text.replace_strict(distinct.to_series(), moments, return_dtype=INSTANT)


def parse_days(text: pl.Series) -> pl.Series:
    """Read calendar days; an instant counts only where it is a midnight, and its zone is not moved."""
    day = text.str.extract(r"^(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?$")
    return day.str.to_date("%Y-%m-%d", strict=False).rename(text.name)


def place(naive: pl.Series, timezone: str) -> pl.Series:
    """Put clock readings in their zone, as UTC; of the hour that happens twice the first is meant."""
    local = naive.dt.replace_time_zone(timezone, ambiguous="earliest", non_existent="null")
    return local.dt.convert_time_zone("UTC")


def day_after(moments: pl.Series, timezone: str) -> pl.Series:
    """The first moment of the day after each one, by the zone's calendar, as UTC."""
    local = moments.dt.convert_time_zone(timezone).dt.truncate("1d").dt.offset_by("1d")
    return local.dt.convert_time_zone("UTC")


def plausible(moments: pl.Series) -> pl.Series:
    """Instants of the years 1970 to 2199; null for others, which mean "unknown" or are damaged."""
    outside = (moments < _FIRST) | (moments >= _AFTER)
    return moments.set(outside.fill_null(value=False), None) if outside.any() else moments


def _parse(distinct: pl.Series, timezone: str, date_format: str | None) -> pl.Series:
    text = pl.col("text")
    part = text.str.extract_groups(_ISO)
    clock = pl.concat_str(
        part.struct[0],
        pl.lit(" "),
        part.struct[1].fill_null("00:00"),
        pl.lit(":"),
        part.struct[2].fill_null("00"),
        part.struct[3].fill_null(".0").str.pad_end(7, "0").str.slice(0, 7),
    )
    zone = part.struct[4]
    sign = pl.when(zone.str.starts_with("-")).then(-1).otherwise(1)
    hours = zone.str.slice(1, 2).cast(pl.Int64, strict=False)
    minutes = zone.str.extract(r"^[+-]\d{2}:?(\d{2})").cast(pl.Int64, strict=False)
    frame = (
        distinct.str.strip_chars()
        .to_frame("text")
        .select(
            clock=clock.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False),
            zoned=zone.is_not_null(),
            nowhere=hours * 60 + minutes > _FARTHEST,
            offset=pl.duration(minutes=(sign * (hours * 60 + minutes)).fill_null(0)),
            stated=_stated(text, date_format),
        )
    )
    local = place(frame.select(pl.coalesce("stated", "clock")).to_series(), timezone)
    zoned = frame.select((pl.col("clock") - pl.col("offset")).dt.replace_time_zone("UTC")).to_series()
    own = frame.get_column("stated").is_null() & frame.get_column("zoned")
    nowhere = frame.get_column("nowhere").fill_null(value=False)
    return plausible(pl.select(pl.when(own).then(zoned.set(nowhere, None)).otherwise(local)).to_series())


def _stated(text: pl.Expr, date_format: str | None) -> pl.Expr:
    if date_format is None:
        return pl.lit(None, dtype=pl.Datetime("us"))
    clocks = ("",) if any(mark in date_format for mark in _CLOCK_MARKS) else ("", *_CLOCKS)
    return pl.coalesce(
        *(text.str.to_datetime(date_format + clock, time_unit="us", strict=False) for clock in clocks),
        text.str.to_date(date_format, strict=False).cast(pl.Datetime("us")),
    )
