"""The two files of a new workspace, written from what a look found. Each proposal says what speaks for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

from attribution.reports.figures import money
from attribution.rules.proposals import Alias, Proposals, ProposedDimension, Untagged
from flows.starter import QUESTION
from flows.starter.look import Look, SeenSource
from schemas.words import counted

_NAMES = 6
_ALIASES = 40
_WIDTH = 118
_GENERAL = "# One [[source]] for each stream"
_REST = "# What the files cannot tell"
_DIMENSIONS, _AFTER_DIMENSIONS = "[dimension.project]", "# [[account]]"
_COMMENTED = re.compile(r"^# (\w+)(\s*)= \"[^\"]*\"", re.MULTILINE)


def settings_text(look: Look) -> str:
    """`attribution.toml`: the starter's, with the sources and inputs that were found."""
    starter = _starter("attribution.toml")
    head, _, rest = starter.partition(_GENERAL)
    hints = _REST + rest.partition(_REST)[2]
    if look.proposals:
        currency = look.proposals.currency
        told = f"most of the money found is in {currency}"
        head = re.sub(r'currency = "USD"( *)#[^\n]*', f"currency = {_text(currency)}\\1# {told}", head, count=1)
    sources = "\n".join(_source(one) for one in look.sources)
    unknown = _comment([f"{one.name}: {one.reason}" for one in look.unknown], "Not taken, since nothing reads them:")
    text = f"{head}# One [[source]] for each stream of bills, as found in {look.origin}.\n\n{sources}\n{unknown}{hints}"
    text = _COMMENTED.sub(lambda found: _input(found, look.inputs), text)
    return _recipients(text, look.proposals)


def rules_text(look: Look) -> str:
    """`rules.toml`: dimensions with the tag keys and spellings that were found, accounts and rules as proposals."""
    starter = _starter("rules.toml")
    if look.proposals is None:
        return starter
    found = look.proposals
    head, _, rest = starter.partition(_DIMENSIONS)
    examples = _AFTER_DIMENSIONS + rest.partition(_AFTER_DIMENSIONS)[2]
    dimensions = "\n".join(_dimension(one, found.currency) for one in found.dimensions)
    unasked = [key for key in found.others[:_NAMES] if key.share]
    others = _comment(
        [f"{key.key}: {key.share} % of the money, {_values(key.values, key.largest)}" for key in unasked],
        "Tag keys that no dimension asks:",
    )
    return "\n".join([f"{head}{dimensions}", f"{others}{_untagged(found)}", examples])


def _starter(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _source(one: SeenSource) -> str:
    """One source; where nothing of it could be read it stands as a comment, with the reasons."""
    lines = [f"{counted(one.files, 'file', 'files')} of format {one.reader}: {counted(one.rows, 'row', 'rows')}"]
    if one.providers:
        lines[0] += f" of {_listed(one.providers)}"
    if one.accounts:
        lines.append(f"accounts {_listed(one.accounts)}; months {_span(one.months)}")
        lines.append("billed " + ", ".join(money(amount, currency) + f" {currency}" for currency, amount in one.money))
    if one.rejects:
        lines.append(f"{counted(one.rejects, 'value was', 'values were')} refused; see `attribution rejects`")
    lines += [f"{QUESTION} {question}" for question in one.questions]
    stated = [
        f"name   = {_text(one.source.name)}",
        f"path   = {_text(one.source.path)}",
        f"format = {_text(one.reader)}",
    ]
    table = ["[[source]]", *stated]
    if one.questions and not one.accounts:
        table = ["# Nothing of it could be read yet:", *(f"# {line}" for line in table)]
    return "\n".join([*(f"# {line}" for line in _clean(lines)), *table, ""])


def _input(found: re.Match[str], stated: dict[str, str]) -> str:
    name = found[1]
    return f"{name}{found[2]}= {_text(stated[name])}" if name in stated else found[0]


def _recipients(text: str, found: Proposals | None) -> str:
    if found is None or not found.owners:
        return text
    lines = [f'# {_text(owner)} = ["..."]' for owner in found.owners[:_ALIASES]]
    return text.replace('# "mira" = ["mira@example.com"]', "\n".join(lines), 1)


def _dimension(one: ProposedDimension, currency: str) -> str:
    lines = [f"[dimension.{one.name}]"]
    told = [
        f"{key.key}: {key.share} % of the {currency} money, {_values(key.values, key.largest)}"
        + (f"; written {', '.join(key.spellings)}" if len(key.spellings) > 1 else "")
        for key in one.keys
    ]
    lines += [f"# {line}" for line in _clean(told or ["no tag of the bills seems to say it"])]
    keys = [key.key for key in one.keys] or [one.name]
    lines.append(f"tags   = [{', '.join(map(_text, keys))}]")
    if one.aliases:
        lines.append(
            "[dimension." + one.name + ".values]  # found in several spellings; the one with the most money leads"
        )
        lines += [_alias(alias) for alias in one.aliases[:_ALIASES]]
    if one.strange:
        lines += [f"# {line}" for line in _clean([f"no stage of the list: {_listed(one.strange)}"])]
    return "\n".join([*lines, ""])


def _alias(alias: Alias) -> str:
    canonical, *others = alias.spellings
    return f"{_text(canonical)} = [{', '.join(map(_text, others))}]  # {alias.share} % of the money"


def _untagged(found: Proposals) -> str:
    """Accounts and services without a project, as tables to be filled and uncommented."""
    lines = []
    for one in found.accounts:
        lines += [_told(one, "account", found.currency), "# [[account]]", f"# id     = {_text(one.name)}"]
        lines += [f"# assign = {{ project = {_text(one.mostly or '...')} }}", ""]
    for one in found.services:
        lines += [_told(one, "service", found.currency), "# [[rule]]"]
        lines += [f"# name    = {_text(f'{one.name} without a project')}"]
        lines += ["# default = true  # asked last, so that tags and parents come first"]
        lines += [f"# when    = {{ ServiceName = {_text(one.name)} }}"]
        lines += [f"# assign  = {{ project = {_text(one.mostly or '...')} }}", ""]
    if not lines:
        return ""
    return "\n".join(
        ["# The largest sums that no tag gives a project. Say whose they are, and take the marks away:", *lines]
    )


def _told(one: Untagged, kind: str, currency: str) -> str:
    beside = f"; {one.mostly_share} % of its tagged money is {one.mostly}" if one.mostly else ""
    (line,) = _clean(
        [f"{kind} {one.name}: {money(one.amount, currency)} {currency}, {one.share} % of the money{beside}"]
    )
    return f"# {line}"


def _values(number: int, largest: Sequence[str]) -> str:
    return f"{counted(number, 'value', 'values')} ({_listed(largest, number)})"


def _listed(names: Sequence[str], number: int | None = None) -> str:
    shown = list(names[:_NAMES])
    return ", ".join(shown) + (", ..." if len(shown) < (number or len(names)) else "")


def _span(months: Sequence[str]) -> str:
    return months[0] if len(months) == 1 else f"{months[0]} to {months[-1]}"


def _comment(lines: Sequence[str], title: str) -> str:
    return "\n".join([f"# {title}", *(f"#   {line}" for line in _clean(lines)), "", ""]) if lines else ""


def _clean(lines: Iterable[str]) -> list[str]:
    """Texts of bills on one line each, for a line end would leave the comment."""
    return [" ".join("".join(c if c.isprintable() else " " for c in line).split())[: _WIDTH * 4] for line in lines]


def _text(text: str) -> str:
    """A TOML string; JSON's is one, but for the letter DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
