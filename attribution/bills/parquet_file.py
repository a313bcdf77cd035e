"""Parquet files: in slices at their row groups, and with nested columns laid flat."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import polars as pl
from pyarrow import parquet

# A slice of whole row groups may be so much smaller or larger than what is asked for; a larger group is cut.
_SMALL, _LARGE = 0.8, 1.5


def slices(path: Path, at_once: int) -> Iterator[tuple[int, int]]:
    """First row and number of rows of slices of about so many; they end where row groups do, unless one is large."""
    about = parquet.read_metadata(path)
    start = held = 0
    for group in range(about.num_row_groups):
        held += about.row_group(group).num_rows
        while held >= _SMALL * at_once:
            rows = held if held <= _LARGE * at_once else at_once
            yield start, rows
            start, held = start + rows, held - rows
    if held:
        yield start, held


def laid_flat(frame: pl.DataFrame, structs: Collection[str]) -> pl.DataFrame:
    """A frame whose struct columns of these names are columns `outer.inner`, however deep; lists stay as they are."""
    if not structs:
        return frame
    return pl.DataFrame(
        [
            one
            for column in frame.get_columns()
            for one in (_inner(column) if column.name.lower() in structs else (column,))
        ]
    )


def _inner(column: pl.Series) -> Iterator[pl.Series]:
    if not isinstance(column.dtype, pl.Struct):
        yield column
        return
    for one in column.struct.unnest().get_columns():
        yield from _inner(one.rename(f"{column.name}.{one.name}"))
