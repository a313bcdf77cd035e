"""The last step of every reader: columns read so far become a Batch; bad rows go out, with their money."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

import polars as pl

from attribution.bills.cells import NULL_WORDS, read_costs
from attribution.bills.refusals import Refusals
from attribution.bills.table_file import OpenTable, RawRows
from attribution.bills.tag_text import TagTexts
from schemas.bills import REJECT_COLUMNS, ROW_REFUSED, Batch, Delivery, Notice, no_rejects
from schemas.cell_checks import MISSING
from schemas.charges import CHARGE_COLUMNS, REQUIRED
from schemas.money import add, sum_exactly
from schemas.resource_ids import DAMAGED, damaged_ids, fold_azure_ids
from schemas.words import counted
from schemas.workspace import Source

_IDS = ("BillingAccountId", "SubAccountId", "ResourceId")
LONGEST = 4096
"""So much of a refused row is kept: enough to find it again, and no blob."""
NO_SERVICE = "(no service)"


@dataclass
class Reading:
    """One raw batch on its way to charges: what was read, what failed, and the money beside the charges."""

    rows: RawRows
    table: OpenTable
    source: Source
    columns: dict[str, pl.Series] = field(default_factory=dict)
    refusals: Refusals = field(init=False)
    residual: dict[str, Decimal] = field(default_factory=dict)
    rejected: dict[str, Decimal] = field(default_factory=dict)
    netted: dict[str, Decimal] = field(default_factory=dict)
    # Instants that were written and are none; periods are never filled in their place.
    unread: dict[str, pl.Series] = field(default_factory=dict)
    # FOCUS column -> raw column, where they differ; messages speak of what stands in the file.
    raw_names: dict[str, str] = field(default_factory=dict)
    # Costs as the file has them, where the mapping changes them.
    as_billed: dict[str, pl.Series] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    # Texts of money columns that mean "no value"; of several columns the first with another text counts.
    blanks: tuple[str, ...] = NULL_WORDS
    _nulls: dict[pl.DataType, pl.Series] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """No row has failed yet."""
        self.refusals = Refusals(self.rows.frame.height)

    def fail(self, mask: pl.Series, name: str, check: str, values: pl.Series | None, *, required: bool) -> None:
        """Note failures of a charge column under the name that the file has for it."""
        self.refusals.add(mask, self.raw_names.get(name, name), check, values, required=required)

    def tell(self, kind: str, what: str, amount: Decimal | None = None) -> None:
        """Note something that had to be decided about the file."""
        self.notices.append(Notice(kind, self.rows.head.file.name, what, amount))

    def read_tags(self, tags: TagTexts, raw: pl.Series, check: str = "a JSON object of tags") -> None:
        """The canonical text of each row's tags; a cell that holds none is told, and its charge stays."""
        self.columns["Tags"], bad = tags.read(raw)
        self.fail(bad, "Tags", check, raw, required=False)

    @property
    def height(self) -> int:
        """Rows of the raw batch."""
        return self.rows.frame.height

    def nulls(self, dtype: pl.DataType) -> pl.Series:
        """A column that the file does not have."""
        if dtype not in self._nulls:
            self._nulls[dtype] = pl.Series([None], dtype=dtype).new_from_index(0, self.height)
        return self._nulls[dtype]

    def text_of(self, lines: list[int]) -> dict[int, str]:
        """Rows of the file as written, cut where they are very long; a row of a Parquet file as JSON."""
        if self.table.csv:
            return self.table.texts(lines, LONGEST)
        numbers = self.rows.numbers
        chosen = self.rows.frame.filter(numbers.is_in(lines)).to_dicts()
        texts = (json.dumps(row, default=str, ensure_ascii=False)[:LONGEST] for row in chosen)
        return dict(zip(numbers.filter(numbers.is_in(lines)).to_list(), texts, strict=True))

    def get(self, name: str) -> pl.Series:
        """A charge column read so far, or nulls."""
        return self.columns.get(name, self.nulls(CHARGE_COLUMNS[name]))


