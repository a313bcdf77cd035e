"""What could not be read of a batch: collected value by value, told with file, line, column, check and the raw text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

import polars as pl

from schemas.bills import REJECT_COLUMNS, ROW_REFUSED, VALUE_UNKNOWN, Batch, no_rejects
from schemas.money import COSTS, sum_exactly


@dataclass
class Refusals:
    """Failures of one raw batch. `bad` marks rows that lost a value they cannot do without."""

    height: int
    bad: pl.Series = field(init=False)
    found: list[pl.DataFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start with no bad row."""
        self.bad = pl.Series("bad", [False], dtype=pl.Boolean).new_from_index(0, self.height)

    def add(self, mask: pl.Series, column: str, check: str, values: pl.Series | None, *, required: bool) -> None:
        """Note that the values under `mask` fail `check`; where required, their rows are refused."""
        mask = mask.fill_null(value=False)
        if not mask.any():
            return
        if required:
            self.bad = self.bad | mask
        rows = mask.arg_true()
        raw = pl.Series("value", [None], dtype=pl.String).new_from_index(0, rows.len())
        if values is not None:
            raw = values.gather(rows).cast(pl.String).rename("value")
        self.found.append(
            pl.DataFrame({"index": rows.cast(pl.UInt32), "value": raw}).with_columns(
                pl.lit(column).alias("column"),
                pl.lit(check).alias("check"),
                pl.lit(ROW_REFUSED if required else VALUE_UNKNOWN).alias("outcome"),
            )
        )

    def rejects(
        self, source: str, file: str, lines: Callable[[list[int]], list[int]], numbers: pl.Series
    ) -> pl.DataFrame:
        """All failures as REJECT_COLUMNS; `numbers` are the row numbers of the batch's rows."""
        if not self.found:
            return no_rejects()
        failures = pl.concat(self.found).sort("index", maintain_order=True)
        rows = numbers.gather(failures.get_column("index")).to_list()
        return failures.with_columns(
            pl.lit(source).alias("source"),
            pl.lit(file).alias("file"),
            pl.Series("line", lines(rows), dtype=pl.Int64),
        ).select(list(REJECT_COLUMNS))


@dataclass(frozen=True)
class Refused:
    """Charges that failed a check, as rejects, and their money by cost column."""

    rejects: pl.DataFrame
    money: dict[str, Decimal]


def refuse(batch: Batch, failures: pl.DataFrame) -> Refused:
    """Turn the failures of `schemas.check.check(batch.charges, Charges)` into rejects with file and line.

    Args:
        batch: the batch that was checked, while its delivery is still being read.
        failures: `Checked.failures`; `index` counts rows of `batch.charges`.
    """
    if not failures.height:
        return Refused(no_rejects(), {})
    rows = failures.get_column("index")
    origin = batch.charges.select("file_id", "row_number")[rows]
    lines: list[int] = [0] * failures.height
    for (file_id,), group in origin.with_row_index("at").group_by("file_id"):
        numbers = batch.line_of(str(file_id), group.get_column("row_number").to_list())
        for at, line in zip(group.get_column("at"), numbers, strict=True):
            lines[at] = line
    rejects = failures.with_columns(
        pl.lit(batch.source).alias("source"),
        origin.get_column("file_id").replace_strict(batch.files, return_dtype=pl.String).alias("file"),
        pl.Series("line", lines, dtype=pl.Int64),
        pl.lit(ROW_REFUSED).alias("outcome"),
    ).select(list(REJECT_COLUMNS))
    gone = batch.charges[rows.unique()]
    return Refused(rejects, {cost: sum_exactly(gone.get_column(cost)) for cost in COSTS if cost in batch.residual})


def with_texts(rejects: pl.DataFrame, batch: Batch, most: int) -> pl.DataFrame:
    """Rejects with `raw`: the row as it stands in the file, of the first `most` rows that were refused.

    Args:
        rejects: REJECT_COLUMNS, of this batch, while its delivery is still being read.
        batch: what they were refused of.
        most: so many texts are kept.
    """
    refused = rejects.filter(pl.col("outcome") == ROW_REFUSED).select("file", "line").unique(maintain_order=True)
    lines = refused.drop_nulls().head(max(most, 0))
    texts = [
        (name, line, text)
        for file_id, name in batch.files.items()
        if (mine := lines.filter(pl.col("file") == name).get_column("line").to_list())
        for line, text in batch.text_of(file_id, mine).items()
    ]
    schema = {"file": pl.String(), "line": pl.Int64(), "raw": pl.String()}
    found = pl.DataFrame(texts, schema=schema, orient="row")
    return rejects.join(found, on=["file", "line"], how="left", maintain_order="left", validate="m:1")
