"""JSON lines: one object a line, laid out as columns of text, with every digit of a number as written.

The surprise: programs leave out what is null, so the columns of a file are known only when all of it was read. It is
read once, in pieces that are kept beside.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from attribution.bills.nested_cells import decoded
from schemas.encodings import BOM, proven
from schemas.faults import Fault, InputError
from schemas.packed import UnfinishedFileError, unpacked
from schemas.text_file import whole_lines

_PIECE = 50_000
_LINE = "\0line"  # no key of a file is called so
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass
class JsonTable:
    """A file of JSON lines as pieces on disk: its columns in order of appearance, and lines that are no object."""

    columns: tuple[str, ...] = ()
    pieces: list[Path] = field(default_factory=list)
    bad: list[tuple[int, str, str]] = field(default_factory=list)

    def frames(self) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
        """Rows with all columns, null where a line does not have one, and the number of each row's line."""
        for piece in self.pieces:
            frame = pl.read_ipc(piece)
            missing = [pl.lit(None, dtype=pl.String).alias(name) for name in self.columns if name not in frame.columns]
            yield frame.with_columns(missing).select(self.columns), frame.get_column(_LINE).alias("row_number")

    def scan(self) -> pl.LazyFrame:
        """All rows, unread."""
        return pl.concat([pl.LazyFrame(schema=dict.fromkeys(self.columns, pl.String))] + [
            pl.scan_ipc(piece).drop(_LINE) for piece in self.pieces
        ], how="diagonal")  # fmt: skip


def is_json(head: str) -> bool:
    """Whether a file that starts like this is JSON; no header of a table starts with a brace or a bracket."""
    return head.lstrip().startswith(("{", "["))


def first_keys(head: str, where: str) -> tuple[str, ...]:
    """Keys of the first line.

    Raises:
        InputError: it is no object, so the file is JSON but not JSON lines.
    """
    try:
        return tuple(read_line(head.encode(errors="surrogatepass")))
    except ValueError as error:
        hint = "Write one object a line, without a list around them."
        raise InputError(
            Fault(where, f"JSON is read as JSON lines, and its first line is {error}", hint=hint)
        ) from error


def lines_of(path: Path, where: str) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers from 1; the file may be packed.

    Raises:
        UnfinishedFileError: zero bytes, or packed and cut.
        InputError: not UTF-8.
    """
    number = 0
    for block in proven(whole_lines(unpacked(path, where)), where):
        for line in block.removeprefix(BOM).split(b"\n"):
            number += 1
            if line.strip():
                yield number, line
        number -= 1  # what follows the last line end belongs to the next block
    if not number:
        raise UnfinishedFileError(Fault(where, "the file has 0 bytes, so its export failed or still runs"))


def read_line(line: bytes) -> dict[str, Any]:
    """The object of a line; numbers as text.

    Raises:
        ValueError: with what it is instead.
    """
    try:
        found = decoded(line.decode())
    except json.JSONDecodeError as error:
        message = f"no JSON: {error.msg} at character {error.pos + 1}"
        raise ValueError(message) from error
    if not isinstance(found, dict):
        message = "no object"
        raise ValueError(message)  # noqa: TRY004 - the caller tells what stands in the file
    return found


def open_json(path: Path, where: str, target: Path, structs: Collection[str]) -> JsonTable:
    """Read a file into pieces.

    Args:
        path: the delivered file.
        where: what messages call it.
        target: what the names of the pieces start with; the caller removes them.
        structs: objects that are laid flat, `outer.inner`; others stay as JSON text.

    Raises:
        UnfinishedFileError: cut short, also within its last line.
        InputError: not UTF-8.
    """
    table = JsonTable()
    columns: dict[str, None] = {}
    rows: list[dict[str, str | None]] = []
    numbers: list[int] = []

    def keep() -> None:
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns.update(dict.fromkeys(names))
        piece = target.with_name(f"{target.name}-{len(table.pieces):06}.arrow")
        cells = {name: pl.Series([row.get(name) for row in rows], dtype=pl.String) for name in names}
        pl.DataFrame({**cells, _LINE: pl.Series(numbers, dtype=pl.Int64)}).write_ipc(piece)
        table.pieces.append(piece)
        rows.clear()
        numbers.clear()

    number, line = 0, b"\n"
    for number, line in lines_of(path, where):
        try:
            rows.append(_cells(read_line(line), structs))
        except ValueError as error:
            table.bad.append((number, str(error), line.decode().strip()))
            continue
        numbers.append(number)
        if len(rows) == _PIECE:
            keep()
    if rows:
        keep()
    if table.bad and table.bad[-1][0] == number and not line.rstrip().endswith(b"}"):
        raise UnfinishedFileError(Fault(where, f"the last line ({number}) stops before its end, so the file was cut"))
    table.columns = tuple(columns)
    return table


def _cells(row: dict[str, Any], structs: Collection[str]) -> dict[str, str | None]:
    cells: dict[str, str | None] = {}
    for name, value in row.items():
        if isinstance(value, str):
            cells[name] = value or None
        elif isinstance(value, dict) and name.lower() in structs:
            _lay_flat(cells, name, value)
        else:
            cells[name] = None if value is None else _ENCODE(value)
    return cells


def _lay_flat(cells: dict[str, str | None], outer: str, value: dict[str, Any]) -> None:
    for name, inner in value.items():
        if isinstance(inner, str):
            cells[f"{outer}.{name}"] = inner or None
        elif isinstance(inner, dict):
            _lay_flat(cells, f"{outer}.{name}", inner)
        else:
            cells[f"{outer}.{name}"] = None if inner is None else _ENCODE(inner)
