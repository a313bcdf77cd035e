"""Months closed and opened again on purpose, each as a run of its own that publishes what it did."""

from __future__ import annotations

from collections import Counter
from datetime import date

from attribution import ledger
from attribution.reports.figures import with_currency
from flows.running import Watch, quiet, running
from flows.steps import publish
from flows.summary import pending
from schemas.words import counted
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
        held = [row for row in pending(run) if row.month == month]
        publish(run)
    many = Counter(dimension for dimension, _ in {(row.dimension, row.value) for row in held})
    values = ", ".join(counted(number, dimension) for dimension, number in sorted(many.items()))
    what = f"changes {values} ({held[0].why})" if held else "changes nothing that is known now"
    return f"{month:%Y-%m} is open again; the next run {what} and notes it in restatements"
