"""Subjects and lines of the bills that count, read from the parts' roll-ups.

A subject_id is the part's number in the upper half and the subject's number in the part in the lower one: it
holds within one ledger, and says nothing across two.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.connection import RESTORE, frame
from attribution.ledger.disk import charges_folder
from attribution.ledger.rollup import RollUp
from schemas.costs import LINE_COLUMNS, SUBJECT_COLUMNS, SUBJECT_TEXT
from schemas.faults import Fault, InputError, LawBrokenError

if TYPE_CHECKING:
    import duckdb

_PARTS = """
SELECT b.bill_no, p.part_no, p.part_id, p.source, p.billing_month, p.rollup
FROM book.bills AS b
JOIN book.bill_parts AS bp USING (bill_no)
JOIN book.parts AS p USING (part_no)
WHERE b.superseded_run IS NULL
ORDER BY p.part_no
"""


def parts_that_count(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """The parts of the bills that count, however each is rolled up."""
    return frame(con, _PARTS)


def counting_parts(con: duckdb.DuckDBPyConnection, rollup: RollUp) -> pl.DataFrame:
    """The parts of the bills that count, all of them rolled up so."""
    parts = parts_that_count(con)
    other = parts.filter(pl.col("rollup") != rollup.folder)
    if other.height:
        message = f"{other.height} parts are rolled up in another way; Ledger.roll_up comes before reading lines"
        raise LawBrokenError(message)
    return parts


def subject_id(part_no: int) -> pl.Expr:
    """The ledger's number of a subject, from its number in its part."""
    return (pl.col("subject_no").cast(pl.Int64) + pl.lit(part_no * 2**32, pl.Int64)).alias("subject_id")


def subjects(con: duckdb.DuckDBPyConnection, store: Path, rollup: RollUp) -> pl.DataFrame:
    """One row a subject: SUBJECT_COLUMNS and the roll-up's extra columns."""
    return subjects_in(counting_parts(con, rollup), store, rollup)


def subjects_in(parts: pl.DataFrame, store: Path, rollup: RollUp) -> pl.DataFrame:
    """The subjects of some parts, which are rolled up so in a store."""
    schema = {**SUBJECT_COLUMNS, **dict.fromkeys(rollup.extra, pl.String())}
    frames = [
        subjects_of(store, part).select(
            subject_id(part["part_no"]),
            pl.lit(part["bill_no"], pl.Int32).alias("bill_no"),
            pl.lit(part["source"]).alias("source"),
            pl.lit(part["billing_month"], pl.Date).alias("billing_month"),
            *SUBJECT_TEXT,
            *rollup.extra,
        )
        for part in parts.to_dicts()
    ]
    return pl.concat([pl.LazyFrame(schema=schema), *frames]).collect().sort("subject_id")


def lines(con: duckdb.DuckDBPyConnection, store: Path, rollup: RollUp) -> pl.LazyFrame:
    """One row a subject and day: LINE_COLUMNS. Row order is not promised."""
    return lines_in(counting_parts(con, rollup), store)


def lines_in(parts: pl.DataFrame, store: Path) -> pl.LazyFrame:
    """The lines of some parts in a store."""
    frames = [
        pl.scan_parquet(_files(store, part, "lines")).with_columns(subject_id(part["part_no"])).select(*LINE_COLUMNS)
        for part in parts.to_dicts()
    ]
    return pl.concat([pl.LazyFrame(schema=LINE_COLUMNS), *frames])


def subjects_of(store: Path, part: dict[str, str]) -> pl.LazyFrame:
    """The subjects of one part: subject_no and text."""
    return pl.scan_parquet(_files(store, part, "subjects"))


def _files(store: Path, part: dict[str, str], kind: str) -> list[Path]:
    folder = charges_folder(store) / part["part_id"] / part["rollup"]
    files = sorted(folder.glob(f"{kind}-*.parquet"))
    if not files:
        raise InputError(Fault(str(store), f"the {kind} in {folder.relative_to(store)} are gone", hint=RESTORE))
    return files
