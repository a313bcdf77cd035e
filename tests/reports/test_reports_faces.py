"""Page, text, terminal and CSV: names stay text, figures are the report's, nothing comes from outside."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from base64 import b64encode
from dataclasses import replace
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_company import HARMFUL, WEEK, company, harmful
from rich.console import Console

from attribution.reports import charts, drawings, figures, fonts
from attribution.reports.build import build_report
from attribution.reports.held import ClosedMonth, Pending
from attribution.reports.nightly import NightlySummary, Place, nightly_summary, summary_of
from attribution.reports.page import render_page
from attribution.reports.report import Reconciled, Report
from attribution.reports.tables_csv import safe, tables, write_tables
from attribution.reports.text import reconciliation, render_text
from attribution.reports.wording import wording
from schemas.bills import HeldBack

FORMULA = tuple("=+-@\t\r\n")
SCRIPT = (Path(charts.__file__).parent / "templates" / "page.js").read_text(encoding="utf-8")
OURS = f"<script>{SCRIPT}</script>"


class Tags(HTMLParser):
    """Every tag with its attributes, and the text outside of style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def report() -> Report:
    return build_report(company(), WEEK)


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render_page(report)


def _is_harmless(html: str) -> None:
    parsed = Tags(html)
    names = {tag for tag, _ in parsed.tags}
    assert not names & {"script", "iframe", "object", "embed", "form", "foreignobject"}
    for _, attributes in parsed.tags:
        assert not any(name.startswith("on") for name in attributes)
    text = "".join(parsed.text)
    assert "<script>alert(1)</script>" in text
    assert '"><img src=x onerror=alert(2)>' in text
    assert "{{ 7 * 7 }}{% raw %}" in text
    assert not any(letter in html for letter in "\u202e\u200f\x1b\x07\r")


def test_the_page_shows_harmful_names_as_text() -> None:
    for owner in (None, "mira"):
        html = render_page(build_report(harmful(), WEEK, owner))
        assert html.count(OURS) == 1
        _is_harmless(html.replace(OURS, ""))
        assert not [tag for tag, _ in Tags(html).tags if tag == "img"]


def test_the_page_asks_nothing_from_outside_and_is_small(page: str) -> None:
    assert len(page.encode()) < 2_000_000
    loads = [
        value
        for _, attributes in Tags(page).tags
        for name, value in attributes.items()
        if name in ("src", "href", "xlink:href", "action", "srcset", "poster")
    ]
    assert loads == ["data:,"]
    assert "url(http" not in page
    assert "@import" not in page
    digest = b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in page.replace("&#39;", "'")
    for reach in ("fetch(", "XMLHttpRequest", "import(", "eval(", "innerHTML", "http", "localStorage", "cookie"):
        assert reach not in SCRIPT


def test_the_page_is_the_same_bytes_again(report: Report, page: str) -> None:
    assert render_page(report) == page


def test_page_text_and_csv_print_the_same_figures(report: Report, page: str) -> None:
    text, files = render_text(report), tables(report)
    for section in report.sections:
        for row in section.tables[0].rows:
            printed = figures.money(row.this, section.currency)
            assert printed in page
            assert printed in text
    cells = list(csv.DictReader(io.StringIO(files["by_project.csv"])))
    expected = [
        (section.currency, row.name, row.this, row.before)
        for section in report.sections
        for row in section.tables[0].rows
    ]  # fmt: skip
    assert expected == [
        (cell["BillingCurrency"], cell["name"], Decimal(cell["EffectiveCost"]), Decimal(cell["before"]))
        for cell in cells
    ]  # fmt: skip


def test_charts_are_drawn_in_the_pages_own_ink(page: str) -> None:
    assert page.count("<svg") == 2 * (3 + 2)  # USD has three charts, EUR no waste; each wide and narrow
    assert charts.INK.lower() not in page.lower()


def test_text_has_no_control_letters_and_no_markup() -> None:
    text = render_text(build_report(harmful(), WEEK))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u200e\u200f]", text)
    assert "[red]not red[/red] :smile:" in text
    assert "\nBcc:" not in text
    assert max(map(len, text.splitlines())) <= 78


def test_csv_text_never_becomes_a_formula_and_numbers_stay_numbers() -> None:
    for text in tables(build_report(harmful(), WEEK)).values():
        for row in csv.DictReader(io.StringIO(text, newline="")):
            for column, cell in row.items():
                if column not in ("change", "percent"):
                    assert not cell.startswith(FORMULA), (column, cell)
    assert [safe(cell) for cell in ("=1", "+1", "-1", "@x", "\tx", "\rx", "＝x", "x", "")] == [
        "'=1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "'＝x", "x", "",
    ]  # fmt: skip
    assert [safe(cell) for cell in (Decimal("-1.5"), -2, None)] == ["-1.5", "-2", ""]


