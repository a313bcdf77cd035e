"""Charges rolled up to the day: what a charge is about becomes a subject, its money a line.

The surprise: two 64-bit hashes of a row of text stand for that row. They live only inside one run and
are never stored, for a hash of polars is no stable format; what is stored are numbers counted from 0.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from attribution.ledger.disk import write_rows
from schemas.charges import columns_of
from schemas.costs import SIGNS, SUBJECT_TEXT, sign_of
from schemas.money import COSTS, known_sum

SUBJECTS_A_BLOCK = 1 << 16
"""Lines of so many subjects are merged at once; it bounds memory, not the result."""

_DAY = pl.duration(days=1)
# More days than a calendar has, and where in them 1970 lies.
_DAYS = 1 << 23
_EPOCH = 1 << 22
_KEYS = ("key_one", "key_two")
_QUANTITY = pl.Decimal(38, 12)
_LARGEST_QUANTITY = 1e22  # a sum of these still fits; no meter counts so far, and more is unknown rather than wrong


@dataclass(frozen=True)
class RollUp:
    """How charges become lines: the zone whose days count, and columns beyond SUBJECT_TEXT that rules name."""

    timezone: str = "UTC"
    columns: tuple[str, ...] = ()
    zones: tuple[tuple[str, str], ...] = ()  # source -> the zone it writes its instants in; UTC unless named

    @property
    def extra(self) -> tuple[str, ...]:
        """The columns beyond SUBJECT_TEXT, once each and in a fixed order."""
        return tuple(sorted(set(self.columns) - set(SUBJECT_TEXT)))

    def day_of(self, source: str) -> pl.Expr:
        """The usage_date of a source's charges."""
        return usage_date(self.timezone, dict(self.zones).get(source, "UTC"))

    def day(self) -> pl.Expr:
        """The usage_date of charges of any source, told by their column `source`."""
        counted = usage_date(self.timezone)
        for source, zone in self.zones:
            counted = pl.when(pl.col("source") == source).then(usage_date(self.timezone, zone)).otherwise(counted)
        return counted

    @property
    def folder(self) -> str:
        """Name of the folder of such a roll-up inside a part: the same statement, the same name."""
        statement = json.dumps([self.timezone, self.extra, SUBJECT_TEXT])
        return f"rollup-{hashlib.sha256(statement.encode()).hexdigest()[:12]}"


def usage_date(timezone: str, billed_in: str = "UTC") -> pl.Expr:
    """Date a charge counts for: where it starts in `timezone`; a charge of a day or longer keeps its date as billed.

    Args:
        timezone: the workspace's.
        billed_in: the zone that the source writes its instants in.
    """
    start = pl.col("ChargePeriodStart")
    if timezone == billed_in:
        return start.dt.convert_time_zone(timezone).dt.date()
    long = pl.col("ChargePeriodEnd") - start >= _DAY
    as_billed, as_counted = (start.dt.convert_time_zone(zone).dt.date() for zone in (billed_in, timezone))
    return pl.when(long).then(as_billed).otherwise(as_counted)


_MONEY = tuple(known_sum(name) for name in (*COSTS, "ConsumedQuantity"))


