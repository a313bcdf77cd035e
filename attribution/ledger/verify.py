"""What was written reads back as it was: types, rows, sums to the last unit, and the pandera schemas.

Of the stored charges only the columns that a check speaks of are read again: decoding all would double the
time of writing. Text that no check speaks of is guarded by Parquet's own page checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import polars as pl

from schemas.charges import ALWAYS, CHARGE_COLUMNS, Charges
from schemas.check import verify
from schemas.costs import LINE_COLUMNS, Lines, Subjects
from schemas.faults import LawBrokenError
from schemas.money import COSTS, add, known_sum

_CHECKED = [name for name, column in Charges.columns.items() if not column.nullable or column.checks or name in COSTS]
_KeptCharges = Charges.select_columns(_CHECKED)


@dataclass(frozen=True)
class ReadBack:
    """What a file holds. `sums`: of each cost column, None where all are null."""

    rows: int
    sums: dict[str, Decimal | None]


def read_charges_back(file: Path) -> ReadBack:
    """A file of charges, read again once it is written.

    Raises:
        LawBrokenError: a column is of another type, or a row not as its schema says.
    """
    schema = pl.read_parquet_schema(file)
    expected = {name: CHARGE_COLUMNS[name] for name in CHARGE_COLUMNS if name in schema or name in ALWAYS}
    wrong = [name for name, dtype in expected.items() if schema.get(name) != dtype]
    if wrong:
        message = f"{file}: columns of another type than written: {wrong}"
        raise LawBrokenError(message)
    frame = pl.read_parquet(file, columns=[name for name in _CHECKED if name in schema])
    return _read(verify(frame, _KeptCharges, str(file)))


def read_roll_up_back(folder: Path, lines: Iterable[Path], totals: dict[str, Decimal | None]) -> None:
    """Compare a part's subjects and lines with what was counted while writing its charges.

    Args:
        folder: the roll-up's folder, its subjects written.
        lines: the files of its lines; each is read as soon as it is given, beside the writing of the next.
        totals: control total of each cost column, None where all are null.

    Raises:
        LawBrokenError: any difference.
    """
    with ThreadPoolExecutor(1, "read back") as beside:
        subjects = [beside.submit(_read_subjects_back, file) for file in folder.glob("subjects-*.parquet")]
        read = [beside.submit(_read_lines_back, file) for file in lines]
    for done in subjects:
        done.result()
    same(f"{folder}: lines", totals, [done.result() for done in read])


def same(where: str, written: dict[str, Decimal | None], read: Iterable[ReadBack], rows: int | None = None) -> None:
    """Compare files with what was counted while writing them.

    Raises:
        LawBrokenError: they hold other sums, or another number of rows.
    """
    files = list(read)
    counted = sum(file.rows for file in files)
    if rows is not None and counted != rows:
        message = f"{where}: {rows} rows written, {counted} read back"
        raise LawBrokenError(message)
    for column in COSTS:
        known = [amount for file in files if (amount := file.sums[column]) is not None]
        total = add(*known) if known else None
        if written[column] != total:
            message = f"{where}: {column} written {written[column]}, read back {total}"
            raise LawBrokenError(message)


def _read_subjects_back(file: Path) -> None:
    subjects = pl.read_parquet(file)
    verify(subjects.rename({"subject_no": "subject_id"}).cast({"subject_id": pl.Int64}), Subjects, str(file))


def _read_lines_back(file: Path) -> ReadBack:
    lines = pl.read_parquet(file).rename({"subject_no": "subject_id"}).cast({"subject_id": pl.Int64})
    return _read(verify(lines.select(*LINE_COLUMNS), Lines, str(file)))


def _read(frame: pl.DataFrame) -> ReadBack:
    there = frame.select(known_sum(name) for name in COSTS if name in frame.columns).row(0, named=True)
    return ReadBack(frame.height, {name: there.get(name) for name in COSTS})
