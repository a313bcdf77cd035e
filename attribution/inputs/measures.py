"""Measures that splits divide by: a weight a day (or month) and receiver, such as tokens, requests or bytes.

A long file has a column `weight` and one for each dimension; a wide file has a column for each receiver.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import PLACE, Read, read_sheet
from attribution.inputs.rows import finish_once, start
from schemas.cell_checks import MISSING
from schemas.dimensions import NOBODY, fold, folds
from schemas.faults import Fault, InputError
from schemas.inputs import Measures
from schemas.instants import parse_days, parse_months
from schemas.money import read_money
from schemas.paths import relative_name

WHAT = "measures"


def read_measure(path: Path, root: Path, dimensions: Sequence[str]) -> Read:
    """One file, long or wide; a blank weight is none, and says nothing.

    Args:
        path: the file.
        root: the workspace.
        dimensions: the columns of receivers; a wide file names values of the first.

    Returns:
        `date`, `weight`, and a column each dimension. A month counts as its first day.

    Raises:
        InputError: a column is missing.
    """
    if not path.is_file():
        hint = "The path is relative to the workspace."
        raise InputError(Fault(relative_name(path, root), "no such file; a split divides by it", hint=hint))
    sheet = read_sheet(path, root, WHAT, ("date", "weight", *dimensions), ("date",))
    frame = sheet.frame
    if "weight" not in frame.columns:
        if len(dimensions) > 1:
            hint = f"Write date,{','.join(dimensions)},weight."
            raise InputError(Fault(sheet.name, "a measure of several dimensions without a column weight", hint=hint))
        wide = [name for name in frame.columns if name not in ("date", *PLACE)]
        frame = frame.unpivot(wide, index=["date", *PLACE], variable_name=dimensions[0], value_name="weight")
        frame = frame.filter(pl.col("weight").is_not_null())
    missing = [name for name in dimensions if name not in frame.columns]
    if missing:
        known = ", ".join(name for name in frame.columns if name not in PLACE)
        raise InputError(Fault(sheet.name, f"a measure without the column {', '.join(missing)}", known))
    columns = ["date", "weight", *dimensions]
    rows = start(WHAT, [type(sheet)(sheet.name, frame, sheet.rejects)], columns, ())
    rows.frame = rows.frame.with_columns(pl.col(columns).str.strip_chars())
    for name in columns:
        rows.refuse(pl.col(name).is_null(), name, MISSING)
    date = rows.frame.get_column("date")
    day = pl.select(pl.coalesce(parse_days(date), parse_months(date).dt.date())).to_series().rename("date")
    rows.read("date", day, "a day, YYYY-MM-DD, or a month, YYYY-MM", required=True)
    weight, _ = read_money(rows.frame.get_column("weight"))
    rows.read("weight", weight.set((weight < 0).fill_null(value=False), None), "a number, not negative", required=True)
    for name in dimensions:
        nobody = folds(rows.frame.get_column(name))
        bad = nobody.is_in([fold(one) for one in NOBODY])
        rows.refuse(pl.lit(bad), name, "somebody; nobody cannot receive")
    once = "one row a day and receiver; an earlier row says otherwise"
    return finish_once(rows, Measures, columns, ("date", *dimensions), once)
