"""What a report says first: its heading, the answer to "am I fine?", and the rows a face has room for.

The sentences themselves are the language's; see `wording.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from attribution.reports import figures
from attribution.reports.branch import Branch
from attribution.reports.pieces import not_reconciled
from attribution.reports.report import Amount, BudgetLine, Growth, Quality, Report, Row, Section, Table
from attribution.reports.wording import Wording, wording
from schemas.dimensions import NOBODY

# Below this share of the money, unallocated cost is everyday dust and no reason to look.
_UNALLOCATED_WORTH_A_LOOK = Decimal("0.05")
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Statement:
    """One sentence of the first screen. `look`: somebody should; `note`: good to know; `good`: all is well."""

    level: Literal["good", "look", "note"]
    text: str


@dataclass(frozen=True)
class Shown:
    """The rows of a table that fit, the others as one row, what is nobody's apart, and the total of all."""

    heading: str
    dimension: str
    rows: tuple[Row, ...]
    rest: Row | None
    total: Row
    apart: tuple[Row, ...] = ()


def fold(name: str, rows: tuple[Row, ...]) -> Row:
    """Several rows as one, added exactly."""
    return Row(
        name,
        figures.total(row.this for row in rows),
        figures.total(row.before for row in rows),
        figures.total(row.month for row in rows),
        figures.total(row.last_month for row in rows),
        figures.total(row.billed for row in rows),
        tuple(figures.total(amounts) for amounts in zip(*(row.weeks for row in rows), strict=True)),
    )


def shown(table: Table, limit: int, say: Wording) -> Shown:
    """Cut a table to the rows that fit; a single row too many is printed rather than called "other"."""
    named = tuple(row for row in table.rows if row.name not in NOBODY)
    apart = tuple(row for row in table.rows if row.name in NOBODY)
    room = limit if len(named) > limit + 1 else len(named)
    hidden = named[room:]
    rest = fold(say.count("others_count", len(hidden)), hidden) if hidden else None
    total = fold(say.say("total"), table.rows)
    return Shown(say.say(table.dimension), table.dimension, named[:room], rest, total, apart)


def together(branches: tuple[Branch, ...]) -> Branch:
    """Several branches as one, added exactly."""
    return Branch("", figures.total(one.this for one in branches), figures.total(one.before for one in branches))


def billed_as(branch: Branch, say: Wording) -> str:
    """What stands beside a resource's name: its service, and its id where the name is another."""
    if branch.resource is None:
        return say.say("no_resource")
    named = (branch.service, branch.resource if branch.resource != branch.name else None)
    return " · ".join(figures.label(name, 80) for name in named if name)


def spark(weeks: tuple[Amount, ...]) -> str:
    """Amounts as bars above zero, the tallest the largest of them; a dot where nothing is known, or it is below zero.

    The bars are letters, so that a mail shows them without a picture.
    """
    top = max((amount for amount in weeks if amount is not None), default=Decimal(0))
    if top <= 0:
        return ""
    steps = len(_BARS) - 1
    # Whole steps by exact comparison: no amount becomes a float on its way to a bar.
    return "".join(
        "·"
        if amount is None or amount < 0
        else _BARS[sum(amount * steps >= top * step for step in range(1, steps + 1))]
        for amount in weeks
    )


def heading(report: Report) -> str:
    """Title with the owner or team, as one line of plain letters."""
    say = wording(report.locale)
    if report.whose is None:
        return say.say("title", whose=say.say("everybody"))
    name = figures.label(report.whose.name, 60)
    return say.say("title", whose=say.say(f"{report.whose.dimension}_report", name=name))


def compared(report: Report) -> str:
    """Period, what it is compared with, and by which cost."""
    say, times = wording(report.locale), report.spans
    period = say.period(times.period)
    if report.partial:
        period = f"{period} ({say.say('partial')})"
    basis = say.say("basis_monthly" if report.monthly else "basis")
    return say.say("compared_with", period=period, before=say.period(times.before), basis=basis)


def subject(report: Report) -> str:
    """Subject of a mail: whose, when, how much, and by how much it moved; never a line break."""
    say = wording(report.locale)
    money = say.say("no_cost")
    if report.sections:
        first = report.sections[0]
        amount = say.with_currency(first.cost.this, first.currency)
        money = say.say("subject_money", amount=amount, change=say.percent(first.cost.this, first.cost.before))
        both = report.together
        if both is not None and not any(part.apart for part in both.parts):
            amount = say.with_currency(figures.total(part.worth for part in both.parts), both.currency)
            money = say.say("subject_together", amount=amount, others=say.count("currencies", len(report.sections)))
        elif len(report.sections) > 1:
            money = say.say("subject_more", first=money, others=say.count("more_currencies", len(report.sections) - 1))
    return say.say("subject", title=heading(report), period=say.period(report.period), money=money)


