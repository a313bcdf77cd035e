"""Budgets that somebody must hear of. One finding a budget, period and stage of it: warned, at risk, breached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.windows import month_of, previous_month
from attribution.detection.wording import amount
from schemas.dimensions import UNALLOCATED
from schemas.money import add

if TYPE_CHECKING:
    import polars as pl

_KINDS = {"warned": "warned", "at risk": "at_risk", "breached": "breached"}


def budget_findings(rows: pl.DataFrame, today: date, projects: Mapping[str, str]) -> pl.DataFrame:
    """Turn budgets into findings: of the period that runs, and of one that ended in this month or the last.

    Args:
        rows: BUDGET_COLUMNS.
        today: the run's date.
        projects: budget -> whose money it is, as `projects_of` says; nobody's where it is not among them.

    Returns:
        Findings; at stake is what is beyond the line, spent or foreseen.
    """
    return together(as_frame(_told(rows, today, projects)))


def _told(rows: pl.DataFrame, today: date, projects: Mapping[str, str]) -> Iterator[Finding]:
    recent = previous_month(month_of(today))
    for row in rows.iter_rows(named=True):
        over = row["period_end"] is not None and row["period_end"] <= today
        if row["status"] not in _KINDS or (over and (row["status"] != "breached" or row["period_end"] <= recent)):
            continue
        yield Finding(
            kind=("plan_" if row["period"] == "plan" else "budget_") + _KINDS[row["status"]],
            subject=_subject(row),
            evidence=_sentence(row),
            confidence="high" if row["status"] != "at risk" else "medium",
            cost_at_stake=_beyond(row),
            currency=row["BillingCurrency"],
            owner=row["owner"],
            project=projects.get(row["budget"], UNALLOCATED),
            month=month_of(min(row["spent_to"] or today, today)),
        )


def _subject(row: dict[str, Any]) -> str:
    if row["period"] in ("plan", "total"):
        return f"budget={row['budget']}"
    return f"budget={row['budget']} {_period(row)}"


def _period(row: dict[str, Any]) -> str:
    start: date = row["period_start"]
    return f"{start:%Y-%m}" if row["period"] == "month" else f"{start.year}-Q{(start.month + 2) // 3}"


def _beyond(row: dict[str, Any]) -> Decimal:
    most = max(one for one in (row["spent"], row["forecast"]) if one is not None)
    line = row["warn_amount"] if row["status"] == "warned" else row["amount"]
    return max(add(most, line.copy_negate()), Decimal(0))


def _sentence(row: dict[str, Any]) -> str:
    code = row["BillingCurrency"]
    what = {
        "month": f"of {_period(row)}",
        "quarter": f"of {_period(row)}",
        "total": "in all",
        "plan": f"planned from {row['period_start']} up to, and without, {row['period_end']}",
    }[row["period"]]
    spent = "nothing known" if row["spent"] is None else f"{amount(row['spent'])} {code}"
    text = f"{row['dimensions']}: {spent} of {amount(row['amount'])} {code} {what} was spent up to {row['spent_to']}"
    if row["status"] == "breached":
        text += f"; the line was reached on {row['breach_date']}"
    elif row["status"] == "at risk":
        text += f"; at this rate the line is reached on {row['breach_date']}"
    else:
        text += f"; the warning line of {amount(row['warn_amount'])} was reached on {row['warn_date']}"
    if row["status"] != "breached":
        far = "30 days on" if row["period"] == "total" else "for the whole of it"
        low, high = amount(row["forecast_low"]), amount(row["forecast_high"])
        text += f"; {amount(row['forecast'])} is foreseen {far} ({low} to {high})"
    return f"{text}." + (f" {row['note'].capitalize()}." if row["note"] else "")
