"""Who receives whose report: owners with team, lead and address, in time. One row an owner and span of days.

The surprise: refused addresses show no value, for rejects are published and addresses must not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import Rows, finish, read_days, start
from schemas.inputs import PEOPLE_COLUMNS, People
from schemas.people import ADDRESS

WHAT = "people"
_SPAN = ("valid_from", "valid_to")
_SAID = ("team", "lead", "email")


def read_people(paths: Sequence[Path], root: Path) -> Read:
    """People of all files together; identical rows count once.

    Args:
        paths: the files; of two rows of one owner that hold on a common day and disagree, the first stays.
        root: the workspace.

    Raises:
        InputError: a file without `owner`.
    """
    columns = list(PEOPLE_COLUMNS)
    rows = start(WHAT, [read_sheet(path, root, WHAT, columns, ("owner",)) for path in paths], columns, ())
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    rows.need("owner")
    for column in _SPAN:
        read_days(rows, column)
    address = rows.frame.get_column("email")
    plain = address.set(~address.str.contains(ADDRESS).fill_null(value=True), None)
    rows.read("email", plain, "one plain mail address", required=False)
    rows.frame = rows.frame.unique(columns, keep="first", maintain_order=True)
    _refuse_contradictions(rows)
    read = finish(rows, People, columns)
    shown = pl.when(pl.col("column").is_in(("email", "(row)"))).then(None).otherwise("value")
    return Read(read.frame, read.rejects.with_columns(shown.alias("value")))


def _refuse_contradictions(rows: Rows) -> None:
    """Of rows of one owner that hold on a common day, the later one goes where it says otherwise."""
    kept: dict[str, list[tuple[date, date, tuple[str, ...]]]] = {}
    bad = []
    for owner, since, until, *said in rows.frame.select("owner", *_SPAN, *_SAID).iter_rows():
        row = (since or date.min, until or date.max, tuple(said))
        mine = kept.setdefault(owner, [])
        bad.append(any(max(row[0], one[0]) < min(row[1], one[1]) and row[2] != one[2] for one in mine))
        if not bad[-1]:
            mine.append(row)
    wrong = pl.lit(pl.Series(bad, dtype=pl.Boolean))
    rows.refuse(wrong, "owner", "one row an owner and day; an earlier row says otherwise")
