"""The Report as a mail to one recipient; the same report makes the same bytes, whenever and wherever it is made.

Structure: multipart/mixed { multipart/related { multipart/alternative { text/plain, text/html }, image/png ... },
spreadsheet, text/csv }. Images are found by Content-ID, since many readers show neither data: addresses nor SVG.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage, MIMEPart
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import quote

import css_inline

from attribution.reports import words
from attribution.reports.charts import MAIL, Chart, png
from attribution.reports.drawings import charts
from attribution.reports.report import Report, Section
from attribution.reports.sheets import costs_sheet
from attribution.reports.tables_csv import csv_text
from attribution.reports.templating import environment
from attribution.reports.text import render_text
from attribution.reports.together import grids
from attribution.reports.wording import Wording, wording
from attribution.reports.workbook import render_workbook
from schemas.faults import Fault, InputError, LawBrokenError
from schemas.workspace import Mail

LIMIT = 100_000  # bytes of HTML; some readers cut longer mails
_DARK = (Path(__file__).parent / "templates" / "mail_dark.css").read_text(encoding="utf-8")
_DRAWN = ("daily", "stages")
_SECTIONS_DRAWN = 2
_XLSX = ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet")
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_MISREAD = str.maketrans("OIL", "011")
_HALF = 5


@dataclass(frozen=True)
class Answer:
    """How the reader of a mail can say that something is not theirs: what to name, and where to."""

    reference: str
    address: str

    def link(self, about: str, say: Wording) -> str:
        """A mail begun for the reader, about one line of the report."""
        begun = say.say("not_yours_subject", reference=self.reference, about=about).strip()
        return f"mailto:{quote(self.address, safe='@')}?subject={quote(begun, safe='')}"


def build_mail(report: Report, mail: Mail, recipient: str) -> EmailMessage:
    """Make the mail.

    Args:
        report: the recipient's own report, or the one for all.
        mail: `sender` stands in `From`, and its domain names the list and the message; answers go to `reply_to`.
        recipient: one address; a mail never names anybody else.

    Raises:
        InputError: the sender or recipient is not one mail address.
    """
    sender = _address(mail.sender, "mail sender")
    answers = _address(mail.reply_to, "reply_to") if mail.reply_to else sender
    domain = sender.domain
    identity = _identity(report, recipient)
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = _address(recipient, "report recipient")
    message["Reply-To"] = answers
    message["Subject"] = words.subject(report)
    message["Date"] = format_datetime(report.as_of)
    message["Message-ID"] = f"<{identity}@{domain}>"
    message["List-Id"] = f"Cost report <cost-report.{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    pictures = {f"{section.currency.lower()}-{chart.name}": chart for section, chart in _charts(report)}
    cids = {name: f"{name}.{identity}@{domain}" for name in pictures}
    answer = Answer(reference_of(identity), answers.addr_spec)
    shown = MIMEPart(policy=SMTP)
    shown.make_related()
    shown.attach(_alternative(report, pictures, cids, answer))
    for name, chart in pictures.items():
        shown.add_related(
            png(chart), "image", "png", cid=f"<{cids[name]}>", disposition="inline", filename=f"{name}.png"
        )
    shown.set_boundary(f"related-{identity}")
    shown.set_param("type", "multipart/alternative")
    message.make_mixed()
    message.attach(shown)  # type: ignore[arg-type]  # any MIME part will do
    _attach(message, report)
    message.set_boundary(f"mixed-{identity}")
    return message


def _attach(message: EmailMessage, report: Report) -> None:
    """All rows, as a spreadsheet and as CSV."""
    named = f"costs_{report.period.first}_{report.period.last}"
    message.add_attachment(render_workbook(report), *_XLSX, filename=f"{named}.xlsx")
    sheet = costs_sheet(report)
    content = csv_text(sheet.columns, sheet.rows).encode("utf-8-sig")
    message.add_attachment(content, "text", "csv", filename=f"{named}.csv", params={"charset": "utf-8"})


def _alternative(report: Report, pictures: dict[str, Chart], cids: dict[str, str], answer: Answer) -> MIMEPart:
    # Quoted-printable passes servers that take seven bits only, and keeps lines short.
    text = MIMEPart(policy=SMTP)
    not_yours = wording(report.locale).say("not_yours", address=answer.address, reference=answer.reference)
    text.set_content(f"{render_text(report)}\n{not_yours}\n", cte="quoted-printable")
    html = MIMEPart(policy=SMTP)
    html.set_content(render_mail_html(report, pictures, cids, answer), subtype="html", cte="quoted-printable")
    both = MIMEPart(policy=SMTP)
    both.make_alternative()
    both.attach(text)
    both.attach(html)
    both.set_boundary(f"alternative-{answer.reference}")
    return both


def reference_of(message_id: str) -> str:
    """What a reader names to answer a mail: ten letters and digits that cannot be misread, from its Message-ID."""
    number = int(message_id.strip("<>")[:13], 16)
    letters = "".join(_LETTERS[(number >> 5 * place) & 31] for place in reversed(range(2 * _HALF)))
    return f"{letters[:_HALF]}-{letters[_HALF:]}"


def as_reference(text: str) -> str | None:
    """A reference as somebody typed it, in its own spelling; None where the text is none."""
    plain = text.strip().upper().replace("-", "").translate(_MISREAD)
    if len(plain) != 2 * _HALF or not set(plain) <= set(_LETTERS):
        return None
    return f"{plain[:_HALF]}-{plain[_HALF:]}"


def _identity(report: Report, recipient: str) -> str:
    parts = (report.key, report.period.first.isoformat(), report.period.last.isoformat(), recipient)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _address(text: str, where: str) -> Address:
    try:
        address = Address(addr_spec=text)
    except (ValueError, IndexError, HeaderParseError) as error:
        raise InputError(Fault(where, f"{text!r} is not one mail address", hint="Write name@example.com.")) from error
    if not address.domain or not text.isascii():
        raise InputError(Fault(where, f"{text!r} is not one mail address in ASCII", hint="Write name@example.com."))
    return address


def _charts(report: Report) -> list[tuple[Section, Chart]]:
    return [
        (section, chart)
        for section in report.sections[:_SECTIONS_DRAWN]
        for chart in charts(report, section, MAIL)
        if chart.name in _DRAWN
    ]


def render_mail_html(report: Report, pictures: dict[str, Chart], cids: dict[str, str], answer: Answer) -> str:
    """The HTML half: tables and inlined style; shorter tables where it would get longer than readers take.

    Args:
        report: what to show.
        pictures: chart by name, `<currency>-<chart>`.
        cids: Content-ID by the same names, without the angle brackets.
        answer: how the reader can say that something is not theirs.
    """
    template = environment().get_template("mail.html.j2")
    for limit in (10, 5, 3, 1):
        html = template.render(
            report=report,
            say=wording(report.locale),
            statements=words.statements(report),
            pictures=pictures,
            cids=cids,
            limit=limit,
            answer=answer,
            grids=grids,
        )
        inlined = css_inline.inline(html, keep_style_tags=False, load_remote_stylesheets=False)
        inlined = inlined.replace("</head>", f"<style>{_DARK}</style></head>", 1)
        if len(inlined.encode()) < LIMIT:
            return str(inlined)
    message = f"the mail of {report.key} is longer than {LIMIT} bytes even with one row a table"
    raise LawBrokenError(message)


def write_eml(message: EmailMessage, folder: Path) -> Path:
    """Keep a mail as a file, named by address and Message-ID; the same mail again gives the same file.

    Returns:
        The path of the file, written under another name first, so that it is never half there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    named = re.sub(r"[^a-z0-9.-]+", "-", str(message["To"]).lower())[:60]
    path = folder / f"{named}_{str(message['Message-ID']).strip('<>')[:8]}.eml"
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(message.as_bytes())
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    return path
