"""What the explorer shows, asked of the published file: opened for each question and closed again.

Answers are kept until another file is published. Sums are exact; what is drawn may round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import polars as pl

from attribution.ledger import Stamp, published_stamp, read_published
from attribution.reports.figures import difference, full_day, total
from attribution.reports.period import Period
from attribution.reports.report import Amount
from flows.explaining.asked import read_days
from flows.explaining.figure import ALSO, condition_of, explain_figure, explain_finding
from flows.explaining.told import Told
from flows.explorer.question import Catalogue, Chosen, Question, compared
from flows.judging import watermarks
from flows.questions import as_csv
from flows.running import now
from flows.settings import load_workspace
from schemas.money import MONEY
from schemas.workspace import OWN_COSTS, Workspace

DRAWN: Final = 6
"""Rows with a colour of their own in a chart; all others are drawn as one."""
_NOT_BY = ("BillingCurrency", "bill_id")
_KEPT = 32


@dataclass(frozen=True)
class Table:
    """Costs of a period by some columns, most money first, with those of the days that they are compared with.

    `rows` holds the columns, `cost` of all days, `compared` of those compared, `before` and `change` (null: unknown),
    the numbers of costs behind them (`costs`, `costs_compared`, `costs_before`), and `unknown`, how many costs have no
    known amount. `days` are those compared, `before_days` None where no data goes back so far.
    """

    rows: pl.DataFrame
    days: Period
    before_days: Period | None

    @property
    def cost(self) -> Amount:
        """The whole period's sum."""
        return self._sum("cost", "costs")

    @property
    def this(self) -> Amount:
        """The sum of the days that are compared."""
        return self._sum("compared", "costs_compared")

    @property
    def before(self) -> Amount:
        """The sum of the days before; None where there is no data."""
        return self._sum("before", "costs_before") if self.before_days else None

    def _sum(self, amount: str, costs: str) -> Amount:
        return total(self.rows.filter(pl.col(costs) > 0).get_column(amount))


def catalogue(workspace: Workspace) -> Catalogue:
    """What there is to choose from.

    Raises:
        InputError: nothing is published.
    """
    store = workspace.store
    return _catalogue(store, published_stamp(store), workspace.currency, workspace.timezone)


@lru_cache(maxsize=4)
def _catalogue(store: Path, _stamp: Stamp, currency: str, timezone: str) -> Catalogue:
    with read_published(store) as published:
        dimensions = published.dimensions()
        days = published.frame("SELECT min(usage_date), max(usage_date) FROM main.costs").row(0)
        currencies = published.frame(
            "SELECT BillingCurrency FROM main.costs GROUP BY 1 ORDER BY BillingCurrency <> ?, count(*) DESC, 1",
            [currency],
        )
        run, as_of = published.frame("SELECT max(run), max_by(as_of, run) FROM main.runs WHERE status = 'done'").row(0)
        marks = watermarks(published, timezone, as_of or now())
    return Catalogue(
        dimensions=tuple(dimensions),
        columns=(*dimensions, *(name for name in ALSO if name not in _NOT_BY)),
        currencies=tuple(currencies.to_series()),
        days=None if days[0] is None else Period(*days),
        marks={name: mark for name, mark in marks.items() if name != OWN_COSTS},
        published=f"run {run} of {full_day(as_of)}, {as_of:%H:%M} UTC" if as_of else "",
    )


def period_of(question: Question, there: Catalogue) -> Period:
    """The days that are asked for; all that there are where none are stated."""
    return question.period or there.days or read_days("2000-01-01")


def costs_by(workspace: Workspace, question: Question, there: Catalogue) -> Table:
    """The table of a question.

    Raises:
        InputError: nothing is published, or a column is unknown.
    """
    period = period_of(question, there)
    days, before = compared(period, there.complete_until(period.first))
    known = there.days is not None and there.days.first <= before.first
    rows = _costs_by(workspace.store, published_stamp(workspace.store), _asked(question), (period, days, before))
    if not known:
        rows = rows.filter(pl.col("costs") > 0).with_columns(pl.lit(None, MONEY).alias("before"))
    changes = [difference(this, old) for this, old in rows.select("compared", "before").iter_rows()]
    return Table(rows.with_columns(pl.Series("change", changes, MONEY)), days, before if known else None)


