"""Two languages from two tables of sentences: the same keys, the same gaps to fill, numbers and dates of each."""

from __future__ import annotations

import io
import re
import string
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from report_company import HARMFUL, WEEK, company, cost_row, frame, growth_row, harmful

from attribution.reports import charts, drawings, fonts, words
from attribution.reports.build import build_report
from attribution.reports.frames import DAILY_COLUMNS, REPORT_BUDGET_COLUMNS
from attribution.reports.mail import build_mail
from attribution.reports.page import render_page
from attribution.reports.report import Report
from attribution.reports.sheets import sheets
from attribution.reports.text import render_text
from attribution.reports.wording import locales, wording
from attribution.reports.workbook import render_workbook
from schemas.detection import GROWTH_COLUMNS
from schemas.workspace import Mail

ROOM = Path(words.__file__).parent
CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def table(locale: str) -> dict[str, Any]:
    return tomllib.loads((ROOM / "locales" / f"{locale}.toml").read_text(encoding="utf-8"))


def gaps(sentence: Any) -> set[str]:  # noqa: ANN401 - a sentence, or its forms
    forms = sentence.values() if isinstance(sentence, dict) else [sentence]
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def test_every_language_says_the_same_and_nothing_is_missing_or_idle() -> None:
    english = table("en")
    used = {
        key
        for file in [*ROOM.glob("*.py"), *ROOM.glob("templates/*.j2")]
        for key in re.findall(r'"(\w+)"', file.read_text(encoding="utf-8"))
    }
    made = {"this_week", "this_month", "this_period", "mark_good", "mark_look", "mark_note"}
    made |= {f"{one}_report" for one in ("owner", "team")} | {
        key for key in english if key.startswith(("effect_", "sheet_"))
    }
    assert set(english) - used - made - {"calendar", "values", "percent_sign"} == set()
    assert set(locales()) == {"en", "zh-CN"}
    for locale in locales():
        other = table(locale)
        assert other.keys() == english.keys()
        differ = {key for key in english if key != "values" and gaps(other[key]) != gaps(english[key])}
        assert differ == set(), locale


def test_numbers_dates_and_money_are_the_languages_own() -> None:
    english, chinese = wording("en"), wording("zh-CN")
    amount = Decimal("-1234567.895")
    assert english.with_currency(amount, "CNY") == "-1,234,567.90 CNY"
    assert chinese.with_currency(amount, "CNY") == "-1,234,567.90人民币"
    assert chinese.with_currency(Decimal("1234.5"), "JPY") == "1,234日元"
    assert (english.period(WEEK), chinese.period(WEEK)) == ("26 Oct – 1 Nov 2026", "2026年10月26日 – 11月1日")
    assert chinese.full_day(date(2026, 11, 4)) == "2026年11月4日"
    assert english.money(Decimal(10) ** 24 + Decimal("0.125"), "USD") == "1,000,000,000,000,000,000,000,000.12"
    assert (english.count("subjects", 1), english.count("subjects", 2000)) == ("1 subject", "2,000 subjects")
    assert [english.percent(Decimal(this), Decimal(4)) for this in (5, 4, 0, 400)] == [
        "+25.0%",
        "0.0%",
        "gone",
        "over +999%",
    ]
    assert [chinese.percent(Decimal(this), Decimal(0)) for this in (5, -1)] == ["新增", "无基数"]


@pytest.fixture(scope="module")
def chinese() -> Report:
    return build_report(company(locale="zh-CN"), WEEK)


def test_a_chinese_report_is_chinese_on_every_face_with_the_same_figures(chinese: Report) -> None:
    english = build_report(company(), WEEK)
    mail = build_mail(chinese, Mail("costs@example.com"), "a@example.com")
    html = mail.get_body(("html",))
    assert html is not None
    for face in (render_text(chinese), render_page(chinese), str(html.get_content())):
        assert ("需要关注" if "<" in face else "关注  2 个对象") in face
        for piece in ("项目", "预训练", "未分配", "数据完整到"):
            assert piece in face
        for row in english.sections[0].tables[0].rows:
            assert wording("zh-CN").money(row.this, "USD") in face
        for english_word in ("Worth a look", "This week", "Likely waste", "unallocated", "Complete"):
            assert english_word not in face
    assert str(mail["Subject"]).startswith("全公司成本报告，2026年10月26日")


