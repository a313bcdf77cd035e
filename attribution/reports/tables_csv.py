"""The Report's tables as CSV files for spreadsheets: exact decimals, and text that can never become a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from attribution.reports.report import Report
from attribution.reports.sheets import Cell, sheets
from schemas.faults import Fault, InputError

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
    """Every table of a report: file name -> CSV text."""
    return {f"{sheet.name}.csv": csv_text(sheet.columns, sheet.rows) for sheet in sheets(report)}


def write_tables(report: Report, folder: Path) -> list[Path]:
    """Write every table into a folder, in UTF-8 with the mark spreadsheets look for; no file is ever half there."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in tables(report).items():
        _put(folder / name, text)
        paths.append(folder / name)
    return paths


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Write one table as `write_tables` does.

    Raises:
        InputError: the path cannot be written.
    """
    try:
        _put(path, csv_text(columns, rows))
    except OSError as error:
        raise InputError(Fault(str(path), f"cannot be written: {error.strerror or error}")) from error


def _put(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8-sig", newline="")
    partial.replace(path)
