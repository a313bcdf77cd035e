"""The weekly reports: a page and CSV files for each owner and for all, and each recipient's own mail."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import polars as pl
from rich.console import Group
from rich.text import Text

from attribution.reports.build import build_report
from attribution.reports.deliver import DeliveryResult, Letter, deliver
from attribution.reports.frames import ReportFrames
from attribution.reports.mail import build_mail, write_eml
from attribution.reports.page import render_page
from attribution.reports.period import Period
from attribution.reports.report import Report
from attribution.reports.tables_csv import write_tables
from attribution.reports.text import add_row, plain_table
from flows.running import Run, now
from flows.summary import report_frames, restatement_rows, week_of
from schemas.dimensions import NOBODY

ALL = "all"
"""Recipients under this name in [report.recipients] get the report for all."""

Outcome = Literal["sent", "failed", "doubtful", "skipped", "filed"]


@dataclass(frozen=True)
class Mailed:
    """What became of one mail."""

    report: str
    recipient: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Weekly:
    """The reports of one week: where they lie, and the mails."""

    period: Period
    pages: tuple[Path, ...]
    mails: tuple[Mailed, ...]


def write_reports(run: Run) -> tuple[Report, ...]:
    """Write the pages and CSV files of the last complete week; the report for all comes first."""
    frames = report_frames(run.ledger, run.workspace, run.as_of)
    period = week_of(frames)
    owners = _owners(run, frames, period)
    reports = []
    for number, owner in enumerate((None, *owners)):
        run.watch(f"report for {owner or ALL}", number, len(owners) + 1)
        report = build_report(replace(frames, restatements=restatement_rows(run.ledger, owner)), period, owner)
        folder = folder_of(run, report)
        write_tables(report, folder)
        _write(folder / "report.html", render_page(report))
        reports.append(report)
    return tuple(reports)


def _owners(run: Run, frames: ReportFrames, period: Period) -> tuple[str, ...]:
    """Owners with money in the weeks that the report compares, and whoever is to receive one."""
    recent = pl.col("usage_date").is_between(period.before().first, run.today)
    named = frames.daily.filter(recent).get_column("owner").unique().to_list()
    recipients = [owner for owner in run.workspace.mail.recipients if owner != ALL]
    return tuple(sorted({*named, *recipients} - set(NOBODY)))


def folder_of(run: Run, report: Report) -> Path:
    """Folder of a report; a name that is no plain file name is told apart by its digest."""
    name = report.owner or ALL
    if (report.owner is not None and not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,60}", name)) or report.owner == ALL:
        name = f"owner-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return run.workspace.store / "reports" / f"{report.period.first}_{report.period.last}" / name


def _write(path: Path, text: str) -> None:
    unfinished = path.with_suffix(".partial")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def mail_reports(run: Run, reports: Iterable[Report]) -> Weekly:
    """Send each recipient their own report, or leave the mails as files where no server is configured."""
    reports = tuple(reports)
    mail = run.workspace.mail
    letters = [
        Letter(report.key, report.period, recipient, build_mail(report, mail.sender, recipient))
        for report in reports
        for recipient in mail.recipients.get(report.owner or ALL, ())
    ]
    if mail.smtp:
        password = os.environ.get(mail.smtp.password_env) if mail.smtp.password_env else None
        results = deliver(letters, mail.smtp, partial(_plan, run), partial(_record, run), password=password)
        mails = [Mailed(one.report, one.recipient, one.outcome, one.error) for one in results]
    else:
        mails = [_file(run, letter) for letter in letters]
    run.counts |= {"reports": len(reports), "mails": len(mails)}
    pages = tuple(folder_of(run, report) / "report.html" for report in reports)
    return Weekly(reports[0].period, pages, tuple(mails))


def _named(period: Period) -> str:
    return f"{period.first}..{period.last}"


def _plan(run: Run, letter: Letter) -> bool:
    """Note the intent; False where the mail went already, or may have: a crash after sending leaves it `planned`."""
    message_id = str(letter.message["Message-ID"])
    planned = run.ledger.plan_delivery(
        letter.report, _named(letter.period), letter.recipient, message_id=message_id, at=now()
    )
    return planned.before in (None, "failed", "filed")


def _record(run: Run, done: DeliveryResult) -> None:
    if done.outcome == "skipped":
        return
    run.ledger.record_delivery(
        done.report, _named(done.period), done.recipient, state=done.outcome, at=now(), error=done.error or None
    )


def _file(run: Run, letter: Letter) -> Mailed:
    """Leave a mail as a file; the same mail again is the same file."""
    planned = run.ledger.plan_delivery(
        letter.report, _named(letter.period), letter.recipient, message_id=str(letter.message["Message-ID"]), at=now()
    )
    if planned.before in ("sent", "doubtful"):
        return Mailed(letter.report, letter.recipient, "skipped")
    folder = run.workspace.store / "reports" / f"{letter.period.first}_{letter.period.last}" / "mail"
    path = write_eml(letter.message, folder)
    run.ledger.record_delivery(letter.report, _named(letter.period), letter.recipient, state="filed", at=now())
    return Mailed(letter.report, letter.recipient, "filed", str(path))


def weekly_table(done: Weekly) -> Group:
    """Where the reports lie and what became of each mail."""
    pages = plain_table("Report", texts=1)
    for path in done.pages:
        add_row(pages, str(path))
    mails = plain_table("To", "report", "mail", "detail", texts=4)
    for mail in done.mails:
        add_row(mails, mail.recipient, mail.report, mail.outcome, mail.detail)
    head = Text(f"Reports of {done.period.first} to {done.period.last}", style="bold")
    return Group(head, Text(), pages, Text(), mails if done.mails else Text("No recipients: nothing to send."))
