"""The words of conditions, and how a condition is told of many rows at little cost.

A question is put to the distinct values of its column only and then looked up row by row, so that a hundred
rules over a hundred thousand rows cost a few gathers each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from attribution.rules.records import All, Ask, Condition, Not

_WIDEST = 1 << 62  # so many combinations fit a number of 64 bits


def glob_pattern(glob: str) -> str:
    """`*` is any text, `?` one letter, all else itself; the whole value must match."""
    words = {"*": ".*", "?": "."}
    return "(?s)^" + "".join(words.get(letter) or re.escape(letter) for letter in glob) + "$"


def _present(column: pl.Expr) -> pl.Expr:
    return column.cast(pl.String).fill_null("").str.contains(r"\S")


CONDITIONS: dict[str, Callable[[pl.Expr, Any], pl.Expr]] = {
    "equals": lambda column, value: column == value,
    "any_of": lambda column, values: column.is_in(list(values)),
    "glob": lambda column, glob: column.str.contains(glob_pattern(glob)),
    "regex": lambda column, pattern: column.str.contains(pattern),
    "present": lambda column, wanted: _present(column) == wanted,
    "missing": lambda column, wanted: _present(column) != wanted,
    "from": lambda column, day: column >= day,
    "to": lambda column, day: column < day,
    "sign": lambda column, signs: column.is_in(list(signs)),
}


def regex_trouble(pattern: str) -> str | None:
    """Why a regular expression cannot be used; None where it can."""
    try:
        pl.Series([""]).str.contains(pattern)
    except pl.exceptions.ComputeError as error:
        # The first line names the kind of error; below a parse error stand the pattern and then what is wrong.
        lines = [line.strip() for line in str(error).strip().splitlines()]
        said = next((line for line in lines if line.startswith("error: ")), lines[0])
        return said.removeprefix("regex error: ").removeprefix("error: ").rstrip(".")
    return None


@dataclass(frozen=True)
class Coded:
    """A column as its distinct values and, for each row, which it holds; `answers` of values that were asked."""

    values: pl.Series
    codes: pl.Series
    answers: Mapping[Ask, pl.Series] = field(default_factory=dict)

    def at(self, positions: pl.Series) -> Coded:
        """The same column for rows that point at these ones."""
        return replace(self, codes=self.codes.gather(positions))

    def known(self) -> pl.Series:
        """The codes, null where the column is."""
        numbers = pl.int_range(self.values.len(), dtype=pl.UInt32, eager=True)
        return numbers.set(self.values.is_null(), None).gather(self.codes)

    def asked(self, questions: Iterable[Ask]) -> Coded:
        """The same column with the answers to these questions, asked at once."""
        new = dict.fromkeys(questions)
        return replace(self, answers=dict(zip(new, _answers(new, self.values), strict=True)))


def coded(column: pl.Series) -> Coded:
    """Tell the distinct values of a column from where they stand."""
    frame = column.alias("value").to_frame()
    distinct = frame.unique().with_row_index("code")
    codes = frame.join(distinct, on="value", how="left", nulls_equal=True, maintain_order="left")
    return Coded(distinct.get_column("value"), codes.get_column("code"))


def alike(by_answer: Iterable[Coded], by_value: Iterable[Coded] = ()) -> pl.Series:
    """Rows by what can be told of them: those that nothing tells apart get the same whole number, counted from 0.

    Args:
        by_answer: columns of the same rows, of which only the answers count.
        by_value: columns of which each value counts.
    """

    def kinds() -> Iterator[tuple[pl.Series, int]]:
        for column in (one for one in by_answer if one.answers):
            kind, many = _told_apart((answer, 2) for answer in column.answers.values())
            yield kind.gather(column.codes), many
        for column in by_value:
            yield column.codes, column.values.len()

    return _told_apart(kinds())[0]


def _told_apart(parts: Iterable[tuple[pl.Series, int]]) -> tuple[pl.Series, int]:
    """A whole number for each combination that occurs of numbers, each below its width; and how many there are."""
    key, size = pl.Series([0], dtype=pl.Int64), 1
    for part, width in parts:
        if size * width > _WIDEST:
            key, size = _dense(key)
        key = key * width + part.cast(pl.Int64)
        size *= width
    return _dense(key)


def _dense(numbers: pl.Series) -> tuple[pl.Series, int]:
    """Whole numbers in the same order without gaps, and how many there are."""
    met = numbers.unique().sort()
    return met.search_sorted(numbers).cast(pl.Int64), met.len()


def holds(condition: Condition, look: Callable[[str], Coded], height: int) -> pl.Series:
    """Where a condition is true, one Boolean a row, never null.

    Args:
        condition: what to ask.
        look: gives the column of a name, for the same rows every time.
        height: how many rows there are.
    """
    if isinstance(condition, Ask):
        column = look(condition.column)
        known = column.answers.get(condition)
        return (_answers([condition], column.values)[0] if known is None else known).gather(column.codes)
    if isinstance(condition, Not):
        return ~holds(condition.part, look, height)
    every = isinstance(condition, All)
    found = pl.Series([every]).new_from_index(0, height)
    for part in condition.parts:
        there = holds(part, look, height)
        found = found & there if every else found | there
    return found


def _answers(questions: Iterable[Ask], values: pl.Series) -> list[pl.Series]:
    """What is true of each value, a column a question; a value that is missing is nothing of what is asked."""
    asked = [CONDITIONS[ask.word](pl.col("value"), ask.argument) for ask in questions]
    named = [answer.fill_null(value=False).alias(str(number)) for number, answer in enumerate(asked)]
    return values.alias("value").to_frame().select(named).get_columns()
