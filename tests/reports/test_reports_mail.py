"""The mail: its structure, its headers, one recipient, the same bytes again."""

from __future__ import annotations

import csv
import email
import io
import re
import zipfile
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from report_company import HARMFUL, WEEK, company, cost_row, frame, harmful
from test_reports_faces import _is_harmless

from attribution.reports import figures, words
from attribution.reports.build import build_report
from attribution.reports.frames import DAILY_COLUMNS
from attribution.reports.mail import LIMIT, build_mail, write_eml
from schemas.faults import InputError
from schemas.workspace import Mail

SENDER = "costs@example.com"
MAIL = Mail(SENDER)
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture(scope="module")
def mail() -> EmailMessage:
    return build_mail(build_report(company(), WEEK, "mira"), MAIL, "mira@example.com")


def _html(message: EmailMessage) -> str:
    body = message.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def test_pictures_are_related_to_the_text_and_found_by_their_names(mail: EmailMessage) -> None:
    parsed = email.message_from_bytes(mail.as_bytes(), policy=policy.default)
    assert [part.get_content_type() for part in parsed.walk()] == [
        "multipart/mixed", "multipart/related", "multipart/alternative", "text/plain", "text/html", "image/png",
        "image/png", XLSX, "text/csv",
    ]  # fmt: skip
    html = _html(mail)
    wanted = re.findall(r'src="cid:([^"]+)"', html)
    there = [str(part["Content-ID"]).strip("<>") for part in parsed.walk() if part["Content-ID"]]
    assert sorted(wanted) == sorted(there)
    assert len(set(there)) == 2
    assert "data:" not in html
    assert "<svg" not in html
    assert html.count("<style") == 1  # for dark readers; all else stands in the tags
    assert re.search(r"<style>@media \(prefers-color-scheme: dark\)", html)
    assert "http" not in html


def test_a_pictures_words_hold_its_number(mail: EmailMessage) -> None:
    section = build_report(company(), WEEK, "mira").sections[0]
    words_of = re.findall(r'alt="([^"]+)"', _html(mail))
    assert figures.with_currency(section.cost.this, "USD") in words_of[0]
    assert figures.with_currency(section.last_month.this, "USD") in words_of[1]


def test_both_halves_print_the_same_figures(mail: EmailMessage) -> None:
    report = build_report(company(), WEEK, "mira")
    text = mail.get_body(("plain",))
    assert text is not None
    for row in report.sections[0].tables[0].rows:
        printed = figures.money(row.this, "USD")
        assert printed in text.get_content()
        assert printed in _html(mail)


def test_one_recipient_and_nobody_elses_address_or_money(mail: EmailMessage) -> None:
    raw = mail.as_string()
    assert str(mail["To"]) == "mira@example.com"
    assert mail["Cc"] is None
    assert mail["Bcc"] is None
    assert set(re.findall(r"[\w.+-]+@example\.\w+", raw)) <= {"mira@example.com", SENDER} | {
        cid for cid in re.findall(r"[\w.+-]+@example\.com", raw) if re.search(r"[0-9a-f]{32}@", cid)
    }
    for foreign in ("jonas", "borealis", "unallocated", "sana"):
        assert foreign not in raw


def test_what_is_attached_holds_the_readers_rows_and_nobody_elses(mail: EmailMessage) -> None:
    book, sheet = (part.get_payload(decode=True) for part in mail.iter_attachments())
    assert isinstance(book, bytes)
    assert isinstance(sheet, bytes)
    with zipfile.ZipFile(io.BytesIO(book)) as pages:
        told = "".join(pages.read(name).decode() for name in pages.namelist()) + sheet.decode("utf-8-sig")
    assert "atlas-main" in told
    for foreign in ("jonas", "borealis", "unallocated", "sana", "meridian", "512345"):
        assert foreign not in told
    names = [part.get_filename() for part in mail.iter_attachments()]
    assert names == ["costs_2026-10-26_2026-11-01.xlsx", "costs_2026-10-26_2026-11-01.csv"]
    row = next(csv.DictReader(io.StringIO(sheet.decode("utf-8-sig"))))
    total = build_report(company(), WEEK, "mira").sections[0].tables[0].rows[0]
    assert (row["dimension"], row["name"], row["EffectiveCost"]) == ("project", total.name, f"{total.this:f}")


def test_the_same_report_is_the_same_mail_and_another_is_another(mail: EmailMessage) -> None:
    again = build_mail(build_report(company(), WEEK, "mira"), MAIL, "mira@example.com")
    assert again.as_bytes() == mail.as_bytes()
    other = build_mail(build_report(company(), WEEK, "mira"), MAIL, "deputy@example.com")
    third = build_mail(build_report(company(), WEEK), MAIL, "mira@example.com")
    assert len({mail["Message-ID"], other["Message-ID"], third["Message-ID"]}) == 3
    assert mail["List-Id"] == "Cost report <cost-report.example.com>"
    assert mail["Date"].datetime == company().as_of


def test_the_subject_is_one_line_whatever_the_owner_is_called() -> None:
    for name in HARMFUL.values():
        daily = frame(DAILY_COLUMNS, [cost_row(WEEK.first, "p", name, "12.5")])
        message = build_mail(build_report(company(daily=daily), WEEK, name), MAIL, "a@example.com")
        parsed = email.message_from_bytes(message.as_bytes(), policy=policy.default)
        assert parsed["Bcc"] is None
        assert "\n" not in parsed["Subject"]
        assert "12.50 USD (new)" in parsed["Subject"]


def test_harmful_names_are_text_in_the_mail_and_it_stays_short() -> None:
    html = _html(build_mail(build_report(harmful(), WEEK), MAIL, "a@example.com"))
    _is_harmless(html)
    assert len(re.findall("<img", html)) == 2


def test_a_mail_of_hundreds_of_long_names_in_many_currencies_stays_below_the_limit() -> None:
    rows = [
        cost_row(WEEK.first, f"{n:03d}" + '"&<' * 99, f"owner {n} " + "'" * 90, "10", code, stage=f"{n}" + "<" * 90,
                 experiment=f"{n}" + "预" * 90, element=f"{n}")
        for n in range(300)
        for code in ("USD", "EUR", "CNY", "JPY")
    ]  # fmt: skip
    message = build_mail(build_report(company(daily=frame(DAILY_COLUMNS, rows)), WEEK), MAIL, "a@example.com")
    assert len(_html(message).encode()) < LIMIT


@pytest.mark.parametrize("wrong", ["a@example.com, b@example.com", "nobody", "a@example.com\r\nBcc: b@example.com", ""])
def test_what_is_not_one_address_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="not one mail address"):
        build_mail(build_report(company(), WEEK, "mira"), MAIL, wrong)


def test_a_kept_mail_reads_back_and_is_one_file(mail: EmailMessage, tmp_path: Path) -> None:
    path = write_eml(mail, tmp_path / "mails")
    assert write_eml(mail, tmp_path / "mails") == path
    assert [file.name for file in (tmp_path / "mails").iterdir()] == [path.name]
    assert email.message_from_bytes(path.read_bytes(), policy=policy.default)["To"] == "mira@example.com"


def test_the_subject_names_period_money_and_change() -> None:
    assert words.subject(build_report(company(), WEEK)) == (
        "Cost report for all, 26 Oct – 1 Nov 2026: 34,410.96 USD (-2.6%) and 1 more currency"
    )
