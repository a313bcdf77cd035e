"""What was written reads back as it was: types, rows, sums to the last unit, and the pandera schemas.

Of the stored charges only the columns that a check speaks of are read again: decoding all would double the
time of writing. Text that no check speaks of is guarded by Parquet's own page checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from schemas.charges import ALWAYS, CHARGE_COLUMNS, Charges
from schemas.check import verify
from schemas.costs import LINE_COLUMNS, Lines, Subjects
from schemas.faults import LawBrokenError
from schemas.money import COSTS, add

_CHECKED = [name for name, column in Charges.columns.items() if not column.nullable or column.checks or name in COSTS]
_KeptCharges = Charges.select_columns(_CHECKED)

Check = Callable[[pl.DataFrame, str], pl.DataFrame]


def read_charges_back(folder: Path, rows: int, totals: dict[str, Decimal | None]) -> None:
    """Compare the charges of a written part with what was counted while writing them.

    Args:
        folder: the part's folder.
        rows: charges written.
        totals: control total of each cost column, None where all are null.

    Raises:
        LawBrokenError: any difference.
    """
    files = sorted(folder.glob("charges-*.parquet"))
    for file in files:
        schema = pl.read_parquet_schema(file)
        expected = {name: CHARGE_COLUMNS[name] for name in CHARGE_COLUMNS if name in schema or name in ALWAYS}
        wrong = [name for name, dtype in expected.items() if schema.get(name) != dtype]
        if wrong:
            message = f"{file}: columns of another type than written: {wrong}"
            raise LawBrokenError(message)
    counted, sums = _sums(files, _CHECKED, lambda frame, where: verify(frame, _KeptCharges, where))
    if counted != rows:
        message = f"{folder}: {rows} charges written, {counted} read back"
        raise LawBrokenError(message)
    _same(f"{folder}: charges", totals, sums)


def read_roll_up_back(folder: Path, totals: dict[str, Decimal | None]) -> None:
    """Compare a part's subjects and lines with what was counted while writing its charges.

    Args:
        folder: the roll-up's folder.
        totals: control total of each cost column, None where all are null.

    Raises:
        LawBrokenError: any difference.
    """
    _, sums = _sums(sorted(folder.glob("lines-*.parquet")), None, _verify_lines)
    _same(f"{folder}: lines", totals, sums)
    for file in sorted(folder.glob("subjects-*.parquet")):
        subjects = pl.read_parquet(file)
        verify(subjects.rename({"subject_no": "subject_id"}).cast({"subject_id": pl.Int64}), Subjects, str(file))


def _verify_lines(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    named = frame.rename({"subject_no": "subject_id"}).cast({"subject_id": pl.Int64}).select(*LINE_COLUMNS)
    return verify(named, Lines, where)


def _sums(files: Sequence[Path], columns: list[str] | None, check: Check) -> tuple[int, dict[str, Decimal | None]]:
    rows = 0
    sums: dict[str, list[Any]] = {name: [] for name in COSTS}
    for file in files:
        there = pl.read_parquet_schema(file)
        frame = pl.read_parquet(file, columns=columns and [name for name in columns if name in there])
        check(frame, str(file))
        rows += frame.height
        for name in COSTS:
            if name in there and frame.get_column(name).count():
                sums[name].append(frame.get_column(name).sum())
    return rows, {name: add(*known) if known else None for name, known in sums.items()}


def _same(where: str, written: dict[str, Decimal | None], read: dict[str, Decimal | None]) -> None:
    for column in COSTS:
        if written[column] != read[column]:
            message = f"{where}: {column} written {written[column]}, read back {read[column]}"
            raise LawBrokenError(message)
