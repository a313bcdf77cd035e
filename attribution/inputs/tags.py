"""Resource tags from CSV, long (`key`, `value`) or wide (a column a key), dated or not.

One row comes out for each resource, key, value and span. Contradictions stay: they are shown as a conflict later.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import PLACE, Read, Sheet, read_sheet
from attribution.inputs.rows import finish, read_days, start
from schemas.cell_checks import MISSING
from schemas.dimensions import fold
from schemas.faults import Fault, InputError
from schemas.inputs import TAG_COLUMNS, Tags

WHAT = "tags"
_SPAN = ("valid_from", "valid_to")
_KNOWN = ("resource_id", *_SPAN)
_PAIR = ("key", "value")


def read_tags(paths: Sequence[Path], root: Path) -> Read:
    """Tags of all files together; blank values are absent, identical rows count once.

    Args:
        paths: the files, in the order that decides which of equal rows is told of.
        root: the workspace.

    Raises:
        InputError: a file without `resource_id`, or with only one of `key` and `value`.
    """
    sheets = [_long(read_sheet(path, root, WHAT, _KNOWN, ("resource_id",))) for path in paths]
    rows = start(WHAT, sheets, list(TAG_COLUMNS), ("resource_id",))
    rows.need("resource_id")
    rows.refuse(pl.col("key").is_null() & pl.col("value").is_not_null(), "key", MISSING)
    rows.frame = rows.frame.filter(pl.col("value").is_not_null()).with_columns(pl.col("key").str.strip_chars())
    for column in _SPAN:
        read_days(rows, column)
    rows.frame = rows.frame.unique(list(TAG_COLUMNS), keep="first", maintain_order=True)
    return finish(rows, Tags, list(TAG_COLUMNS))


def _long(sheet: Sheet) -> Sheet:
    """A sheet with one row a key; a header with neither `key` nor `value` is wide."""
    pair = {fold(name): name for name in sheet.frame.columns if fold(name) in _PAIR}
    if len(pair) == 1:
        (found,) = pair.values()
        hint = "A long file has both `key` and `value`; a wide file has neither, but a column for each tag."
        raise InputError(Fault(sheet.name, f'column "{found}" stands without its other half', hint=hint))
    if pair:
        return Sheet(sheet.name, sheet.frame.rename({name: key for key, name in pair.items()}), sheet.rejects)
    fixed = [name for name in (*_KNOWN, *PLACE) if name in sheet.frame.columns]
    keys = [name for name in sheet.frame.columns if name not in fixed]
    long = sheet.frame.unpivot(keys, index=fixed, variable_name="key", value_name="value")
    return Sheet(sheet.name, long.sort("__line", maintain_order=True), sheet.rejects)
