"""What the command line answers from the published file, without ever waiting for a run."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.text import Text

from attribution.ledger import read_published
from attribution.reports.build import build_report
from attribution.reports.figures import label
from attribution.reports.report import Report
from attribution.reports.tables_csv import csv_text
from attribution.reports.text_tables import add_row, plain_table
from flows.plain_data import as_json_text, plain
from flows.running import now
from flows.summary import report_frames, restatement_rows, week_of
from flows.terminal import print_plain, terminal, wide
from schemas.bills import HeldBack, by_reason
from schemas.faults import Fault, InputError, suggest
from schemas.money import read_money
from schemas.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

_WIDE = 60
_FEW = 12
_FOLDS = 40  # a text as long as this can be read when it folds


def ask(store: Path, sql: str, params: tuple[Any, ...] = ()) -> pl.DataFrame:
    """Rows of one query over the published file."""
    with read_published(store) as published:
        return published.frame(sql, params)


def weekly_report(workspace: Workspace, owner: str | None, team: str | None = None) -> Report:
    """The report of the last complete week, from the published file."""
    whose = ("owner", owner) if owner is not None else ("team", team) if team is not None else None
    with read_published(workspace.store) as published:
        ((as_of,),) = published.frame("SELECT max(as_of) FROM main.runs WHERE status = 'done'").rows()
        frames = report_frames(published, workspace, as_of or now())
        frames.restatements.extend(restatement_rows(published, whose))
        if whose is not None and whose[0] in frames.daily.columns:
            dimension, name = whose
            names = frames.daily.get_column(dimension).unique().sort().to_list()
            if name not in names:
                what = f'no cost of an {dimension} "{name}"' if dimension == "owner" else f'no cost of a team "{name}"'
                raise InputError(Fault(f"--{dimension}", what, ", ".join(names), suggest(name, names)))
        return build_report(frames, week_of(frames), owner, team=team)


def as_csv(rows: pl.DataFrame) -> str:
    """Rows as CSV that a spreadsheet opens without taking text for formulas."""
    return csv_text(rows.columns, ([_cell(value) for value in row] for row in rows.iter_rows()))


def _cell(value: object) -> str | int | Decimal | date | None:
    return value if value is None or isinstance(value, (str, int, Decimal, date)) else str(plain(value))


def as_table(rows: pl.DataFrame) -> RenderableType:
    """Rows as a terminal table: figures to the right, long text cut; rows too wide for one, value by value."""
    if rows.is_empty():
        return Text("(no rows)", style="dim")
    cells = [[_short(value) for value in row] for row in rows.iter_rows()]
    widths = [max(map(len, column)) + 3 for column in zip(rows.columns, *cells, strict=True)]
    if sum(widths) > wide.width and len(rows.columns) > _FEW:
        return _one_by_one(rows.columns, cells)
    words = [name for name, dtype in rows.schema.items() if not dtype.is_numeric()]
    table = plain_table(*rows.columns, texts=words)
    for row in cells:
        add_row(table, *row)
    return table


def fitting(rows: pl.DataFrame, spare: Sequence[str]) -> pl.DataFrame:
    """Rows without those columns, the first of `spare` first, that the terminal has no room for."""
    room = {name: min(max(map(len, (name, *map(_short, cells)))), _FOLDS) + 3 for name, cells in rows.to_dict().items()}
    for name in spare:
        if sum(room.values()) > wide.width:
            del room[name]
    return rows.select(list(room))


def as_pairs(rows: pl.DataFrame) -> RenderableType:
    """One row, a line a column; nothing is cut."""
    table = plain_table("column", "value", texts=2)
    for name, value in zip(rows.columns, rows.row(0), strict=True):
        add_row(table, name, _short(value) if not isinstance(value, str) else label(value))
    return table


def _one_by_one(names: list[str], cells: list[list[str]]) -> RenderableType:
    table = plain_table("column", "value", texts=2)
    for number, row in enumerate(cells, 1):
        add_row(table, f"row {number}", "", style="bold")
        for name, value in zip(names, row, strict=True):
            add_row(table, name, value)
    return table


def _short(value: object) -> str:
    """A cell for reading: one line of plain letters, whatever a tag holds."""
    if isinstance(value, Decimal):
        text = f"{value:,f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    text = "" if value is None else str(plain(value))
    return label(text, _WIDE) if text else ""


def show(rows: pl.DataFrame, *, as_json: bool) -> None:
    """Print rows as a table or as JSON."""
    if as_json:
        print_plain(as_json_text(rows))
    else:
        wide.print(as_table(rows))


def read_gate(text: str) -> Decimal:
    """`--gate`: an amount, in whatever currency a finding has.

    Raises:
        InputError: it is none.
    """
    (amount,) = read_money(pl.Series([text]))[0].to_list()
    if amount is None:
        raise InputError(Fault("--gate", f'"{text}" is no amount', hint="Write it as 1000 or 99.50."))
    return Decimal(amount)


def show_status(store: Path, *, as_json: bool) -> None:
    """Last runs, sources, how much the store holds, what is held back."""
    runs = ask(store, "SELECT run, command, status, as_of, ended_at, message FROM runs ORDER BY run DESC LIMIT 5")
    sources = ask(
        store,
        """
        SELECT source, count(DISTINCT billing_month) AS months, min(billing_month) AS first_month,
            max(billing_month) AS last_month, max(watermark) AS complete_until, sum(rows) AS charges
        FROM bills WHERE superseded_run IS NULL GROUP BY ALL ORDER BY ALL
        """,
    )
    held = ask(store, "SELECT source, name, reason FROM held_back ORDER BY ALL")
    with read_published(store) as published:
        stored = published.stored()
    parts = {"runs": runs, "sources": sources, "store": stored, "held_back": held}
    if as_json:
        print_plain(as_json_text(parts))
        return
    for name, rows in (("Runs", runs), ("Sources", sources), ("Store", stored)):
        terminal.print(Text(f"\n{name}", style="bold"))
        terminal.print(as_table(rows))
    terminal.print(Text("\nHeld back" if held.height else "\nNothing is held back", style="bold"))
    for one in by_reason(HeldBack(*row) for row in held.iter_rows()):
        terminal.print(Text(f"{one.source}  {one.name}: {one.reason}"))
