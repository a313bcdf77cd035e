"""rules.toml -> RuleBook, or all that is wrong with it at once."""

from __future__ import annotations

import hashlib
import json
import tomllib
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from attribution.rules.complaints import Place, kind_of
from attribution.rules.dimensions import read_dimensions, read_first
from attribution.rules.records import All, Condition, Dimension, First, Rule, RuleBook, Take, Values
from attribution.rules.splits import find_circles, read_split
from attribution.rules.values import read_values
from attribution.rules.when import read_when
from schemas.faults import Fault, InputError

SECTIONS = ("account", "dimension", "tags", "rule", "split")
RULE_KEYS = ("name", "since", "until", "when", "assign", "default", "because")


def read_rules(rules: Path | str) -> RuleBook:
    """Read the operators' rules.

    Args:
        rules: the file, or its text.

    Raises:
        InputError: with every fault of the file.
    """
    place = Place(rules.name if isinstance(rules, Path) else "rules.toml")
    content = _parse(rules, place)
    place.only(content, SECTIONS, "section")
    dimensions = read_dimensions(content.get("dimension", {}), place)
    accounts = _accounts(place.tables(content.get("account", []), "account"), dimensions, place)
    first = _first(content.get("tags", {}), place)
    names: set[str] = set()
    ruled = []
    for table, here, name in _named(content.get("rule", []), "rule", names, place):
        ruled.append(_rule(table, name, dimensions, here))
    splits = []
    for table, here, name in _named(content.get("split", []), "split", names, place):
        splits.append(read_split(table, name, dimensions, here))
    find_circles(tuple(splits), place)
    if place.faults:
        raise InputError(place.faults)
    return RuleBook(dimensions, tuple(ruled), tuple(splits), accounts, first, _digest(content))


def _parse(rules: Path | str, place: Place) -> dict[str, Any]:
    try:
        text = rules.read_bytes().decode("utf-8-sig") if isinstance(rules, Path) else rules
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        fault = Fault(place.file, f"not TOML: {error}")
    except UnicodeDecodeError:
        fault = Fault(place.file, "not UTF-8 text.")
    except FileNotFoundError:
        hint = "`attribution init` writes one with comments; an empty file means that tags alone decide."
        fault = Fault(place.file, "cannot be read: there is no such file.", hint=hint)
    except OSError as error:
        fault = Fault(place.file, f"cannot be read: {error.strerror}.")
    raise InputError(fault)


def _digest(content: dict[str, Any]) -> str:
    """Comments, blanks and the order of keys do not change the version of a rule set; the order of rules does."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


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
    since, until = (_day(table.get(key), key, place) for key in ("since", "until"))
    if since and until and since >= until:
        place.wrong(f"since {since} is not before until {until}.", hint="until is the first day without the rule.")
    because, default = table.get("because", ""), table.get("default", False)
    if not isinstance(because, str):
        place.text(because, "because")
    if not isinstance(default, bool):
        place.wrong(f"default must be true or false, not {kind_of(default)}.")
    every = [value for values in assign.values() for value in values]
    if "when" not in table and not default and not all(isinstance(value, Take) for value in every):
        hint = "Only a rule with default = true, or one that takes all its values from a column, may go without."
        place.wrong("when is missing.", hint=hint)
    return Rule(name, when, assign, since, until, str(because), bool(default))


def _day(value: object, what: str, place: Place) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    hint = "Write a date without a time and without quotes, as in 2026-01-31."
    place.wrong(f"{what} must be a date, not {kind_of(value)}.", "", hint)
    return None


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
    tables: list[dict[str, Any]], dimensions: dict[str, Dimension], place: Place
) -> dict[str, dict[str, str]]:
    accounts: dict[str, dict[str, str]] = {}
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
    return accounts


def _first(value: object, place: Place) -> First:
    here = place.at("[tags]")
    table = here.table(value, "tags")
    here.only(table, ("first",))
    return (read_first(table["first"], here) if "first" in table else None) or "csv"
