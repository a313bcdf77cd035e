"""The Report as plain text: for a terminal through rich, and as the text half of a mail.

Every text from the data enters rich as `Text`, never as markup, so that `[red]` in a tag stays `[red]`.
"""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from attribution.reports import figures, words
from attribution.reports.report import (
    Amount,
    Comparison,
    Reconciled,
    Report,
    Row,
    Section,
)
from attribution.reports.text_tables import (
    NAME,
    add_row,
    budgets_table,
    findings_table,
    growth_table,
    invoices_table,
    plain_table,
    restated_table,
)
from attribution.reports.together import Grid, grids
from attribution.reports.wording import Wording, wording
from schemas.bills import by_reason
from schemas.money import shortest

MAIL_WIDTH = 78
_STYLES = {"good": "green", "look": "bold yellow", "note": "dim"}


def render_text(report: Report, rows: int = 10) -> str:
    """The whole report as text of at most 78 columns without any control sequence."""
    sink = io.StringIO()
    console = Console(file=sink, width=MAIL_WIDTH, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(render_terminal(report, rows))
    return "\n".join(line.rstrip() for line in sink.getvalue().splitlines()).strip() + "\n"


def render_terminal(report: Report, rows: int = 10) -> Group:
    """The report for `rich.print`: colours on a terminal, plain lines when piped."""
    say = wording(report.locale)
    parts: list[RenderableType] = [
        Text(words.heading(report), style="bold"),
        Text(words.compared(report)),
        Text(),
        _statements(report, say),
    ]
    for grid in grids(report, say, rows):
        parts += [_title(grid.title), _grid(grid), *map(Text, grid.notes)]
    for section in report.sections:
        parts += _section(report, section, rows, say)
    if report.loose_findings:
        title = Text(f"\n{say.say('loose_heading')}", style="bold")
        parts += [title, findings_table(report.loose_findings, "", rows, say)]
    return Group(*parts, *_quality(report, say))


def _statements(report: Report, say: Wording) -> Table:
    grid = Table.grid(padding=(0, 2))
    for line in words.statements(report):
        grid.add_row(Text(say.say(f"mark_{line.level}"), style=_STYLES[line.level]), Text(line.text))
    return grid


def _section(report: Report, section: Section, rows: int, say: Wording) -> list[RenderableType]:
    code = section.currency
    parts: list[RenderableType] = [Text(f"\n{code}", style="bold"), _headline(report, section, say)]
    if section.budgets:
        parts += [_title(say.say("budgets_heading", code=code)), budgets_table(section.budgets, code, say)]
    if section.grew:
        parts.append(_title(say.say("what_grew", code=code)))
        parts += [
            Text(f"{line}\n  {why}" if why else line) for line, why in (words.grew(one, say) for one in section.grew)
        ]
    for table in section.tables:
        part = words.shown(table, rows, say)
        if part.rows or part.apart:
            parts += [Text(), _costs(report, part, code, say)]
    if section.growth:
        parts += [_title(say.say("growth_heading", code=code)), growth_table(section.growth, code, rows, say)]
    if section.findings:
        title = say.say("waste_heading", amount=say.with_currency(section.waste, code))
        parts += [_title(title), findings_table(section.findings, code, rows, say)]
    if section.remarks:
        parts += [_title(say.say("remarks_heading", code=code)), findings_table(section.remarks, code, rows, say)]
    if section.undetermined:
        parts.append(Text(f"\n{say.count('not_judged_count', len(section.undetermined))}"))
    if section.restatements:
        parts += [_title(say.say("restated_heading", code=code)), restated_table(section.restatements, code, say)]
    return parts + _for_all(section, say)


def _grid(grid: Grid) -> Table:
    table = plain_table(*grid.columns)
    for cells in grid.rows[:-1]:
        add_row(table, *cells)
    table.add_section()
    add_row(table, *grid.rows[-1], style="bold")
    return table


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _headline(report: Report, section: Section, say: Wording) -> Table:
    code = section.currency
    columns = [say.say(name) for name in ("cost", "before", "change", "percent_sign")]
    table = plain_table(say.say("headline_of", code=code), *columns)
    for name, both in headlines(report, section, say):
        add_row(table, name, *_compared(both.this, both.before, code, say))
    return table


def headlines(report: Report, section: Section, say: Wording) -> list[tuple[str, Comparison]]:
    """The lines that every face shows first: the period, the months, what is idle or shared of it, and as billed."""
    times = report.spans
    noun = say.noun(times.period)
    whole = "whole_week_partial" if report.partial else "whole_week"
    month = say.month(times.month.first)
    lines = [
        (say.say(whole, noun=noun, period=say.period(times.period)), section.cost),
        (
            month if times.month.is_month else say.say("so_far", month=month, day=say.day(times.month.last)),
            section.month,
        ),
        (say.say("whole_month", month=say.month(times.last_month.first)), section.last_month),
        (say.say("as_billed", noun=noun), section.billed),
    ]
    apart = [("idle_line", section.idle), ("shared_line", section.undivided)]
    lines[1:1] = [(say.say(key), both) for key, both in apart if both.this or both.before]
    return lines


def _compared(this: Amount, before: Amount, code: str, say: Wording) -> tuple[str, str, str, str]:
    change, percent = say.change(this, before, code), say.percent(this, before)
    return say.money(this, code), say.money(before, code), change, percent


def _costs(report: Report, part: words.Shown, code: str, say: Wording) -> Table:
    headings = (part.heading, say.noun(report.period), *(say.say(key) for key in ("before", "percent_sign")))
    table = plain_table(*headings, say.say("eight_weeks"))

    def add(row: Row, style: str = "", *, coded: bool = True) -> None:
        name = say.value(part.dimension, row.name) if coded else row.name
        cells = (say.money(row.this, code), say.money(row.before, code), say.percent(row.this, row.before))
        add_row(table, figures.label(name, NAME), *cells, words.spark(row.weeks), style=style)

    for row in part.rows:
        add(row)
    if part.rest is not None:
        add(part.rest, "dim", coded=False)
    for row in part.apart:
        add(row, "dim")
    table.add_section()
    add(part.total, "bold", coded=False)
    return table


def _for_all(section: Section, say: Wording) -> list[RenderableType]:
    whole, code = section.whole, section.currency
    if whole is None:
        return []
    known = say.together(f"{say.say(row.dimension)} {say.share(row.known, row.total)}" for row in whole.coverage)
    free = say.with_currency(whole.unallocated.this, code)
    lines = [Text(), Text(say.say("unknown_project", amount=free)), Text(say.say("coverage", known=known))]
    lines += [Text(reconciliation(row, code, say)) for row in whole.reconciled]
    if not whole.invoices:
        return [*lines]
    matched = sum(row.status == "matches" for row in whole.invoices)
    title = say.say("invoices_heading", code=code, matched=str(matched), all=str(len(whole.invoices)))
    return [*lines, _title(title), invoices_table(whole.invoices, code, say)]


def reconciliation(row: Reconciled, code: str, say: Wording) -> str:
    """One cost column of the bills against the same of the attributed costs."""
    told = say.say(
        "reconciliation",
        column=row.column,
        lines=say.money(row.lines, code),
        costs=say.money(row.costs, code),
        difference=exact_difference(row.lines, row.costs),
        code=code,
    )
    if not row.pending:
        return told
    pending, shown = say.signed(row.pending, code), say.money(figures.difference(row.costs, row.pending), code)
    return " ".join((told, say.say("reconciliation_pending", pending=pending, shown=shown, code=code)))


def exact_difference(this: Amount, before: Amount) -> str:
    """A difference with all its digits; `0` where there is none."""
    apart = figures.difference(this, before)
    if apart is None:
        return figures.UNKNOWN
    return shortest(apart) if apart else "0"


def quality_lines(report: Report, say: Wording) -> list[str]:
    """How far to trust the figures: sources, what is held back or refused, and how they are rounded."""
    quality = report.quality
    lines = []
    if quality.complete_until is not None:
        day, late = say.full_day(quality.complete_until), len(quality.provisional_days)
        later = say.count("later_days_count", late)
        lines.append(
            say.say("complete_until_later", day=day, later=later) if late else say.say("complete_until", day=day)
        )
    for mark in quality.watermarks:
        key = "source_silent" if mark.silent else "source_until"
        lines.append(say.say(key, source=figures.label(mark.source, 40), day=say.full_day(mark.complete_until)))
    lines += [
        say.say("held_back", name=figures.label(row.name, 60), reason=figures.label(row.reason, 200))
        for row in by_reason(quality.held_back)
    ]
    if quality.rejects:
        lines.append(say.count("refused_line", quality.rejects))
    return [*lines, say.say("rounded_note")]


def _quality(report: Report, say: Wording) -> list[Text]:
    return [Text(), *map(Text, quality_lines(report, say))]
