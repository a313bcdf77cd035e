"""Values that a rule reads off the money itself: a column or tag, and what of its text counts."""

from __future__ import annotations

from typing import Any

import polars as pl

from attribution.rules.complaints import Place, kind_of
from attribution.rules.conditions import regex_trouble
from attribution.rules.records import DATES, TAG, Dimension, Take, Values
from attribution.rules.when import known_column
from schemas.dimensions import TAG_CONFLICT

TAKE_KEYS = ("take", "split", "part", "regex", "trim", "lower")


def read_values(written: object, what: str, dimension: Dimension, known: dict[str, Dimension], place: Place) -> Values:
    """Read what a rule assigns to a dimension: a text, a table with `take`, or a list of these.

    Args:
        written: as TOML has it.
        what: where it stands, for messages.
        dimension: whose aliases a text goes through.
        known: all dimensions, which `take` may name.
        place: gets the faults.
    """
    if written == []:
        place.wrong(f"{what} is an empty list.")
    found: list[str | Take] = []
    for one in written if isinstance(written, list) else [written]:
        value: str | Take | None
        if isinstance(one, dict):
            value = read_take(one, what, known, place)
        else:
            text = place.text(one, what)
            value = None if text is None else dimension.canonical(text)
        if value is not None:
            found.append(value)
    for text in (one for one in found[:-1] if isinstance(one, str)):
        place.wrong(f'{what}: "{text}" always has a value; what stands after it is never asked.')
    return tuple(found)


def read_take(table: dict[str, Any], what: str, known: dict[str, Dimension], place: Place) -> Take | None:
    """Read one table with `take`; what is wrong is noted."""
    here = place.at(f"{place.name}: {what}" if place.name else what)
    here.only(table, TAKE_KEYS, "word")
    if "take" not in table:
        here.wrong("take is missing.", hint='{ take = "tag:team", lower = true }')
        return None
    column = here.text(table["take"], "take")
    if column is None or not known_column(column, known, here):
        return None
    if column in DATES:
        here.wrong(f'take = "{column}": a date is nobody.')
    return take_of(column, table, here)


def take_of(column: str, table: dict[str, Any], here: Place) -> Take:
    """The words beside a column that say what of its text counts."""
    texts = {word: here.text(table[word], word) or "" for word in ("split", "trim") if word in table}
    lower = table.get("lower", False)
    if not isinstance(lower, bool):
        here.wrong(f"lower takes true or false, not {kind_of(lower)}.")
    return Take(column, regex=_regex(table, here), part=_part(table, here), lower=bool(lower), **texts)


def _part(table: dict[str, Any], place: Place) -> int:
    part = table.get("part", 1)
    if not isinstance(part, int) or isinstance(part, bool) or part == 0:
        place.wrong("part must be a whole number: 1 is the first, -1 the last.")
        return 1
    if ("part" in table) != ("split" in table):
        place.wrong("split and part go together.", hint='{ take = "tag:cost-centre", split = "/", part = 1 }')
    return part


def _regex(table: dict[str, Any], place: Place) -> str:
    if "regex" not in table:
        return ""
    pattern = place.text(table["regex"], "regex") or ""
    if trouble := regex_trouble(pattern):
        place.wrong(f'regex "{pattern}" does not compile: {trouble}.')
    elif groups_of(pattern) > 1:
        hint = "Write (?: ) around what only groups."
        place.wrong(f'regex "{pattern}" has {groups_of(pattern)} groups; one of them must be the value.', hint=hint)
    else:
        return pattern
    return ""


def groups_of(pattern: str) -> int:
    """How many groups of a regular expression keep what they match."""
    kept = pl.Series([""]).str.extract_groups(pattern).dtype
    return len(kept.fields) if isinstance(kept, pl.Struct) else 0


def taken(take: Take, texts: pl.Series) -> pl.Series:
    """What a Take makes of texts: null where nothing is left; a conflict of tags stays one.

    Args:
        take: what counts of a text.
        texts: distinct values of the column, for this costs something for each.
    """
    value = pl.col("text")
    if take.split:
        value = value.str.split(take.split).list.get(take.part - (take.part > 0), null_on_oob=True)
    if take.regex:
        value = value.str.extract(take.regex, min(groups_of(take.regex), 1))
    if take.trim:
        value = value.str.strip_chars(take.trim + " \t")
    if take.lower:
        value = value.str.to_lowercase()
    value = value.str.strip_chars()
    if take.column.startswith(TAG):
        value = pl.when(pl.col("text") == TAG_CONFLICT).then("text").otherwise(value)
    found = texts.cast(pl.String).alias("text").to_frame().select(pl.when(value != "").then(value).alias("text"))
    return found.get_column("text")
