"""Growth rows that somebody must hear of, as findings with one sentence each.

The surprise: only the newest month and, while that one still runs, the month before are reported; the rest is history.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.contributors import named_in
from attribution.detection.windows import month_length, previous_month
from attribution.detection.wording import amount, month, percentage, signed
from schemas.words import counted

_NAMED = 5
KINDS = {"grew": "growth", "new": "new"}


def growth_findings(rows: pl.DataFrame, parts: pl.DataFrame | None = None) -> pl.DataFrame:
    """Turn the verdicts of the months that count into findings.

    Cost at stake is the subject's EffectiveCost (all charge categories) in the last complete month, or in the days
    of this month where the subject had none then.

    Args:
        rows: GrowthRows of every month.
        parts: CONTRIBUTOR_COLUMNS of the causes; None names no resources.

    Returns:
        Findings, one a subject, kind and currency; the newest month speaks and the one before is mentioned.
    """
    lengths = dict(rows.group_by("month").agg(pl.col("days").max()).iter_rows())
    if not lengths:
        return together()
    newest = max(lengths)
    complete = newest if lengths[newest] == month_length(newest) else previous_month(newest)
    counted = rows.filter(pl.col("month").is_in([newest, complete])).sort("month")
    stakes = {_name(row): row["net"] for row in counted.filter(pl.col("month") == complete).iter_rows(named=True)}
    told: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    links = _links(counted)
    named = {} if parts is None else named_in(parts)
    causes = counted.filter(pl.col("verdict").is_not_null() & pl.col("explained_by").is_null())
    for row in causes.iter_rows(named=True):
        linked = links.get((row["month"], *_name(row)[1:]), [])
        told.setdefault(_name(row), []).append(row | {"links": linked, "parts": named.get(_whole_name(row), [])})
    return together(as_frame(_finding(found, stakes, complete) for found in told.values()))


def _several(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _whole_name(row: dict[str, Any]) -> tuple[str, str, date, str]:
    return (row["kind"], row["subject"], row["month"], row["BillingCurrency"])


def _name(row: dict[str, Any]) -> tuple[str, ...]:
    return (row["kind"], row["subject"], row["BillingCurrency"])


def _links(rows: pl.DataFrame) -> dict[tuple[Any, ...], list[str]]:
    """Month, cause and currency -> the subjects whose growth it explains."""
    links: dict[tuple[Any, ...], list[str]] = {}
    explained = rows.drop_nulls("explained_by").sort("change", "subject", descending=[True, False])
    for row in explained.iter_rows(named=True):
        for cause in row["explained_by"].split("; "):
            links.setdefault((row["month"], cause, row["BillingCurrency"]), []).append(row["subject"])
    return links


def _finding(found: list[dict[str, Any]], stakes: dict[tuple[str, ...], Decimal | None], complete: date) -> Finding:
    """One finding of one subject's months; what began last month is new still, however its days now compare."""
    new = [one for one in found if one["status"] == "new"]
    *others, row = sorted(new or found, key=lambda one: (one["verdict"] == "finding", one["month"]))
    also = "".join(f" It was so in {month(one['month'])}, too: {_how_much(one)}." for one in others)
    if row["parts"]:
        also += f" Most of it by {_several([f'{name} ({signed(change)})' for name, change in row['parts']])}."
    if row["links"]:
        also += f" The same growth is in {_several(row['links'])}."
    stake = stakes.get(_name(row))
    return Finding(
        kind=KINDS[row["status"]],
        subject=row["subject"],
        evidence=f"{_sentence(row)}.{also}",
        verdict=row["verdict"],
        confidence=_confidence(row, complete),
        cost_at_stake=stake or row["net"],
        currency=row["BillingCurrency"],
        owner=row["owner"],
        project=row["project"],
        month=row["month"],
    )


def _confidence(row: dict[str, Any], complete: date) -> str:
    """A weakened comparison is low, a month that still runs is medium."""
    if row["note"] is not None or row["verdict"] == "undetermined":
        return "low"
    return "high" if row["month"] <= complete else "medium"


def _sentence(row: dict[str, Any]) -> str:
    currency, before = row["BillingCurrency"], previous_month(row["month"])
    text = f"{row['subject']} cost {amount(row['per_day'])} {currency} a day in {month(row['month'], row['days'])}"
    if row["status"] == "new":
        text += f", nothing in {month(before)}: new, {signed(row['change'])} {currency}"
    else:
        days = row["previous_days"] if row["previous_days"] < month_length(before) else None
        even = ", weekdays evened out" if row["weekday_adjustment"] else ""
        text += f", {amount(row['previous_per_day'])} in {month(before, days)}{even}: {_how_much(row)}"
        if row["percent"] is None:
            text += "; no percentage, since the days before are not above zero"
        text += "".join(
            f"; {name} {signed(row[f'{name}_effect'])}"
            for name in ("usage", "price", "new", "vanished", "mix")
            if signed(row[f"{name}_effect"]) != "0.00"
        )
    if row["net"] is not None and amount(row["net"]) != amount(row["cost"]):
        text += f"; with credits and all other charges {amount(row['net'])} {currency}"
    return text + (f" ({row['note']})" if row["note"] else "")


def _how_much(row: dict[str, Any]) -> str:
    over = "for the month" if row["days"] == month_length(row["month"]) else f"over {counted(row['days'], 'day')}"
    change = f"{signed(row['change'])} {row['BillingCurrency']} {over}"
    return change if row["percent"] is None else f"{percentage(row['percent'])}, {change}"
