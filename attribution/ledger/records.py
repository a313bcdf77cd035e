"""What runs leave beside costs: the runs themselves, findings over time, growth, reconciliation."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
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

RECONCILIATION_COLUMNS: dict[str, pl.DataType] = {
    "bill_no": pl.Int32(),
    "billing_month": pl.Date(),
    "BillingCurrency": pl.String(),
    "column": pl.String(),
    "before": MONEY,
    "after": MONEY,
    "difference": MONEY,
}


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
