"""rules.toml -> RuleBook, or all that is wrong with it at once."""

from __future__ import annotations

import hashlib
import json
import tomllib
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from attribution.rules.complaints import Place, kind_of
from attribution.rules.records import OURS, Dimension, Rule, RuleBook
from attribution.rules.splits import find_circles, read_split
from attribution.rules.when import GROUPS, read_when
from schemas.charges import CHARGE_COLUMNS
from schemas.dimensions import DIMENSIONS, STAGES, fold
from schemas.faults import Fault, InputError

_SECTIONS = ("account", "dimension", "tags", "rule", "split")
_RULE_KEYS = ("name", "since", "until", "when", "assign", "because")
_RESERVED = frozenset({*OURS, *GROUPS, *CHARGE_COLUMNS, "subject_id", "bill_no", "allocation_id", "elasticity"})


def read_rules(rules: Path | str) -> RuleBook:
    """Read the operators' rules.

    Args:
        rules: the file, or its text.

    Raises:
        InputError: with every fault of the file.
    """
    place = Place(rules.name if isinstance(rules, Path) else "rules.toml")
    content = _parse(rules, place)
    place.only(content, _SECTIONS, "section")
    dimensions = _dimensions(content.get("dimension", {}), place)
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
    place.only(table, _RULE_KEYS)
    for key in ("when", "assign"):
        if key not in table:
            place.wrong(f"{key} is missing.")
    since, until = (_day(table.get(key), key, place) for key in ("since", "until"))
    if since and until and since >= until:
        place.wrong(f"since {since} is not before until {until}.", hint="until is the first day without the rule.")
    because = table.get("because", "")
    if not isinstance(because, str):
        place.text(because, "because")
    return Rule(
        name,
        read_when(place.table(table.get("when", {"source": ""}), "when"), dimensions, place),
        _assign(table["assign"], dimensions, place) if "assign" in table else {},
        since,
        until,
        str(because),
    )


def _day(value: object, what: str, place: Place) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    hint = "Write a date without a time and without quotes, as in 2026-01-31."
    place.wrong(f"{what} must be a date, not {kind_of(value)}.", "", hint)
    return None


def _assign(value: object, dimensions: dict[str, Dimension], place: Place) -> dict[str, str]:
    found = {}
    table = place.table(value, "assign")
    if isinstance(value, dict) and not value:
        place.wrong("assign is empty.", dimensions)
    for name, written in table.items():
        if name not in dimensions:
            place.unknown("dimension", name, dimensions)
            continue
        text = place.text(written, f"assign: {name}")
        if text is not None:
            found[name] = dimensions[name].canonical(text)
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
        assign = _assign(table["assign"], dimensions, here) if "assign" in table else {}
        written = table.get("id", [])
        ids = here.texts(written, "id") if isinstance(written, list) else (here.text(written, "id"),)
        for account in (one for one in ids if one is not None):
            if account in accounts:
                here.wrong(f'account "{account}" is given twice.')
            accounts[account] = assign
    return accounts


def _first(value: object, place: Place) -> Literal["csv", "bill"]:
    here = place.at("[tags]")
    table = here.table(value, "tags")
    here.only(table, ("first",))
    first = table.get("first", "csv")
    if first not in ("csv", "bill"):
        here.wrong(f'first = "{first}" is not known.', ("csv", "bill"))
    return "bill" if first == "bill" else "csv"


def _dimensions(value: object, place: Place) -> dict[str, Dimension]:
    sections = place.table(value, "dimension")
    found = {}
    for name in dict.fromkeys((*DIMENSIONS, *sections)):
        here = place.at(f"[dimension.{name}]")
        if name in _RESERVED or name.startswith(("x_", "tag:")) or not name.isidentifier() or name != name.lower():
            here.wrong(
                f'"{name}" cannot name a dimension.', hint="Use lower case letters, digits and _, and no column's name."
            )
        table = here.table(sections.get(name, {}), name)
        here.only(table, ("tags", "values"))
        tags = here.texts(table["tags"], "tags") if "tags" in table else (name,)
        tags = tuple({fold(tag): tag for tag in reversed(tags)}.values())[::-1]  # one key in two spellings is one
        own = _spellings(here.table(table.get("values", {}), "values"), here)
        shipped = _spellings(STAGES, here) if name == "stage" else {}
        # A workspace's own words win over those shipped, and a shipped stage that it renamed takes its aliases along.
        renamed = {spelling: own.get(fold(value), value) for spelling, value in shipped.items()}
        found[name] = Dimension(name, tags, renamed | own)
    return found


def _spellings(values: dict[str, Any], place: Place) -> dict[str, str]:
    """Folded spelling -> canonical value; a value's own name comes first, so that no alias can take it."""
    found: dict[str, str] = {}
    for canonical in values:
        if fold(canonical) in found:
            place.wrong(
                f'values "{found[fold(canonical)]}" and "{canonical}" are one; case, -, _ and spaces do not matter.'
            )
        found[fold(canonical)] = canonical
    for canonical, aliases in values.items():
        written = aliases if isinstance(aliases, tuple) else place.texts(aliases, f'values: "{canonical}"')
        for alias in written:
            other = found.setdefault(fold(alias), canonical)
            if other != canonical:
                place.wrong(f'alias "{alias}" stands for both "{other}" and "{canonical}".')
    return found
