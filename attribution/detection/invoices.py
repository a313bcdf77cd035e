"""What finance paid against what bills say (BilledCost): by source, account, month and currency, or by invoice.

The surprise: invoices are told apart only where both sides name them; else a month of an account is compared whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.detection.candidates import Finding, as_frame, together
from attribution.detection.windows import next_month
from attribution.detection.wording import amount, month
from schemas.check import verify
from schemas.detection import INVOICE_CHECK_COLUMNS, InvoiceChecks
from schemas.money import known_sum
from schemas.words import counted

_BILL = ["source", "BillingAccountId", "billing_month", "BillingCurrency"]
_KINDS = {"differs": "invoice_differs", "no bill": "invoice_without_bill", "no invoice": "bill_without_invoice"}


def check_invoices(invoices: pl.DataFrame, billed: pl.DataFrame, tolerance: Decimal, today: date) -> pl.DataFrame:
    """Set invoices against bills.

    Args:
        invoices: INVOICE_COLUMNS.
        billed: BILLED_COLUMNS of the bills that count.
        tolerance: a difference up to it, in the invoice's currency, is none.
        today: the run's date; a month that is over by then should have an invoice.

    Returns:
        INVOICE_CHECK_COLUMNS, sorted. A bill without an invoice is told where its month is over and its source has
        an invoice of that month or of an earlier one; one that bills nothing needs none.

    Raises:
        LawBrokenError: the rows break their schema.
    """
    paid = invoices.rename(
        {"billing_account": "BillingAccountId", "currency": "BillingCurrency", "invoice_id": "InvoiceId"}
    )
    named = _bills_of(paid.group_by(_BILL).agg(pl.col("InvoiceId").is_not_null().all().alias("named")), "named")
    naming = _bills_of(billed.group_by(_BILL).agg(pl.col("InvoiceId").is_not_null().any().alias("naming")), "naming")
    apart = named.join(naming, on=_BILL)
    pairs = [
        _together(paid.join(apart, on=_BILL, how="semi"), billed.join(apart, on=_BILL, how="semi")),
        _together(_unnamed(paid.join(apart, on=_BILL, how="anti")), _unnamed(billed.join(apart, on=_BILL, how="anti"))),
    ]
    asked = invoices.group_by("source").agg(pl.col("billing_month").min().alias("asked_from"))
    rows = pl.concat(pairs).join(asked, on="source", how="left", validate="m:1")
    due = (pl.col("billing_month") >= pl.col("asked_from")) & (pl.col("billing_month") < today.replace(day=1))
    due &= pl.col("BilledCost").abs() > tolerance
    told = (
        rows.filter(pl.col("paid").is_not_null() | due)
        .with_columns((pl.col("paid") - pl.col("BilledCost")).alias("difference"))
        .with_columns(
            pl.when(pl.col("BilledCost").is_null())
            .then(pl.lit("no bill"))
            .when(pl.col("paid").is_null())
            .then(pl.lit("no invoice"))
            .when(pl.col("difference").abs() > tolerance)
            .then(pl.lit("differs"))
            .otherwise(pl.lit("matches"))
            .alias("status")
        )
    )
    checks = told.select(pl.col(name).cast(dtype) for name, dtype in INVOICE_CHECK_COLUMNS.items())
    return verify(checks.sort(*_BILL, "InvoiceId"), InvoiceChecks, "invoice checks")


def _bills_of(bills: pl.DataFrame, flag: str) -> pl.DataFrame:
    return bills.filter(flag).select(_BILL)


def _unnamed(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.lit(None, dtype=pl.String).alias("InvoiceId"))


def _together(paid: pl.DataFrame, billed: pl.DataFrame) -> pl.DataFrame:
    """Both sides by bill and invoice; what one side lacks is null."""
    key = [*_BILL, "InvoiceId"]
    sums = paid.group_by(key).agg(known_sum("amount").alias("paid"))
    bills = billed.group_by(key).agg(known_sum("BilledCost"), pl.col("refused_rows").max())
    return bills.join(sums, on=key, how="full", coalesce=True, nulls_equal=True, validate="1:1").select(
        *key, "BilledCost", "paid", "refused_rows"
    )


def invoice_findings(checks: pl.DataFrame) -> pl.DataFrame:
    """Report each row that does not match; money is of nobody, so that the report for all alone tells it.

    Args:
        checks: INVOICE_CHECK_COLUMNS.
    """
    return together(as_frame(_findings(checks)))


def _findings(checks: pl.DataFrame) -> Iterator[Finding]:
    for row in checks.filter(pl.col("status") != "matches").iter_rows(named=True):
        bill = f"{row['source']}/{row['BillingAccountId']}/{month(row['billing_month'])}"
        stakes = {"differs": row["difference"], "no bill": row["paid"], "no invoice": row["BilledCost"]}
        yield Finding(
            kind=_KINDS[row["status"]],
            subject=f"bill={bill}" + (f" invoice={row['InvoiceId']}" if row["InvoiceId"] else ""),
            evidence=_evidence(row),
            cost_at_stake=stakes[row["status"]].copy_abs(),
            currency=row["BillingCurrency"],
            month=row["billing_month"],
        )


def _evidence(row: dict[str, Any]) -> str:
    what = f"invoice {row['InvoiceId']}" if row["InvoiceId"] else "bill"
    of = f"{what} of {row['source']}, account {row['BillingAccountId']}, {month(row['billing_month'])}"
    code = row["BillingCurrency"]
    if row["status"] == "no bill":
        return f"Finance paid {amount(row['paid'])} {code} for the {of}, of which no charge is here."
    if row["status"] == "no invoice":
        since = next_month(row["billing_month"])
        return f"The {of}, over since {since}, sums to {amount(row['BilledCost'])} {code}, and no invoice is stated."
    more = "more" if row["difference"] > 0 else "less"
    told = (
        f"Finance paid {amount(row['paid'])} {code} for the {of}, which sums to {amount(row['BilledCost'])} {code}: "
        f"{amount(row['difference'].copy_abs())} {more}."
    )
    refused = row["refused_rows"]
    were = "was" if refused == 1 else "were"
    rows = f" {counted(refused, 'row')} of its files {were} refused: see attribution rejects." if refused else ""
    return told + rows
