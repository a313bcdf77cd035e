"""What the nightly run says on the terminal when it is done: what came in, that it adds up, where to look."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from rich.console import Group, RenderableType
from rich.text import Text

from attribution.reports import figures
from attribution.reports.held import ClosedMonth, Pending, closed_table, pending_table
from attribution.reports.pieces import not_reconciled, waste
from attribution.reports.report import Amount, BillLine, Coverage, Finding, Growth, Reconciled, Report, Row, Section
from attribution.reports.text import exact_difference
from attribution.reports.text_tables import add_row, findings_table, growth_table, plain_table
from attribution.reports.wording import wording
from schemas.bills import HeldBack, by_reason
from schemas.words import counted

_ROWS = 8


@dataclass(frozen=True)
class ProjectCost:
    """EffectiveCost of a project in the last whole month and in the running one so far."""

    currency: str
    project: str
    last_month: Amount
    running: Amount


@dataclass(frozen=True)
class Place:
    """A file of the run that somebody may want to open."""

    what: str
    path: str


@dataclass(frozen=True)
class NightlySummary:
    """One nightly run. `bills` are those read in it; `nothing_new`: every delivery was known already."""

    as_of: date
    month: date  # first day of the running month
    last_month: date
    grace_days: int  # between telling an owner of waste and the reclaim plan
    whole_month: bool = False  # the running month is complete
    bills: tuple[BillLine, ...] = ()
    rejects: int = 0
    reconciled: tuple[Reconciled, ...] = ()
    projects: tuple[ProjectCost, ...] = ()
    growth: tuple[Growth, ...] = ()
    findings: tuple[Finding, ...] = ()
    coverage: tuple[tuple[str, Coverage], ...] = ()  # (currency, coverage of a dimension)
    held_back: tuple[HeldBack, ...] = ()
    pending: tuple[Pending, ...] = ()  # of closed months, the largest difference first
    closed: tuple[ClosedMonth, ...] = ()
    places: tuple[Place, ...] = ()
    nothing_new: bool = False


def summary_of(
    report: Report,
    bills: tuple[BillLine, ...],
    places: tuple[Place, ...],
    *,
    pending: tuple[Pending, ...] = (),
    closed: tuple[ClosedMonth, ...] = (),
    nothing_new: bool,
    grace_days: int,
) -> NightlySummary:
    """The summary of a night whose report for all is built already.

    Args:
        report: the report for all.
        bills: those read in this run, which are fewer than the report's.
        places: files to name.
        pending: what closed months hold back.
        closed: the sums of these months.
        nothing_new: every delivery was known already.
        grace_days: between telling an owner of waste and the reclaim plan.
    """
    wholes = [(one.currency, one.whole) for one in report.sections if one.whole is not None]
    return NightlySummary(
        as_of=report.as_of.date(),
        month=report.spans.month.first,
        last_month=report.spans.last_month.first,
        grace_days=grace_days,
        whole_month=report.spans.month.is_month,
        bills=bills,
        rejects=report.quality.rejects or 0,
        reconciled=tuple(row for _, whole in wholes for row in whole.reconciled),
        projects=tuple(
            ProjectCost(one.currency, row.name, row.last_month, row.month)
            for one in report.sections
            for row in sorted(_projects_of(one), key=_by_size)
        ),
        growth=tuple(row for one in report.sections for row in one.growth),
        findings=tuple(row for one in report.sections for row in (*one.findings, *one.undetermined, *one.remarks))
        + report.loose_findings,
        coverage=tuple((code, row) for code, whole in wholes for row in whole.coverage),
        held_back=report.quality.held_back,
        pending=pending,
        closed=closed,
        places=places,
        nothing_new=nothing_new,
    )


def _projects_of(section: Section) -> tuple[Row, ...]:
    return next(table.rows for table in section.tables if table.dimension == "project")


def _by_size(row: Row) -> tuple[Decimal, Decimal]:
    return (row.last_month or Decimal(0)).copy_negate(), (row.month or Decimal(0)).copy_negate()


def nightly_summary(summary: NightlySummary) -> Group:
    """The summary for `rich.print`: at most 100 columns wide, plain lines when piped."""
    parts: list[RenderableType] = [_first_line(summary)]
    if summary.bills:
        parts += [_title("Bills read"), _bills(summary.bills)]
    if summary.held_back:
        parts += [_title("Held back, not in any figure"), *_held_back(summary.held_back)]
    if summary.reconciled:
        parts += [_title("Reconciliation"), _reconciled(summary.reconciled)]
    for code in _currencies(summary):
        parts += _costs(summary, code)
    others = [row for row in summary.findings if row.currency is None or row.tier is None]
    if others:
        parts.append(_title("Other findings", "see: attribution findings"))
        kinds = Counter(wording("en").kind(row.kind) for row in others)
        parts += [Text(f"{figures.label(kind)}: {n}") for kind, n in kinds.items()]
    if summary.pending:
        months = ", ".join(dict.fromkeys(f"{row.month:%Y-%m}" for row in summary.pending))
        hint = f"of {months}; see closed_months, pending_restatements, attribution reopen"
        parts += [_title("Held back by closed months", hint), closed_table(summary.closed)]
        parts += [_title("Whose it would be", "EffectiveCost"), pending_table(summary.pending, _ROWS)]
    if summary.places:
        parts += [_title("Files"), _places(summary.places)]
    return Group(*parts)


def _title(text: str, note: str = "") -> Text:
    return Text.assemble("\n", (text, "bold cyan"), (f"  {note}" if note else "", "dim"))


def _first_line(summary: NightlySummary) -> Text:
    apart = not_reconciled(summary.reconciled)
    day = figures.full_day(summary.as_of)
    if apart:
        return Text.assemble(("BROKEN  ", "bold red"), f"{day}: bills and attributed costs differ, see Reconciliation")
    parts = [counted(len(summary.bills), "bill") + " read"]
    if summary.nothing_new:
        parts = ["nothing new to read: every delivery is known already"]
    if summary.rejects:
        parts.append(f"{counted(summary.rejects, 'refused bill row')} (see: attribution rejects)")
    if summary.held_back:
        parts.append(f"{len(summary.held_back)} held back")
    troubled: Literal["yellow", "green"] = "yellow" if summary.rejects or summary.held_back else "green"
    return Text.assemble(("Done  ", f"bold {troubled}"), f"{day}: {'; '.join(parts)}")


def _currencies(summary: NightlySummary) -> list[str]:
    codes = [row.currency for row in summary.projects]
    codes += [row.currency for row in summary.growth]
    codes += [row.currency for row in summary.findings if row.currency is not None]
    return list(dict.fromkeys(codes))


def _bills(bills: tuple[BillLine, ...]) -> RenderableType:
    table = plain_table("Source", "account", "month", "state", "rows", "BilledCost", texts=4)
    for bill in bills:
        add_row(
            table,
            figures.label(bill.source, 24),
            figures.label(bill.account, 24),
            figures.month(bill.month),
            figures.label(bill.state, 24),
            f"{bill.rows:,}",
            figures.with_currency(bill.billed, bill.currency) if bill.currency else "no charges",
        )
    return table


def _held_back(rows: tuple[HeldBack, ...]) -> list[Text]:
    told = by_reason(rows)
    return [Text.assemble((f"{figures.label(one.name)}: ", "yellow"), figures.label(one.reason)) for one in told]


def _reconciled(rows: tuple[Reconciled, ...]) -> RenderableType:
    """Bills against costs; where closed months hold something back, also what that leaves for all other figures."""
    holding = any(row.pending for row in rows)
    table = plain_table(
        "Total of", "bills' lines", "attributed", "difference", *(["held back", "in all figures"] if holding else [])
    )
    for row in rows:
        apart = exact_difference(row.lines, row.costs)
        shown = figures.difference(row.costs, row.pending)
        left = [figures.signed(row.pending, row.currency), figures.money(shown, row.currency)]
        add_row(
            table,
            f"{row.column} {row.currency}",
            figures.money(row.lines, row.currency),
            figures.money(row.costs, row.currency),
            apart,
            *(left if holding else []),
            style="" if apart == "0" else "bold red",
        )
    return table


def _costs(summary: NightlySummary, code: str) -> list[RenderableType]:
    parts: list[RenderableType] = []
    projects = [row for row in summary.projects if row.currency == code]
    if projects:
        parts += [_title(f"Projects, {code}", "EffectiveCost"), _projects(summary, projects)]
    known = [row for currency, row in summary.coverage if currency == code]
    if any(row.total for row in known):
        words = ", ".join(f"{row.dimension} {figures.share(row.known, row.total)}" for row in known)
        parts.append(Text.assemble(("Known: ", "bold"), words))
    fired = [row for row in summary.growth if row.currency == code and row.fired]
    if fired:
        parts += [_title(f"Grew above the threshold, {code}"), growth_table(fired, code, _ROWS, wording("en"))]
    found = tuple(
        row for row in summary.findings if row.currency == code and row.verdict == "finding" and row.tier is not None
    )
    if found:
        at_stake = f"{figures.with_currency(waste(found), code)} in the last complete month, each subject once"
        plan = f"On the reclaim plan {summary.grace_days} days after its owner is told: attribution waste path"
        parts += [_title("Likely waste", at_stake), findings_table(found, code, _ROWS, wording("en")), Text(plan)]
    return parts


def _projects(summary: NightlySummary, rows: list[ProjectCost]) -> RenderableType:
    table = plain_table(
        "Project",
        figures.month(summary.last_month),
        f"{figures.month(summary.month)}{'' if summary.whole_month else ' so far'}",
    )
    for row in rows[:_ROWS]:
        add_row(
            table,
            figures.label(row.project, 40),
            figures.money(row.last_month, row.currency),
            figures.money(row.running, row.currency),
        )
    if len(rows) > _ROWS:
        rest = rows[_ROWS:]
        add_row(
            table,
            counted(len(rest), "other"),
            figures.money(figures.total(row.last_month for row in rest), rest[0].currency),
            figures.money(figures.total(row.running for row in rest), rest[0].currency),
            style="dim",
        )
    return table


def _places(places: tuple[Place, ...]) -> RenderableType:
    table = plain_table("What", "where", texts=2)
    table.show_header = False
    for place in places:
        add_row(table, figures.label(place.what, 40), figures.label(place.path))
    return table
