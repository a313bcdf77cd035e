"""`when` tables: from TOML to conditions. Knows every column a condition may name, and why the others may not."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl

from attribution.rules.complaints import Place, kind_of
from attribution.rules.conditions import CONDITIONS, regex_trouble
from attribution.rules.records import DATES, OURS, TAG, All, AnyOf, Argument, Ask, Condition, Dimension, Not
from schemas.charges import FOCUS_COLUMNS
from schemas.costs import SIGNS, sign_of
from schemas.faults import suggest
from schemas.money import COSTS
from schemas.resource_ids import fold_azure_id

GROUPS = ("all", "any", "not")
_KNOWN = "any FOCUS column, tag:<key>, source, cost_element, usage_date, billing_month, a dimension, all, any, not"
_WORDS = tuple(word for word in CONDITIONS if word != "sign")  # which money alone has
_SAME_DAY = {"ChargePeriodStart": "usage_date", "BillingPeriodStart": "billing_month"}
_LISTS = ("any_of",)
_FLAGS = ("present", "missing")
_DAYS = ("from", "to")
_PATTERNS = ("glob", "regex")


def read_when(table: dict[str, Any], dimensions: dict[str, Dimension], place: Place) -> Condition:
    """Read one `when`; an empty one is a fault, since it would mean everything."""
    if not table:
        place.wrong("when is empty; it would mean all money.", hint="Say what the money must look like.")
    return _Reader(dimensions, place).group(table)


def known_column(column: str, dimensions: dict[str, Dimension], place: Place) -> bool:
    """Whether conditions may ask a column, or a rule take a value from it; notes why not."""
    dtype = FOCUS_COLUMNS.get(column)
    if dtype is not None and dtype != pl.String():
        kind = "an instant" if isinstance(dtype, pl.Datetime) else "a number"
        instead = "usage_date, billing_month" if kind == "an instant" else ""
        hint = "Conditions are on text and dates; money and quantities say how much, not whose."
        place.wrong(f'"{column}" is {kind}; conditions cannot ask it.', instead, hint)
        return False
    if dtype is not None or column in OURS or column in dimensions or column.startswith("x_"):
        return True
    if column.startswith(TAG):
        if not column.removeprefix(TAG).strip():
            place.wrong('"tag:" lacks the key.', hint='Write "tag:project".')
        return True
    known = [name for name, one in FOCUS_COLUMNS.items() if one == pl.String()]
    hint = suggest(column, [*known, *OURS, *dimensions, *GROUPS])
    place.wrong(f'unknown condition "{column}".', _KNOWN, hint)
    return False


class _Reader:
    """Holds what every level of a condition needs to know."""

    def __init__(self, dimensions: dict[str, Dimension], place: Place) -> None:
        self.dimensions = dimensions
        self.place = place

    def group(self, table: dict[str, Any]) -> Condition:
        parts: list[Condition] = []
        for word, value in table.items():
            if word in ("all", "any"):
                inner = tuple(self.group(one) for one in self._groups(word, value))
                parts.append(All(inner) if word == "all" else AnyOf(inner))
            elif word == "not":
                inside = self.place.table(value, "not")
                if not inside and isinstance(value, dict):
                    self.place.wrong("not is empty.")
                parts.append(Not(self.group(inside)))
            elif word in COSTS:
                parts.append(self.of_money(word, value))
            elif known_column(column := _SAME_DAY.get(word, word), self.dimensions, self.place):
                parts.append(self.of_column(column, value))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _groups(self, word: str, value: object) -> list[dict[str, Any]]:
        whole = isinstance(value, list) and value and all(isinstance(one, dict) and one for one in value)
        if not whole:
            self.place.wrong(
                f"{word} must be a list of tables, none of them empty.", hint=f"{word} = [{{...}}, {{...}}]"
            )
            return []
        return list(value)  # type: ignore[call-overload, no-any-return]

    def of_money(self, column: str, value: object) -> Condition:
        """The sign of a cost; it becomes a column that charges are rolled up by, so that the sums stay exact."""
        table = value if isinstance(value, dict) else {}
        if not table or not set(table) <= {"sign", "not"}:
            hint = f'{column} = {{ sign = "negative" }}; money says how much, not whose.'
            self.place.wrong(f'"{column}" is a number; conditions can ask its sign alone.', SIGNS, hint)
            return All(())
        parts: list[Condition] = []
        for word, argument in table.items():
            signs = tuple(argument) if isinstance(argument, list) else (argument,)
            if word == "not":
                parts.append(Not(self.of_money(column, argument)))
            elif signs and all(sign in SIGNS for sign in signs):
                parts.append(Ask(sign_of(column), "sign", signs))
            else:
                self.place.wrong(f"{column}: sign takes one of the known words, or a list of them.", SIGNS)
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def of_column(self, column: str, value: object) -> Condition:
        if not isinstance(value, dict):
            argument = self._value(column, value)
            return All(()) if argument is None else Ask(column, "equals", argument)
        if not value:
            self.place.wrong(f"{column}: the condition is empty.", _WORDS)
        parts: list[Condition] = []
        for word, argument in value.items():
            if word == "not":
                parts.append(Not(self.of_column(column, argument)))
            elif word in _WORDS:
                parts += self._word(column, word, argument)
            else:
                self.place.at(f"{self.place.name}: {column}").unknown("word", word, [*_WORDS, "not"])
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _word(self, column: str, word: str, value: object) -> list[Condition]:
        argument: Argument | None
        if word in _LISTS:
            argument = self._list(column, value)
        elif word in _FLAGS:
            argument = self._flag(column, word, value)
        elif word in _DAYS or column in DATES:
            argument = self._day(column, word, value)
        elif word in _PATTERNS:
            argument = self._pattern(column, word, value)
        else:
            argument = self._value(column, value)
        return [] if argument is None else [Ask(column, word, argument)]

    def _flag(self, column: str, word: str, value: object) -> bool | None:
        if isinstance(value, bool):
            return value
        self._not_a(column, word, "true or false", value)
        return None

    def _not_a(self, column: str, word: str, wanted: str, value: object) -> None:
        self.place.wrong(f"{column}: {word} takes {wanted}, not {kind_of(value)}.")

    def _day(self, column: str, word: str, value: object) -> date | None:
        if column not in DATES:
            self.place.wrong(f"{column}: {word} asks a date.", DATES)
        elif word in _PATTERNS:
            self.place.wrong(f"{column}: {word} asks text.", ("equals", "any_of", *_DAYS))
        elif isinstance(value, date) and not isinstance(value, datetime):
            return value
        else:
            self._not_a(column, word, "a date without a time and without quotes, as in 2026-01-31", value)
        return None

    def _list(self, column: str, value: object) -> Argument | None:
        if not isinstance(value, list) or not value:
            said = "an empty one" if value == [] else kind_of(value)
            self.place.wrong(f"{column}: any_of takes a list that is not empty, not {said}.")
            return None
        found = [self._value(column, one) for one in value]
        return tuple(one for one in found if one is not None)  # type: ignore[return-value]

    def _value(self, column: str, value: object) -> str | date | None:
        if column in DATES:
            return self._day(column, "equals", value)
        if isinstance(value, str):
            return self.dimensions[column].canonical(value) if column in self.dimensions else fold_azure_id(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | Decimal) and not column.endswith("Id"):
            return str(value)
        if isinstance(value, int | Decimal):
            self.place.wrong(f"{column} is text, and {value} is a number.", hint=f'Put it in quotes: "{value}".')
            return None
        self._not_a(column, "a condition", "text", value)
        return None

    def _pattern(self, column: str, word: str, value: object) -> str | None:
        pattern = self.place.text(value, f"{column}: {word}")
        trouble = regex_trouble(pattern) if pattern is not None and word == "regex" else None
        if trouble:
            self.place.wrong(f'{column}: regex "{pattern}" does not compile: {trouble}.')
            return None
        return pattern if pattern is None or word == "regex" else fold_azure_id(pattern)
