"""Small bills for tests, in the forms that providers deliver."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import polars as pl

from attribution.bills import find, read, stated
from schemas.bills import Batch, Delivery, Found, Notice, Stated
from schemas.money import add, sum_exactly
from schemas.workspace import Source

FOCUS_ROW = {
    "BillingAccountId": "004418230975",
    "BillingCurrency": "EUR",
    "BillingPeriodStart": "2026-09-01T00:00:00Z",
    "BillingPeriodEnd": "2026-10-01T00:00:00Z",
    "ChargePeriodStart": "2026-09-14T05:00:00Z",
    "ChargePeriodEnd": "2026-09-14T06:00:00Z",
    "ChargeCategory": "Usage",
    "ServiceName": "Object Storage",
    "ResourceId": "bkt-corpus",
    "BilledCost": "1.00",
    "EffectiveCost": "1.00",
    "ListCost": "2.00",
    "ContractedCost": "1.50",
    "Tags": "",
}
CUR_ROW = {
    "bill/PayerAccountId": "004418230975",
    "bill/BillingPeriodStartDate": "2026-09-01T00:00:00Z",
    "bill/BillingPeriodEndDate": "2026-10-01T00:00:00Z",
    "lineItem/UsageAccountId": "000903447716",
    "lineItem/LineItemType": "Usage",
    "lineItem/UsageStartDate": "2026-09-03T00:00:00Z",
    "lineItem/UsageEndDate": "2026-09-03T01:00:00Z",
    "lineItem/ProductCode": "AmazonEC2",
    "lineItem/UsageType": "BoxUsage:p5.48xlarge",
    "lineItem/ResourceId": "i-77aa",
    "lineItem/UsageAmount": "1",
    "lineItem/CurrencyCode": "USD",
    "lineItem/UnblendedCost": "98.32",
    "product/ProductName": "Amazon Elastic Compute Cloud",
}


def csv_text(rows: list[dict[str, str]], columns: list[str] | None = None, delimiter: str = ",") -> str:
    text = io.StringIO()
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(text, names, delimiter=delimiter, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def focus_text(*changes: dict[str, str], drop: tuple[str, ...] = (), delimiter: str = ",") -> str:
    """A FOCUS CSV with one row for each set of changed cells."""
    rows = [{name: cell for name, cell in (FOCUS_ROW | change).items() if name not in drop} for change in changes]
    return csv_text(rows, delimiter=delimiter)


def cur_text(*changes: dict[str, str]) -> str:
    """A legacy AWS report with one row for each set of changed cells."""
    return csv_text([CUR_ROW | change for change in changes])


def put(root: Path, name: str, content: str | bytes) -> Path:
    """Deliver a file; a name that ends with .gz is packed."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def manifest(root: Path, folder: str, assembly: str, parts: list[str], account: str = "004418230975") -> None:
    keys = [f"some-bucket-prefix/cur/{part}" for part in parts]
    put(
        root,
        f"{folder}/cur-Manifest.json",
        json.dumps({"assemblyId": assembly, "account": account, "reportKeys": keys}),
    )


@dataclass
class Everything:
    """All that reading one delivery gave."""

    delivery: Delivery
    charges: pl.DataFrame
    refused: pl.DataFrame
    stated: Stated
    rows: int = 0
    residual: dict[str, Decimal] = field(default_factory=dict)
    rejected: dict[str, Decimal] = field(default_factory=dict)
    netted: dict[str, Decimal] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)

    def total(self, cost: str) -> Decimal:
        return sum_exactly(self.charges.get_column(cost))

    def texts(self, column: str) -> list[str | None]:
        return self.charges.get_column(column).to_list()

    def why(self) -> list[tuple[int, str, str | None, str]]:
        return self.refused.select("line", "column", "value", "outcome").rows()

    def assert_nothing_lost(self) -> None:
        assert self.rows == self.stated.rows
        for cost, total in self.stated.totals.items():
            parts = [sums.get(cost, Decimal(0)) for sums in (self.residual, self.rejected, self.netted)]
            assert total == add(self.total(cost), *parts), cost


def look(root: Path, path: str = "**/*", **options: object) -> Found:
    return find(Source("cloud", path, **options), root)  # type: ignore[arg-type]


def read_delivery(delivery: Delivery) -> Everything:
    batches: list[Batch] = list(read(delivery))
    everything = Everything(
        delivery,
        pl.concat([batch.charges for batch in batches], how="diagonal"),
        pl.concat([batch.refused for batch in batches]),
        stated(delivery),
    )
    for batch in batches:
        everything.rows += batch.rows
        everything.notices += batch.notices
        for into, more in (
            (everything.residual, batch.residual),
            (everything.rejected, batch.rejected),
            (everything.netted, batch.netted),
        ):
            for cost, amount in more.items():
                into[cost] = add(into.get(cost, Decimal(0)), amount)
    everything.assert_nothing_lost()
    return everything


def read_only(root: Path, path: str = "**/*", **options: object) -> Everything:
    """Read the one delivery of a folder."""
    found = look(root, path, **options)
    assert not found.held_back
    (delivery,) = found.deliveries
    return read_delivery(delivery)


def told(bill: Everything) -> dict[str, list[dict[str, str]]]:
    """What a bill reads as, for a golden file: filled cells of charges and refused rows, and notices."""
    charges = bill.charges.select(col for col in bill.charges if col.null_count() < col.len()).drop("file_id")
    return {
        "charges": [{k: str(v) for k, v in row.items() if v is not None} for row in charges.to_dicts()],
        "refused": [{k: v for k, v in row.items() if v is not None} for row in bill.refused.to_dicts()],
        "notices": [{"kind": notice.kind, "sentence": notice.sentence} for notice in bill.notices],
    }