def _asked(question: Question, grain: str = "") -> Question:
    """A question as far as sums depend on it."""
    return replace(question, view="", chart="", grain=grain, row=(), found=(), finding="")


@lru_cache(maxsize=_KEPT)
def _costs_by(store: Path, _stamp: Stamp, asked: Question, periods: tuple[Period, Period, Period]) -> pl.DataFrame:
    """Sums of a period, of the part that is compared, and of what it is compared with; one row of nothing at all."""
    within = " FILTER (usage_date BETWEEN ? AND ?)"
    period, days, before = periods
    sums = {
        "cost": (f'sum("{asked.cost}")', period),
        "compared": (f'sum("{asked.cost}")', days),
        "before": (f'sum("{asked.cost}")', before),
        "costs": ("count(*)", period),
        "known": (f'count("{asked.cost}")', period),
        "costs_compared": ("count(*)", days),
        "costs_before": ("count(*)", before),
    }
    summed = ", ".join(f"{how}{within} AS {name}" for name, (how, _) in sums.items())
    params = [day for _, within_days in sums.values() for day in (within_days.first, within_days.last)]
    keys = "".join(f'"{name}", ' for name in asked.by)
    with read_published(store) as published:
        condition, values = condition_of(published, dict(asked.where), None)
        rows = published.frame(
            f"""
            SELECT {keys}{summed} FROM main.costs
            WHERE {condition} AND BillingCurrency = ?
                AND (usage_date BETWEEN ? AND ? OR usage_date BETWEEN ? AND ?)
            GROUP BY ALL
            """,  # noqa: S608 - columns that are known
            [*params, *values, asked.currency, period.first, period.last, before.first, before.last],
        )
    nothing = {"cost": "costs", "compared": "costs_compared", "before": "costs_before"}
    known = rows.with_columns(
        pl.when(pl.col(count) == 0).then(pl.lit(0, MONEY)).otherwise(name).alias(name)
        for name, count in nothing.items()
    )
    order = [pl.col("cost").abs(), pl.col("before").abs(), *map(pl.col, asked.by)]
    return known.sort(order, descending=[True, True, *[False] * len(asked.by)], nulls_last=True).select(
        *asked.by, *nothing, *nothing.values(), (pl.col("costs") - pl.col("known")).alias("unknown")
    )


def series(workspace: Workspace, question: Question, there: Catalogue, *, every: bool = False) -> pl.DataFrame:
    """Costs over time: `start` of the day, week or month, the columns, `place` in the table from 1, `amount`.

    Args:
        workspace: whose published file.
        question: what is asked.
        there: what there is.
        every: all rows of the table; else the first DRAWN of them, and the rest with no place and no columns.
    """
    drawn = None if every else DRAWN
    asked = replace(_asked(question, question.grain), period=period_of(question, there))
    return _series(workspace.store, published_stamp(workspace.store), asked, drawn)


@lru_cache(maxsize=_KEPT)
def _series(store: Path, _stamp: Stamp, asked: Question, drawn: int | None) -> pl.DataFrame:
    by = asked.by
    keys = "".join(f'"{name}", ' for name in by)
    same = " AND ".join(f't."{name}" IS NOT DISTINCT FROM c."{name}"' for name in by) or "true"
    shown = "".join(f't."{name}", ' for name in by)
    order = ", ".join(["abs(amount) DESC NULLS LAST", *(f'"{name}"' for name in by)])
    with read_published(store) as published:
        condition, values = condition_of(published, dict(asked.where), asked.period)
        return published.frame(
            f"""
            WITH chosen AS (
                SELECT CAST(date_trunc(?, usage_date) AS DATE) AS start, {keys}"{asked.cost}" AS amount
                FROM main.costs WHERE {condition} AND BillingCurrency = ?
            ),
            summed AS (SELECT {keys}sum(amount) AS amount FROM chosen GROUP BY ALL),
            top AS (
                SELECT {keys}row_number() OVER (ORDER BY {order}) AS place FROM summed
                QUALIFY place <= coalesce(?, place)
            )
            SELECT c.start, {shown}t.place, sum(c.amount) AS amount FROM chosen AS c LEFT JOIN top AS t ON {same}
            GROUP BY ALL ORDER BY ALL
            """,  # noqa: S608 - columns that are known
            [asked.grain, *values, asked.currency, drawn],
        )


