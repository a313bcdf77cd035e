"""The weekly reports: a page and CSV files for each owner and for all, and each recipient's own mail."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import polars as pl
from rich.console import Group
from rich.text import Text

from attribution.ledger import DeliveryState
from attribution.reports.build import build_report
from attribution.reports.deliver import DeliveryResult, Letter, deliver
from attribution.reports.figures import label
from attribution.reports.frames import ReportFrames
from attribution.reports.mail import build_mail, write_eml
from attribution.reports.page import render_page
from attribution.reports.period import Period
from attribution.reports.report import Report
from attribution.reports.tables_csv import write_tables
from attribution.reports.text import add_row, plain_table
from flows.people import recipients_of
from flows.running import Run, now
from flows.summary import report_frames, restatement_rows, week_of
from flows.terminal import UnfinishedError
from schemas.dimensions import NOBODY
from schemas.workspace import ALL

Outcome = Literal["sent", "failed", "doubtful", "skipped", "filed"]
CUT_OFF = "the run that was sending it was cut off; it may have arrived, so it is not sent again"
MAYBE = "it may have arrived with an earlier run, so it is not sent again"
_AGAIN = (None, "failed", "filed")


@dataclass(frozen=True)
class Mailed:
    """What became of one mail."""

    report: str
    recipient: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Weekly:
    """The reports of one week: whose they are and where they lie, and the mails."""

    period: Period
    pages: tuple[tuple[str, Path], ...]
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
        run.ledger.note_reported(run.number, report.spans.months)
        folder = folder_of(run, report)
        write_tables(report, folder)
        _write(folder / "report.html", render_page(report))
        reports.append(report)
    return tuple(reports)


def _owners(run: Run, frames: ReportFrames, period: Period) -> tuple[str, ...]:
    """Owners with money in the weeks that the report compares, and whoever is to receive one."""
    recent = pl.col("usage_date").is_between(period.before().first, run.today)
    named = frames.daily.filter(recent).get_column("owner").unique().to_list()
    recipients = [owner for owner in recipients_of(run) if owner != ALL]
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
    mail, recipients = run.workspace.mail, recipients_of(run)
    letters = [
        Letter(report.key, report.period, recipient, build_mail(report, mail.sender, recipient))
        for report in reports
        for recipient in recipients.get(report.owner or ALL, ())
    ]
    if mail.smtp:
        password = os.environ.get(mail.smtp.password_env) if mail.smtp.password_env else None
        met: dict[tuple[str, str], Mailed] = {}
        results = deliver(letters, mail.smtp, partial(_plan, run, met), partial(_record, run), password=password)
        sent = [Mailed(one.report, one.recipient, one.outcome, one.error) for one in results]
        mails = [met.get((one.report, one.recipient), one) for one in sent]
    else:
        mails = [_file(run, letter) for letter in letters]
    run.counts |= {"reports": len(reports), "mails": len(mails)}
    pages = tuple((report.owner or ALL, folder_of(run, report) / "report.html") for report in reports)
    return Weekly(reports[0].period, pages, tuple(mails))


def _named(period: Period) -> str:
    return f"{period.first}..{period.last}"


def _plan(run: Run, met: dict[tuple[str, str], Mailed], letter: Letter) -> bool:
    """Note the intent; False where the mail went already, or may have, which `met` then tells.

    Only one run writes, so one that is found `planned` was left so by a run that was cut off between sending and
    noting it.
    """
    before = _planned(run, letter)
    if before in _AGAIN:
        return True
    told = Mailed(letter.report, letter.recipient, "skipped", "sent by an earlier run" if before == "sent" else MAYBE)
    if before == "planned":
        _note(run, letter, "doubtful", CUT_OFF)
        told = replace(told, outcome="doubtful", detail=CUT_OFF)
    met[letter.report, letter.recipient] = told
    return False


def _planned(run: Run, letter: Letter) -> str | None:
    """Note a mail that is about to go; what became of the same one earlier."""
    message_id = str(letter.message["Message-ID"])
    period = _named(letter.period)
    return run.ledger.plan_delivery(letter.report, period, letter.recipient, message_id=message_id, at=now()).before


def _note(run: Run, letter: Letter, state: DeliveryState, error: str | None = None) -> None:
    run.ledger.record_delivery(
        letter.report, _named(letter.period), letter.recipient, state=state, at=now(), error=error
    )


def _record(run: Run, done: DeliveryResult) -> None:
    if done.outcome == "skipped":
        return
    run.ledger.record_delivery(
        done.report, _named(done.period), done.recipient, state=done.outcome, at=now(), error=done.error or None
    )


def _file(run: Run, letter: Letter) -> Mailed:
    """Leave a mail as a file; the same mail again is the same file."""
    if _planned(run, letter) in ("sent", "doubtful"):
        return Mailed(letter.report, letter.recipient, "skipped")
    folder = run.workspace.store / "reports" / f"{letter.period.first}_{letter.period.last}" / "mail"
    path = write_eml(letter.message, folder)
    _note(run, letter, "filed")
    return Mailed(letter.report, letter.recipient, "filed", str(path))


def complain(mails: Sequence[Mailed]) -> None:
    """End a run whose reports are written, but whose mails did not all go.

    Raises:
        UnfinishedError: a mail failed, or nobody knows whether it arrived.
    """
    troubled = [mail for mail in mails if mail.outcome in ("failed", "doubtful")]
    if troubled:
        raise UnfinishedError("; ".join(f"{mail.outcome}: {mail.report}: {mail.detail}" for mail in troubled))


def weekly_table(done: Weekly) -> Group:
    """Where the reports lie and what became of each mail."""
    pages = plain_table("Report for", "page", texts=2)
    for owner, path in done.pages:
        add_row(pages, label(owner, 40), str(path))
    mails = plain_table("To", "report", "mail", "detail", texts=4)
    for mail in done.mails:
        add_row(mails, mail.recipient, label(mail.report, 40), mail.outcome, label(mail.detail) if mail.detail else "")
    head = Text(f"Reports of {done.period.first} to {done.period.last}", style="bold")
    return Group(head, Text(), pages, Text(), mails if done.mails else Text("No recipients: nothing to send."))
