"""A delivery on its way into the store: split by bill, written, rolled up, read back.

Nothing here is in the ledger yet. Folders get their final names in `finish`; without the transaction
that follows they are nobody's, and the next delivery of that name or the next start removes them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from attribution.ledger.connection import RESTORE
from attribution.ledger.disk import WRITING, charges_folder, put_folder, write_rows
from attribution.ledger.rollup import RollUp, RollUpWriter
from attribution.ledger.verify import ReadBack, read_charges_back, read_roll_up_back, same
from schemas.bills import BillKey, Delivery
from schemas.charges import columns_of
from schemas.faults import Fault, InputError
from schemas.money import COSTS, add, known_sum

# The east-most clock is 14 hours ahead of UTC: a month that begins there at midnight begins in UTC the day
# before, and one that begins later (Pacific time) is still the same month 14 hours on.
_EASTMOST = pl.duration(hours=14)


@dataclass
class Part:
    """What one delivery holds of one bill. `sums`: currency -> cost column -> exact sum, None where all are null."""

    part_id: str
    key: BillKey
    rollup: RollUp
    files: int = 0
    rows: int = 0
    sums: dict[str, dict[str, Decimal | None]] = field(default_factory=dict)
    rows_by_currency: dict[str, int] = field(default_factory=dict)
    priced: bool = False  # some cost is not zero
    used: bool = False  # some quantity is above zero; not looked for once there is a price
    watermark: datetime | None = None  # the last ChargePeriodEnd among charges of a day or shorter
    first_usage_date: date | None = None
    last_usage_date: date | None = None

    def total(self, column: str) -> Decimal | None:
        """Control total of a cost column over all currencies; None where every charge has null."""
        return _plus(*(sums[column] for sums in self.sums.values()))


def billing_month() -> pl.Expr:
    """First day of the month a charge is billed in, by its BillingPeriodStart, whatever the provider's clock."""
    return (pl.col("BillingPeriodStart") + _EASTMOST).dt.date().dt.month_start()


def part_id(delivery: Delivery, key: BillKey) -> str:
    """Name of a part: the same content read the same way has the same name in every run and order."""
    named = json.dumps([delivery.source.name, delivery.digest, key.billing_account, key.billing_month.isoformat()])
    return hashlib.sha256(named.encode()).hexdigest()[:24]


