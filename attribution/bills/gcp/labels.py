"""Labels and tags of Google Cloud: four schemes in four lists, each under its prefix but the labels of a resource.

No label's key may hold a slash, so that `project/team` is never the label of a resource.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import polars as pl

from attribution.bills.charge_rows import Reading
from attribution.bills.flat import RawColumns
from attribution.bills.nested_cells import read_nested
from attribution.bills.tag_text import TagTexts

SCHEMES = {"labels": "", "project.labels": "project/", "system_labels": "system/", "tags": "tag/"}
"""Raw column -> what its keys start with."""


class Labels:
    """Tags of the rows of one delivery; each distinct set is parsed once."""

    def __init__(self) -> None:
        self._texts = TagTexts(tag_pairs)

    def read(self, reading: Reading, columns: RawColumns) -> pl.Series:
        """Tags of a raw batch; a list that cannot be read is told, and its row has none."""
        sets = pl.DataFrame({name: columns.text(reading.rows.frame, name) for name in SCHEMES})
        tags, bad = self._texts.read(sets.select(pl.struct(pl.all()).struct.json_encode()).to_series())
        for cells in sets.filter(bad).get_columns() if bad.any() else ():
            wrong = [cell for cell in cells.drop_nulls().unique().to_list() if not _is_keyed(cell)]
            whole = sets.get_column(cells.name)
            mask = whole.is_in(pl.Series(wrong, dtype=pl.String).implode())
            reading.fail(mask, cells.name, "a list of keys and values", whole, required=False)
        return tags


def tag_pairs(text: str) -> list[tuple[str, Any]]:
    """Keys and values of the four schemes of one row: a JSON object of raw column -> its cell.

    Raises:
        ValueError: one of them is no list of keys and values.
    """
    pairs: list[tuple[str, Any]] = []
    for scheme, cell in json.loads(text).items():
        found = _keyed(cell) if cell else []
        met = Counter(one["key"] for one in found)
        for one in found:
            # Two tags of one short name come from two places of the hierarchy.
            apart = f"{one['namespace']}/" if met[one["key"]] > 1 and one.get("namespace") else ""
            pairs.append((f"{SCHEMES[scheme]}{apart}{one['key']}", one.get("value")))
    return pairs


def _keyed(cell: str) -> list[dict[str, Any]]:
    found = read_nested(cell)
    if not isinstance(found, list) or not all(isinstance(one, dict) and "key" in one for one in found):
        message = "no list of keys and values"
        raise ValueError(message)
    return found


def _is_keyed(cell: str) -> bool:
    try:
        _keyed(cell)
    except ValueError:
        return False
    return True
