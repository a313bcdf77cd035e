"""The operators' CSVs as text: columns by their contract's names, each row with the file and line it stands on."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from schemas.bills import REJECT_COLUMNS, ROW_REFUSED, no_rejects
from schemas.dimensions import fold
from schemas.faults import Fault, InputError, missing_columns
from schemas.paths import relative_name
from schemas.text_file import PlainText, delimiter_of, plain_text

PLACE = ("__file", "__line")


@dataclass(frozen=True)
class Read:
    """What was read: good rows, and rejects with file, line, column, check and value.

    `more`: further frames made of the same files, by their name in InputFrames.
    """

    frame: pl.DataFrame
    rejects: pl.DataFrame
    more: dict[str, pl.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class Sheet:
    """One CSV as text, null where a cell is blank; columns `__file` and `__line` tell where each row stands."""

    name: str
    frame: pl.DataFrame
    rejects: pl.DataFrame


def read_sheet(
    path: Path, root: Path, what: str, known: Sequence[str], required: Sequence[str], *, quoted: bool = True
) -> Sheet:
    """Read one CSV.

    Args:
        path: the file, packed or not.
        root: the workspace, for the file's name.
        what: which input it is; stands as `source` in rejects.
        known: column names of the contract; a header matches without regard to case, `-`, `_` and blanks.
        required: those that must be there.
        quoted: whether quotes keep separators inside a cell; some programs write none.

    Raises:
        InputError: unreadable, a required column missing, or a column twice; all such faults at once.
    """
    name = relative_name(path, root)
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        text = plain_text(path, name, Path(scratch) / "input.csv")
        header, cells, lines, ragged = _cells(text, quoted=quoted)
    columns = _columns(name, header, known, required)
    by_column = {column: cells[place :: len(columns)] for place, column in enumerate(columns)}
    frame = pl.DataFrame(by_column, schema=dict.fromkeys(columns, pl.String))
    frame = frame.with_columns(
        pl.when(pl.col(pl.String).str.strip_chars() == "").then(None).otherwise(pl.col(pl.String)).name.keep()
    ).with_columns(pl.lit(name).alias("__file"), pl.Series("__line", lines, dtype=pl.Int64))
    return Sheet(name, frame, _ragged(what, name, len(columns), ragged))


def sheets_by_kind(
    paths: Sequence[Path], root: Path, look: Callable[[Path, Path], tuple[str, Sheet | None]]
) -> dict[str, list[Sheet]]:
    """Files of one input that may be of several kinds, by kind; one that holds nothing is left out.

    Args:
        paths: the files.
        root: the workspace.
        look: path and workspace -> what a file is, and what it holds.

    Raises:
        InputError: what `look` finds wrong, of all files at once.
    """
    sheets: dict[str, list[Sheet]] = {}
    faults: list[Fault] = []
    for path in paths:
        try:
            kind, sheet = look(path, root)
        except InputError as error:
            faults.extend(error.faults)
            continue
        if sheet is not None:
            sheets.setdefault(kind, []).append(sheet)
    if faults:
        raise InputError(faults)
    return sheets


def empty_sheet(columns: Sequence[str]) -> Sheet:
    """What is read where there is no file."""
    schema = {**dict.fromkeys(columns, pl.String()), "__file": pl.String(), "__line": pl.Int64()}
    return Sheet("", pl.DataFrame(schema=schema), no_rejects())


def reject(frame: pl.DataFrame, what: str, column: str, check: str, outcome: str = ROW_REFUSED) -> pl.DataFrame:
    """Rejects of rows that still have their place; `column` names the one at fault, where it is in the frame."""
    value = pl.col(column).cast(pl.String) if column in frame.columns else pl.lit(None, dtype=pl.String)
    return frame.select(
        pl.lit(what).alias("source"),
        pl.col("__file").alias("file"),
        pl.col("__line").alias("line"),
        pl.lit(column).alias("column"),
        pl.lit(check).alias("check"),
        value.alias("value"),
        pl.lit(outcome).alias("outcome"),
    )


def _cells(text: PlainText, *, quoted: bool) -> tuple[list[str], list[str], list[int], list[tuple[int, list[str]]]]:
    """Header, cells of rows of the header's width, the line each of these rows starts on, and rows of another width.

    The cells are one list, for a list a row would have the collector of garbage look at all of them again and again.
    """
    cells: list[str] = []
    lines: list[int] = []
    ragged: list[tuple[int, list[str]]] = []
    with text.path.open(encoding="utf-8", newline="") as file:
        delimiter = delimiter_of(file.readline().rstrip("\r\n"))
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE)
        header = [cell.strip() for cell in next(reader, [])]
        line = reader.line_num + 1
        for row in reader:
            if len(row) == len(header):
                cells += row
                lines.append(line)
            elif row:
                ragged.append((line, row))
            line = reader.line_num + 1
    return header, cells, lines, ragged


def _columns(name: str, header: list[str], known: Sequence[str], required: Sequence[str]) -> list[str]:
    """The header in the contract's names; other columns keep theirs."""
    folded = {fold(one): one for one in known}
    columns = [folded.get(fold(one), one) for one in header]
    twice = [one for one in dict.fromkeys(columns) if columns.count(one) > 1]
    faults = [Fault(name, f'column "{one}" stands twice in the header') for one in twice]
    others = [one for one in columns if one not in known]
    faults += missing_columns(name, [one for one in required if one not in columns], header, others)
    if faults:
        raise InputError(faults)
    return columns


def _ragged(what: str, name: str, width: int, ragged: list[tuple[int, list[str]]]) -> pl.DataFrame:
    rows = [
        (what, name, line, "(row)", f"{width} fields, as the header has; found {len(row)}", ",".join(row), ROW_REFUSED)
        for line, row in ragged
    ]
    return pl.DataFrame(rows, schema=REJECT_COLUMNS, orient="row")