class RollUpWriter:
    """Rolls up one part while its charges pass by, batch after batch, into a folder of its own.

    Files are `subjects-NNNN.parquet` (subject_no and text) and `lines-NNNN.parquet` (subject_no, usage_date,
    costs, quantity). A subject stands in one file, and after `finish` a (subject, day) is one line.
    """

    def __init__(self, folder: Path, rollup: RollUp, source: str) -> None:
        folder.mkdir()
        self._day = rollup.day_of(source).alias("usage_date")
        self._folder = folder
        self._rollup = rollup
        self._seen = pl.DataFrame(schema={key: pl.UInt64() for key in _KEYS} | {"subject_no": pl.UInt32()})
        self._asked = list(_KEYS[:1])
        self._batches = 0
        self._partials: dict[int, list[Path]] = defaultdict(list)

    def write(self, charges: pl.DataFrame) -> None:
        """Add a batch of charges (checked; columns without any value may be missing)."""
        text = subject_text(charges, self._rollup.extra)
        # 128 bits: a billion different subjects collide with a chance below 1e-20, and seeds differ per half.
        keys = pl.DataFrame({key: text.hash_rows(seed=seed) for seed, key in enumerate(_KEYS, start=1)})
        numbers, new = self._number(keys)
        if new.len():
            # A filter takes rows of text five times as fast as a gather.
            met = pl.zeros(text.height, pl.Boolean, eager=True).scatter(new, values=True)
            subjects = text.filter(met).insert_column(0, numbers.gather(new))
            write_rows(subjects, self._folder / f"subjects-{self._batches:04}.parquet")
        lines = (
            pl.concat(
                [
                    numbers.to_frame().lazy(),
                    charges.lazy()
                    .with_columns(columns_of(charges, (*COSTS, "ConsumedQuantity")))
                    .select(self._day, *COSTS, _whole_units("ConsumedQuantity")),
                ],
                how="horizontal",
            )
            .group_by(_place())
            .agg(_MONEY)
            .collect()
        )
        for block, rows in _blocks(lines) if self._seen.height > SUBJECTS_A_BLOCK else [(0, lines)]:
            path = self._folder / f"partial-{block:04}-{self._batches:04}.arrow"
            rows.write_ipc(path)  # read once more and removed: packing it would take longer than all else here
            self._partials[block].append(path)
        self._batches += 1

    def _number(self, keys: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
        """The subject_no of each row, new ones counted on in order of appearance; and the first row of each new one.

        One half of the keys is asked, and the other only compared; once they disagree both are asked.
        """
        while True:
            numbers = _looked_up(keys, self._seen, self._asked)
            unmet = numbers.is_null().arg_true()
            left = keys[unmet]
            first = left.select(pl.struct(self._asked).is_first_distinct()).to_series()
            met = self._seen.height
            more = pl.int_range(met, met + int(first.sum()), dtype=pl.UInt32, eager=True).alias("subject_no")
            seen = pl.concat([self._seen, left.filter(first).with_columns(more)])
            numbers = numbers.scatter(unmet, _looked_up(left, seen[met:], self._asked))
            if seen.get_column(_KEYS[1]).gather(numbers).equals(keys.get_column(_KEYS[1])):
                self._seen = seen
                return numbers, unmet.filter(first)
            self._asked = list(_KEYS)

    def finish(self) -> Iterator[Path]:
        """Merge the batches' lines, block by block of subjects, so that memory does not grow with the bill.

        Yields:
            Each file of lines, once it is whole.
        """
        for number, block in enumerate(sorted(self._partials)):
            partials = pl.scan_ipc(self._partials[block])
            if len(self._partials[block]) > 1:
                partials = partials.group_by("place").agg(_MONEY)
            lines = partials.sort("place").select(*_from_place(), *COSTS, pl.col("ConsumedQuantity").cast(pl.Float64))
            file = self._folder / f"lines-{number:04}.parquet"
            write_rows(lines.collect(), file)
            for partial in self._partials[block]:
                partial.unlink()
            yield file


def _blocks(lines: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    block = (pl.col("place") // (SUBJECTS_A_BLOCK * _DAYS)).alias("block")
    for (number,), rows in lines.with_columns(block).partition_by("block", as_dict=True, include_key=False).items():
        yield int(number), rows


def _looked_up(keys: pl.DataFrame, seen: pl.DataFrame, asked: list[str]) -> pl.Series:
    """The subject_no of each row, null where it was not seen."""
    known = keys.lazy().join(seen.lazy().select(*asked, "subject_no"), on=asked, how="left", maintain_order="left")
    return known.select("subject_no").collect().to_series()


def _place() -> pl.Expr:
    """A subject and a day as one whole number, since one key groups and sorts faster than two."""
    day = pl.col("usage_date").to_physical() + _EPOCH
    return (pl.col("subject_no").cast(pl.Int64) * _DAYS + day).alias("place")


def _from_place() -> tuple[pl.Expr, pl.Expr]:
    subject, day = pl.col("place") // _DAYS, pl.col("place") % _DAYS - _EPOCH
    return subject.cast(pl.UInt32).alias("subject_no"), day.cast(pl.Int32).cast(pl.Date).alias("usage_date")


def subject_text(charges: pl.DataFrame, extra: tuple[str, ...]) -> pl.DataFrame:
    """The columns a subject is made of, all text; one that this batch does not have is null."""
    signs = {sign_of(cost): cost for cost in COSTS if sign_of(cost) in extra}
    names = [name for name in (*SUBJECT_TEXT, *extra) if name not in signs]
    amounts = zip(signs, columns_of(charges, signs.values()), strict=True)
    return charges.select(
        *(column.cast(pl.String) for column in columns_of(charges, names)),
        *(_sign(amount).alias(name) for name, amount in amounts),
    )


def _sign(cost: pl.Expr) -> pl.Expr:
    """A word of SIGNS; null where the cost is unknown."""
    words = zip((cost > 0, cost < 0, cost == 0), SIGNS, strict=True)
    return pl.coalesce(pl.when(so).then(pl.lit(word)) for so, word in words)


def _whole_units(name: str) -> pl.Expr:
    """A quantity as decimal, so that its sum does not depend on the order of rows, as one of floats would."""
    value = pl.col(name)
    return pl.when(value.is_finite() & (value.abs() < _LARGEST_QUANTITY)).then(value).cast(_QUANTITY).alias(name)
