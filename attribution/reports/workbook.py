"""The Report as one spreadsheet: a first sheet to read, then a sheet for each table. Nothing in it is a formula.

A spreadsheet's numbers hold sixteen digits; the CSV files hold all.
"""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal
from typing import Any

import xlsxwriter

from attribution.reports import figures, words
from attribution.reports.report import Report
from attribution.reports.sheets import Cell, Sheet, sheets
from attribution.reports.text import headlines, quality_lines
from attribution.reports.wording import Wording, wording

_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_LONGEST = 32_000  # letters; a cell holds 32,767
_WIDEST = 60


def render_workbook(report: Report) -> bytes:
    """The whole file; the same report makes the same bytes."""
    sink = io.BytesIO()
    book = xlsxwriter.Workbook(sink, _OPTIONS)
    book.set_properties({"title": words.heading(report), "created": report.as_of.replace(tzinfo=None)})
    formats = {
        name: book.add_format(look)
        for name, look in {
            "title": {"bold": True, "font_size": 14},
            "heading": {"bold": True, "bottom": 1, "bg_color": "#EDF1F6", "text_wrap": True, "valign": "top"},
            "money": {"num_format": "#,##0.00"},
            "count": {"num_format": "#,##0"},
            "percent": {"num_format": "0.0"},
            "rate": {"num_format": "General"},
            "date": {"num_format": "yyyy-mm-dd"},
            "text": {"num_format": "@"},
            "plain": {},
        }.items()
    }
    say = wording(report.locale)
    _summary(book, formats, report, say)
    for sheet in sheets(report):
        _table(book, formats, sheet, say)
    book.close()
    return sink.getvalue()


def _summary(book: Any, formats: dict[str, Any], report: Report, say: Wording) -> None:  # noqa: ANN401 - untyped library
    page = book.add_worksheet(say.say("sheet_summary"))
    page.set_column(0, 0, 48)
    page.set_column(1, 4, 16)
    rows: list[tuple[tuple[Cell, ...], str]] = [
        ((words.heading(report),), "title"),
        ((words.compared(report),), "plain"),
    ]
    rows += [((f"{say.say(f'mark_{line.level}')}: {line.text}",), "plain") for line in words.statements(report)]
    for section in report.sections:
        columns = ("headline_of", "cost", "before", "change")
        rows += [((), "plain"), (tuple(say.say(name, code=section.currency) for name in columns), "heading")]
        rows += [
            ((name, both.this, both.before, figures.difference(both.this, both.before)), "plain")
            for name, both in headlines(report, section, say)
        ]
        for row in section.grew:
            rows += [((text,), "plain") for text in words.grew(row, say) if text]
    rows += [((), "plain"), *(((line,), "plain") for line in quality_lines(report, say))]
    for n, (cells, look) in enumerate(rows):
        for place, cell in enumerate(cells):
            _write(page, (n, place), cell, formats, look)


def _table(book: Any, formats: dict[str, Any], sheet: Sheet, say: Wording) -> None:  # noqa: ANN401 - untyped library
    page = book.add_worksheet(_title(sheet.name, say))
    page.freeze_panes(1, 0)
    for place, column in enumerate(sheet.columns):
        _write(page, (0, place), column, formats, "heading")
        wide = max((len(str(row[place])) for row in sheet.rows[:200] if isinstance(row[place], str)), default=0)
        page.set_column(place, place, min(max(12, len(column) + 2, wide + 2), _WIDEST))
    for n, row in enumerate(sheet.rows, 1):
        for place, (column, cell) in enumerate(zip(sheet.columns, row, strict=True)):
            _write(page, (n, place), cell, formats, column)
    if sheet.rows:
        page.autofilter(0, 0, len(sheet.rows), len(sheet.columns) - 1)


def _title(name: str, say: Wording) -> str:
    dimension = name.removeprefix("by_")
    return say.say(dimension if dimension != name else f"sheet_{name}")[:31]


def _write(page: Any, at: tuple[int, int], cell: Cell, formats: dict[str, Any], column: str) -> None:  # noqa: ANN401
    """One cell by its type: text is always written as text, whatever it begins with."""
    look = formats.get(column)
    if cell is None:
        return
    if isinstance(cell, str):
        page.write_string(*at, figures.label(cell, _LONGEST) if cell else "", look or formats["text"])
    elif isinstance(cell, bool):
        page.write_boolean(*at, cell)
    elif isinstance(cell, date):
        page.write_datetime(*at, cell, formats["date"])
    elif isinstance(cell, Decimal):
        page.write_number(*at, cell, formats[column if column in ("percent", "rate") else "money"])
    else:
        page.write_number(*at, cell, formats["count"])
