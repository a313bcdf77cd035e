"""The only room that speaks DuckDB and owns files on disk: charges in, bills settled, costs kept and published."""

from __future__ import annotations

from attribution.ledger.actions import Action, append_actions
from attribution.ledger.attributed_focus import attributed_sql
from attribution.ledger.closing import close_month, reopen_month
from attribution.ledger.ledger import Ledger, open_ledger
from attribution.ledger.mails import (
    Answered,
    MailKey,
    MailState,
    approve,
    approved,
    keep_dispute,
    mail_state,
    note_mail,
    record_mail,
    settle_dispute,
)
from attribution.ledger.parts import DeliveryWriter, Part, billing_month
from attribution.ledger.published import Published, RolledUp, Stamp, publish, published_stamp, query, read_published
from attribution.ledger.retention import PrunedError
from attribution.ledger.rollup import RollUp
from attribution.ledger.scratch import scratch_ledger
from attribution.ledger.settlement import Settled

__all__ = [
    "Action",
    "Answered",
    "DeliveryWriter",
    "Ledger",
    "MailKey",
    "MailState",
    "Part",
    "PrunedError",
    "Published",
    "RollUp",
    "RolledUp",
    "Settled",
    "Stamp",
    "append_actions",
    "approve",
    "approved",
    "attributed_sql",
    "billing_month",
    "close_month",
    "keep_dispute",
    "mail_state",
    "note_mail",
    "open_ledger",
    "publish",
    "published_stamp",
    "query",
    "read_published",
    "record_mail",
    "reopen_month",
    "scratch_ledger",
    "settle_dispute",
]
