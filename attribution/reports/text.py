"""The Report as plain text: for a terminal through rich, and as the text half of a mail.

Every text from the data enters rich as `Text`, never as markup, so that `[red]` in a tag stays `[red]`.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from attribution.reports import figures, words
from attribution.reports.report import Amount, Finding, Growth, InvoiceLine, Report, Restatement, Row, Section
from schemas.money import shortest

MAIL_WIDTH = 78
_NAME = 34
_FIRST = 24  # wide enough that the figures of several tables stand under each other
_STYLES = {"good": "green", "look": "bold yellow", "note": "dim"}
_SIGNS = {"good": "OK  ", "look": "LOOK", "note": "note"}


def render_text(report: Report, rows: int = 10) -> str:
    """The whole report as text of at most 78 columns without any control sequence."""
    sink = io.StringIO()
    console = Console(file=sink, width=MAIL_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(render_terminal(report, rows))
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()).strip() + "\n"


def render_terminal(report: Report, rows: int = 10) -> Group:
    """The report for `rich.print`: colours on a terminal, plain lines when piped."""
    times = report.spans
    parts: list[RenderableType] = [
        Text(words.heading(report), style="bold"),
        Text(f"{figures.period(times.period)}, compared with {figures.period(times.before)}; by {report.basis}"),
        Text(),
        _statements(report),
    ]
    for section in report.sections:
        parts += _section(report, section, rows)
    if report.loose_findings:
        parts += [Text("\nFindings without money", style="bold"), findings_table(report.loose_findings, "", rows)]
    return Group(*parts, *_quality(report))


def _statements(report: Report) -> Table:
    grid = Table.grid(padding=(0, 2))
    for line in words.statements(report):
        grid.add_row(Text(_SIGNS[line.level], style=_STYLES[line.level]), Text(line.text))
    return grid


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


def _section(report: Report, section: Section, rows: int) -> list[RenderableType]:
    code = section.currency
    parts: list[RenderableType] = [Text(f"\n{code}", style="bold"), _headline(report, section)]
    for table in section.tables:
        part = words.shown(table, rows)
        if part.rows:
            parts += [Text(), _costs(report, part, code)]
    if section.growth:
        parts += [Text(f"\nMonth over month ({code})", style="bold"), growth_table(section.growth, code, rows)]
    if section.findings:
        title = f"\nLikely waste ({figures.with_currency(section.waste, code)} in the last complete month)"
        parts += [Text(title, style="bold"), findings_table(section.findings, code, rows)]
    if section.remarks:
        parts += [Text(f"\nOther findings ({code})", style="bold"), findings_table(section.remarks, code, rows)]
    if section.undetermined:
        parts.append(
            Text(f"\n{figures.count(len(section.undetermined), 'subject')} could not be judged for lack of data.")
        )
    if section.restatements:
        parts += [Text(f"\nPast months that changed ({code})", style="bold"), _restated(section.restatements, code)]
    return parts + _for_all(section)


def _headline(report: Report, section: Section) -> Table:
    times, code = report.spans, section.currency
    noun = figures.noun(times.period)
    table = plain_table(f"EffectiveCost, {code}", "cost", "before", "change", "%")
    partial = ", partial" if report.partial else ""
    so_far = "" if times.month.is_month else " so far"
    for name, both in (
        (f"This {noun} ({figures.period(times.period)}{partial})", section.cost),
        (f"{figures.month(times.month.first)}{so_far} (to {figures.day(times.month.last)})", section.month),
        (f"{figures.month(times.last_month.first)}, whole month", section.last_month),
        (f"This {noun} as billed (BilledCost)", section.billed),
    ):
        add_row(table, name, *_compared(both.this, both.before, code))
    return table


def _compared(this: Amount, before: Amount, code: str) -> tuple[str, str, str, str]:
    return (
        figures.money(this, code),
        figures.money(before, code),
        figures.change(this, before, code),
        figures.percent(this, before),
    )


def _costs(report: Report, part: words.Shown, code: str) -> Table:
    noun = figures.noun(report.period)
    table = plain_table(part.heading, f"this {noun}", "before", "change", "%")

    def add(row: Row, style: str = "") -> None:
        add_row(table, figures.label(row.name, _NAME), *_compared(row.this, row.before, code), style=style)

    for row in part.rows:
        add(row)
    if part.rest is not None:
        add(part.rest, "dim")
    table.add_section()
    add(part.total, "bold")
    return table


def growth_table(growth: Sequence[Growth], code: str, rows: int) -> Table:
    """Subjects month over month, those above the thresholds marked."""
    table = plain_table("Subject", "month", "cost", "before", "change a month", "%", texts=1)
    for row in growth[:rows]:
        add_row(
            table,
            f"{'! ' if row.fired else ''}{figures.label(row.subject, _NAME)}",
            figures.month(row.month),
            figures.money(row.cost, code),
            figures.money(row.previous, code),
            figures.signed(row.change, code),
            figures.grown(row.percent, row.status),
        )
    _more(table, len(growth) - rows)
    return table


def findings_table(findings: Sequence[Finding], code: str, rows: int) -> Table:
    """Findings with their money and age; the evidence stands under each."""
    table = plain_table("Finding", "owner", f"{code} a month".strip(), "age", texts=2)
    for row in findings[:rows]:
        what = f"{figures.label(row.what, _NAME)}: {figures.label(row.subject, 60)}\n{figures.label(row.evidence, 200)}"
        add_row(
            table,
            what,
            figures.label(row.owner, 20),
            figures.money(row.cost, code),
            figures.count(row.age, "day"),
        )
    _more(table, len(findings) - rows)
    return table


def _restated(rows: Iterable[Restatement], code: str) -> Table:
    table = plain_table("Month", "project", "reported before", "before", "after", "change", texts=3)
    for row in rows:
        add_row(
            table,
            figures.month(row.month),
            figures.label(row.project, _NAME),
            "yes" if row.reported else "no",
            figures.money(row.before, code),
            figures.money(row.after, code),
            figures.change(row.after, row.before, code),
        )
    return table


def _more(table: Table, hidden: int) -> None:
    if hidden > 0:
        table.add_row(Text(f"... and {hidden} more"), style="dim")


def _for_all(section: Section) -> list[RenderableType]:
    whole, code = section.whole, section.currency
    if whole is None:
        return []
    free = figures.with_currency(whole.unallocated.this, code)
    known = ", ".join(f"{row.dimension} {figures.share(row.known, row.total)}" for row in whole.coverage)
    lines = [Text(), Text(f"Without a known project: {free}."), Text(f"Cost with a known value: {known}.")]
    lines += [
        Text(
            f"Reconciliation, {row.column}: bills {figures.money(row.lines, code)}, "
            f"attributed {figures.money(row.costs, code)}, difference {exact_difference(row.lines, row.costs)} {code}."
        )
        for row in whole.reconciled
    ]
    if not whole.invoices:
        return [*lines]
    matched = sum(row.status == "matches" for row in whole.invoices)
    title = f"\nInvoices against bills, {code}: {matched} of {len(whole.invoices)} match"
    return [*lines, Text(title, style="bold"), _invoices(whole.invoices, code)]


def _invoices(rows: Iterable[InvoiceLine], code: str) -> Table:
    table = plain_table("Bill", "month", "status", "billed", "paid", "difference", texts=3)
    for row in rows:
        named = " ".join(figures.label(name, 20) for name in (row.source, row.account, row.invoice) if name)
        add_row(
            table,
            named,
            figures.month(row.month),
            row.status,
            "" if row.billed is None else figures.money(row.billed, code),
            "" if row.paid is None else figures.money(row.paid, code),
            "" if row.difference is None else figures.signed(row.difference, code),
        )
    return table


def exact_difference(this: Amount, before: Amount) -> str:
    """A difference with all its digits; `0` where there is none."""
    apart = figures.difference(this, before)
    if apart is None:
        return figures.UNKNOWN
    return shortest(apart) if apart else "0"


def _quality(report: Report) -> list[Text]:
    quality = report.quality
    lines = [Text()]
    for mark in quality.watermarks:
        until = figures.full_day(mark.complete_until)
        lines.append(
            Text(f"{figures.label(mark.source, 40)}: complete up to {until}{', silent since' if mark.silent else ''}.")
        )
    lines += [
        Text(f"Held back: {figures.label(row.name, 60)}: {figures.label(row.reason, 200)}") for row in quality.held_back
    ]
    lines.append(Text("Figures are exact and rounded only here, so rows may differ from totals in the last digit."))
    return lines
