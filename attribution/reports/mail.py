"""The Report as a mail to one recipient; the same report makes the same bytes, whenever and wherever it is made.

Structure: multipart/related { multipart/alternative { text/plain, text/html }, image/png ... }. Images are
found by Content-ID, since many readers show neither data: addresses nor SVG.
"""

from __future__ import annotations

import hashlib
import os
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage, MIMEPart
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

import css_inline

from attribution.reports import words
from attribution.reports.charts import MAIL, Chart, png
from attribution.reports.drawings import charts
from attribution.reports.report import Report, Section
from attribution.reports.templating import environment
from attribution.reports.text import render_text
from schemas.faults import Fault, InputError, LawBrokenError

LIMIT = 100_000  # bytes of HTML; some readers cut longer mails
_DRAWN = ("daily", "stages")
_SECTIONS_DRAWN = 2


def build_mail(report: Report, sender: str, recipient: str) -> EmailMessage:
    """Make the mail.

    Args:
        report: the recipient's own report, or the one for all.
        sender: address in `From`; its domain names the list and the message.
        recipient: one address; a mail never names anybody else.

    Raises:
        InputError: the sender or recipient is not one mail address.
    """
    domain = _address(sender, "mail sender").domain
    identity = _identity(report, recipient)
    message = EmailMessage(policy=SMTP)
    message["From"] = _address(sender, "mail sender")
    message["To"] = _address(recipient, "report recipient")
    message["Subject"] = words.subject(report)
    message["Date"] = format_datetime(report.as_of)
    message["Message-ID"] = f"<{identity}@{domain}>"
    message["List-Id"] = f"Cost report <cost-report.{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    pictures = {f"{section.currency.lower()}-{chart.name}": chart for section, chart in _charts(report)}
    cids = {name: f"{name}.{identity}@{domain}" for name in pictures}
    message.make_related()
    message.attach(_alternative(report, pictures, cids, identity))  # type: ignore[arg-type]  # any MIME part will do
    for name, chart in pictures.items():
        message.add_related(
            png(chart), "image", "png", cid=f"<{cids[name]}>", disposition="inline", filename=f"{name}.png"
        )
    message.set_boundary(f"related-{identity}")
    message.set_param("type", "multipart/alternative")
    return message


def _alternative(report: Report, pictures: dict[str, Chart], cids: dict[str, str], identity: str) -> MIMEPart:
    # Quoted-printable passes servers that take seven bits only, and keeps lines short.
    text = MIMEPart(policy=SMTP)
    text.set_content(render_text(report), cte="quoted-printable")
    html = MIMEPart(policy=SMTP)
    html.set_content(render_mail_html(report, pictures, cids), subtype="html", cte="quoted-printable")
    both = MIMEPart(policy=SMTP)
    both.make_alternative()
    both.attach(text)
    both.attach(html)
    both.set_boundary(f"alternative-{identity}")
    return both


def _identity(report: Report, recipient: str) -> str:
    parts = (report.title, report.key, report.period.first.isoformat(), report.period.last.isoformat(), recipient)
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


def render_mail_html(report: Report, pictures: dict[str, Chart], cids: dict[str, str]) -> str:
    """The HTML half: tables and inlined style; shorter tables where it would get longer than readers take.

    Args:
        report: what to show.
        pictures: chart by name, `<currency>-<chart>`.
        cids: Content-ID by the same names, without the angle brackets.
    """
    template = environment().get_template("mail.html.j2")
    for limit in (10, 5, 3, 1):
        html = template.render(
            report=report, statements=words.statements(report), pictures=pictures, cids=cids, limit=limit
        )
        inlined = css_inline.inline(html, keep_style_tags=False, load_remote_stylesheets=False)
        if len(inlined.encode()) < LIMIT:
            return str(inlined)
    message = f"the mail of {report.key} is longer than {LIMIT} bytes even with one row a table"
    raise LawBrokenError(message)


def write_eml(message: EmailMessage, folder: Path) -> Path:
    """Keep a mail as a file, named by its Message-ID; the same mail again gives the same file.

    Returns:
        The path of the file, written under another name first, so that it is never half there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{message['Message-ID'].strip('<>').partition('@')[0]}.eml"
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(message.as_bytes())
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    return path
