"""How the explorer writes what it found: headings, labels, the columns of its tables and files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from attribution.reports import figures
from attribution.reports.charts import apart
from attribution.reports.period import Period
from flows.explorer.looking import Table, as_file, period_of, series
from flows.explorer.question import EVERYTHING, Catalogue, Question, period_text
from schemas.money import MONEY
from schemas.words import counted
from schemas.workspace import Workspace

NONE = "(none)"
_ROW = " / "


def periods(there: Catalogue) -> dict[str, str]:
    """Periods to choose from, as addresses have them, and how they are called."""
    named = {}
    for month in there.months:
        until = there.complete_until(month.first)
        so_far = " so far" if until is None or until < month.last else ""
        named[period_text(month)] = f"{figures.month(month.first)}{so_far}"
    whole = [month for month in there.months if there.usual and month.first <= there.usual.first]
    for count, word in ((3, "Three"), (12, "Twelve")):
        if len(whole) >= count:
            together = Period(whole[count - 1].first, whole[0].last)
            named[period_text(together)] = f"{word} months to {figures.month(whole[0].first)}"
    return {**named, EVERYTHING: "All days"}


def labels(values: Iterable[str]) -> dict[str, str]:
    """Names from the data as plain letters, each different from the others."""
    told: dict[str, str] = {}
    for value in values:
        told[value] = apart(figures.label(value) if value else NONE, told.values())
    return told


def heading(question: Question, there: Catalogue) -> str:
    """Which days; a month that is not over says so."""
    return periods(there).get(period_text(question.period)) or figures.period(period_of(question, there))


def published(there: Catalogue) -> str:
    """Which run made the file."""
    return f"From {there.published}." if there.published else ""


def sources(there: Catalogue, table: Table) -> str:
    """Which run made the file, how far data goes, what was compared, and what is unknown."""
    told = [published(there)]
    until = there.complete_until(table.days.first)
    if until is not None:
        told.append(f"Complete until {figures.full_day(until)}; later days may still grow.")
    if table.before_days:
        told.append(f"Compared: {figures.period(table.days)} with {figures.period(table.before_days)}.")
    unknown = int(table.rows.get_column("unknown").sum())
    if unknown:
        told.append(f"Of {counted(unknown, 'cost')} the amount is unknown; sums are of what is known.")
    return " ".join(filter(None, told))


def command(words: Iterable[str]) -> str:
    """A command to copy, in plain letters; what a reader would not see in it is spelt as bash spells it."""
    return " ".join(
        shlex.quote(word) if figures.label(word) == word or not word else f"$'{figures.label(_escaped(word))}'"
        for word in words
    )


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("'", "\\'")


def keys(rows: pl.DataFrame, by: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Values of each row; blank for none."""
    return [tuple(value or "" for value in row) for row in rows.select(by).iter_rows()] if by else [()] * rows.height


def names(rows: pl.DataFrame, by: tuple[str, ...]) -> list[str]:
    """What the rows of a series with a place are called, in order."""
    placed = rows.filter(pl.col("place").is_not_null()).unique("place").sort("place")
    return [_ROW.join(value or NONE for value in key) if by else "all costs" for key in keys(placed, by)]


def table(rows: pl.DataFrame, whole: Table, question: Question) -> pl.DataFrame:
    """Rows for reading: names as plain letters, amounts at the currency's coins, shares in percent."""
    code = question.currency
    cost = whole.cost
    share = [
        float(100 * one / cost) if one is not None and cost and cost > 0 else None for one in rows.get_column("cost")
    ]
    amounts = {question.cost: "cost", "before": "before", "change": "change"}
    if whole.before_days is None:
        amounts = {question.cost: "cost"}
    told = {name: _coins(rows.get_column(column), code) for name, column in amounts.items()}
    first, *others = told.items()
    return pl.DataFrame(
        {
            **{name: _plain(rows.get_column(name)) for name in question.by},
            first[0]: first[1],
            "share": pl.Series(share, dtype=pl.Float64),
            **dict(others),
            "costs": rows.get_column("costs"),
        }
    )


def findings(rows: pl.DataFrame) -> pl.DataFrame:
    """Findings for reading; one of several currencies names its own."""
    texts = ("kind", "subject", "owner", "state", "severity", "evidence")
    told = {name: _plain(rows.get_column(name)) for name in texts}
    coins = {
        name: pl.Series([_coin(*row) for row in rows.select(name, "BillingCurrency").iter_rows()], dtype=MONEY)
        for name in ("cost_at_stake", "saving")
    }
    currency = rows.get_column("BillingCurrency")
    return pl.DataFrame(
        {
            "kind": told["kind"].str.replace_all("_", " "),
            "subject": told["subject"],
            "cost at stake": coins["cost_at_stake"],
            "saving": coins["saving"],
            **({"currency": currency} if currency.drop_nulls().n_unique() > 1 else {}),
            **{name: told[name] for name in texts[2:]},
            "first seen": rows.get_column("first_seen"),
        }
    )


def savings(rows: pl.DataFrame) -> str:
    """What findings of waste save a month, in each currency."""
    known = rows.filter(pl.col("saving") > 0)
    return ", ".join(
        figures.with_currency(figures.total(known.filter(BillingCurrency=code).get_column("saving")), code)
        for code in known.get_column("BillingCurrency").unique().sort()
    )


def _plain(values: pl.Series) -> pl.Series:
    return pl.Series([figures.label(value) if value else NONE for value in values], dtype=pl.String)


def _coin(amount: object, currency: str | None) -> object:
    return None if amount is None else figures.rounded(amount, currency or "")  # type: ignore[arg-type]


def _coins(amounts: pl.Series, currency: str) -> pl.Series:
    return pl.Series([_coin(amount, currency) for amount in amounts], dtype=MONEY)


def with_currency(question: Question, there: Catalogue) -> Question:
    """A question whose figure names its currency, where there are several."""
    if len(there.currencies) <= 1:
        return question
    return replace(question, where=(*question.where, ("BillingCurrency", (question.currency,))))


def table_file(whole: Table, question: Question, there: Catalogue) -> bytes:
    """All rows of the table as CSV, amounts exact."""
    period = period_of(question, there)
    days = {"first_day": period.first, "last_day": period.last}
    columns = [*question.by, *days, "cost", "unknown", "costs"]
    if whole.before_days is not None:
        days |= {"compared_first_day": whole.days.first, "compared_last_day": whole.days.last,
                 "before_first_day": whole.before_days.first, "before_last_day": whole.before_days.last}  # fmt: skip
        columns = [*question.by, *days, "cost", "compared", "before", "change", "unknown", "costs"]
    rows = whole.rows.with_columns(pl.lit(day).alias(name) for name, day in days.items()).select(columns)
    return as_file(rows, question.currency, question.cost)


def series_file(workspace: Workspace, question: Question, there: Catalogue) -> bytes:
    """All rows of the table by day, week or month as CSV, amounts exact."""
    rows = series(workspace, question, there, every=True).sort("start", "place")
    return as_file(rows.drop("place"), question.currency, question.cost)
