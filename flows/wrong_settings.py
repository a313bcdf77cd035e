"""What pydantic says of attribution.toml, in the words of the house: where, what, what is known, what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from schemas.faults import Fault, suggest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_NEEDED = {
    "string_type": "must be text, in quotes",
    "int_type": "must be a whole number, without quotes",
    "list_type": "must be a list, in [ ]",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "too_short": "must hold at least one",
    "string_too_short": "is blank",
}
_KEY = "[key]"  # how pydantic names the key of a table, where the key is what is wrong
_LIMITS = {
    "greater_than": ("must be more than", "gt"),
    "greater_than_equal": ("must not be below", "ge"),
    "less_than_equal": ("must not be above", "le"),
}


def fault_of(detail: ErrorDetails, raw: dict[str, Any], file: str, known: Callable[[str], list[str]]) -> Fault:
    """One error of pydantic as a Fault.

    Args:
        detail: the error.
        raw: the file as read, for the names of its sources.
        file: what messages call it.
        known: the settings of a table, by the table's name.
    """
    loc = detail["loc"]
    place = _place(loc, raw, file)
    name = f"number {loc[-1] + 1}" if loc and isinstance(loc[-1], int) else str(loc[-1] if loc else "")
    if detail["type"] == "extra_forbidden":
        words = known(_table(loc))
        return Fault(place, f'unknown setting "{name}"', ", ".join(words), suggest(name, words))
    if detail["type"] == "missing":
        return Fault(place, f'"{name}" is missing')
    if loc == ("source",) and detail["type"] == "list_type":
        return Fault(place, "source must be a list of tables", hint="Write [[source]], with two brackets.")
    return _wrong_value(detail, raw, file, place, name)


def _wrong_value(detail: ErrorDetails, raw: dict[str, Any], file: str, place: str, name: str) -> Fault:
    loc, shown = detail["loc"], _shown(detail["input"])
    if detail["type"] == "literal_error":
        words = re.findall(r"'([^']*)'", str(detail.get("ctx", {}).get("expected", "")))
        return Fault(place, f"{name} = {shown} is not known", ", ".join(f'"{word}"' for word in words))
    what, _, hint = _what(detail).partition("\n")
    if detail["type"] == "value_error" and isinstance(detail["input"], Mapping):  # two settings that do not agree
        return Fault(_place((*loc, ""), raw, file), what, hint=hint)
    if name == _KEY:
        return Fault(_place(loc[:-1], raw, file), f"{shown} {what}", hint=hint)
    return Fault(place, f"{name} = {shown} {what}", hint=hint)


def _what(detail: ErrorDetails) -> str:
    kind, ctx = detail["type"], detail.get("ctx", {})
    if kind in _LIMITS:
        words, bound = _LIMITS[kind]
        return f"{words} {ctx[bound]}"
    return _NEEDED.get(kind) or detail["msg"].removeprefix("Value error, ")


def _shown(value: object) -> str:
    """A value as TOML would write it, one line, not too long."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (Mapping, list)):
        return "a table" if isinstance(value, Mapping) else "a list"
    return f'"{value}"'.replace("\n", "\\n") if isinstance(value, str) else str(value)


def _table(loc: tuple[int | str, ...]) -> str:
    """Name of the table that holds a setting; blank at the top of the file."""
    return next((str(step) for step in reversed(loc[:-1]) if isinstance(step, str)), "")


def _place(loc: tuple[int | str, ...], raw: dict[str, Any], file: str) -> str:
    """`attribution.toml: source "aws"` rather than `source.0`."""
    here: Any = raw
    words: list[str] = []
    for step in loc[:-1]:
        here = here[int(step)] if isinstance(here, list) else here.get(step) if isinstance(here, dict) else None
        if isinstance(step, int):
            name = here.get("name") if isinstance(here, dict) else None
            words[-1] += f' "{name}"' if name else f" number {step + 1}"
        else:
            words.append(str(step))
    return f"{file}: {'.'.join(words)}" if words else file
