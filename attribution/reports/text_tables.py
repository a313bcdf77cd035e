"""Tables of plain text, for a terminal and for the text half of a mail. Texts of the data never become markup."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from attribution.reports import figures
from attribution.reports.report import BudgetLine, Finding, Growth, InvoiceLine, Restatement
from attribution.reports.wording import Wording

NAME = 34
_FIRST = 24  # wide enough that the figures of several tables stand under each other


def plain_table(*columns: str, texts: int | Collection[str] = 1) -> Table:
    """A narrow table: words may fold, figures stand to the right and may not.

    Args:
        columns: the headings.
        texts: which of them are words: the first so many, or those named.
    """
    words = columns[:texts] if isinstance(texts, int) else texts
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False, header_style="bold")
    for column in columns:
        if column in words:
            table.add_column(Text(column), overflow="fold", min_width=_FIRST if texts == 1 else None)
        else:
            table.add_column(Text(column), justify="right", no_wrap=True)
    return table


def add_row(table: Table, *cells: str, style: str = "") -> None:
    """A row of plain texts."""
    table.add_row(*(Text(cell) for cell in cells), style=style)


def budgets_table(rows: Iterable[BudgetLine], code: str, say: Wording) -> Table:
    """Budgets in their running period."""
    table = plain_table(*(say.say(name) for name in ("budget", "spent", "forecast", "budget_amount", "percent_sign")))
    for row in rows:
        amounts = (say.money(amount, code) for amount in (row.spent, row.forecast, row.amount))
        add_row(table, figures.label(row.budget, NAME), *amounts, say.share(row.spent, row.amount))
    return table


def growth_table(growth: Sequence[Growth], code: str, rows: int, say: Wording) -> Table:
    """Subjects month over month, those above the thresholds marked."""
    columns = ("growth_subject", "cost", "before", "change_a_month", "percent_sign")
    table = plain_table(*(say.say(name) for name in columns))
    for row in growth[:rows]:
        add_row(
            table,
            f"{'! ' if row.fired else ''}{figures.label(say.subject(row.subject), NAME)}, {say.month(row.month)}",
            say.money(row.cost, code),
            say.money(row.previous, code),
            say.signed(row.change, code),
            say.grown(row.percent, row.status),
        )
    _more(table, len(growth) - rows, say)
    return table


def findings_table(findings: Sequence[Finding], code: str, rows: int, say: Wording) -> Table:
    """Findings with their money and age; the evidence stands under each."""
    table = plain_table(
        say.say("finding"), say.say("owner"), say.say("a_month", code=code).strip(), say.say("age"), texts=2
    )
    for row in findings[:rows]:
        what = f"{figures.label(say.kind(row.kind), NAME)}: {figures.label(row.subject, 60)}"
        add_row(
            table,
            f"{what}\n{figures.label(row.evidence, 400)}",
            figures.label(say.value("owner", row.owner), 20),
            say.money(row.cost, code),
            say.count("days_count", row.age),
        )
    _more(table, len(findings) - rows, say)
    return table


def restated_table(rows: Iterable[Restatement], code: str, say: Wording) -> Table:
    """Past months that changed."""
    columns = ("month", "project", "reported_before", "before", "after", "change")
    table = plain_table(*(say.say(name) for name in columns), texts=3)
    for row in rows:
        add_row(
            table,
            say.month(row.month),
            figures.label(say.value("project", row.project), NAME),
            say.say("yes" if row.reported else "no"),
            say.money(row.before, code),
            say.money(row.after, code),
            say.change(row.after, row.before, code),
        )
    return table


def _more(table: Table, hidden: int, say: Wording) -> None:
    if hidden > 0:
        table.add_row(Text(say.say("more_rows", n=str(hidden))), style="dim")


def invoices_table(rows: Iterable[InvoiceLine], code: str, say: Wording) -> Table:
    """Bills and invoices against what finance paid."""
    columns = ("bill", "month", "status", "billed", "paid", "difference")
    table = plain_table(*(say.say(name) for name in columns), texts=3)
    for row in rows:
        named = " ".join(figures.label(name, 20) for name in (row.source, row.account, row.invoice) if name)
        add_row(
            table,
            named,
            say.month(row.month),
            say.value("status", row.status),
            "" if row.billed is None else say.money(row.billed, code),
            "" if row.paid is None else say.money(row.paid, code),
            "" if row.difference is None else say.signed(row.difference, code),
        )
    return table
