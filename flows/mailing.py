"""Each recipient's own mail: to whom, whether it may go, and what became of it. Nothing is sent twice or forgotten.

Mails go out only to recipients that somebody approved (`attribution weekly --approve`). The first run of a workspace,
and any run after the recipients changed, leaves them as files to look at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from rich.console import Group, RenderableType
from rich.text import Text

from attribution.ledger import MailKey, MailState, approve, approved, mail_state, note_mail, record_mail
from attribution.reports.deliver import DeliveryResult, Letter, deliver
from attribution.reports.figures import label
from attribution.reports.mail import build_mail, reference_of, write_eml
from attribution.reports.period import Period
from attribution.reports.report import Report
from attribution.reports.text_tables import add_row, plain_table
from flows.people import recipients_of
from flows.reporting import folder_of, week_folder
from flows.running import Run, now
from flows.terminal import UnfinishedError, unaddressed
from schemas.faults import Fault, InputError
from schemas.workspace import ALL, Smtp

Outcome = Literal["sent", "failed", "doubtful", "skipped", "filed", "preview", "waiting"]
CUT_OFF = "the run that was sending it was cut off; it may have arrived, so it is not sent again"
MAYBE = "it may have arrived with an earlier run, so it is not sent again"
AGAIN = "To send it again all the same: attribution weekly --again"
_AS_FILE = ("filed", "preview")
_DONE = ("sent", "doubtful", "planned")


@dataclass(frozen=True)
class Asked:
    """How the operator wants mails to go.

    Attributes:
        dry_run: write every mail as a file, send none, note nothing.
        approve: these recipients were looked at and are right, from this run on.
        again: addresses whose mails go once more, though they were sent or may have arrived.
    """

    dry_run: bool = False
    approve: bool = False
    again: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mailed:
    """What became of one mail."""

    report: str
    recipient: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class Weekly:
    """The reports of one week.

    Attributes:
        period: the week.
        pages: whose each report is and where its page lies.
        mails: what became of each mail.
        preview: why nothing was sent, where that is so.
        folder: where mails were left as files.
    """

    period: Period
    pages: tuple[tuple[str, Path], ...]
    mails: tuple[Mailed, ...]
    preview: str = ""
    folder: Path | None = None


def mail_reports(run: Run, reports: Iterable[Report], asked: Asked) -> Weekly:
    """Send each recipient their own report, or leave the mails as files.

    Raises:
        InputError: a password is missing, or an address of `asked.again` receives nothing.
    """
    reports = tuple(reports)
    letters = tuple(_letters(run, reports))
    pairs = sorted((letter.report, letter.recipient) for letter in letters)
    unknown = sorted(set(asked.again) - {address for _, address in pairs})
    if unknown:
        known = ", ".join(sorted({address for _, address in pairs}))
        raise InputError(Fault("--again", f"nobody receives a report at {', '.join(unknown)}", known))
    if asked.approve and not asked.dry_run:
        approve(run.ledger, pairs, run=run.number, at=now())
    smtp = run.workspace.mail.smtp
    preview = _why_preview(run, pairs) if smtp and not asked.dry_run else ""
    if asked.dry_run:
        mails = [_file(run, letter, "preview", note=False) for letter in letters]
    elif smtp and not preview:
        mails = _send(run, letters, smtp, asked)
    else:
        mails = [_file(run, letter, "preview" if smtp else "filed") for letter in letters]
    as_files = [mail.outcome for mail in mails if mail.outcome in _AS_FILE]
    folder = mail_folder(run, reports[0].period, "preview" if "preview" in as_files else "filed") if as_files else None
    run.counts |= {"reports": len(reports), "mails": len(mails)}
    pages = () if asked.dry_run else tuple((name_of(one), folder_of(run, one) / "report.html") for one in reports)
    return Weekly(reports[0].period, pages, tuple(mails), preview, folder)


def name_of(report: Report) -> str:
    """Whose report it is, as recipients are stated."""
    return report.whose.name if report.whose else ALL


def _letters(run: Run, reports: tuple[Report, ...]) -> Iterator[Letter]:
    mail, recipients = run.workspace.mail, recipients_of(run)
    for number, report in enumerate(reports):
        run.watch(f"mail for {name_of(report)}", number, len(reports))
        for recipient in recipients.get(name_of(report), ()):
            yield Letter(report.key, report.period, recipient, build_mail(report, mail, recipient))


def _why_preview(run: Run, pairs: Sequence[tuple[str, str]]) -> str:
    """Why mails may not go yet; nothing where these recipients were approved."""
    known = approved(run.ledger)
    if known is None:
        return "Nobody has approved the recipients yet."
    new, gone = sorted(set(pairs) - set(known)), sorted(set(known) - set(pairs))
    told = [f"{report} now also goes to {address}" for report, address in new]
    told += [f"{report} no longer goes to {address}" for report, address in gone]
    return f"Recipients changed since they were approved: {'; '.join(told)}." if told else ""


def _send(run: Run, letters: Sequence[Letter], smtp: Smtp, asked: Asked) -> list[Mailed]:
    met: dict[tuple[str, str], Mailed] = {}
    going: list[Letter] = []
    before = partial(_plan, run, asked, met, going)
    results = deliver(letters, smtp, before, partial(_record, run), password=_password(smtp))
    sent = [Mailed(one.report, one.recipient, one.outcome, one.error) for one in results]
    return [met.get((one.report, one.recipient), one) for one in sent]


def _password(smtp: Smtp) -> str | None:
    if smtp.password_block and smtp.user:
        from flows.orchestration import read_secret  # noqa: PLC0415 - Prefect takes seconds, and few keep it there

        return read_secret(smtp.password_block)
    return os.environ.get(smtp.password_env) if smtp.password_env else None


def _key(letter: Letter) -> MailKey:
    return MailKey(letter.report, f"{letter.period.first}..{letter.period.last}", letter.recipient)


def _plan(run: Run, asked: Asked, met: dict[tuple[str, str], Mailed], going: list[Letter], letter: Letter) -> bool:
    """Note the intent; False where the mail went already, or may have, or must wait, which `met` then tells.

    Only one run writes, so one that is found planned was left so by a run that was cut off between sending and
    noting it.
    """
    state = mail_state(run.ledger, _key(letter))
    told = Mailed(letter.report, letter.recipient, "skipped", "sent by an earlier run")
    if state in _DONE and letter.recipient not in asked.again:
        if state == "doubtful":
            told = replace(told, detail=f"{MAYBE}. {AGAIN} {letter.recipient}")
        if state == "planned":
            told = replace(told, outcome="doubtful", detail=f"{CUT_OFF}. {AGAIN} {letter.recipient}")
            record_mail(run.ledger, _key(letter), "doubtful", at=now(), error=CUT_OFF)
        met[letter.report, letter.recipient] = told
        return False
    if len(going) >= run.workspace.mail.max_mails:
        why = f"this run has sent max_mails = {run.workspace.mail.max_mails}; the next run of this week goes on"
        _note(run, letter, "waiting", why)
        met[letter.report, letter.recipient] = replace(told, outcome="waiting", detail=why)
        return False
    _note(run, letter, "planned")
    going.append(letter)
    return True


def _note(run: Run, letter: Letter, state: MailState, error: str | None = None) -> None:
    message_id = str(letter.message["Message-ID"])
    note_mail(
        run.ledger,
        _key(letter),
        state,
        message_id=message_id,
        reference=reference_of(message_id),
        at=now(),
        error=error,
    )


def _record(run: Run, done: DeliveryResult) -> None:
    key = MailKey(done.report, f"{done.period.first}..{done.period.last}", done.recipient)
    if done.outcome != "skipped":
        record_mail(run.ledger, key, done.outcome, at=now(), error=done.error or None, attempts=done.attempts)


def mail_folder(run: Run, period: Period, state: Literal["filed", "preview"]) -> Path:
    """Where mails are left as files."""
    return week_folder(run, period) / ("mail" if state == "filed" else "preview")


def _file(run: Run, letter: Letter, state: Literal["filed", "preview"], *, note: bool = True) -> Mailed:
    """Leave a mail as a file; the same mail again is the same file."""
    known = mail_state(run.ledger, _key(letter)) if note else None
    if known in _DONE:
        why = "sent by an earlier run" if known == "sent" else MAYBE
        return Mailed(letter.report, letter.recipient, "skipped", why)
    path = write_eml(letter.message, mail_folder(run, letter.period, state))
    if note:
        _note(run, letter, state)
    return Mailed(letter.report, letter.recipient, state, path.name)


def complain(done: Weekly) -> None:
    """End a run whose reports are written, but whose mails did not all go.

    Raises:
        UnfinishedError: mails await approval or the next run, one failed, or nobody knows whether it arrived.
    """
    troubled = [mail for mail in done.mails if mail.outcome in ("failed", "doubtful", "waiting")]
    told = [done.preview] if done.preview else []
    told += [": ".join(filter(None, (mail.outcome, mail.report, mail.detail))) for mail in troubled]
    if told:
        raise UnfinishedError("; ".join(told))


def without_addresses(done: Weekly) -> Weekly:
    """The same for logs and for Prefect: to whose report a mail belongs, but not whose address it has.

    `deliveries` in the published file knows the addresses.
    """
    hidden = tuple(
        replace(mail, recipient=f"recipient {n}", detail="" if mail.outcome in _AS_FILE else unaddressed(mail.detail))
        for n, mail in enumerate(done.mails, 1)
    )
    return replace(done, mails=hidden, preview=unaddressed(done.preview))


def weekly_table(done: Weekly) -> Group:
    """Where the reports lie and what became of each mail."""
    pages = plain_table("Report for", "page", texts=2)
    for owner, path in done.pages:
        add_row(pages, label(owner, 40), str(path))
    mails = plain_table("To", "report", "mail", "detail", texts=4)
    for mail in done.mails:
        add_row(mails, mail.recipient, label(mail.report, 40), mail.outcome, label(mail.detail) if mail.detail else "")
    head = Text(f"Reports of {done.period.first} to {done.period.last}", style="bold")
    parts: list[RenderableType] = [head, Text()]
    if done.pages:
        parts += [pages, Text()]
    parts.append(mails if done.mails else Text("No recipients: nothing to send."))
    if done.folder:
        parts.append(Text(f"\nMails as files: {done.folder}"))
    if done.preview:
        parts += [
            Text(f"\nNothing was sent. {done.preview}", style="bold yellow"),
            Text("Look at the mails, then let them go: attribution weekly --approve"),
        ]
    return Group(*parts)
