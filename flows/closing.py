"""Months closed and opened again on purpose, each as a run of its own that publishes what it did."""

from __future__ import annotations

from datetime import date

from attribution import ledger
from attribution.reports.figures import with_currency
from flows.running import Watch, quiet, running
from flows.steps import publish
from schemas.workspace import Workspace


def close_month(workspace: Workspace, month: date, watch: Watch = quiet) -> str:
    """Close a billing month; a line that says what stays.

    Raises:
        InputError: nothing is kept of it, it is not over, or it is closed already.
    """
    with running(workspace, f"close {month:%Y-%m}", None, watch) as run:
        ledger.close_month(run.ledger, month, run.number)
        sums = run.ledger.frame(
            """
            SELECT BillingCurrency, sum(closed) FROM closed_months
            WHERE billing_month = ? AND cost_column = 'BilledCost' GROUP BY ALL ORDER BY ALL
            """,
            [month],
        )
        publish(run)
    amounts = " and ".join(with_currency(amount, currency) for currency, amount in sums.iter_rows())
    return f"{month:%Y-%m} is closed: its costs, BilledCost {amounts}, stay as they are now"


def reopen_month(workspace: Workspace, month: date, watch: Watch = quiet) -> str:
    """Open a closed month again; a line that says what the next run will change.

    Raises:
        InputError: it is not closed.
    """
    with running(workspace, f"reopen {month:%Y-%m}", None, watch) as run:
        ledger.reopen_month(run.ledger, month, run.number)
        pending = run.ledger.frame(
            """
            SELECT count(*) FILTER (dimension = 'project'), any_value(cause)
            FROM pending_restatements WHERE billing_month = ?
            """,
            [month],
        )
        publish(run)
    many, cause = pending.row(0)
    what = f"changes {many} projects ({cause})" if cause else "changes nothing that is known now"
    return f"{month:%Y-%m} is open again; the next run {what} and notes it in restatements"
