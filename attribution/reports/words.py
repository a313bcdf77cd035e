"""What a report says in words: the answer to "am I fine?", headings, and the rows a face has room for."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from attribution.reports import figures
from attribution.reports.pieces import not_reconciled
from attribution.reports.report import Quality, Report, Row, Section, Table

HEADINGS = {
    "project": "Project",
    "stage": "Stage",
    "experiment": "Experiment",
    "owner": "Owner",
    "team": "Team",
    "cost_element": "Cost element",
    "ServiceName": "Service",
}
# Below this share of the money, unallocated cost is everyday dust and no reason to look.
_UNALLOCATED_WORTH_A_LOOK = Decimal("0.05")


@dataclass(frozen=True)
class Statement:
    """One sentence of the first screen. `look`: somebody should; `note`: good to know; `good`: all is well."""

    level: Literal["good", "look", "note"]
    text: str


@dataclass(frozen=True)
class Shown:
    """The rows of a table that fit, the others as one row, and the total of all."""

    heading: str
    dimension: str
    rows: tuple[Row, ...]
    rest: Row | None
    total: Row


def fold(name: str, rows: tuple[Row, ...]) -> Row:
    """Several rows as one, added exactly."""
    return Row(
        name,
        figures.total(row.this for row in rows),
        figures.total(row.before for row in rows),
        figures.total(row.month for row in rows),
        figures.total(row.last_month for row in rows),
        figures.total(row.billed for row in rows),
    )


def shown(table: Table, limit: int) -> Shown:
    """Cut a table to the rows that fit; a single row too many is printed rather than called "other"."""
    room = limit if len(table.rows) > limit + 1 else len(table.rows)
    hidden = table.rows[room:]
    rest = fold(f"{figures.count(len(hidden), 'other')}", hidden) if hidden else None
    return Shown(HEADINGS[table.dimension], table.dimension, table.rows[:room], rest, fold("Total", table.rows))


def heading(report: Report) -> str:
    """Title with the owner, as one line of plain letters."""
    whose = "all" if report.owner is None else report.owner
    return f"{report.title} for {figures.label(whose, 60)}"


def subject(report: Report) -> str:
    """Subject of a mail: whose, when, how much, and whether to look; never a line break."""
    first = report.sections[0] if report.sections else None
    money = "no cost"
    if first is not None:
        money = f"{figures.with_currency(first.cost.this, first.currency)} ({comparison(first)})"
        if len(report.sections) > 1:
            money += f" and {figures.count(len(report.sections) - 1, 'more currency', 'more currencies')}"
    return f"{heading(report)}, {figures.period(report.period)}: {money}"


def how_to_answer(reference: str, address: str) -> str:
    """What to do where something is not the reader's."""
    return (
        f"Not yours? Write to {address}, name {reference} and the line that is not yours. "
        f"Whoever tends the rules sees with `attribution explain {reference}` how it came to you."
    )


def comparison(section: Section) -> str:
    """The week's relative change, in a word or a percentage."""
    return figures.percent(section.cost.this, section.cost.before)


def is_fine(report: Report) -> bool:
    """Whether nothing calls for a look."""
    return not any(statement.level == "look" for statement in statements(report))


def statements(report: Report) -> tuple[Statement, ...]:
    """The first screen: reasons to look, or that there is none, then what to know about the figures."""
    look = [Statement("look", text) for section in report.sections for text in _reasons(section)]
    good = [] if look else [Statement("good", _all_is_well(report))]
    return (*look, *good, *(Statement("note", text) for text in _notes(report)))


def _all_is_well(report: Report) -> str:
    if not report.sections:
        return "No cost in these days."
    return "Nothing calls for a look: no growth above the thresholds, no waste found, no past month changed."


def _reasons(section: Section) -> list[str]:
    code = section.currency
    reasons = []
    fired = [row for row in section.growth if row.fired]
    if fired:
        top = fired[0]  # the largest change
        size = figures.grown(top.percent, top.status)
        most = ", most of all" if len(fired) > 1 else ":"
        reasons.append(
            f"{figures.count(len({row.subject for row in fired}), 'subject')} grew above the threshold{most} "
            f"{figures.label(top.subject, 60)} in {figures.month(top.month)} "
            f"({size}, {figures.signed(top.change, code)} {code})."
        )
    if section.findings:
        reasons.append(
            f"{figures.count(len(section.findings), 'finding')} of likely waste, "
            f"{figures.with_currency(section.waste, code)} in the last complete month."
        )
    if section.restatements:
        moves = [figures.difference(row.after, row.before) for row in section.restatements]
        months = figures.count(len({row.month for row in section.restatements}), "past month")
        told = len({row.month for row in section.restatements if row.reported})
        net = figures.signed(figures.total(moves), code)
        gained = figures.with_currency(figures.total(move for move in moves if move is not None and move > 0), code)
        known = f" ({told} of them reported before)" if told else ""
        reasons.append(f"{months}{known} changed after being kept first: {net} {code} in all, {gained} gained by some.")
    if section.whole is not None:
        reasons += _reasons_for_all(section)
    return reasons


def _reasons_for_all(section: Section) -> list[str]:
    whole = section.whole
    reasons = []
    if whole is not None and whole.unallocated.this is not None and section.cost.this:
        part = figures.share(whole.unallocated.this, section.cost.this)
        # Compared by multiplication in exact decimals, so that no division decides.
        if section.cost.this > 0 and whole.unallocated.this > section.cost.this * _UNALLOCATED_WORTH_A_LOOK:
            amount = figures.with_currency(whole.unallocated.this, section.currency)
            reasons.append(f"{amount} ({part}) has no known project.")
    if whole is not None and not_reconciled(whole.reconciled):
        reasons.append(f"Attributed costs and bills differ in {section.currency}: see reconciliation.")
    apart = sum(row.status != "matches" for row in whole.invoices) if whole is not None else 0
    if apart:
        counted = figures.count(apart, "bill or invoice", "bills or invoices")
        reasons.append(f"{counted} in {section.currency} {'does' if apart == 1 else 'do'} not match what finance paid.")
    return reasons


def _notes(report: Report) -> list[str]:
    quality = report.quality
    notes = []
    until = quality.complete_until
    if until is None:
        notes.append("How far the data is complete is not known.")
    elif report.partial:
        notes.append(
            f"Partial: data is complete up to {figures.full_day(until)}; later days are provisional and can still rise."
        )
    if quality.files_missing:
        notes.append(_missing(quality))
    others = len(report.loose_findings) + sum(len(section.remarks) for section in report.sections)
    if others:
        notes.append(f"{figures.count(others, 'other finding')} of resources, tags or data: see below.")
    for section in report.sections:
        if section.unknown_rows:
            rows = figures.count(section.unknown_rows, "cost row")
            notes.append(f"{rows} in {section.currency} without a known EffectiveCost; totals add up what is known.")
    return notes


def _missing(quality: Quality) -> str:
    parts = []
    if quality.held_back:
        parts.append(f"{figures.count(len(quality.held_back), 'delivery', 'deliveries')} held back")
    if quality.rejects:
        parts.append(f"{figures.count(quality.rejects, 'refused bill row')}")
    detail = f" ({', '.join(parts)})" if parts else ""
    return f"Some of what was delivered is not in these figures yet{detail}."
