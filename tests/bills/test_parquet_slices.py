"""A Parquet file is read in slices: all rows once and in order, however its row groups are cut."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.bills import table_file
from attribution.bills.listing import read_head
from attribution.bills.table_file import OpenTable, raw_rows
from schemas.bills import BillFile
from schemas.workspace import Source


def read(path: Path) -> list[pl.DataFrame]:
    head = read_head(BillFile(path, path.name, "", path.stat().st_size), Source("s", "*"))
    return [rows.frame.with_columns(rows.numbers) for rows in raw_rows(OpenTable(head), ())]


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(0, 60), group=st.integers(1, 70), batch=st.integers(1, 40))
def test_every_row_comes_once_with_its_number(rows: int, group: int, batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(table_file, "BATCH_ROWS", batch)
        path = Path(folder) / "a.parquet"
        pl.DataFrame({"x": range(rows)}, schema={"x": pl.Int64()}).write_parquet(path, row_group_size=group)
        frames = read(path)
        assert pl.concat(frames).rows() == [(row, row + 1) for row in range(rows)]
        assert all(frame.height <= 1.5 * batch for frame in frames)