class DeliveryWriter:
    """Takes the good batches of one delivery. A context: left by an error, nothing of it stays."""

    def __init__(self, store: Path, delivery: Delivery, rollup: RollUp, stored: Collection[str] = ()) -> None:
        self._stored = stored
        self._folder = charges_folder(store)
        self._delivery = delivery
        self._rollup = rollup
        self._open: dict[BillKey, _PartWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._open.values():
            shutil.rmtree(writer.folder, ignore_errors=True)

    def write(self, charges: pl.DataFrame) -> None:
        """Add a batch.

        Args:
            charges: CHARGE_COLUMNS and any `x_` columns, checked; one row a charge. FOCUS's columns without any
                value may be missing.
        """
        if charges.is_empty():
            return
        bills = charges.select("BillingAccountId", billing_month().alias("billing_month"))
        keys = bills.unique().sort(pl.all()).rows()
        for account, month in keys:
            mine = charges
            if len(keys) > 1:
                mine = charges.filter((bills["BillingAccountId"] == account) & (bills["billing_month"] == month))
            key = BillKey(self._delivery.source.name, account, month)
            if key not in self._open:
                part = Part(part_id(self._delivery, key), key, self._rollup)
                self._open[key] = _PartWriter(self._folder / f"{part.part_id}{WRITING}", part)
            self._open[key].write(mine)

    def finish(self) -> list[Part]:
        """Complete, read back, sync and name the parts; they count once they are posted.

        A part of a delivery read again that is stored stays as it is, for somebody may be reading it.

        Raises:
            LawBrokenError: what was written does not read back as it was.
        """
        for writer in self._open.values():
            writer.finish()
        for writer in self._open.values():
            if writer.part.part_id in self._stored:
                shutil.rmtree(writer.folder)
            else:
                put_folder(writer.folder, self._folder / writer.part.part_id)
        return [writer.part for writer in self._open.values()]


class _PartWriter:
    def __init__(self, folder: Path, part: Part) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder
        self.part = part
        self._rollup = RollUpWriter(folder / part.rollup.folder, part.rollup, part.key.source)
        self._read_back: list[ReadBack] = []

    def write(self, charges: pl.DataFrame) -> None:
        path = self.folder / f"charges-{self.part.files:04}.parquet"

        def pack() -> ReadBack:
            write_rows(charges, path)
            return read_charges_back(path)

        # Packing a file keeps one core busy and rolling up another; both only read the batch.
        with ThreadPoolExecutor(1, "charges") as beside:
            packed = beside.submit(pack)
            self._rollup.write(charges)
            self._count(charges)
            self._read_back.append(packed.result())

    def _count(self, charges: pl.DataFrame) -> None:
        part = self.part
        part.files += 1
        part.rows += charges.height
        costs = charges.lazy().select("BillingCurrency", *columns_of(charges, COSTS))
        money = costs.group_by("BillingCurrency").agg(pl.len().alias("rows"), *map(known_sum, COSTS))
        for row in money.collect().to_dicts():
            currency = row["BillingCurrency"]
            before = part.sums.get(currency, dict.fromkeys(COSTS))
            part.sums[currency] = {name: _plus(before[name], row[name]) for name in COSTS}
            part.rows_by_currency[currency] = part.rows_by_currency.get(currency, 0) + row["rows"]
        if not part.priced:
            seen = charges.select(*columns_of(charges, (*COSTS, "ConsumedQuantity")))
            part.priced = bool(seen.select(pl.any_horizontal(pl.col(COSTS) != 0).any()).item())
            part.used |= bool((seen.get_column("ConsumedQuantity") > 0).any())
        short = pl.col("ChargePeriodEnd") - pl.col("ChargePeriodStart") <= pl.duration(days=1)
        days = part.rollup.day_of(part.key.source)
        mark, first, last = charges.select(
            pl.col("ChargePeriodEnd").filter(short).max(), days.min().alias("first"), days.max().alias("last")
        ).row(0)
        part.watermark = max((known for known in (part.watermark, mark) if known), default=None)
        part.first_usage_date = min(first, part.first_usage_date or first)
        part.last_usage_date = max(last, part.last_usage_date or last)

    def finish(self) -> None:
        totals = {column: self.part.total(column) for column in COSTS}
        same(f"{self.folder}: charges", totals, self._read_back, self.part.rows)
        read_roll_up_back(self.folder / self.part.rollup.folder, self._rollup.finish(), totals)


def roll_up_again(
    store: Path, part: str, source: str, rollup: RollUp, *, rows: int, totals: dict[str, Decimal | None]
) -> None:
    """Make new subjects and lines of a stored part from its charges; the old ones stay until they are unregistered."""
    folder = charges_folder(store) / part
    temporary = folder / f"{rollup.folder}{WRITING}"
    shutil.rmtree(temporary, ignore_errors=True)
    writer = RollUpWriter(temporary, rollup, source)
    files = sorted(folder.glob("charges-*.parquet"))
    same(f"{folder}: charges", totals, map(read_charges_back, files), rows)
    for file in files:
        writer.write(pl.read_parquet(file))
    read_roll_up_back(temporary, writer.finish(), totals)
    put_folder(temporary, folder / rollup.folder)


def roll_up_beside(store: Path, beside: Path, part: str, source: str, rollup: RollUp) -> None:
    """Roll up a stored part into the folder of another store, which has links to its charges; the part stays as it is.

    Raises:
        InputError: its charges are gone.
    """
    files = sorted((charges_folder(store) / part).glob("charges-*.parquet"))
    if not files:
        raise InputError(Fault(str(store), f"the charges of part {part} are gone", hint=RESTORE))
    (charges_folder(beside) / part).mkdir(parents=True)
    writer = RollUpWriter(charges_folder(beside) / part / rollup.folder, rollup, source)
    for file in files:
        (charges_folder(beside) / part / file.name).symlink_to(file)
        writer.write(pl.read_parquet(file))
    tuple(writer.finish())


def _plus(*amounts: Decimal | None) -> Decimal | None:
    """Sum of what is known, None where nothing is."""
    known = [amount for amount in amounts if amount is not None]
    return add(*known) if known else None
