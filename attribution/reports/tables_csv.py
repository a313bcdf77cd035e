"""The Report's tables as CSV files for spreadsheets: exact decimals, and text that can never become a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from attribution.reports import figures
from attribution.reports.report import Report, Section

Cell = str | int | Decimal | date | bool | None

# What Excel, LibreOffice or Google Sheets take for the beginning of a formula, full-width forms included.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe(cell: Cell) -> str:
    """A cell as written: text that looks like a formula gets a leading `'`; numbers and dates stay; null is empty."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_FORMULA) else cell
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A CSV file's text, RFC 4180."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([safe(cell) for cell in row] for row in rows)
    return sink.getvalue()


def tables(report: Report) -> dict[str, str]:
    """Every table of a report: file name -> CSV text. All rows, all digits, one currency a row."""
    files: dict[str, str] = {}
    period, before = f"{report.period.first}..{report.period.last}", f"{report.spans.before.first}"
    columns = ("BillingCurrency", "period", "compared_from", "name", "EffectiveCost", "before", "change", "percent",
               "month_to_date", "last_month", "BilledCost")  # fmt: skip
    names = [table.dimension for table in report.sections[0].tables] if report.sections else []
    for n, name in enumerate(names):
        files[f"by_{name}.csv"] = csv_text(
            columns,
            (
                (section.currency, period, before, row.name, row.this, row.before,
                 figures.difference(row.this, row.before), _percent(row.this, row.before),
                 row.month, row.last_month, row.billed)
                for section in report.sections
                for row in section.tables[n].rows
            ),
        )  # fmt: skip
    return files | _lists(report)


def _percent(this: Decimal | None, before: Decimal | None) -> Decimal | str:
    """Percentage points as a number, or the word that stands where there is none."""
    word = figures.percent(this, before)
    return word if word[-1] != "%" or " " in word else Decimal(word[:-1])


def _lists(report: Report) -> dict[str, str]:
    sections: tuple[Section, ...] = report.sections
    found = [row for section in sections for row in (*section.findings, *section.undetermined, *section.remarks)]
    return {
        "daily.csv": csv_text(
            ("usage_date", "project", "BillingCurrency", "EffectiveCost", "provisional"),
            ((row.day, row.project, one.currency, row.cost, row.provisional) for one in sections for row in one.daily),
        ),
        "findings.csv": csv_text(
            ("kind", "subject", "verdict", "project", "owner", "cost_at_stake", "BillingCurrency", "confidence",
             "evidence", "state", "first_seen", "age_days"),
            (
                (row.kind, row.subject, row.verdict, row.project, row.owner, row.cost, row.currency, row.confidence,
                 row.evidence, row.state, row.first_seen, row.age)
                for row in (*found, *report.loose_findings)
            ),
        ),
        "growth.csv": csv_text(
            ("subject", "month", "BillingCurrency", "status", "cost", "previous", "change", "percent", "verdict",
             "note", "explained_by"),
            (
                (row.subject, row.month, row.currency, row.status, row.cost, row.previous, row.change, row.percent,
                 row.verdict, row.note, row.explained_by)
                for one in sections for row in one.growth
            ),
        ),
        "restatements.csv": csv_text(
            ("month", "project", "owner", "BillingCurrency", "before", "after", "changed_on", "reported"),
            (
                (row.month, row.project, row.owner, one.currency, row.before, row.after, row.changed_on,
                 "yes" if row.reported else "no")
                for one in sections for row in one.restatements
            ),
        ),
    } | _of_all(report)  # fmt: skip


def _of_all(report: Report) -> dict[str, str]:
    """What only the report for all holds."""
    if report.owner is not None:
        return {}
    return {
        "invoices.csv": csv_text(
            ("source", "BillingAccountId", "billing_month", "InvoiceId", "BillingCurrency", "BilledCost", "paid",
             "difference", "status", "refused_rows"),
            (
                (row.source, row.account, row.month, row.invoice, row.currency, row.billed, row.paid, row.difference,
                 row.status, row.refused_rows)
                for one in report.sections if one.whole for row in one.whole.invoices
            ),
        ),
    }  # fmt: skip


def write_tables(report: Report, folder: Path) -> list[Path]:
    """Write every table into a folder, in UTF-8 with the mark spreadsheets look for; no file is ever half there."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in tables(report).items():
        path = folder / name
        partial = folder / f"{name}.partial"
        partial.write_text(text, encoding="utf-8-sig", newline="")
        partial.replace(path)
        paths.append(path)
    return paths