def values_of(workspace: Workspace, column: str, question: Question, there: Catalogue) -> list[str]:
    """Values of a column in the days asked for, most money of the currency asked for first; blank for none."""
    period = period_of(question, there)
    return list(_values_of(workspace.store, published_stamp(workspace.store), column, period, question.currency))


@lru_cache(maxsize=_KEPT)
def _values_of(store: Path, _stamp: Stamp, column: str, period: Period, currency: str) -> tuple[str, ...]:
    with read_published(store) as published:
        condition, values = condition_of(published, {}, period)
        rows = published.frame(
            f"""
            SELECT coalesce("{column}", '') AS value FROM main.costs WHERE {condition}
            GROUP BY ALL
            ORDER BY sum(abs(EffectiveCost)) FILTER (BillingCurrency = ?) DESC NULLS LAST, value
            """,  # noqa: S608 - a column that is known
            [*values, currency],
        )
    return tuple(rows.to_series())


@lru_cache(maxsize=2)
def _findings(store: Path, _stamp: Stamp) -> pl.DataFrame:
    with read_published(store) as published:
        return published.frame(
            """
            SELECT left(fingerprint, 8) AS id, kind, subject, owner, project, severity, state, cost_at_stake, saving,
                BillingCurrency, confidence, month, first_seen, last_seen, evidence, fingerprint
            FROM main.findings ORDER BY cost_at_stake DESC NULLS LAST, kind, subject, fingerprint
            """
        )


def findings(workspace: Workspace) -> pl.DataFrame:
    """All findings, most money first."""
    return _findings(workspace.store, published_stamp(workspace.store))


def found_by(rows: pl.DataFrame, chosen: Chosen) -> pl.DataFrame:
    """Findings that have, of each column named, one of the values."""
    return rows.filter(
        pl.lit(value=True), *(pl.col(column).fill_null("").is_in(values) for column, values in chosen if values)
    )


def explain(workspace: Workspace, question: Question) -> Told:
    """Why the chosen row, or finding, is what it is: as `attribution explain` says it.

    Raises:
        InputError: it is gone.
    """
    rules = tuple(path.stat().st_mtime_ns for path in workspace.rules if path.exists())
    asked = question.finding if question.view == "findings" else (tuple(question.cell.items()), question.period)
    return _explain(workspace.root, (published_stamp(workspace.store), rules), asked)


@lru_cache(maxsize=8)
def _explain(root: Path, _stamp: tuple[Any, ...], asked: str | tuple[Chosen, Period | None]) -> Told:
    workspace = load_workspace(root)
    if isinstance(asked, str):
        return explain_finding(workspace, asked)
    cell, period = asked
    return explain_figure(workspace, dict(cell), period)


def words_of(workspace: Workspace, question: Question) -> list[str]:
    """The command that explains the same."""
    words = ["attribution", "explain"]
    if question.view == "findings":
        words += ["--finding", question.finding]
    else:
        words += [word for name, values in question.cell.items() for value in values
                  for word in ("--where", f"{name}={value}")]  # fmt: skip
        period = question.period
        if period is not None and period.is_month:
            words += ["--month", f"{period.first:%Y-%m}"]
        elif period is not None:
            words += ["--days", f"{period.first}..{period.last}"]
    return [*words, "--workspace", str(workspace.root)]


def as_file(rows: pl.DataFrame, currency: str = "", cost: str = "") -> bytes:
    """Rows as a CSV file that spreadsheets open without taking text for formulas, amounts exact."""
    named: dict[str, Any] = {"amount": cost, "cost": cost} if cost else {}
    if currency:
        rows = rows.with_columns(pl.lit(currency).alias("BillingCurrency"))
    return as_csv(rows.rename(named, strict=False)).encode("utf-8-sig")