def grew(row: Growth, say: Wording) -> tuple[str, str]:
    """A growth in one line, and why in another: what the change is made of, largest first; nothing where unknown."""
    line = say.say(
        "grew_line",
        subject=figures.label(say.subject(row.subject), 60),
        change=say.signed(row.change, row.currency),
        code=row.currency,
        percent=say.grown(row.percent, row.status),
        month=say.month(row.month),
    )
    known = [(name, amount) for name, amount in row.effects if amount and figures.rounded(amount, row.currency)]
    known.sort(key=lambda one: abs(one[1]), reverse=True)
    effects = say.together(say.say(f"effect_{name}", amount=say.signed(amount, row.currency)) for name, amount in known)
    return line, say.say("grew_why", effects=effects) if known else ""


def is_fine(report: Report) -> bool:
    """Whether nothing calls for a look."""
    return not any(statement.level == "look" for statement in statements(report))


def statements(report: Report) -> tuple[Statement, ...]:
    """The first screen: reasons to look, or that there is none, then what to know about the figures."""
    say = wording(report.locale)
    look = [Statement("look", text) for section in report.sections for text in _reasons(section, say)]
    well = "all_is_well" if report.sections else "no_cost_in_days"
    good = [] if look else [Statement("good", say.say(well))]
    return (*look, *good, *(Statement("note", text) for text in _notes(report, say)))


def _reasons(section: Section, say: Wording) -> list[str]:
    code = section.currency
    reasons = [_of_budget(row, say) for row in section.budgets if row.alarming]
    fired = [row for row in section.growth if row.fired]
    if fired:
        top = fired[0]  # the largest change
        subjects = {row.subject for row in fired}
        reasons.append(
            say.say(
                "grew_one" if len(subjects) == 1 else "grew_more",
                subjects=say.count("subjects", len(subjects)),
                subject=figures.label(say.subject(top.subject), 60),
                month=say.month(top.month),
                percent=say.grown(top.percent, top.status),
                change=say.signed(top.change, code),
                code=code,
            )
        )
    if section.findings:
        found = say.count("findings_count", len(section.findings))
        reasons.append(say.say("likely_waste_reason", findings=found, amount=say.with_currency(section.waste, code)))
    if section.restatements:
        reasons.append(_restated(section, say))
    return [*reasons, *_reasons_for_all(section, say)]


def _of_budget(row: BudgetLine, say: Wording) -> str:
    amount = say.with_currency(row.amount, row.currency)
    budget = figures.label(row.budget, 60)
    if row.status == "breached":
        return say.say("budget_breached", budget=budget, amount=amount, spent=say.money(row.spent, row.currency))
    forecast = say.with_currency(row.forecast, row.currency)
    if row.day is None:
        return say.say("budget_at_risk_some_day", budget=budget, amount=amount, forecast=forecast)
    return say.say("budget_at_risk", budget=budget, amount=amount, forecast=forecast, day=say.day(row.day))


def _restated(section: Section, say: Wording) -> str:
    moves = [figures.difference(row.after, row.before) for row in section.restatements]
    told = len({row.month for row in section.restatements if row.reported})
    return say.say(
        "restated_told" if told else "restated",
        months=say.count("past_months_count", len({row.month for row in section.restatements})),
        told=str(told),
        net=say.signed(figures.total(moves), section.currency),
        gained=say.with_currency(
            figures.total(move for move in moves if move is not None and move > 0), section.currency
        ),
        code=section.currency,
    )


def _reasons_for_all(section: Section, say: Wording) -> list[str]:
    whole, code = section.whole, section.currency
    if whole is None:
        return []
    reasons = []
    free = whole.unallocated.this
    # Compared by multiplication in exact decimals, so that no division decides.
    if free is not None and section.cost.this and 0 < section.cost.this * _UNALLOCATED_WORTH_A_LOOK < free:
        share = say.share(free, section.cost.this)
        reasons.append(say.say("without_project", amount=say.with_currency(free, code), share=share))
    if not_reconciled(whole.reconciled):
        reasons.append(say.say("not_reconciled", code=code))
    apart = sum(row.status != "matches" for row in whole.invoices)
    if apart:
        reasons.append(say.count("invoices_apart", apart, code=code))
    return reasons


def _notes(report: Report, say: Wording) -> list[str]:
    quality = report.quality
    notes = []
    if quality.complete_until is None:
        notes.append(say.say("complete_unknown"))
    elif report.partial:
        notes.append(say.say("partial_note", day=say.full_day(quality.complete_until)))
    if quality.files_missing:
        notes.append(_missing(quality, say))
    others = len(report.loose_findings) + sum(len(section.remarks) for section in report.sections)
    if others:
        notes.append(say.count("other_findings_note", others))
    unknown = [section for section in report.sections if section.unknown_rows]
    return notes + [say.count("unknown_rows", one.unknown_rows, code=one.currency) for one in unknown]


def _missing(quality: Quality, say: Wording) -> str:
    parts = []
    if quality.held_back:
        parts.append(say.count("held_back_count", len(quality.held_back)))
    if quality.rejects:
        parts.append(say.count("refused_count", quality.rejects))
    detail = say.together(parts)
    return say.say("missing_deliveries_detail", detail=detail) if parts else say.say("missing_deliveries")
