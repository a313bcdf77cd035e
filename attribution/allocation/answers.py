"""Answers: who says what of a dimension, as one whole number, so that a million of them move cheaply.

An answer is a value (`atlas-7b`) with its voice: the method and the rule that gave it (`tag`, `tag:project`).
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from schemas.dimensions import TAG_CONFLICT

ABSENT = 0
CONFLICT = 1
_HIGH = 1 << 32


class Answers:
    """The values and voices met so far; numbers are given in the order of meeting."""

    def __init__(self) -> None:
        self._values: dict[str, int] = {}
        self._texts: list[str | None] = [None, TAG_CONFLICT]
        self._voices: list[tuple[str, str | None]] = []

    def value(self, text: str) -> int:
        """The number of a value."""
        if text == TAG_CONFLICT:
            return CONFLICT
        if text not in self._values:
            self._values[text] = len(self._texts)
            self._texts.append(text)
        return self._values[text]

    def voices(self, methods: Iterable[str] | pl.Series, rules: Iterable[str | None] | pl.Series) -> pl.Series:
        """Numbers for new voices, one a pair."""
        start = len(self._voices)
        self._voices += zip(methods, rules, strict=True)
        return pl.int_range(start, len(self._voices), dtype=pl.Int64, eager=True).alias("voice")

    def one(self, text: str, method: str, rule: str | None = None) -> int:
        """A single answer."""
        return self._voice(method, rule) + self.value(text)

    def all_of(self, texts: pl.Series, method: str, rule: str | None = None) -> pl.Series:
        """Answers of one voice, null where the text is."""
        voice = self._voice(method, rule)
        numbers = [None if text is None else voice + self.value(text) for text in texts]
        return pl.Series("answer", numbers, dtype=pl.Int64())

    def _voice(self, method: str, rule: str | None) -> int:
        self._voices.append((method, rule))
        return (len(self._voices) - 1) * _HIGH

    def texts(self) -> pl.Series:
        """Every value by its number; the first stands for no value at all."""
        return pl.Series("value", self._texts, dtype=pl.String())

    def told(self, answers: pl.Series, dimension: str) -> list[pl.Series]:
        """Three columns of text: the value, its method, its rule."""
        schema = {"method": pl.String(), "rule": pl.String()}
        voices = pl.DataFrame(self._voices, schema=schema, orient="row")[answers // _HIGH]
        return [
            self.texts().gather(answers % _HIGH).alias(dimension),
            voices.get_column("method").alias(f"{dimension}_method"),
            voices.get_column("rule").alias(f"{dimension}_rule"),
        ]


def answer(voice: pl.Expr, value: pl.Expr) -> pl.Expr:
    """Voice and value as one number."""
    return (voice.cast(pl.Int64) * _HIGH + value.cast(pl.Int64)).alias("answer")


def value_of(answers: pl.Expr) -> pl.Expr:
    """The number of an answer's value; ABSENT where there is no answer."""
    return (answers % _HIGH).fill_null(ABSENT).cast(pl.UInt32)