def test_csv_files_keep_every_digit_and_every_letter(tmp_path: Path) -> None:
    report = build_report(harmful(), WEEK)
    paths = write_tables(report, tmp_path / "tables")
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == sorted(path.name for path in paths)
    with (tmp_path / "tables" / "by_project.csv").open(encoding="utf-8-sig", newline="") as file:
        names = {row["name"].removeprefix("'") for row in csv.DictReader(file)}
    assert names == set(HARMFUL.values())


def test_long_names_stay_apart_in_a_chart_and_missing_letters_become_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    pen = charts.Pen.of("en", None, charts.PAGE)
    names = charts.Names(["x" * 300, "x" * 299], charts.PAGE, pen, "project")
    assert names["x" * 300] != names["x" * 299]
    monkeypatch.setattr(fonts, "has_cjk_font", lambda *_: False)
    report = build_report(company(), WEEK)
    stages = next(chart for chart in drawings.charts(report, report.sections[0], charts.MAIL) if chart.name == "stages")
    assert "#1 = 预训练 warm-up" in stages.note
    assert "CJK font" in stages.note
    monkeypatch.setattr(fonts, "has_cjk_font", lambda *_: True)
    again = next(chart for chart in drawings.charts(report, report.sections[0], charts.MAIL) if chart.name == "stages")
    assert again.note == ""


def test_a_chart_is_a_picture_and_its_words_hold_the_figure(report: Report) -> None:
    daily = drawings.charts(report, report.sections[0], charts.MAIL)[0]
    assert charts.png(daily).startswith(b"\x89PNG")
    assert figures.with_currency(report.sections[0].cost.this, "USD") in daily.alt_text


def _summary(report: Report, **changes: Any) -> NightlySummary:  # noqa: ANN401 - any field of the record
    whole = report.sections[0].whole
    assert whole is not None
    places = (Place("costs", "ledger/costs.duckdb"),)
    return replace(summary_of(report, whole.bills, places, nothing_new=False, grace_days=7), **changes)


def _printed(summary: NightlySummary, width: int = 100) -> str:
    sink = io.StringIO()
    Console(file=sink, width=width).print(nightly_summary(summary))
    return sink.getvalue()


def test_the_nightly_summary_fits_a_hundred_columns_and_pipes_plainly(report: Report) -> None:
    text = _printed(_summary(report, held_back=(HeldBack("aws", "a.csv", "[bold]why[/bold]"),)))
    assert max(map(len, text.splitlines())) <= 100
    assert "\x1b" not in text
    for piece in ("2 bills read; 3 refused bill rows", "148,210.22 USD", "atlas-7b", "owner=jonas", "4,561.12 USD",
                  "project 94.0%", "[bold]why[/bold]", "ledger/costs.duckdb", "orphaned tag: 1"):  # fmt: skip
        assert piece in text
    assert "owner=mira" not in text  # a fall is no growth finding


def test_a_night_without_anything_new_says_so(report: Report) -> None:
    assert "nothing new" in _printed(_summary(report, bills=(), nothing_new=True), 120)


def test_what_closed_months_hold_back_leaves_sums_that_agree(report: Report) -> None:
    """Nine late values of 10 each: eight are shown, the ninth in the last line."""
    month = date(2026, 9, 1)
    held = tuple(
        Pending(month, "USD", "project", f"p{number}", Decimal(1), Decimal(11), "late bill") for number in range(9)
    )
    months = (ClosedMonth(month, "USD", "EffectiveCost", Decimal(910), Decimal(1000)),)
    sums = (Reconciled("USD", "EffectiveCost", Decimal(5000), Decimal(5000), Decimal(90)),)
    lines = _printed(_summary(report, reconciled=sums, pending=held, closed=months)).splitlines()
    words = [line.split() for line in lines]
    assert ["EffectiveCost", "USD", "5,000.00", "5,000.00", "0", "+90.00", "4,910.00"] in words
    assert ["EffectiveCost", "USD", "Sep", "2026", "910.00", "1,000.00", "+90.00"] in words
    assert ["and", "1", "more,", "USD", "1.00", "11.00", "+10.00"] in words
    assert sum(line.endswith("+10.00") for line in lines) == 9
    assert "in all figures" not in _printed(_summary(report))


def test_the_report_for_all_says_what_closed_months_hold_back() -> None:
    row = Reconciled("USD", "EffectiveCost", Decimal(5000), Decimal(5000), Decimal(90))
    told = reconciliation(row, "USD", wording("en"))
    assert told.endswith("closed months hold back +90.00 USD; all other figures sum to 4,910.00 USD.")
    assert {"+90.00", "4,910.00"} <= set(reconciliation(row, "USD", wording("zh-CN")).split())


def test_a_missing_cent_is_shouted(report: Report) -> None:
    apart = (Reconciled("USD", "BilledCost", Decimal(100), Decimal("99.999999999999")),)
    text = _printed(_summary(report, reconciled=apart))
    assert text.startswith("BROKEN")
    assert "0.000000000001" in text
