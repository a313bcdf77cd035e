"""Rows of an ordinary CSV, parsed by polars from the unpacked bytes, without a copy on disk.

Ordinary is a file whose rows are lines, each as wide as the header, and that ends with them. polars parses it several
times as fast as whatever tells short rows, which polars fills with nulls and says nothing. So every byte is accounted
for: where cells, their quotes, line ends and just as many delimiters as whole rows have are not all that a block
holds, it is not ordinary, and is left to a more careful reader together with all that follows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from schemas.byte_counts import count_of

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Form:
    """How a CSV is read, in whichever way: its columns, what stands between cells, and cells that mean "no value".

    The empty cell always does. A frame is given at so many `rows` or bytes (`size`).
    """

    columns: Sequence[str]
    delimiter: str
    nulls: Sequence[str]
    rows: int
    size: int


class OutOfTheOrdinaryError(Exception):
    """From here on polars cannot be believed, and who tells more has to read."""


def ordinary_rows(blocks: Iterator[bytes], form: Form) -> Generator[pl.DataFrame]:
    """Frames of text columns in the file's order.

    Args:
        blocks: whole lines in UTF-8, without the header.
        form: how to read them.

    Raises:
        OutOfTheOrdinaryError: after the rows that stand before; no more is told of where.
    """
    held: list[pl.DataFrame] = []
    rows = length = 0
    quoting: list[str] = []
    odd = False
    for block in blocks:
        frame = _parsed(block, form, quoting)
        if odd := frame is None:
            break
        held.append(_without(frame, form.nulls))
        rows += frame.height
        length += len(block)
        if rows >= form.rows or length >= form.size:
            yield pl.concat(held)
            held, rows, length = [], 0, 0
    if rows:
        yield pl.concat(held)
    if odd:
        raise OutOfTheOrdinaryError


def _parsed(whole: bytes, form: Form, quoting: list[str]) -> pl.DataFrame | None:
    """The rows of a block; None where it is not ordinary. `quoting`: columns with quotes in their cells; it grows."""
    # Also of a line end within a cell; but then this is not what becomes of it.
    block = whole.replace(b"\r\n", b"\n") if b"\r" in whole else whole
    if not block.endswith(b"\n"):
        block += b"\n"  # of a last row without one polars drops a delimiter too many
    # polars drops single carriage returns; they and what else has no byte in a cell could stand in for delimiters.
    marks = b"\r" in block or (b"\xef" in block and _BOM in block)
    blank = len(form.columns) == 1 and (block.startswith(b"\n") or b"\n\n" in block)  # else it lacks delimiters
    if marks or blank:
        return None
    try:
        frame = pl.read_csv(
            block, has_header=False, schema=dict.fromkeys(form.columns, pl.String), separator=form.delimiter
        )
    except (pl.exceptions.ComputeError, pl.exceptions.SchemaError):
        return None  # a row too long, or quotes that make no sense: who reads it next says which
    return frame if frame.height == count_of(b"\n", block) and _adds_up(block, frame, quoting) else None


def _adds_up(block: bytes, frame: pl.DataFrame, quoting: list[str]) -> bool:
    """Whether cells, delimiters, quotes and line ends are all the bytes there are, with no delimiter missing.

    polars refuses rows that are too long, so there are at most as many delimiters as there should be. Quotes that are
    part of a cell cannot be seen from its length. They are counted column by column until the sum is right, first
    where there were some before.
    """
    cells: int = sum(frame.select(pl.all().str.len_bytes().sum()).row(0))
    around = len(block) - cells - frame.height * frame.width  # a row has a line end and one delimiter less than cells
    within = count_of(b'"', block) - around
    for name in (*quoting, *(name for name in frame.columns if name not in quoting)):
        if within <= 0:
            break
        here = _quotes(frame.get_column(name))
        if here and name not in quoting:
            quoting.append(name)
        within -= here
    return within == 0


def _quotes(cells: pl.Series) -> int:
    """How many quotes are part of cells; each distinct text is searched once."""
    distinct = cells.value_counts(name="times")
    within = distinct.get_column(cells.name).str.count_matches('"', literal=True)
    return int((within * distinct.get_column("times")).sum())


def _without(frame: pl.DataFrame, nulls: Sequence[str]) -> pl.DataFrame:
    """The cells that mean "no value" as nulls."""
    words = ("", *nulls)
    shortest = frame.select(pl.all().str.len_bytes().min()).row(0, named=True)
    longest = max(len(word.encode()) for word in words)
    some = [name for name, length in shortest.items() if length is not None and length <= longest]
    none = pl.lit(pl.Series(words)).implode()
    return frame.with_columns(pl.when(~pl.col(name).is_in(none)).then(pl.col(name)) for name in some)
