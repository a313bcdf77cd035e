"""Findings on their way to webhooks: noted before they go and after, so that none goes twice.

The surprise: one found `planned` was left so by a run that was cut off while sending; it may have arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from attribution.ledger.connection import transaction
from schemas.findings import ACTIVE

if TYPE_CHECKING:
    from attribution.ledger.ledger import Ledger

SendState = Literal["sent", "failed", "doubtful"]
CUT_OFF = "the run that was sending it was cut off; it may have arrived, so it is not sent again"


def plan_sends(ledger: Ledger, hook: str, at: datetime) -> list[dict[str, Any]]:
    """Findings that stand open and did not go to a hook yet, noted as about to go; the dearest first.

    One that failed before is among them. One that is found planned becomes doubtful and is not.
    """
    with transaction(ledger.con):
        ledger.con.execute(
            "UPDATE book.webhook_sends SET state = 'doubtful', changed_at = $at, error = $error "
            "WHERE hook = $hook AND state = 'planned'",
            {"at": at, "error": CUT_OFF, "hook": hook},
        )
        found = ledger.frame(
            """
            SELECT f.*, f.state || ' ' || f.state_since || coalesce(' ' || f.month, '') AS occurrence
            FROM main.findings AS f
            WHERE list_contains(?, f.state) AND f.verdict = 'finding'
            ORDER BY cost_at_stake DESC NULLS LAST, kind, subject
            """,
            [list(ACTIVE)],
        )
        known = ledger.frame(
            "SELECT fingerprint, occurrence FROM book.webhook_sends WHERE hook = ? AND state <> 'failed'", [hook]
        )
        return found.join(known, on=["fingerprint", "occurrence"], how="anti", maintain_order="left").to_dicts()


def note_sends(
    ledger: Ledger,
    hook: str,
    found: Sequence[dict[str, Any]],
    state: Literal["planned", "sent", "failed", "doubtful"],
    *,
    at: datetime,
    error: str | None = None,
) -> None:
    """Note what becomes of findings on their way to a hook."""
    with transaction(ledger.con):
        for row in found:
            key = [hook, row["fingerprint"], row["occurrence"]]
            ledger.con.execute(
                "DELETE FROM book.webhook_sends WHERE hook = ? AND fingerprint = ? AND occurrence = ?", key
            )
            ledger.con.execute("INSERT INTO book.webhook_sends VALUES (?, ?, ?, ?, ?, ?)", [*key, state, at, error])
