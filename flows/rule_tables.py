"""What `attribution rules` prints: tables to read, the same as plain data."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl
from rich.console import Group
from rich.text import Text

from attribution.allocation.review import Proposal, Remark
from attribution.reports import figures
from attribution.reports.text_tables import add_row, plain_table
from flows.plain_data import as_json_text
from flows.reviewing import Coverage
from schemas.faults import Fault
from schemas.words import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

_WORDS = 44
_SHOWN = 15
MAIN_COST = "EffectiveCost"


def remarks_text(remarks: list[Remark]) -> str:
    """Remarks as messages, and how many of each kind."""
    if not remarks:
        return "Nothing to remark."
    kinds = sorted({one.kind for one in remarks})
    of_each = ", ".join(f"{kind} {sum(one.kind == kind for one in remarks)}" for kind in kinds)
    told = [str(Fault(one.where, one.what, hint=one.hint)) for one in remarks]
    return "\n".join([*told, "", f"{counted(len(remarks), 'remark')}: {of_each}."])


def moved_tables(moved: pl.DataFrame) -> RenderableType:
    """A table a dimension, month and currency, of EffectiveCost; where it stays, of what moved instead."""
    parts: list[RenderableType] = []
    for (dimension, month, currency), rows in moved.group_by(
        "dimension", "month", "BillingCurrency", maintain_order=True
    ):
        columns = rows.get_column("column").unique(maintain_order=True).to_list()
        column = MAIN_COST if MAIN_COST in columns else columns[0]
        mine = rows.filter(pl.col("column") == column)
        gained = figures.total(amount for amount in mine.get_column("difference") if amount > 0)
        title = f"{dimension}, {month:%Y-%m}: {column} of {figures.with_currency(gained, str(currency))} moves"
        table = plain_table("value", "before", "after", "difference")
        for row in mine.head(_SHOWN).iter_rows(named=True):
            amounts = (figures.money(row[name], str(currency)) for name in ("before", "after"))
            add_row(
                table, figures.label(row["value"], _WORDS), *amounts, figures.signed(row["difference"], str(currency))
            )
        parts += [Text(title, style="bold"), table]
        if mine.height > _SHOWN:
            parts.append(Text(f"and {mine.height - _SHOWN} smaller ones (--json shows all)"))
        parts.append(Text())
    return Group(*parts[:-1]) if parts else Text("Nothing moves.")


def coverage_tables(found: Coverage, dimension: str) -> RenderableType:
    """What each rule caught, who answered, and the largest sources of what nobody has."""
    span = f"{found.first} to {found.last}" if found.first else "no day"
    parts: list[RenderableType] = [Text(f"What each rule caught, {MAIN_COST}, {span}", style="bold")]
    table = plain_table("rule", "dimensions", "met", "decided", "", texts=2)
    for row in found.rules.iter_rows(named=True):
        currency = row["BillingCurrency"] or ""
        amounts = [figures.money(row[name], currency) if currency else "-" for name in ("met", "decided")]
        if currency and row["decided"] is None:
            amounts[1] = "-"
        add_row(table, figures.label(row["rule"]), ", ".join(row["dimensions"]) or "-", *amounts, currency)
    parts += [table, Text(), Text(f"Who answered for {dimension}", style="bold")]
    answers = found.answers.filter(pl.col("dimension") == dimension)
    totals = dict(answers.group_by("BillingCurrency").agg(pl.col(MAIN_COST).sum()).iter_rows())
    table = plain_table("method", "by", MAIN_COST, "share", "", texts=2)
    for row in answers.head(_SHOWN).iter_rows(named=True):
        currency, amount = row["BillingCurrency"], row[MAIN_COST]
        part = figures.share(amount, totals[currency])
        by = figures.label(row["by"], _WORDS) if row["by"] else ""
        add_row(table, row["method"], by, figures.money(amount, currency), part, currency)
    parts.append(table)
    if answers.height > _SHOWN:
        parts.append(Text(f"and {answers.height - _SHOWN} smaller ones (--json shows all)"))
    return Group(*parts)


def proposals_text(proposals: tuple[Proposal, ...], dimension: str) -> str:
    """The proposals as TOML, each under a comment that says how much money it is about."""
    if not proposals:
        return f"# Every charge has a {dimension}."
    return "\n\n".join(f"# {_worth(one)}\n{one.toml}" for one in proposals)


def _worth(one: Proposal) -> str:
    amounts = ", ".join(figures.with_currency(amount, currency) for currency, amount in one.EffectiveCost.items())
    part = "" if one.share is None else f", {figures.share(one.share, Decimal(1))} of what has no {one.dimension}"
    named = ", ".join(figures.label(name, _WORDS) for name in one.resources)
    return f"{amounts}{part}" + (f"; most of it: {named}" if named else "")


def coverage_json(found: Coverage) -> str:
    """All of it as one JSON object; money is text."""
    data = {
        "first_day": found.first,
        "last_day": found.last,
        "rules": found.rules,
        "answers": found.answers,
        "proposals": found.proposals,
    }
    return as_json_text(data)