def settle(reading: Reading) -> None:
    """What every bill needs once its columns are read: periods, a service, ids in one form, and nothing missing."""
    _settle_periods(reading)
    _fill_service(reading)
    _check_ids(reading)
    _check_present(reading)


def _settle_periods(reading: Reading) -> None:
    """Fill blank periods: the billing month from the charge's start, the charge's period from the billing period."""
    names = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")
    frame = pl.DataFrame({name: reading.get(name) for name in names})
    if not any(frame.get_column(name).null_count() for name in names):
        return
    stated = names[0] in reading.columns  # else the provider bills by calendar month, and nothing is amiss
    start, end, charge_start, charge_end = (pl.col(name) for name in names)
    zone = reading.source.timezone
    month = charge_start.dt.convert_time_zone(zone).dt.truncate("1mo")
    following = month.dt.offset_by("1mo")
    derived = start.is_null() & charge_start.is_not_null()
    undated = charge_start.is_null() & charge_end.is_null() & start.is_not_null()
    filled = frame.with_columns(
        pl.when(derived).then(month.dt.convert_time_zone("UTC")).otherwise(start).alias("BillingPeriodStart"),
        pl.when(derived & end.is_null())
        .then(following.dt.convert_time_zone("UTC"))
        .when(end.is_null())
        .then(start.dt.convert_time_zone(zone).dt.offset_by("1mo").dt.convert_time_zone("UTC"))
        .otherwise(end)
        .alias("BillingPeriodEnd"),
    ).with_columns(
        pl.when(undated).then(start).otherwise(charge_start).alias("ChargePeriodStart"),
        pl.when(undated).then(end).otherwise(charge_end).alias("ChargePeriodEnd"),
    )
    for name in names:
        unread = reading.unread.get(name)
        column = filled.get_column(name)
        reading.columns[name] = column if unread is None else column.set(unread, None)
    count = frame.select(derived.sum()).item()
    if count and stated:
        what = f"{counted(count, 'row')} without a billing period, which was derived from the start of the charge"
        reading.tell("billing_period_derived", what)


def _fill_service(reading: Reading) -> None:
    """Some providers name no service on purchases and rounding; such money is kept, under a name that says so."""
    blank = reading.get("ServiceName").null_count()
    if blank:
        reading.columns["ServiceName"] = reading.get("ServiceName").fill_null(NO_SERVICE)
        what = f'{counted(blank, "row")} without a service, kept under "{NO_SERVICE}"'
        reading.tell("service_missing", what)


def footer_notice(reading: Reading) -> None:
    """Tell once a file that lines after a blank one were taken for its footer."""
    text = reading.table.copied
    if text and text.footer and not reading.table.footer_told:
        reading.table.footer_told = True
        shown = " / ".join(text.footer)
        what = f"the file has a blank line at line {text.footer_line}; what follows it is no charge: {shown}"
        reading.tell("footer", what)


def _check_ids(reading: Reading) -> None:
    """Refuse ids that a spreadsheet damaged, and write Azure's ids in one case."""
    for name in _IDS:
        if name in reading.columns:
            ids = reading.columns[name]
            reading.fail(damaged_ids(ids), name, DAMAGED, ids, required=True)
    if "ResourceId" in reading.columns:
        reading.columns["ResourceId"] = fold_azure_ids(reading.columns["ResourceId"])


def _check_present(reading: Reading) -> None:
    """Refuse rows that lack what no charge can lack."""
    told = reading.refusals.bad
    for name in REQUIRED:
        missing = reading.get(name).is_null() & ~told
        reading.fail(missing, name, MISSING, None, required=True)


