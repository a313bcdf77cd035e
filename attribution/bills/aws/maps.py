"""The nested columns of CUR 2.0, maps in Parquet and JSON text in CSV: products and discounts laid flat, tags as pairs.

Sources disagree on how CUR 2.0 writes the keys of tags, as tagged (`user:Team`) or flat (`user_team`); both are read.
"""

from __future__ import annotations

import json
from collections.abc import Container
from typing import Any

import polars as pl

from attribution.bills.cells import read_text
from attribution.bills.nested_cells import decoded
from attribution.bills.tag_text import pairs_of

_LAID_FLAT = ("product", "discount")
TAG_MAPS = ("resource_tags", "cost_category", "tags")
_NONE = pl.Series(["", "{}", "[]"]).implode()
_MAPS = json.JSONDecoder(parse_float=str, parse_int=str)
_MARK = "\0"
# Maps of products take a kilobyte a row as text, so they are not written out for a whole batch at once.
_SLICE = 10_000


def lay_flat(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """A raw batch with `product` and `discount` as columns of their own, `product_<key>` and `discount_<key>`.

    Returns:
        The batch, and by nested column a mask of cells that are no map.
    """
    unread: dict[str, pl.Series] = {}
    for name in _LAID_FLAT:
        if name in frame.columns:
            columns, unread[name] = _columns_of(frame.get_column(name))
            own = {key: cells for key, cells in columns.items() if key not in frame.columns}
            # A key that also has a column of its own fills the gaps of that.
            gaps = {key: _first(frame.get_column(key), cells) for key, cells in columns.items() if key not in own}
            frame = frame.drop(name).with_columns(**own, **gaps)
    return frame, unread


def tag_texts(frame: pl.DataFrame, columns: dict[str, str], maps: tuple[str, ...]) -> pl.Series | None:
    """One JSON text a row of all its tags, for `tag_pairs`; None where no row has any.

    Args:
        frame: raw batch.
        columns: tag key -> column.
        maps: columns that hold many tags each.
    """
    filled = {key: raw for key, raw in columns.items() if frame.get_column(raw).null_count() < frame.height}
    parts = [frame.get_column(raw).cast(pl.String).alias(key) for key, raw in filled.items()]
    for name in maps:
        text = _map_text(frame.get_column(name))
        if text.null_count() < text.len():
            parts.append(text.alias(f"{_MARK}{name}"))
    if not parts:
        return None
    return pl.DataFrame(parts).select(pl.struct(pl.all()).struct.json_encode()).to_series()


def tag_pairs(text: str) -> list[tuple[str, Any]]:
    """Keys and values of one text of `tag_texts`.

    Raises:
        ValueError: a nested column of it holds no map.
    """
    cells = json.loads(text)
    found: dict[str, Any] = {name: value for name, value in cells.items() if value and not name.startswith(_MARK)}
    for name, value in cells.items():
        if value and name.startswith(_MARK):
            for key, one in _pairs(value):
                scheme, rest = _scheme_of(name.removeprefix(_MARK), key)
                if one and found.get(tag_key(scheme, rest, ())) != one:
                    found[tag_key(scheme, rest, found)] = one
    return list(found.items())


def tag_key(scheme: str, key: str, taken: Container[str]) -> str:
    """What a tag is called: `user:` goes unless the rest is taken, other prefixes stay; cost categories keep theirs."""
    if scheme == "cost_category":
        return f"costCategory/{key}"
    if scheme == "resource_tags" and key.startswith("aws_"):
        return f"aws:{key.removeprefix('aws_')}"
    bare = next((key.removeprefix(user) for user in ("user:", "user_") if key.startswith(user)), key)
    return key if bare in taken else bare


def _scheme_of(column: str, key: str) -> tuple[str, str]:
    """The column `tags` holds several schemes at once, each under its prefix."""
    if column != "tags":
        return column, key
    scheme, _, rest = key.partition("/")
    names = {"resourceTags": "resource_tags", "costCategory": "cost_category"}
    return (names[scheme], rest) if scheme in names and rest else (column, key)


def _columns_of(raw: pl.Series) -> tuple[dict[str, pl.Series], pl.Series]:
    """A nested column's keys as text columns; each distinct map is parsed once."""
    numbers: dict[str, int] = {}
    slices = [_numbered(raw[start : start + _SLICE], numbers) for start in range(0, raw.len(), _SLICE)]
    places = pl.concat(slices) if slices else pl.Series([], dtype=pl.UInt32)
    maps: list[dict[str, str | None]] = []
    bad: list[int] = []
    for text, number in numbers.items():
        try:
            maps.append({key: _as_text(value) for key, value in _pairs(text)})
        except ValueError:
            maps.append({})
            bad.append(number)
    columns = {
        f"{raw.name}_{key}": pl.Series([one.get(key) for one in maps], dtype=pl.String).gather(places)
        for key in sorted({key for one in maps for key in one})
    }
    return columns, places.is_in(bad).fill_null(value=False)


def _numbered(raw: pl.Series, numbers: dict[str, int]) -> pl.Series:
    """Which of the distinct maps each cell is; new ones get the next numbers."""
    text = _map_text(raw)
    distinct = text.drop_nulls().unique()
    for one in distinct.to_list():
        numbers.setdefault(one, len(numbers))
    places = pl.Series([numbers[one] for one in distinct.to_list()], dtype=pl.UInt32)
    return text.replace_strict(distinct, places, return_dtype=pl.UInt32)


def _map_text(raw: pl.Series) -> pl.Series:
    """A nested column as JSON text; null where the map is empty."""
    text = read_text(raw, null_words=False)
    return text.set(text.is_in(_NONE).fill_null(value=False), None)


def _pairs(text: str) -> list[tuple[str, Any]]:
    """Pairs of an object or of a list of key and value; numbers keep their digits.

    Raises:
        ValueError: neither.
    """
    return pairs_of(decoded(text, _MAPS))


def _as_text(value: Any) -> str | None:  # noqa: ANN401
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _first(cells: pl.Series, others: pl.Series) -> pl.Series:
    own = read_text(cells, null_words=False)
    return own.zip_with(own.is_not_null(), others)