def test_without_a_font_charts_speak_english_and_say_which_font_is_missing(
    chinese: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(fonts, "has_cjk_font", lambda stated=None: bool(asked.append(stated)))
    daily = drawings.charts(chinese, chinese.sections[0], charts.MAIL)[0]
    assert "本机没有中文字体" in daily.note
    assert "fonts-noto-cjk" in daily.note
    assert "USD a day" in str(daily.spec)
    assert "每日" not in str(daily.spec)
    assert "USD 每日" in str(drawings.charts(chinese, chinese.sections[0], charts.PAGE)[0].spec)  # a browser has fonts
    stated = build_report(company(locale="zh-CN", font="LXGW WenKai"), WEEK)
    charts_of = drawings.charts(stated, stated.sections[0], charts.MAIL)
    assert "LXGW WenKai" in asked
    assert str(charts_of[0].spec["config"]["font"]).startswith("LXGW WenKai, ")


# --- what a report tells of money ---


def test_a_trend_is_drawn_with_letters_from_zero() -> None:
    assert words.spark(tuple(map(Decimal, (0, 7, 14, 3)))) == "▁▄█▂"
    assert words.spark((None, Decimal(-1), Decimal(5))) == "··█"
    assert words.spark((None, Decimal(0))) == ""


def test_rows_hold_the_eight_weeks_that_end_with_the_period() -> None:
    days = [cost_row(day, "p", "mira", str(n)) for n, day in enumerate(reversed([WEEK.last.replace(day=1)] * 1), 1)]
    days += [cost_row(date(2026, 10, 12), "p", "mira", "30"), cost_row(date(2026, 9, 6), "p", "mira", "9")]
    (row,) = build_report(company(daily=frame(DAILY_COLUMNS, days)), WEEK, "mira").sections[0].tables[0].rows
    assert row.weeks == tuple(map(Decimal, (0, 0, 0, 0, 0, 30, 0, 1)))


def test_the_three_that_grew_most_are_different_money_and_say_why() -> None:
    rows = [
        growth_row(f"experiment=e{n}", "mira", str(100 * n), "50", "10") | {"usage_effect": Decimal(100 * n - 60),
        "price_effect": Decimal(10), "new_effect": Decimal(0)}
        for n in range(1, 6)
    ]  # fmt: skip
    rows += [
        growth_row("project=p", "mira", "9000", "1", "10"),
        growth_row("experiment=idle", "mira", "8000", "1", "9"),
    ]
    section = build_report(company(growth=frame(GROWTH_COLUMNS, rows)), WEEK).sections[0]
    assert [row.subject for row in section.grew] == ["experiment=e5", "experiment=e4", "experiment=e3"]
    line, why = words.grew(section.grew[0], wording("en"))
    assert line == "experiment=e5: +450.00 USD (+10.0%) in Oct 2026"
    assert why == "Why: usage +440.00, price +10.00."


def budget(name: str, dimensions: str, owner: str, status: str) -> dict[str, Any]:
    return {
        "budget": name, "dimensions": dimensions, "period_start": date(2026, 11, 1), "period_end": date(2026, 12, 1),
        "amount": Decimal(90000), "BillingCurrency": "USD", "spent": Decimal(20000), "forecast": Decimal(95000),
        "breach_date": date(2026, 11, 28), "status": status, "owner": owner,
    }  # fmt: skip


def test_budgets_of_ones_own_money_stand_in_ones_report_and_at_risk_is_a_reason_to_look() -> None:
    rows = [
        budget("atlas", "project=atlas-7b", "shared", "at risk"),
        budget("mira", "owner=mira", "mira", "at risk"),
        budget("jonas", "owner=jonas", "jonas", "kept"),
        budget("old", "owner=mira", "mira", "breached") | {"period_end": date(2026, 11, 2)},
    ]
    frames = company(budgets=frame(REPORT_BUDGET_COLUMNS, rows))
    assert [row.budget for row in build_report(frames, WEEK).sections[0].budgets] == ["atlas", "mira", "jonas"]
    mira = build_report(frames, WEEK, "mira")
    assert [row.budget for row in mira.sections[0].budgets] == ["mira"]
    said = [one.text for one in words.statements(mira) if one.level == "look"]
    assert said[0] == "Budget mira is at risk: 95,000.00 USD foreseen of 90,000.00 USD, reached about 28 Nov."
    assert "95,000.00" in render_text(mira)


def test_idle_and_undivided_money_is_told_apart_and_counted_once() -> None:
    rows = [
        cost_row(WEEK.first, "p", "mira", "5"),
        cost_row(WEEK.first, "idle", "mira", "7", experiment="idle"),
        cost_row(WEEK.first, "shared", "mira", "11", stage="idle"),
        cost_row(WEEK.first, "shared", "mira", "13"),
    ]
    section = build_report(company(daily=frame(DAILY_COLUMNS, rows)), WEEK, "mira").sections[0]
    assert (section.cost.this, section.idle.this, section.undivided.this) == (36, 18, 13)
    assert [row.name for row in section.tables[0].rows] == ["p", "shared", "idle"]


# --- by team ---


def test_a_teams_report_is_its_money_and_the_findings_of_owners_who_are_its_alone() -> None:
    team = pl.when(pl.col("owner").is_in(["mira", "jonas"])).then(pl.lit("foundation")).otherwise(pl.lit("data"))
    daily, resources = company().daily.with_columns(team=team), company().resources.with_columns(team=team)
    lent = daily.filter(pl.col("owner") == "jonas").head(1).with_columns(team=pl.lit("data"))
    report = build_report(company(daily=pl.concat([daily, lent]), resources=resources), WEEK, team="foundation")
    assert {one.name for one in report.sections[0].tree} == {"atlas-7b", "cygnus-serving"}
    assert report.key == "team=foundation"
    assert [table.dimension for table in report.sections[0].tables][3] == "owner"
    printed = repr(report)
    for foreign in ("li-wei", "sana", "borealis", "vol-09ce", "owner=jonas", "aws", "EUR"):
        assert foreign not in printed
    assert "i-0fb2c41d9e7a3310" in printed
    whole = build_report(company(daily=daily, resources=resources), WEEK).sections[0]
    (row,) = [
        row for table in whole.tables if table.dimension == "team" for row in table.rows if row.name == "foundation"
    ]
    assert (
        build_report(company(daily=daily, resources=resources), WEEK, team="foundation").sections[0].cost.this
        == row.this
    )


# --- the spreadsheet ---


def cells_of(content: bytes) -> dict[str, list[list[str]]]:
    """Texts of a workbook's cells by sheet, read from its XML; a formula would be told as `=`."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        shared = ["".join(one.itertext()) for one in ET.fromstring(book.read("xl/sharedStrings.xml"))]  # noqa: S314
        names = [one.get("name") for one in ET.fromstring(book.read("xl/workbook.xml")).iter(f"{CELL}sheet")]  # noqa: S314
        told: dict[str, list[list[str]]] = {}
        for number, name in enumerate(names, 1):
            sheet = ET.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))  # noqa: S314
            assert not list(sheet.iter(f"{CELL}f"))
            assert not list(sheet.iter(f"{CELL}hyperlink"))
            rows = [[(cell, cell.findtext(f"{CELL}v", "")) for cell in row] for row in sheet.iter(f"{CELL}row")]
            told[str(name)] = [[shared[int(v)] if c.get("t") == "s" else v for c, v in row] for row in rows]
            if number > 1:
                assert sheet.find(f".//{CELL}pane[@state='frozen']") is not None
    return told


def test_the_workbook_has_a_sheet_for_each_table_with_its_figures_and_is_the_same_bytes_again(chinese: Report) -> None:
    report = build_report(company(), WEEK)
    content = render_workbook(report)
    told = cells_of(content)
    assert list(told) == ["Summary", "Project", "Stage", "Experiment", "Owner", "Cost element", "Service", "Days",
                          "Findings", "Growth", "Past months", "Invoices"]  # fmt: skip
    by_project = next(sheet for sheet in sheets(report) if sheet.name == "by_project")
    assert [row[3] for row in told["Project"][1:]] == [row[3] for row in by_project.rows]
    for shown, row in zip(told["Project"][1:], by_project.rows, strict=True):
        assert abs(Decimal(shown[4]) - Decimal(str(row[4]))) < Decimal("1e-9")
    assert render_workbook(report) == content
    assert list(cells_of(render_workbook(chinese)))[:3] == ["摘要", "项目", "阶段"]


def test_harmful_names_are_text_in_the_workbook() -> None:
    told = cells_of(render_workbook(build_report(harmful(), WEEK)))
    names = {row[3] for row in told["Project"][1:]}
    assert HARMFUL["formula"] in names
    assert HARMFUL["script"] in names
    assert HARMFUL["long"] in names
    assert r"two\r\nBcc: someone@example.org" in names
    everything = repr(told)
    assert not any(letter in everything for letter in ("\u202e", "\u200f"))


def test_headings_stay_in_sight_and_no_cell_is_a_formula() -> None:
    with zipfile.ZipFile(io.BytesIO(render_workbook(build_report(harmful(), WEEK)))) as book:
        pages = [book.read(name).decode() for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
        looks = book.read("xl/styles.xml").decode()
    assert all('state="frozen"' in page for page in pages[1:])
    assert not any("<f>" in page for page in pages)
    assert 'formatCode="yyyy\\-mm\\-dd"' in looks or 'formatCode="yyyy-mm-dd"' in looks