def extra_columns(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """`x_` name -> raw column; names are told apart without regard to case.

    Args:
        names: raw columns that map to nothing else.
        taken: `x_` names that are in use.
    """
    met = {name.casefold() for name in taken}
    extras: dict[str, str] = {}
    for name in names:
        extra = name if name.startswith("x_") else f"x_{re.sub('[/.]', '_', name) or 'unnamed'}"
        copies, unique = 1, extra
        while unique.casefold() in met:
            copies += 1
            unique = f"{extra}_{copies}"
        met.add(unique.casefold())
        extras[unique] = name
    return extras


def to_batch(reading: Reading, extras: dict[str, pl.Series], costs: dict[str, tuple[str, ...]]) -> Batch:
    """Make the batch.

    Args:
        reading: the columns and failures.
        extras: `x_` columns.
        costs: cost column -> raw columns, best first, of the costs that the file itself states.
    """
    bad = reading.refusals.bad
    for cost, raws in costs.items():
        gone = sum_exactly(reading.as_billed.get(cost, reading.get(cost)).filter(bad)) if bad.any() else Decimal(0)
        ragged = _ragged_money(reading, raws)
        reading.rejected[cost] = add(reading.rejected.get(cost, Decimal(0)), gone, ragged)
        reading.residual.setdefault(cost, Decimal(0))
    file = reading.rows.head.file
    charges = pl.DataFrame(
        {
            **{name: reading.get(name) for name in CHARGE_COLUMNS if name not in ("file_id", "row_number")},
            "file_id": pl.Series([file.file_id]).new_from_index(0, reading.height),
            "row_number": reading.rows.numbers,
            **extras,
        }
    )
    refused = reading.refusals.rejects(reading.source.name, file.name, reading.table.line_of, reading.rows.numbers)
    return Batch(
        charges=charges.filter(~bad) if bad.any() else charges,
        refused=pl.concat([refused, _ragged_rejects(reading)]),
        rows=reading.height + len(reading.rows.ragged),
        source=reading.source.name,
        files={file.file_id: file.name},
        line_of=lambda _, numbers: reading.table.line_of(numbers),
        residual=reading.residual,
        rejected=reading.rejected,
        netted=reading.netted,
        notices=reading.notices,
        text_of=lambda _, lines: reading.text_of(lines),
    )


def late_batch(
    delivery: Delivery, notices: list[Notice], charges: pl.DataFrame, line_of: Callable[[str, list[int]], list[int]]
) -> Batch:
    """What is known only when all rows of a delivery were read: charges that stand in no row of it, and notices."""
    return Batch(
        charges=charges,
        refused=no_rejects(),
        rows=0,
        source=delivery.source.name,
        files={file.file_id: file.name for file in delivery.files},
        line_of=line_of,
        notices=notices,
        # With a residual a column is one that the delivery states, so that money of refused rows is counted in it.
        residual={"BilledCost": Decimal(0)} if charges.height else {},
    )


def _ragged_rejects(reading: Reading) -> pl.DataFrame:
    rows = reading.rows.ragged
    lines = reading.table.line_of([row.number for row in rows]) if rows else []
    return pl.DataFrame(
        [
            (
                reading.source.name,
                reading.rows.head.file.name,
                line,
                "(row)",
                row.check,
                row.text,
                ROW_REFUSED,
            )
            for row, line in zip(rows, lines, strict=True)
        ],
        schema=REJECT_COLUMNS,
        orient="row",
    )


def _ragged_money(reading: Reading, raw_columns: tuple[str, ...]) -> Decimal:
    """Readable money of rows of a wrong width, by position, as the control sum counts it."""
    cells = ragged_cells(reading, raw_columns)
    if not any(cells):
        return Decimal(0)
    money, residual, _, too_large = read_costs(pl.Series(cells, dtype=pl.String), reading.source)
    return add(sum_exactly(money), residual, too_large)


def ragged_cells(reading: Reading, raw_columns: tuple[str, ...]) -> list[str | None]:
    """The first filled of some columns, by position, in each row of a wrong width."""
    if not reading.table.csv:
        return []
    places = [reading.rows.head.columns.index(raw) for raw in raw_columns]
    cells = []
    for row in reading.rows.ragged:
        fields = next(csv.reader([row.text], delimiter=reading.table.delimiter or ","), [])
        found = (fields[at] for at in places if at < len(fields))
        cells.append(next((cell for cell in found if cell not in ("", *reading.blanks)), None))
    return cells
