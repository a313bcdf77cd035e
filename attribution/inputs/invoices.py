"""What finance paid: one row an invoice, or a month of an account where invoices are not told apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import finish_once, start
from schemas.inputs import INVOICE_COLUMNS, Invoices
from schemas.instants import parse_months
from schemas.money import read_money

WHAT = "invoices"
_REQUIRED = ("source", "billing_account", "billing_month", "currency", "amount")
_KEYS = ("source", "billing_month", "currency", "invoice_id", "billing_account")


def read_invoices(paths: Sequence[Path], root: Path) -> Read:
    """Invoices of all files together; identical rows count once.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.

    Raises:
        InputError: a required column is missing.
    """
    columns = list(INVOICE_COLUMNS)
    sheets = [read_sheet(path, root, WHAT, columns, _REQUIRED) for path in paths]
    rows = start(WHAT, sheets, columns, ("billing_account",))
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    rows.need(*_REQUIRED)
    month = parse_months(rows.frame.get_column("billing_month")).dt.date()
    rows.read("billing_month", month, "a month, YYYY-MM", required=True)
    amount, _ = read_money(rows.frame.get_column("amount"))
    rows.read("amount", amount, "a plain number", required=True)
    return finish_once(rows, Invoices, columns, _KEYS, "one row an invoice; an earlier row says otherwise")
