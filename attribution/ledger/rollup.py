"""Charges rolled up to the day: what a charge is about becomes a subject, its money a line.

The surprise: two 64-bit hashes of a row of text stand for that row. They live only inside one run and
are never stored, for a hash of polars is no stable format; what is stored are numbers counted from 0.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from schemas.costs import SUBJECT_TEXT
from schemas.money import COSTS

MERGE_ROWS = 2_000_000
"""How many partial lines are merged at once; it bounds memory, not the result."""

_DAY = pl.duration(days=1)
_KEYS = ("key_one", "key_two")
_QUANTITY = pl.Decimal(38, 12)
_LARGEST_QUANTITY = 1e22  # a sum of these still fits; no meter counts so far, and more is unknown rather than wrong


@dataclass(frozen=True)
class RollUp:
    """How charges become lines: the zone whose days count, and columns beyond SUBJECT_TEXT that rules name."""

    timezone: str = "UTC"
    columns: tuple[str, ...] = ()

    @property
    def extra(self) -> tuple[str, ...]:
        """The columns beyond SUBJECT_TEXT, once each and in a fixed order."""
        return tuple(sorted(set(self.columns) - set(SUBJECT_TEXT)))

    @property
    def folder(self) -> str:
        """Name of the folder of such a roll-up inside a part: the same statement, the same name."""
        statement = json.dumps([self.timezone, self.extra, SUBJECT_TEXT])
        return f"rollup-{hashlib.sha256(statement.encode()).hexdigest()[:12]}"


def usage_date(timezone: str) -> pl.Expr:
    """Date a charge counts for: where it starts in `timezone`; a charge of a day or longer keeps its UTC date."""
    start = pl.col("ChargePeriodStart")
    if timezone == "UTC":
        return start.dt.date()
    long = pl.col("ChargePeriodEnd") - start >= _DAY
    return pl.when(long).then(start.dt.date()).otherwise(start.dt.convert_time_zone(timezone).dt.date())


def known_sum(name: str) -> pl.Expr:
    """Sum of a column where a value is known; null, not 0, where none is."""
    return pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name)


class RollUpWriter:
    """Rolls up one part while its charges pass by, batch after batch, into a folder of its own.

    Files are `subjects-NNNN.parquet` (subject_no and text) and `lines-NNNN.parquet` (subject_no, usage_date,
    costs, quantity). A subject stands in one file, and after `finish` a (subject, day) is one line.
    """

    def __init__(self, folder: Path, rollup: RollUp) -> None:
        folder.mkdir()
        self._folder = folder
        self._rollup = rollup
        self._seen = pl.DataFrame(schema={key: pl.UInt64() for key in _KEYS} | {"subject_no": pl.UInt32()})
        self._partials: list[Path] = []
        self._partial_rows = 0

    def write(self, charges: pl.DataFrame) -> None:
        """Add a batch of charges (CHARGE_COLUMNS, checked)."""
        text = _subject_text(charges, self._rollup.extra)
        # 128 bits: a billion different subjects collide with a chance below 1e-20, and seeds differ per half.
        keys = pl.DataFrame({key: text.hash_rows(seed=seed) for seed, key in enumerate(_KEYS, start=1)})
        self._number_new_subjects(keys, text)
        lines = (
            keys.lazy()
            .with_columns(
                charges.select(
                    usage_date(self._rollup.timezone).alias("usage_date"), *COSTS, _whole_units("ConsumedQuantity")
                ).get_columns()
            )
            .group_by(*_KEYS, "usage_date")
            .agg(known_sum(name) for name in (*COSTS, "ConsumedQuantity"))
            .join(self._seen.lazy(), on=_KEYS)
            .drop(_KEYS)
            .collect()
        )
        path = self._folder / f"partial-{len(self._partials):04}.parquet"
        lines.write_parquet(path, compression="zstd", compression_level=1)
        self._partials.append(path)
        self._partial_rows += lines.height

    def _number_new_subjects(self, keys: pl.DataFrame, text: pl.DataFrame) -> None:
        """Give each subject not met before the next number, in order of appearance, and write its text."""
        new = (
            keys.with_row_index("row")
            .unique(_KEYS, keep="first", maintain_order=True)
            .join(self._seen, on=_KEYS, how="anti", maintain_order="left")
        )
        if new.is_empty():
            return
        first = self._seen.height
        numbers = pl.int_range(first, first + new.height, dtype=pl.UInt32, eager=True).alias("subject_no")
        path = self._folder / f"subjects-{len(self._partials):04}.parquet"
        text[new.get_column("row")].insert_column(0, numbers).write_parquet(
            path, compression="zstd", compression_level=1
        )
        self._seen = pl.concat([self._seen, new.select(*_KEYS, numbers)])

    def finish(self) -> None:
        """Merge the batches' lines, range by range of subjects, so that memory does not grow with the bill."""
        ranges = max(1, -(-self._partial_rows // MERGE_ROWS))
        width = max(1, -(-self._seen.height // ranges))
        for number, start in enumerate(range(0, self._seen.height, width)):
            lines = (
                pl.scan_parquet(self._partials)
                .filter(pl.col("subject_no").is_between(start, start + width, closed="left"))
                .group_by("subject_no", "usage_date")
                .agg(known_sum(name) for name in (*COSTS, "ConsumedQuantity"))
                .with_columns(pl.col("ConsumedQuantity").cast(pl.Float64))
                .sort("subject_no", "usage_date")
                .collect()
            )
            lines.write_parquet(self._folder / f"lines-{number:04}.parquet", compression="zstd", compression_level=1)
        for partial in self._partials:
            partial.unlink()


def _subject_text(charges: pl.DataFrame, extra: tuple[str, ...]) -> pl.DataFrame:
    """The columns a subject is made of, all text; one that this bill does not have is null."""
    known = charges.columns
    return charges.select(
        *SUBJECT_TEXT,
        *((pl.col(name) if name in known else pl.lit(None)).cast(pl.String).alias(name) for name in extra),
    )


def _whole_units(name: str) -> pl.Expr:
    """A quantity as decimal, so that its sum does not depend on the order of rows, as one of floats would."""
    value = pl.col(name)
    return pl.when(value.is_finite() & (value.abs() < _LARGEST_QUANTITY)).then(value).cast(_QUANTITY).alias(name)
