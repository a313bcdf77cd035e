"""planned.csv and rates.csv: what is foreseen, and what currencies are worth by the month."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import Rows, finish, finish_once, read_days, start
from schemas.instants import parse_months
from schemas.money import read_money
from schemas.plans import PLANNED_COLUMNS, RATE_COLUMNS, Planned, Rates


def read_planned(paths: Sequence[Path], root: Path) -> Read:
    """Planned changes of all files together, dimensions kept as text after the contract's columns.

    Args:
        paths: the files; rows may overlap, identical ones count once.
        root: the workspace.

    Raises:
        InputError: a required column is missing.
    """
    columns = list(PLANNED_COLUMNS)
    sheets = [read_sheet(path, root, "planned", columns, columns) for path in paths]
    rows = start("planned", sheets, columns, ())
    extra = rows.beyond(columns)
    rows.frame = rows.frame.with_columns(pl.col(columns + extra).str.strip_chars())
    rows.need(*columns)
    for column in ("from", "to"):
        read_days(rows, column)
    _read_amount(rows, "amount")
    rows.frame = rows.frame.unique([*columns, *extra], keep="first", maintain_order=True)
    return finish(rows, Planned, [*columns, *extra])


def read_rates(paths: Sequence[Path], root: Path) -> Read:
    """Rates of all files together; identical rows count once.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.

    Raises:
        InputError: a required column is missing.
    """
    columns = list(RATE_COLUMNS)
    rows = start("rates", [read_sheet(path, root, "rates", columns, columns) for path in paths], columns, ())
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    rows.need(*columns)
    month = parse_months(rows.frame.get_column("month")).dt.date()
    rows.read("month", month, "a month, YYYY-MM", required=True)
    _read_amount(rows, "rate")
    rows.refuse(pl.col("from") == pl.col("to"), "to", "another currency than from")
    once = "one rate a month and pair; an earlier row says otherwise"
    return finish_once(rows, Rates, columns, ("month", "from", "to"), once)


def _read_amount(rows: Rows, column: str) -> None:
    text = rows.frame.get_column(column)
    amount, _ = read_money(text)
    cut = pl.Series([bool(read_money(text[row : row + 1])[1]) for row in range(text.len())], dtype=pl.Boolean)
    rows.read(column, amount.set(cut, None), "a plain number of at most 12 decimals", required=True)
