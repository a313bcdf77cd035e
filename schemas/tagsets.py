"""A charge's tags as one canonical JSON text, and back to rows.

Canonical: an object of text values, keys sorted, no blanks added, raw keys kept. JSON text is parsed once a
distinct tag set, never once a row.
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

PAIR_COLUMNS: dict[str, pl.DataType] = {"Tags": pl.String(), "key": pl.String(), "value": pl.String()}


# Made once: `json.dumps` would make an encoder for every call.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def canonical(pairs: dict[str, Any] | list[tuple[str, Any]]) -> str | None:
    """Tags as canonical JSON text; None where no key has a value.."""
    kept: dict[str, str] = {}
    for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        kept[key] = text
    if not kept:
        return None
    return _ENCODE(dict(sorted(kept.items())))


def tag_pairs(tags: pl.Series) -> pl.DataFrame:
    """Rows (Tags, key, value) of the distinct tag sets in a column of canonical text; blank values are absent."""
    texts: list[str] = []
    keys: list[str] = []
    values: list[str] = []
    for text in tags.drop_nulls().unique().to_list():
        for key, value in json.loads(text).items():
            if str(value).strip():
                texts.append(text)
                keys.append(key)
                values.append(str(value))
    return pl.DataFrame({"Tags": texts, "key": keys, "value": values}, schema=PAIR_COLUMNS)
