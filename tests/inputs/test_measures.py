"""Measures for splits: long and wide files, months, and what is refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from attribution.inputs import Read, read_measure
from schemas.faults import InputError


def told(root: Path, text: str, *dimensions: str) -> Read:
    (root / "m.csv").write_text(text, encoding="utf-8")
    return read_measure(root / "m.csv", root, dimensions or ("project",))


def test_long_and_wide_say_the_same(tmp_path: Path) -> None:
    wide = told(tmp_path, "date,atlas,borealis\n2026-10-01,900,\n2026-10,0.5,1e3\n")
    long = told(tmp_path, "project,weight,date\natlas,900,2026-10-01\natlas,0.5,2026-10-01\nborealis,1000,2026-10-01\n")
    # A month is its first day, so `2026-10` contradicts what stands for that day already.
    assert wide.rejects.height == long.rejects.height == 1
    assert wide.frame.sort("project").rows() == long.frame.sort("project").rows()
    day = date(2026, 10, 1)
    assert long.frame.rows() == [(day, Decimal(900), "atlas"), (day, Decimal(1000), "borealis")]


def test_bad_rows_are_refused(tmp_path: Path) -> None:
    read = told(
        tmp_path,
        "date,project,stage,weight\n2026-10-01,atlas,sft,1\n2026-10-02,atlas,sft,-1\nsoon,atlas,sft,1\n"
        "2026-10-03,Unallocated,sft,1\n2026-10-04,,sft,1\n2026-10-05,atlas,sft,many\n",
        "project",
        "stage",
    )
    assert read.frame.height == 1
    assert read.rejects.select("line", "column").sort("line").rows() == [
        (3, "weight"), (4, "date"), (5, "project"), (6, "project"), (7, "weight"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dimensions", "said"),
    [
        ("atlas,borealis\n1,2\n", ("project",), "date"),
        ("date,atlas\n2026-10-01,2\n", ("project", "stage"), "without a column weight"),
        ("date,weight\n2026-10-01,2\n", ("project",), "without the column project"),
    ],
)
def test_a_file_without_its_columns_is_refused(
    tmp_path: Path, text: str, dimensions: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        told(tmp_path, text, *dimensions)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_measure(tmp_path / "none.csv", tmp_path, ("project",))
