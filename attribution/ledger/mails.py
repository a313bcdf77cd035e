"""What the ledger knows of mails: what became of each, who may be sent any, and what their readers answered.

A mail is noted as planned before each try and noted again after it. One found planned was left so by a run that was
cut off in between: nobody knows whether it arrived.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from attribution.ledger.connection import transaction
from attribution.ledger.ledger import Ledger

MailState = Literal["planned", "sent", "failed", "doubtful", "filed", "preview", "waiting"]
"""`doubtful`: it may have arrived. `filed`: left as a file, for no mail server is configured. `preview`: left as a file
until somebody approves the recipients. `waiting`: above the most mails of one run."""

Pairs = tuple[tuple[str, str], ...]
"""Report and address, sorted."""


@dataclass(frozen=True)
class MailKey:
    """What is never sent twice: a report, its period (`first..last`), and one address."""

    report: str
    period: str
    recipient: str


@dataclass(frozen=True)
class Answered:
    """What somebody wrote back: of which mail, about what (`dimension=value`), in their words."""

    reference: str
    report: str
    period: str
    subject: str
    says: str


def mail_state(ledger: Ledger, mail: MailKey) -> MailState | None:
    """What became of a mail so far; None where it was never tried."""
    rows = ledger.con.execute(
        "SELECT state FROM book.deliveries WHERE report = ? AND period = ? AND recipient = ?", _values(mail)
    ).fetchall()
    return rows[0][0] if rows else None


def note_mail(
    ledger: Ledger,
    mail: MailKey,
    state: MailState,
    *,
    message_id: str,
    reference: str,
    at: datetime,
    error: str | None = None,
) -> None:
    """Note a mail anew, whatever became of it earlier; `planned` before each try to send it."""
    with transaction(ledger.con):
        ledger.con.execute(
            "DELETE FROM book.deliveries WHERE report = ? AND period = ? AND recipient = ?", _values(mail)
        )
        ledger.con.execute(
            "INSERT INTO book.deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            [*_values(mail), message_id, state, at, error, reference],
        )


def record_mail(
    ledger: Ledger, mail: MailKey, state: MailState, *, at: datetime, error: str | None = None, attempts: int = 0
) -> None:
    """Note what became of a planned mail, after how many tries."""
    ledger.con.execute(
        """
        UPDATE book.deliveries SET state = ?, changed_at = ?, error = ?, attempts = ?
        WHERE report = ? AND period = ? AND recipient = ?
        """,
        [state, at, error, attempts, *_values(mail)],
    )


def _values(mail: MailKey) -> list[str]:
    return [mail.report, mail.period, mail.recipient]


def approved(ledger: Ledger) -> Pairs | None:
    """The recipients that were approved last; None where nobody ever approved any."""
    rows = ledger.con.execute("SELECT recipients FROM book.approvals ORDER BY run DESC LIMIT 1").fetchall()
    return tuple((report, address) for report, address in json.loads(rows[0][0])) if rows else None


def approve(ledger: Ledger, recipients: Iterable[tuple[str, str]], *, run: int, at: datetime) -> None:
    """Note that somebody looked at these recipients and let mails go to them."""
    text = json.dumps(sorted(recipients), ensure_ascii=False)
    ledger.con.execute("INSERT INTO book.approvals VALUES (?, ?, ?)", [text, run, at])


def keep_dispute(ledger: Ledger, answered: Answered, at: datetime) -> int:
    """Keep what a reader answered; its number. The same again, while it is open, is the one kept before."""
    said = [answered.reference, answered.subject, answered.says]
    with transaction(ledger.con):
        known = ledger.con.execute(
            """
            SELECT dispute FROM book.disputes
            WHERE state = 'open' AND reference = ? AND subject = ? AND says = ?
            """,
            said,
        ).fetchall()
        if known:
            return int(known[0][0])
        ((number,),) = ledger.con.execute("SELECT coalesce(max(dispute), 0) + 1 FROM book.disputes").fetchall()
        ledger.con.execute(
            "INSERT INTO book.disputes VALUES (?, ?, ?, ?, ?, ?, ?, 'open', NULL, NULL)",
            [number, answered.reference, answered.report, answered.period, answered.subject, answered.says, at],
        )
    return int(number)


def settle_dispute(ledger: Ledger, dispute: int, answer: str, at: datetime) -> bool:
    """Close an open dispute with what was done about it; whether there was such a one."""
    closed = ledger.con.execute(
        """
        UPDATE book.disputes SET state = 'settled', answer = ?, settled_at = ?
        WHERE dispute = ? AND state = 'open' RETURNING dispute
        """,
        [answer, at, dispute],
    ).fetchall()
    return bool(closed)
