"""What a look found, for the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from attribution.reports.figures import label, money
from attribution.reports.text_tables import add_row, plain_table
from attribution.rules.proposals import TagKey
from flows.starter.look import Look
from schemas.words import counted

_KEYS = 12
_WIDE = 30


def shown(look: Look) -> RenderableType:
    """Tables of bills and tags, and what is open."""
    parts: list[RenderableType] = [_bills(look)]
    if look.inputs:
        parts.append(_inputs(look))
    if look.proposals:
        parts.append(_tags(look))
    open_questions = sum(len(one.questions) for one in look.sources)
    if open_questions:
        parts.append(Text(f"{counted(open_questions, 'question')} to answer: see QUESTION in attribution.toml"))
    if look.unknown:
        parts.append(Text(f"{counted(len(look.unknown), 'file', 'files')} not taken; attribution.toml names them"))
    return Group(*(piece for part in parts for piece in (part, Text())))


def _bills(look: Look) -> RenderableType:
    columns = ("source", "format", "months", "files", "rows", "accounts", "billed", "questions")
    table = plain_table(*columns, texts=3)
    for one in look.sources:
        billed = ", ".join(f"{money(amount, currency)} {currency}" for currency, amount in one.money)
        months = f"{one.months[0]} to {one.months[-1]}" if one.months else ""
        add_row(
            table,
            one.source.name,
            one.reader,
            months,
            str(one.files),
            f"{one.rows:,}",
            str(len(one.accounts)),
            billed,
            str(len(one.questions) or ""),
        )
    return table


def _inputs(look: Look) -> RenderableType:
    table = plain_table("input", "files", texts=2)
    for name, pattern in look.inputs.items():
        add_row(table, name, pattern)
    return table


def _tags(look: Look) -> RenderableType:
    found = look.proposals
    if found is None:
        return Text("")
    columns = ("dimension", "tag key", "for example", f"share of {found.currency}", "values")
    table = plain_table(*columns, texts=3)
    for dimension in found.dimensions:
        for key in dimension.keys:
            add_row(table, dimension.name, key.key, _examples(key), f"{key.share} %", str(key.values))
        if not dimension.keys:
            add_row(table, dimension.name, "(none found)", "", "", "")
    for key in [key for key in found.others if key.share][:_KEYS]:
        add_row(table, "", key.key, _examples(key), f"{key.share} %", str(key.values))
    return table


def _examples(key: TagKey) -> str:
    return ", ".join(label(value, _WIDE) for value in key.largest)
