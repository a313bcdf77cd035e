"""Rules as operators write them -> RuleBook, or all that is wrong with their files at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from attribution.rules.complaints import Place, kind_of
from attribution.rules.dimensions import once, read_dimensions, read_first
from attribution.rules.files import digest_of, read_files
from attribution.rules.job_words import read_job_words
from attribution.rules.records import All, Condition, Dimension, First, Rule, RuleBook, Split, Take, Values, asks
from attribution.rules.splits import find_circles, read_split
from attribution.rules.values import read_values
from attribution.rules.when import read_when
from schemas.dimensions import TAG_CONFLICT, fold
from schemas.faults import InputError

SECTIONS = ("account", "dimension", "tags", "jobs", "rule", "split")
RULE_KEYS = ("name", "since", "until", "when", "assign", "default", "because")


def read_rules(rules: Path | str | Sequence[Path], root: Path | None = None) -> RuleBook:
    """Read the operators' rules.

    Args:
        rules: a file, or several in the order in which their rules and splits are asked; or the text of one.
        root: the folder that messages name files from; None: by their last name alone.

    Raises:
        InputError: with every fault of every file.
    """
    files = read_files(rules, root)
    for place, content in files:
        place.only(content, SECTIONS, "section")
    dimensions = read_dimensions([(place, content.get("dimension", {})) for place, content in files])
    names: set[str] = set()
    accounts: dict[str, dict[str, str]] = {}
    ruled: list[Rule] = []
    divided: list[tuple[Split, Place]] = []
    for place, content in files:
        _accounts(place.tables(content.get("account", []), "account"), dimensions, accounts, place)
    first = _first([(place.at("[tags]"), content["tags"]) for place, content in files if "tags" in content])
    where, said = once("jobs", files) or (files[0][0], {})
    jobs = read_job_words(said, dimensions, where)
    for place, content in files:
        for table, here, name in _named(content.get("rule", []), "rule", names, place):
            ruled.append(_rule(table, name, dimensions, here))
    for place, content in files:
        for table, here, name in _named(content.get("split", []), "split", names, place):
            split = replace(read_split(table, name, dimensions, here), file=place.file)
            _only_lasting(
                split.when, dict.fromkeys(split.across[:1], (*(split.to or ()), *split.weights)), dimensions, here
            )
            divided.append((split, here))
    find_circles(divided)
    if faults := [fault for place, _ in files[:1] for fault in place.faults]:
        raise InputError(faults)
    splits = tuple(split for split, _ in divided)
    return RuleBook(
        dimensions, tuple(ruled), splits, accounts, first, digest_of([content for _, content in files]), jobs
    )


def _named(tables: object, kind: str, names: set[str], place: Place) -> list[tuple[dict[str, Any], Place, str]]:
    """The sections of one kind, each with its place and name; a name says in every cost which section made it."""
    found = []
    for number, table in enumerate(place.tables(tables, kind), start=1):
        here = place.at(f"{kind} {number}")
        name = here.text(table["name"], "name") if "name" in table else None
        if "name" not in table:
            here.wrong("name is missing.", hint="Costs and explanations name what made them.")
        if name is not None:
            here = place.at(f'{kind} "{name}"')
            if name in names:
                here.wrong("the name is used twice.")
            names.add(name)
        found.append((table, here, name or f"{kind} {number}"))
    return found


def _rule(table: dict[str, Any], name: str, dimensions: dict[str, Dimension], place: Place) -> Rule:
    place.only(table, RULE_KEYS)
    if "assign" not in table:
        place.wrong("assign is missing.")
    when: Condition = All(())
    if "when" in table:
        when = read_when(place.table(table["when"], "when"), dimensions, place)
    assign = _assign(table["assign"], dimensions, place) if "assign" in table else {}
    since, until = place.days(table)
    because, default = table.get("because", ""), table.get("default", False)
    if not isinstance(because, str):
        place.text(because, "because")
    if not isinstance(default, bool):
        place.wrong(f"default must be true or false, not {kind_of(default)}.")
    every = [value for values in assign.values() for value in values]
    if "when" not in table and not default and not all(isinstance(value, Take) for value in every):
        hint = "Only a rule with default = true, or one that takes all its values from a column, may go without."
        place.wrong("when is missing.", hint=hint)
    _only_lasting(when, assign, dimensions, place)
    return Rule(name, when, assign, since, until, str(because), bool(default), place.file)


def _only_lasting(
    when: Condition, texts: Mapping[str, Iterable[str | Take]], dimensions: dict[str, Dimension], place: Place
) -> None:
    """Note texts of a rule that are aliases for a time: which value is meant would depend on the day of reading."""
    for ask in asks(when):
        if ask.column in dimensions and not isinstance(ask.argument, bool | date):
            argument = ask.argument if isinstance(ask.argument, tuple) else (ask.argument,)
            _only_lasting(All(()), {ask.column: [one for one in argument if isinstance(one, str)]}, dimensions, place)
    for name, written in texts.items():
        dated = {alias.spelling: alias for alias in dimensions[name].dated}
        for text in written:
            if isinstance(text, str) and fold(text) in dated and fold(text) not in dimensions[name].spellings:
                hint = f'Write the value itself, as in "{dated[fold(text)].value}".'
                place.wrong(f'"{text}" is an alias of {name} for a time only.', hint=hint)


def _assign(value: object, dimensions: dict[str, Dimension], place: Place) -> dict[str, Values]:
    found = {}
    table = place.table(value, "assign")
    if isinstance(value, dict) and not value:
        place.wrong("assign is empty.", dimensions)
    for name, written in table.items():
        if name not in dimensions:
            place.unknown("dimension", name, dimensions)
            continue
        values = read_values(written, f"assign: {name}", dimensions[name], dimensions, place)
        if TAG_CONFLICT in values:
            place.wrong(f'assign: {name}: "{TAG_CONFLICT}" says that tags differ; a rule says whose it is.')
        if values:
            found[name] = values
    return found


def _assign_texts(value: object, dimensions: dict[str, Dimension], place: Place) -> dict[str, str]:
    """What an account says; the same for all its money."""
    found = {}
    for name, values in _assign(value, dimensions, place).items():
        if len(values) == 1 and isinstance(values[0], str):
            found[name] = values[0]
        else:
            place.wrong(f"assign: {name} must be text.", hint="Take a value from a column in a [[rule]].")
    return found


def _accounts(
    tables: list[dict[str, Any]],
    dimensions: dict[str, Dimension],
    accounts: dict[str, dict[str, str]],
    place: Place,
) -> None:
    """Add the accounts of one file to those of the files before."""
    for number, table in enumerate(tables, start=1):
        here = place.at(f"account {number}")
        here.only(table, ("id", "assign", "because"))
        for key in ("id", "assign"):
            if key not in table:
                here.wrong(f"{key} is missing.")
        assign = _assign_texts(table["assign"], dimensions, here) if "assign" in table else {}
        written = table.get("id", [])
        ids = here.texts(written, "id") if isinstance(written, list) else (here.text(written, "id"),)
        for account in (one for one in ids if one is not None):
            if account in accounts:
                here.wrong(f'account "{account}" is given twice.')
            accounts[account] = assign


def _first(sections: list[tuple[Place, object]]) -> First:
    pieces = [(here, here.table(value, "tags")) for here, value in sections]
    for here, table in pieces:
        here.only(table, ("first",))
    stated = once("first", pieces)
    return (read_first(stated[1], stated[0]) if stated else None) or "csv"
