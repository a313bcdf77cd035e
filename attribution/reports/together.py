"""Money of several currencies in the workspace's, by the rates that it states; beside the sections, never in place.

Nothing is compared in per cent here: a percentage would be partly the rate's, and growth is judged in the bill's own
currency. What has no rate is named and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import polars as pl

from attribution.reports import figures, words
from attribution.reports.period import Spans
from attribution.reports.report import Amount, Report, Row, Table
from attribution.reports.sums import known_sum, within
from attribution.reports.wording import Wording
from schemas.exchange import convert, with_rates
from schemas.money import shortest

_COSTS = ("EffectiveCost", "BilledCost")


@dataclass(frozen=True)
class RatedPart:
    """EffectiveCost of the period in one currency and month, its stated rate, and what it is by it."""

    currency: str
    month: date | None  # None: the workspace's own currency, which needs no rate
    cost: Amount
    rate: Decimal | None
    worth: Amount  # None: unknown, as the cost is, or apart
    apart: bool  # for want of a rate, in no total


@dataclass(frozen=True)
class Together:
    """All money that has a rate in the workspace's currency, converted row by row and then added."""

    currency: str
    parts: tuple[RatedPart, ...]
    lacking: tuple[tuple[str, date], ...]  # currency and month without a rate, of all that is compared
    tables: tuple[Table, ...]


def together_of(
    shown: pl.DataFrame,
    rates: pl.DataFrame,
    currency: str | None,
    times: Spans,
    tables: Callable[[pl.DataFrame], tuple[Table, ...]],
) -> Together | None:
    """All money of a report in one currency.

    Args:
        shown: rows (DAILY_COLUMNS) of the days that the report shows.
        rates: RATE_COLUMNS.
        currency: the workspace's own.
        times: the report's stretches.
        tables: makes the tables of a report of such rows.

    Returns:
        None where there is nothing to bring together: one currency, or no rate for any of this money.
    """
    if currency is None or set(shown.get_column("BillingCurrency")) <= {currency}:
        return None
    converted = convert(shown, rates, currency, _COSTS)
    if converted.apart.height == shown.filter(pl.col("BillingCurrency") != currency).height:
        return None
    month = pl.col("usage_date").dt.month_start()
    lacking = converted.apart.filter(_compared(times)).select("BillingCurrency", month).unique().sort(pl.all())
    return Together(
        currency=currency,
        parts=tuple(_parts(shown.filter(within(times.period)), rates, currency)),
        lacking=tuple(lacking.iter_rows()),
        tables=tables(converted.costs),
    )


def _compared(times: Spans) -> pl.Expr:
    return pl.any_horizontal(within(one) for one in (times.period, times.before, times.month, times.last_month))


def _parts(shown: pl.DataFrame, rates: pl.DataFrame, currency: str) -> Iterator[RatedPart]:
    """The period's money by currency and month; the own currency, which has no rate, as one."""
    own = pl.col("BillingCurrency") == currency
    rated = with_rates(shown, rates, currency).with_columns(pl.when(~own).then("month"))
    for (code, month, rate), rows in rated.sort(~own, "BillingCurrency", "month").group_by(
        "BillingCurrency", "month", "rate", maintain_order=True
    ):
        worth = convert(rows.drop("month", "rate"), rates, currency).costs
        yield RatedPart(
            currency=str(code),
            month=month,
            cost=_sum(rows),
            rate=rate,
            worth=_sum(worth) if worth.height else None,
            apart=worth.is_empty(),
        )


def _sum(rows: pl.DataFrame) -> Amount:
    return rows.select(known_sum("EffectiveCost", pl.lit(value=True), "sum")).item()  # type: ignore[no-any-return]


# --- for the faces ---


@dataclass(frozen=True)
class Grid:
    """A table as it is printed: a title, headings, rows of text of which the last is the total, notes under it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def grids(report: Report, say: Wording, rows: int) -> tuple[Grid, ...]:
    """What a report says of its money in one currency; nothing where it has one currency or no rates."""
    if report.together is None:
        return ()
    return _rated(report, report.together, say), _by_project(report, report.together, say, rows)


def _rated(report: Report, both: Together, say: Wording) -> Grid:
    code = both.currency
    lines = []
    for part in both.parts:
        name = part.currency if part.month is None else f"{part.currency}, {say.month(part.month)}"
        rate = "" if part.rate is None else shortest(part.rate)
        worth = say.say("no_rate") if part.apart else say.money(part.worth, code)
        lines.append((name, say.money(part.cost, part.currency), rate, worth))
    whole = figures.total(part.worth for part in both.parts if not part.apart)
    return Grid(
        say.say("together_heading", code=code),
        (say.say("currency"), say.noun(report.period), say.say("rate"), say.say("in_currency", code=code)),
        (*lines, (say.say("total"), "", "", say.money(whole, code))),
        tuple(
            say.say("rate_lacks", code=one, into=code, month=say.month(month)) for one, month in both.lacking
        ),
    )  # fmt: skip


def _by_project(report: Report, both: Together, say: Wording, rows: int) -> Grid:
    code, times = both.currency, report.spans
    table = next(one for one in both.tables if one.dimension == "project")
    part = words.shown(table, rows, say)
    coded = (*((row, True) for row in part.rows), *((one, False) for one in (part.rest,) if one is not None),
             *((row, True) for row in part.apart), (part.total, False))  # fmt: skip

    def cells(row: Row, *, named: bool) -> tuple[str, ...]:
        name = say.value("project", row.name) if named else row.name
        amounts = (row.this, row.before, row.month, row.last_month)
        return (figures.label(name, 34), *(say.money(one, code) for one in amounts))

    columns = (say.noun(times.period), say.say("before"), say.say("month_to_date"), say.month(times.last_month.first))
    return Grid(
        say.say("by_heading", heading=part.heading.lower(), code=code),
        (part.heading, *columns),
        tuple(cells(row, named=named) for row, named in coded),
    )
