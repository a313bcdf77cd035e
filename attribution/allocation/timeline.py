"""Time in pieces: the days on which an answer can change, and the spans between them.

Most resources never change, and for them nothing is computed here at all: a resource that is not among the spans
has one span, number 0, from ever to forever.
"""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl

from attribution.rules import RuleBook

EVER = date(1, 1, 1)
FOREVER = date(9999, 12, 31)
# A day counted from EVER takes less than 22 bits, so that resource and day make one whole number that sorts.
_DAY_BITS = 22


def timelines(*pieces: pl.DataFrame) -> pl.DataFrame:
    """Overlay pieces (resource_no, start, end, ...) of several sources.

    Returns:
        Rows (resource_no, start, end, span) of the resources for which a piece begins or ends: the whole time
        axis, cut wherever one does; sorted, `span` counts from 0.
    """
    edges = [
        piece.select("resource_no", pl.col(name).alias("start")).filter(pl.col("start") != never)
        for piece in pieces
        for name, never in (("start", EVER), ("end", FOREVER))
    ]
    moving = pl.concat(edges)
    whole = [moving.select("resource_no", pl.lit(day).alias("start")) for day in (EVER, FOREVER)]
    bounds = pl.concat([moving, *whole]).unique().sort("resource_no", "start")
    place = pl.int_range(pl.len(), dtype=pl.Int32)
    first = pl.when(pl.col("start") == EVER).then(place).forward_fill()
    return bounds.select(
        "resource_no", "start", pl.col("start").shift(-1).alias("end"), (place - first).alias("span")
    ).filter(pl.col("start") != FOREVER)


def laid(pieces: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Cut pieces (resource_no, start, end, ...) at the spans' edges; their columns, with those of the span."""
    moving = pieces.join(spans.select("resource_no").unique(), on="resource_no", how="semi")
    still = pieces.join(spans.select("resource_no").unique(), on="resource_no", how="anti")
    cut = (
        moving.join(spans, on="resource_no", suffix="_span")
        .filter((pl.col("start") <= pl.col("start_span")) & (pl.col("end_span") <= pl.col("end")))
        .drop("start", "end")
        .rename({"start_span": "start", "end_span": "end"})
    )
    whole = still.with_columns(pl.lit(0, pl.Int32).alias("span"))
    return pl.concat([cut.select(whole.columns), whole])


def during(one: pl.DataFrame, other: pl.DataFrame, on: str) -> pl.DataFrame:
    """Join two frames of pieces (start, end) for the days that both speak of."""
    return (
        one.join(other, on=on, suffix="_other")
        .with_columns(pl.max_horizontal("start", "start_other"), pl.min_horizontal("end", "end_other"))
        .filter(pl.col("start") < pl.col("end"))
        .drop("start_other", "end_other")
    )


def spans_on(resource_no: pl.Series, rows: pl.Series, days: pl.Series, spans: pl.DataFrame) -> pl.Series:
    """Which span of its resource each day lies in.

    Args:
        resource_no: the resource of each subject, null where it has none.
        rows: the subject of each day, as its row.
        days: the days.
        spans: see `timelines`; every resource there has a span on any day.
    """
    moving = resource_no.is_in(spans.get_column("resource_no").unique().implode()).fill_null(value=False).gather(rows)
    asked = pl.DataFrame({"resource_no": resource_no.gather(rows.filter(moving)), "start": days.filter(moving)})
    place = pl.col("resource_no").cast(pl.Int64) * (1 << _DAY_BITS)
    key = place + (pl.col("start") - pl.lit(EVER)).dt.total_days()
    at = spans.select(key).to_series().search_sorted(asked.select(key).to_series(), side="right").cast(pl.Int64) - 1
    still = pl.zeros(days.len(), pl.Int32, eager=True).alias("span")
    return still.scatter(moving.arg_true(), spans.get_column("span").gather(at))


def eras(book: RuleBook) -> pl.Series:
    """First days of the stretches in which no rule or alias begins, ends or sees the date change; the first is EVER."""
    cuts: set[date] = {EVER}
    for rule in book.rules:
        cuts |= {day for day in (rule.since, rule.until) if day}
    for dimension in book.dimensions.values():
        cuts |= set(dimension.editions)
    for ask in book.asks:
        if ask.column == "usage_date" and not isinstance(ask.argument, bool):
            named = ask.argument if isinstance(ask.argument, tuple) else (ask.argument,)
            cuts |= {day for day in named if isinstance(day, date)}
            cuts |= {day + timedelta(days=1) for day in named if isinstance(day, date)}
    return pl.Series("first_day", sorted(cuts), dtype=pl.Date())
