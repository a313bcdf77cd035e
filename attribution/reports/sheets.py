"""The Report's tables, once for every kind of spreadsheet: all rows, all digits, one currency a row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from attribution.reports import figures
from attribution.reports.report import Report, Section

Cell = str | int | Decimal | date | bool | None


@dataclass(frozen=True)
class Sheet:
    """One table: a name that a file may have, columns, rows."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


COSTS = ("BillingCurrency", "period", "compared_from", "name", "EffectiveCost", "before", "change", "percent",
         "month_to_date", "last_month", "BilledCost")  # fmt: skip


def sheets(report: Report) -> tuple[Sheet, ...]:
    """Every table of a report."""
    names = [table.dimension for table in report.sections[0].tables] if report.sections else []
    costs = (Sheet(f"by_{name}", COSTS, tuple(_costs(report, n))) for n, name in enumerate(names))
    return (*costs, *_in_one_currency(report), *_lists(report), *_of_all(report))


def costs_sheet(report: Report) -> Sheet:
    """All tables of costs in one, for programs: a row says which dimension it is of."""
    names = [table.dimension for table in report.sections[0].tables] if report.sections else []
    rows = ((name, *row) for n, name in enumerate(names) for row in _costs(report, n))
    return Sheet("costs", ("dimension", *COSTS), tuple(rows))


def _costs(report: Report, n: int) -> Iterable[tuple[Cell, ...]]:
    period, before = f"{report.period.first}..{report.period.last}", f"{report.spans.before.first}"
    for section in report.sections:
        for row in section.tables[n].rows:
            yield (
                section.currency, period, before, row.name, row.this, row.before,
                figures.difference(row.this, row.before), _percent(row.this, row.before),
                row.month, row.last_month, row.billed,
            )  # fmt: skip


def _in_one_currency(report: Report) -> Iterable[Sheet]:
    both = report.together
    if both is None:
        return
    yield Sheet(
        "in_one_currency",
        ("dimension", "name", "currency", "EffectiveCost", "before", "month_to_date", "last_month", "BilledCost"),
        tuple(
            (table.dimension, row.name, both.currency, row.this, row.before, row.month, row.last_month, row.billed)
            for table in both.tables for row in table.rows
        ),
    )  # fmt: skip
    yield Sheet(
        "rates",
        ("BillingCurrency", "month", "EffectiveCost", "rate", "currency", "converted"),
        tuple((row.currency, row.month, row.cost, row.rate, both.currency, row.worth) for row in both.parts),
    )


def _percent(this: Decimal | None, before: Decimal | None) -> Decimal | str:
    """Percentage points as a number, or the word that stands where there is none."""
    word = figures.percent(this, before)
    return word if word[-1] != "%" or " " in word else Decimal(word[:-1])


def _lists(report: Report) -> Iterable[Sheet]:
    sections: tuple[Section, ...] = report.sections
    yield Sheet(
        "daily",
        ("usage_date", "project", "BillingCurrency", "EffectiveCost", "provisional"),
        tuple((row.day, row.project, one.currency, row.cost, row.provisional) for one in sections for row in one.daily),
    )
    found = [row for section in sections for row in (*section.findings, *section.undetermined, *section.remarks)]
    yield Sheet(
        "findings",
        ("kind", "subject", "verdict", "project", "owner", "cost_at_stake", "BillingCurrency", "confidence",
         "evidence", "state", "first_seen", "age_days"),
        tuple(
            (row.kind, row.subject, row.verdict, row.project, row.owner, row.cost, row.currency, row.confidence,
             row.evidence, row.state, row.first_seen, row.age)
            for row in (*found, *report.loose_findings)
        ),
    )  # fmt: skip
    yield Sheet(
        "growth",
        ("subject", "month", "BillingCurrency", "status", "cost", "previous", "change", "percent", "verdict",
         "note", "explained_by"),
        tuple(
            (row.subject, row.month, row.currency, row.status, row.cost, row.previous, row.change, row.percent,
             row.verdict, row.note, row.explained_by)
            for one in sections for row in one.growth
        ),
    )  # fmt: skip
    yield Sheet(
        "restatements",
        ("month", "project", "owner", "BillingCurrency", "before", "after", "changed_on", "reported"),
        tuple(
            (row.month, row.project, row.owner, one.currency, row.before, row.after, row.changed_on,
             "yes" if row.reported else "no")
            for one in sections for row in one.restatements
        ),
    )  # fmt: skip


def _of_all(report: Report) -> Iterable[Sheet]:
    """What only the report for all holds."""
    if report.whose is None:
        yield Sheet(
            "invoices",
            ("source", "BillingAccountId", "billing_month", "InvoiceId", "BillingCurrency", "BilledCost", "paid",
             "difference", "status", "refused_rows"),
            tuple(
                (row.source, row.account, row.month, row.invoice, row.currency, row.billed, row.paid, row.difference,
                 row.status, row.refused_rows)
                for one in report.sections if one.whole for row in one.whole.invoices
            ),
        )  # fmt: skip
