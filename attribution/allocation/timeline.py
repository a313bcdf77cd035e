"""Time in pieces: the days on which an answer can change, and the contexts in which money stands.

A *context* is a subject in one piece of time: nothing that rules and tags can see changes inside it. There are
few contexts, so everything is decided on them and money only learns the number of the decision.
"""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl

from attribution.rules import RuleBook

EVER = date(1, 1, 1)
FOREVER = date(9999, 12, 31)


def spans_between(bounds: pl.DataFrame) -> pl.DataFrame:
    """Neighbouring bounds (resource_no, start) of each resource as spans (resource_no, start, end)."""
    bounds = bounds.unique().sort("resource_no", "start")
    following = pl.col("start").shift(-1)
    same = pl.col("resource_no").shift(-1) == pl.col("resource_no")
    return bounds.with_columns(pl.when(same).then(following).alias("end")).drop_nulls("end")


def timelines(*pieces: pl.DataFrame) -> pl.DataFrame:
    """Overlay pieces (resource_no, start, end, ...) of several sources.

    Returns:
        Rows (resource_no, span, start, end): each resource's whole time axis, cut wherever a piece begins or
        ends; `span` counts from 0.
    """
    whole = [piece.select("resource_no").unique() for piece in pieces]
    edges = [piece.select("resource_no", pl.col(name).alias("start")) for piece in pieces for name in ("start", "end")]
    ends = [one.with_columns(pl.lit(day).alias("start")) for one in whole for day in (EVER, FOREVER)]
    spans = spans_between(pl.concat([*edges, *ends]))
    return spans.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).over("resource_no").alias("span"))


def laid(pieces: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    """Cut pieces (resource_no, start, end, ...) at the spans' edges; their columns, with those of the span."""
    return (
        pieces.join(spans, on="resource_no", suffix="_span")
        .filter((pl.col("start") <= pl.col("start_span")) & (pl.col("end_span") <= pl.col("end")))
        .drop("start", "end")
        .rename({"start_span": "start", "end_span": "end"})
    )


def eras(book: RuleBook, days: pl.Series) -> pl.DataFrame:
    """Days (usage_date) with their `era`: a number for each stretch in which no rule begins, ends or sees a change.

    The number is that of its first day among `first_day`, which stands for the whole stretch.
    """
    cuts: set[date] = {EVER}
    for rule in book.rules:
        cuts |= {day for day in (rule.since, rule.until) if day}
    for test in book.tests:
        if test.column == "usage_date" and not isinstance(test.argument, bool):
            named = test.argument if isinstance(test.argument, tuple) else (test.argument,)
            cuts |= {day for day in named if isinstance(day, date)}
            cuts |= {day + timedelta(days=1) for day in named if isinstance(day, date)}
    first = pl.DataFrame({"first_day": sorted(cuts)}, schema={"first_day": pl.Date()})
    days = days.unique().sort()
    era = first.get_column("first_day").search_sorted(days, side="right") - 1
    return pl.DataFrame(
        {"usage_date": days, "era": era.cast(pl.Int32), "first_day": first.get_column("first_day").gather(era)}
    )
