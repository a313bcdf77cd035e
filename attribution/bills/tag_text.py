"""A bill's tags, in the many forms they come in, as canonical JSON text; each distinct set is parsed once."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from attribution.bills.cells import read_text
from schemas.tagsets import canonical

_LIMIT = 1_000_000
# A value such as 1.10 is a name here, and no number.
_AS_WRITTEN = json.JSONDecoder(parse_float=str)


class TagTexts:
    """Canonical texts of the tag sets met so far, kept over the batches of one delivery.

    `pairs` reads keys and values from one text and raises ValueError where it holds none.
    """

    def __init__(self, pairs: Callable[[str], list[tuple[str, Any]]] | None = None) -> None:
        self._pairs = pairs or tag_pairs
        self._known: dict[str, str | None] = {}
        self._bad: set[str] = set()

    def read(self, raw: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Canonical text of each cell, and a mask of cells that are no tags."""
        text = read_text(raw)
        distinct = text.drop_nulls().unique()
        if not distinct.len():
            return text.cast(pl.String), text.is_not_null()
        if len(self._known) > _LIMIT:
            self._known.clear()
        sets = distinct.to_list()
        known = [self._known[one] if one in self._known else self._learn(one) for one in sets]
        tags = text.replace_strict(distinct, pl.Series(known, dtype=pl.String), return_dtype=pl.String)
        if not self._bad:
            return tags, pl.Series([False], dtype=pl.Boolean).new_from_index(0, text.len())
        return tags, text.is_in(pl.Series(sorted(self._bad)).implode()).fill_null(value=False)

    def of_columns(self, frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.Series:
        """Canonical texts where each tag has a column of its own: tag key -> column."""
        filled = {key: raw for key, raw in columns.items() if frame.get_column(raw).null_count() < frame.height}
        if not filled:
            return pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
        sets = frame.select(pl.struct(pl.col(raw).alias(key) for key, raw in filled.items()).struct.json_encode())
        return self.read(sets.to_series())[0]

    def _learn(self, text: str) -> str | None:
        try:
            self._known[text] = canonical(self._pairs(text))
        except (ValueError, RecursionError):  # the latter for brackets within brackets by the thousand
            self._bad.add(text)
            self._known[text] = None
        return self._known[text]


def tag_pairs(text: str) -> list[tuple[str, Any]]:
    """Key and value pairs of an object, of an object without its braces, or of a list of key/value objects.

    Raises:
        ValueError: none of these.
    """
    stripped = text.strip()
    return pairs_of(_AS_WRITTEN.decode(f"{{{stripped}}}" if stripped.startswith('"') else stripped))


def pairs_of(found: object) -> list[tuple[str, Any]]:
    """Key and value pairs of a parsed object, or of a list of key/value objects.

    Raises:
        ValueError: neither.
    """
    if isinstance(found, dict):
        return list(found.items())
    if isinstance(found, list) and all(isinstance(one, dict) and "key" in one for one in found):
        return [(str(one["key"]), one.get("value")) for one in found]
    message = "neither an object nor a list of keys with values"
    raise ValueError(message)
