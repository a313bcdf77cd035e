"""What went wrong, in words: a user's mistake is a Fault, a broken law is ours.

Every message says where, what, what is known and what to do; all faults of a file come at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SHOWN = 80


@dataclass(frozen=True)
class Fault:
    """One mistake of a user: where it stands, what it is, what is known there, what to do."""

    where: str
    what: str
    known: str = ""
    hint: str = ""

    def __str__(self) -> str:
        second = self._advice()
        first = f"{self.where}: {self.what}"
        return f"{first}\n  {second}" if second else first

    @property
    def sentence(self) -> str:
        """What, known and hint in one line, for tables that say where in a column of their own."""
        advice = self._advice()
        return f"{self.what.rstrip('.')}. {advice}" if advice else self.what

    def _advice(self) -> str:
        return " ".join(part for part in (f"Known: {self.known}." if self.known else "", self.hint) if part)


class InputError(Exception):
    """The input or the configuration is wrong (exit code 2); carries every fault found."""

    def __init__(self, faults: Sequence[Fault] | Fault) -> None:
        self.faults = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class LawBrokenError(Exception):
    """A law of the house does not hold (exit code 3): our mistake, never the user's."""


def in_one_line(faults: Iterable[Fault]) -> str:
    """Faults one after another, each a sentence of its own, where there is no room for lines."""
    *others, last = [fault.sentence for fault in faults]
    return " ".join([*(text if text.endswith((".", "?")) else f"{text}." for text in others), last])


def suggest(word: str, known: Iterable[str]) -> str:
    """`Did you mean "..."?`, or nothing where no known word is near."""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f'Did you mean "{folded[near[0]]}"?' if near else ""


def missing_columns(
    where: str, missing: Iterable[str], header: Sequence[str], others: Iterable[str] | None = None
) -> list[Fault]:
    """A fault for each column that a file lacks; the first tells which columns it has.

    Args:
        where: the file.
        missing: columns that it must have.
        header: columns that it has.
        others: those of them that may be meant, by default all.
    """
    known = ", ".join(header[:_SHOWN])
    may_be_meant = list(header if others is None else others)
    return [
        Fault(where, f'column "{name}" is missing', "" if at else known, suggest(name, may_be_meant))
        for at, name in enumerate(missing)
    ]
