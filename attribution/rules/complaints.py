"""Reading a table that people wrote: every mistake is noted and reading goes on, so that all come at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from schemas.faults import Fault, suggest


@dataclass(frozen=True)
class Place:
    """Where in the file we read, and the list that every place of the file adds its faults to."""

    file: str
    name: str = ""
    faults: list[Fault] = field(default_factory=list)

    def at(self, name: str) -> Place:
        """Another place of the same file."""
        return Place(self.file, name, self.faults)

    def wrong(self, what: str, known: str | Iterable[str] = "", hint: str = "") -> None:
        """Note one mistake here."""
        where = f"{self.file}: {self.name}" if self.name else self.file
        words = known if isinstance(known, str) else ", ".join(known)
        self.faults.append(Fault(where, what, words, hint))

    def unknown(self, kind: str, word: str, known: Iterable[str]) -> None:
        """Note a word that nobody knows, with the nearest one that is known."""
        known = tuple(known)
        self.wrong(f'unknown {kind} "{word}".', known, suggest(word, known))

    def only(self, table: dict[str, Any], known: Iterable[str], kind: str = "setting") -> None:
        """Note every key that is not among the known."""
        known = tuple(known)
        for word in table:
            if word not in known:
                self.unknown(kind, word, known)

    def table(self, value: object, what: str) -> dict[str, Any]:
        """A table, or an empty one and a note."""
        if isinstance(value, dict):
            return value
        self.wrong(f"{what} must be a table, not {kind_of(value)}.")
        return {}

    def tables(self, value: object, what: str) -> list[dict[str, Any]]:
        """A list of tables, `[[what]]`."""
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return value
        self.wrong(f"{what} must be written as [[{what}]].")
        return []

    def text(self, value: object, what: str) -> str | None:
        """Text that is not blank; a number is refused, since leading zeros would be lost."""
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, str):
            self.wrong(f"{what} is blank.")
        else:
            self.wrong(f"{what} must be text, not {kind_of(value)}.", hint="Put it in quotes.")
        return None

    def texts(self, value: object, what: str) -> tuple[str, ...]:
        """A list of texts."""
        if not isinstance(value, list):
            self.wrong(f"{what} must be a list of texts, not {kind_of(value)}.")
            return ()
        found = (self.text(one, f"{what}: an entry") for one in value)
        return tuple(one for one in found if one is not None)

    def days(self, table: dict[str, Any]) -> tuple[date | None, date | None]:
        """The days `since` and `until` of a table, each optional."""
        since, until = (self._day(table.get(key), key) for key in ("since", "until"))
        if since and until and since >= until:
            self.wrong(f"since {since} is not before until {until}.", hint="until is the first day without it.")
        return since, until

    def _day(self, value: object, what: str) -> date | None:
        if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
            return value
        hint = "Write a date without a time and without quotes, as in 2026-01-31."
        self.wrong(f"{what} must be a date, not {kind_of(value)}.", "", hint)
        return None


_KINDS = {"bool": "true or false", "int": "a number", "Decimal": "a number", "str": "text", "list": "a list"}


def kind_of(value: object) -> str:
    """What people call a value of TOML."""
    return {**_KINDS, "dict": "a table", "date": "a date", "datetime": "a time"}.get(type(value).__name__, "that")
