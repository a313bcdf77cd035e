"""Day and month, point and comma: what a file's cells can mean is stated by its source or proven by the whole file.

The surprise: one cell is never enough. 05/06/2026 is a day in May or in June, and 1.234 is one or a thousand; only
another cell of the same file (13/06/2026, 0.5) tells. Where none does, the file is refused and asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from attribution.bills.table_file import OpenTable, first_rows, scan
from schemas.faults import Fault, InputError
from schemas.workspace import Source

# The first rows tell whether a file writes in a style that needs a proof; the proof is looked for in all of it.
_LOOKED_AT = 1_000
_LAST_MONTH = 12
_SHORT_DATE = r"^([0-9]{1,2})([/.-])([0-9]{1,2})[/.-][0-9]{4}(?:[ T]|$)"
_ISO = r"^[0-9]{4}-[0-9]"
# Three places after a mark may as well be thousands.
_COMMA = r"^[+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))$"
_POINT = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+|[0-9]*\.(?:[0-9]{1,2}|[0-9]{4,}))(?:[eE][+-]?[0-9]+)?$"


def proven_styles(table: OpenTable, source: Source, instants: Sequence[str], costs: Sequence[str]) -> Source:
    """The source, with the order of day and month that the file proves where the source states none.

    Args:
        table: the opened file.
        source: what is stated.
        instants: raw columns of instants; what one of them proves holds for all.
        costs: raw columns of money.

    Raises:
        InputError: dates or amounts can be read in two ways; or dates of both orders stand in the file.
    """
    faults: list[Fault] = []
    first = first_rows(table, _LOOKED_AT)
    if source.date_format is None:
        try:
            source = replace(source, date_format=_date_format(table, first, instants))
        except InputError as error:
            faults.extend(error.faults)
    if source.decimal == "." and not source.thousands:
        faults.extend(_comma_faults(table, first, costs))
    if faults:
        raise InputError(faults)
    return source


def _date_format(table: OpenTable, first: pl.LazyFrame, columns: Sequence[str]) -> str | None:
    """None where no column writes dates that could be read in two ways."""
    short = [name for name in columns if _is_short(_cells(first, [name]).collect())]
    if not short:
        return None
    dates = _short_dates(_cells(scan(table), short))
    mark = dates.item(0, "mark")
    dates = dates.filter(pl.col("mark") == mark)
    day_first = dates.filter(pl.col("first") > _LAST_MONTH)
    month_first = dates.filter(pl.col("second") > _LAST_MONTH)
    formats = (f"%m{mark}%d{mark}%Y", f"%d{mark}%m{mark}%Y")
    hint = f'State date_format = "{formats[0]}" (month first) or "{formats[1]}" (day first) in the source.'
    name = table.head.file.name
    if day_first.height and month_first.height:
        shown = f"{day_first.item(0, 'text')} and {month_first.item(0, 'text')}"
        raise InputError(Fault(name, f"dates in two orders of day and month stand in it: {shown}", hint=hint))
    if not day_first.height and not month_first.height:
        what = f"no date in it tells whether day or month comes first in {dates.item(0, 'text')}"
        raise InputError(Fault(name, what, hint=hint))
    return formats[1] if day_first.height else formats[0]


def _is_short(cells: pl.DataFrame) -> bool:
    """Whether a column writes short dates; where it writes ISO 8601, one of them is a bad cell."""
    text = cells.get_column("text")
    return text.str.contains(_SHORT_DATE).any() and not text.str.contains(_ISO).any()


def _short_dates(cells: pl.LazyFrame) -> pl.DataFrame:
    part = pl.col("text").str.extract_groups(_SHORT_DATE)
    return (
        cells.unique()
        .select("text", first=part.struct[0], mark=part.struct[1], second=part.struct[2])
        .drop_nulls("mark")
        .sort("text")
        .collect()
        .cast({"first": pl.Int8, "second": pl.Int8})
    )


def _comma_faults(table: OpenTable, first: pl.LazyFrame, columns: Sequence[str]) -> list[Fault]:
    comma = _cells(first, columns).filter(pl.col("text").str.contains(_COMMA)).head(1).collect()
    if comma.is_empty():
        return []
    if _cells(scan(table), columns).filter(pl.col("text").str.contains(_POINT)).head(1).collect().height:
        return []  # it writes points; a comma here and there is a bad cell
    what = f"amounts are written as {comma.item(0, 'text')}, and none with a decimal point"
    hint = 'State decimal = "," (and thousands = ".", where it has such marks) in the source.'
    if table.head.json:
        hint = "Write amounts as numbers of JSON, with a point."
    return [Fault(table.head.file.name, what, hint=hint)]


def _cells(query: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """All cells of some text columns, as one column `text`."""
    schema = query.collect_schema()
    texts = [query.select(pl.col(name).alias("text")) for name in columns if schema.get(name) == pl.String]
    return pl.concat([pl.LazyFrame(schema={"text": pl.String}), *texts])
