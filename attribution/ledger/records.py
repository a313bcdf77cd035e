"""What runs leave beside costs: the runs themselves, findings over time, growth, reconciliation, mails sent."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

import polars as pl

from attribution.ledger.connection import append, registered, transaction
from attribution.ledger.views import query_file
from schemas.findings import FINDING_COLUMNS
from schemas.instants import INSTANT
from schemas.money import MONEY

if TYPE_CHECKING:
    import duckdb

RunStatus = Literal["done", "failed"]
DeliveryState = Literal["sent", "failed", "doubtful", "filed"]
"""`doubtful`: it may have arrived. `filed`: left as a file, for no mail server is configured."""

RECONCILIATION_COLUMNS: dict[str, pl.DataType] = {
    "bill_no": pl.Int32(),
    "billing_month": pl.Date(),
    "BillingCurrency": pl.String(),
    "column": pl.String(),
    "before": MONEY,
    "after": MONEY,
    "difference": MONEY,
}


@dataclass(frozen=True)
class PlannedDelivery:
    """A mail about to go. `before`: what became of the same one earlier; None where it was never tried."""

    message_id: str
    before: Literal["planned", "sent", "failed", "doubtful", "filed"] | None


def start_run(
    con: duckdb.DuckDBPyConnection, command: str, as_of: datetime, started_at: datetime, versions: Mapping[str, str]
) -> int:
    """Note a run's start; its number. A run that never ended was cut off, for only one runs at a time."""
    with transaction(con):
        con.execute(
            "UPDATE book.runs SET status = 'failed', message = 'cut off before its end' WHERE status = 'running'"
        )
        ((run,),) = con.execute("SELECT coalesce(max(run), 0) + 1 FROM book.runs").fetchall()
        row = {
            "run": [run],
            "command": [command],
            "status": ["running"],
            "as_of": pl.Series([as_of], dtype=INSTANT),
            "started_at": pl.Series([started_at], dtype=INSTANT),
            "versions": [json.dumps(dict(versions), sort_keys=True)],
        }
        append(con, "runs", pl.DataFrame(row))
    return int(run)


def end_run(
    con: duckdb.DuckDBPyConnection,
    run: int,
    status: RunStatus,
    *,
    ended_at: datetime,
    counts: Mapping[str, int],
    message: str | None,
) -> None:
    """Note a run's end, what it counted, and why it failed."""
    con.execute(
        """
        UPDATE book.runs SET status = $status, ended_at = $ended, counts = $counts, message = $message
        WHERE run = $run
        """,
        {
            "run": run,
            "status": status,
            "ended": ended_at,
            "counts": json.dumps(dict(counts), sort_keys=True),
            "message": message,
        },
    )


def keep_findings(con: duckdb.DuckDBPyConnection, findings: pl.DataFrame, today: date) -> None:
    """Set the findings of this run against those kept; the same ones on the same day change nothing."""
    with transaction(con), registered(con, findings_now=findings.select(*FINDING_COLUMNS)):
        con.execute(query_file("keep_findings", ()), {"today": today})


def note_reported(con: duckdb.DuckDBPyConnection, run: int, months: Collection[date]) -> None:
    """Note which months (first days) the reports of a run show; the same again changes nothing."""
    con.execute(
        """
        INSERT INTO book.reported_months
        SELECT $run, unnest($months) EXCEPT SELECT run, month FROM book.reported_months
        """,
        {"run": run, "months": sorted(months)},
    )


def plan_delivery(
    con: duckdb.DuckDBPyConnection, mail: tuple[str, str, str], message_id: str, at: datetime
) -> PlannedDelivery:
    """Note a mail (report, period, recipient) before it goes, so that a crash in between can be seen.

    A mail already sent stays sent; one tried before keeps its message_id, by which mail programs know it again.
    """
    rows = con.execute(
        "SELECT message_id, state FROM book.deliveries WHERE report = ? AND period = ? AND recipient = ?", mail
    ).fetchall()
    if rows:
        ((known_id, state),) = rows
        return PlannedDelivery(known_id, state)
    con.execute("INSERT INTO book.deliveries VALUES (?, ?, ?, ?, 'planned', ?, NULL)", [*mail, message_id, at])
    return PlannedDelivery(message_id, None)


def record_delivery(
    con: duckdb.DuckDBPyConnection,
    mail: tuple[str, str, str],
    state: DeliveryState,
    at: datetime,
    error: str | None,
) -> None:
    """Note what became of a planned mail."""
    con.execute(
        """
        UPDATE book.deliveries SET state = ?, changed_at = ?, error = ?
        WHERE report = ? AND period = ? AND recipient = ?
        """,
        [state, at, error, *mail],
    )
