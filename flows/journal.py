"""A closed month as a general-ledger journal: every bill an entry whose debits equal its credits, to the last digit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import polars as pl

from attribution.ledger import Published, read_published
from attribution.reports.tables_csv import write_csv
from schemas.faults import Fault, InputError, suggest
from schemas.money import MONEY
from schemas.workspace import Journal, Workspace


def export_journal(workspace: Workspace, to: Path, month: date) -> int:
    """Write the journal of a billing month as CSV; how many lines.

    An entry is one bill and currency: debits by account of the cost element and by the dimensions that the journal
    names, the bill's total on the other side. What is below zero, a credit say, changes sides.

    Args:
        workspace: with the journal's accounts.
        to: ends in .csv.
        month: first day of the billing month.

    Raises:
        InputError: the month is not closed, a dimension is unknown, a cost is, or the file cannot be written.
    """
    if to.suffix != ".csv":
        raise InputError(Fault("export", f'"{to.name}" has no ending that is known', ".csv"))
    journal = workspace.journal
    with read_published(workspace.store) as published:
        _closed(published, month)
        sums = _sums(published, journal, month)
    lines = _lines(sums, journal, month)
    write_csv(to, lines.columns, lines.rows())
    return lines.height


def journal_faults(journal: Journal, dimensions: Sequence[str]) -> list[Fault]:
    """Words of `by` that are no dimension."""
    known = ", ".join(dimensions)
    return [
        Fault("attribution.toml: [journal] by", f'no dimension "{name}"', known, suggest(name, dimensions))
        for name in journal.by
        if name not in dimensions
    ]


def _closed(published: Published, month: date) -> None:
    rows = published.frame("SELECT DISTINCT billing_month FROM closed_months ORDER BY 1").to_series().to_list()
    if month not in rows:
        known = ", ".join(f"{one:%Y-%m}" for one in rows) or "no month"
        hint = f"Books are kept of what stays: `attribution close {month:%Y-%m}` first."
        raise InputError(Fault("export journal", f"{month:%Y-%m} is not closed", known, hint))


def _sums(published: Published, journal: Journal, month: date) -> pl.DataFrame:
    """The month's costs by bill, currency, cost element and the journal's dimensions."""
    if faults := journal_faults(journal, published.dimensions()):
        raise InputError(faults)
    by = "".join(f', "{name}"' for name in journal.by)
    rows = published.frame(
        f"""
        SELECT source, BillingAccountId, BillingCurrency, cost_element{by}, sum({journal.cost}) AS amount,
            count(*) - count({journal.cost}) AS unknown
        FROM costs WHERE billing_month = ? GROUP BY ALL ORDER BY ALL
        """,  # noqa: S608 - columns that are known
        [month],
    )
    unknown = rows.get_column("unknown").sum()
    if unknown:
        hint = 'A journal of what is unknown cannot balance: state cost = "BilledCost" under [journal].'
        raise InputError(Fault("export journal", f"{unknown} costs of {month:%Y-%m} have no {journal.cost}", hint=hint))
    return rows


def _lines(sums: pl.DataFrame, journal: Journal, month: date) -> pl.DataFrame:
    """Debits, and behind those of an entry its credit."""
    entry = pl.format("{}/{}/{}/{}", pl.lit(f"{month:%Y-%m}"), "source", "BillingAccountId", "BillingCurrency")
    bill = ["entry", "source", "BillingAccountId", "BillingCurrency"]
    account = pl.col("cost_element").replace_strict(journal.debits, default=journal.debit, return_dtype=pl.String)
    named = sums.with_columns(entry.alias("entry"), account.alias("account"))
    debits = named.group_by(*bill, "account", *journal.by).agg(pl.col("amount").sum())
    total = debits.group_by(bill).agg(-pl.col("amount").sum())
    credit = total.with_columns(pl.lit(journal.credit).alias("account"), pl.lit(1).alias("side"))
    both = pl.concat([debits.with_columns(pl.lit(0).alias("side")), credit], how="diagonal")
    both = both.filter(pl.col("amount") != 0).sort("entry", "side", "account", *journal.by, nulls_last=True)
    amount, nothing = pl.col("amount"), pl.lit(None, MONEY)
    return both.select(
        "entry",
        pl.lit(month).dt.month_end().alias("date"),
        "account",
        pl.when(amount > 0).then(amount).otherwise(nothing).alias("debit"),
        pl.when(amount < 0).then(-amount).otherwise(nothing).alias("credit"),
        pl.col("BillingCurrency").alias("currency"),
        "source",
        pl.col("BillingAccountId").alias("billing_account"),
        *journal.by,
        pl.format("{} of {}, {}", pl.lit(journal.cost), pl.lit(f"{month:%Y-%m}"), "source").alias("text"),
    )
