"""What the explorer draws: costs over time, stacked or as lines, at the width of the window.

Amounts become floats in the browser, where pixels are drawn; what a reader sees when pointing is text.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import altair as alt

from attribution.reports import figures
from attribution.reports.charts import INK, OTHER_COLOUR, PALETTE, Size, apart, data, legend, specification

if TYPE_CHECKING:
    import polars as pl

_LEGEND = Size(full=900, half=500, letters=26, columns=2)
OTHERS = "all others"
_TICKS = 9
_HEIGHT = 300


def over_time(
    rows: pl.DataFrame, names: Sequence[str], currency: str, *, grain: str, lines: bool, font: str | None
) -> dict[str, Any]:
    """A Vega-Lite specification of costs by day, week or month.

    Args:
        rows: `start`, `place` (from 1; null: all others), `amount` (null: unknown, not drawn).
        names: of the places, in order.
        currency: of all amounts.
        grain: day, week or month.
        lines: one line a name in place of stacked bars.
        font: a font that comes first.
    """
    labels = _labels(names)
    starts = _every(rows.get_column("start").unique().sort().to_list(), grain)
    told = list(rows.select("start", "place", "amount").iter_rows())
    if lines:  # a line over days without a cost goes down to nothing
        there = {(start, place) for start, place, _ in told}
        places = dict.fromkeys(place for _, place, _ in told)
        told += [(start, place, Decimal(0)) for start in starts for place in places if (start, place) not in there]
    values = [
        {
            "start": start.isoformat(),
            "name": labels[place - 1] if place else OTHERS,
            "place": place or len(labels) + 1,
            "amount": f"{amount:f}",
            "shown": figures.with_currency(amount, currency),
            "when": _when(start, grain),
        }
        for start, place, amount in told
        if amount is not None
    ]
    domain = [*labels, *([OTHERS] if any(one["name"] == OTHERS for one in values) else [])]
    colours = [*PALETTE[: len(labels)], OTHER_COLOUR][: len(domain)]
    drawn = alt.Chart(data(values))
    drawn = drawn.mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=2) if lines else drawn.mark_bar()
    chart = (
        drawn.encode(
            x=_axis(starts, grain, lines=lines),
            y=alt.Y("amount:Q", title=f"{currency} a {grain}", stack=None if lines else "zero",
                    axis=alt.Axis(format="~s", tickCount=6)),
            color=alt.Color("name:N", scale=alt.Scale(domain=domain, range=colours), legend=legend(_LEGEND)),
            order=alt.Order("start:O" if lines else "place:Q"),
            tooltip=[alt.Tooltip("name:N", title="what"), alt.Tooltip("when:N", title=grain),
                     alt.Tooltip("shown:N", title="cost")],
        )
        .properties(width="container", height=_HEIGHT)
    )  # fmt: skip
    return specification(chart, font)


def _labels(names: Sequence[str]) -> list[str]:
    told: list[str] = []
    for name in names:
        told.append(apart(figures.label(name, _LEGEND.letters), [*told, OTHERS]))
    return told


def _every(starts: list[date], grain: str) -> list[date]:
    """Days, weeks or months from the first to the last, those without a cost too."""
    every = starts[:1]
    while every and every[-1] < starts[-1]:
        step = {"day": 1, "week": 7}.get(grain)
        following = every[-1] + timedelta(days=step or 32)
        every.append(following if step else following.replace(day=1))
    return every


def _when(start: date, grain: str) -> str:
    if grain == "month":
        return figures.month(start)
    return f"from {figures.full_day(start)}" if grain == "week" else f"{start:%a} {figures.full_day(start)}"


def _axis(starts: list[date], grain: str, *, lines: bool) -> alt.X:
    """One band a step, a few of them labelled: days are names here, so that no time zone can move them."""
    labelled = starts[:: -(-len(starts) // _TICKS) or 1]
    words = {day.isoformat(): figures.month(day) if grain == "month" else figures.day(day) for day in labelled}
    return alt.X(
        "start:O",
        title=None,
        scale=alt.Scale(domain=[day.isoformat() for day in starts], paddingInner=alt.Undefined if lines else 0.15),
        axis=alt.Axis(
            values=list(words),
            labelExpr=f"({words})[datum.value]",
            labelAngle=0,
            labelColor=INK,
            grid=False,
        ),
    )
