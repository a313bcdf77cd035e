"""Deliveries by hand: charges from CHARGE_COLUMNS, and a store that they are posted to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from attribution.ledger import Ledger, RollUp
from attribution.ledger.settlement import Settled
from schemas.bills import REJECT_COLUMNS, BillFile, BillKey, Delivery, Totals
from schemas.charges import CHARGE_COLUMNS, without_blanks
from schemas.money import COSTS, add
from schemas.workspace import Mode, Source

AS_OF = datetime(2026, 11, 10, 6, tzinfo=UTC)
UTC_DAYS = RollUp()


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def charge(
    cost: str | None,
    *,
    day: str = "2026-09-03",
    hours: int = 1,
    month: str = "2026-09",
    **more: Any,  # noqa: ANN401 - any column of a charge
) -> dict[str, Any]:
    """One charge; `more` sets any column."""
    start = more.pop("start", None) or instant(f"{day}T10:00:00")
    year, number = map(int, month.split("-"))
    amount = None if cost is None else Decimal(cost)
    return {
        **dict.fromkeys(COSTS, amount),
        "BillingAccountId": "acct-1",
        "BillingCurrency": "USD",
        "BillingPeriodStart": datetime(year, number, 1, tzinfo=UTC),
        "BillingPeriodEnd": datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC),
        "ChargePeriodStart": start,
        "ChargePeriodEnd": start + timedelta(hours=hours),
        "ChargeCategory": "Usage",
        "ServiceName": "Compute",
        "ResourceId": "res-1",
        "ConsumedQuantity": 0.1,
    } | more


def charges(*rows: dict[str, Any], file_id: str = "0" * 16) -> pl.DataFrame:
    numbered = [{"file_id": file_id, "row_number": number, **row} for number, row in enumerate(rows, start=1)]
    extra = sorted({name for row in rows for name in row} - CHARGE_COLUMNS.keys())
    schema = {**CHARGE_COLUMNS, **dict.fromkeys(extra, pl.String())}
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in numbered], schema=schema)


@dataclass(frozen=True)
class Bill:
    """A delivery as a test states it: where it lies, and batches of charges."""

    path: str
    batches: Sequence[Sequence[dict[str, Any]]]
    mode: Mode | None = None
    order_key: str | None = None
    current: bool | None = None
    empty_keys: tuple[BillKey, ...] = ()
    rejects: int = 0
    rejected: str = "0"
    source: str = "meridian"
    reading: str = ""
    beside: tuple[str, ...] = ()
    shrink: str = "1"

    @property
    def delivery(self) -> Delivery:
        content = hashlib.sha256(repr(self.batches).encode()).hexdigest()
        paths = (self.path, *self.beside)
        files = tuple(BillFile(Path("/nowhere") / path, path, content, 1) for path in paths)
        digest = hashlib.sha256((content + self.reading).encode()).hexdigest()
        source = Source(self.source, "*.csv", delivery=self.mode, shrink=Decimal(self.shrink))
        return Delivery(source, "focus", files, digest, self.order_key, self.current, self.empty_keys)


def bill(path: str, *rows: dict[str, Any], **more: Any) -> Bill:  # noqa: ANN401 - Bill's own fields
    return Bill(path, (rows,), **more)


def start(ledger: Ledger, as_of: datetime = AS_OF) -> int:
    return ledger.start_run("test", as_of=as_of, started_at=as_of, versions={"program": "0"})


def post(ledger: Ledger, one: Bill, run: int, rollup: RollUp = UTC_DAYS, *, again: bool = False) -> None:
    """As the steps do: unless it is read already."""
    delivery = one.delivery
    if ledger.is_read(delivery.digest) and not again:
        return
    with ledger.writing(delivery, rollup) as writer:
        for batch in one.batches:
            writer.write(without_blanks(charges(*batch, file_id=delivery.files[0].file_id)))
        parts = writer.finish()
    stored = {name: sum((part.total(name) or Decimal(0) for part in parts), Decimal(0)) for name in COSTS}
    rejected = {"BilledCost": Decimal(one.rejected)}
    stated = stored | {"BilledCost": add(stored["BilledCost"], rejected["BilledCost"])}
    totals = Totals(rows=sum(part.rows for part in parts), stated=stated, stored=stored, rejected=rejected)
    row = {"source": one.source, "file": one.path, "line": 2, "column": "BilledCost", "check": "number",
           "value": "abc", "outcome": "row refused"}  # fmt: skip
    rejects = pl.DataFrame([row] * one.rejects, schema=REJECT_COLUMNS)
    ledger.post(delivery, parts, totals, rejects=rejects, run=run)


def ingest(ledger: Ledger, *bills: Bill, as_of: datetime = AS_OF, accept: Sequence[str] = ()) -> Settled:
    """One run over what lies on disk now."""
    run = start(ledger, as_of)
    for one in bills:
        post(ledger, one, run)
    settled = ledger.settle_bills([one.delivery for one in bills], [], run, accept)
    ledger.end_run(run, "done", ended_at=as_of, counts={"bills": len(bills)})
    return settled


def content(ledger: Ledger, rollup: RollUp = UTC_DAYS) -> list[tuple[Any, ...]]:
    """All lines that count with their subjects, without numbers that only this ledger knows."""
    subjects = ledger.subjects(rollup).lazy()
    bills = ledger.bills().lazy().select("bill_no", "bill_id")
    lines = ledger.lines(rollup).join(subjects, on="subject_id").join(bills, on="bill_no").drop("subject_id", "bill_no")
    return sorted(lines.collect().select(pl.all().cast(pl.String)).rows(), key=repr)


def costs_of(ledger: Ledger) -> list[str]:
    """BilledCost of each line that counts, sorted."""
    return sorted(str(cost.normalize()) for cost in ledger.lines(UTC_DAYS).collect().get_column("BilledCost"))


def month(text: str) -> date:
    return date.fromisoformat(f"{text}-01")
