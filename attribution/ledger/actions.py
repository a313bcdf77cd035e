"""The log of what people said of findings. Rows are added, never changed; the view `findings` reads the last one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

import polars as pl

from attribution.ledger.connection import append, transaction
from schemas.instants import INSTANT

if TYPE_CHECKING:
    from attribution.ledger.ledger import Ledger

Verb = Literal["ack", "snooze", "resolve", "reopen"]


@dataclass(frozen=True)
class Action:
    """What somebody says of findings; `until`, of a snooze, is the day on which they speak again."""

    verb: Verb
    who: str
    why: str
    until: date | None = None


def append_actions(ledger: Ledger, fingerprints: Sequence[str], action: Action, at: datetime) -> None:
    """Note one action on each of some findings, in one transaction.

    Args:
        ledger: the open ledger.
        fingerprints: findings that it keeps.
        action: what is said of them.
        at: when.
    """
    meant = ledger.frame(
        "SELECT fingerprint, state_since AS episode, month FROM book.findings WHERE list_contains(?, fingerprint)",
        [list(fingerprints)],
    )
    with transaction(ledger.con):
        ((last,),) = ledger.con.execute("SELECT coalesce(max(action_no), 0) FROM book.finding_actions").fetchall()
        rows = meant.sort("fingerprint").with_row_index("action_no", last + 1)
        append(
            ledger.con,
            "finding_actions",
            rows.select(
                pl.col("action_no").cast(pl.Int32),
                "fingerprint",
                pl.lit(action.verb).alias("action"),
                pl.lit(action.until, dtype=pl.Date).alias("until"),
                pl.lit(action.who).alias("who"),
                pl.lit(action.why).alias("why"),
                pl.lit(at, dtype=INSTANT).alias("said_at"),
                "episode",
                "month",
            ),
        )
