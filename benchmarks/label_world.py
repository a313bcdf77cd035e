"""A whole workspace on disk, line by line: FOCUS bills of a day each, tags, an inventory, measurements, jobs.

Nothing here or in `labels_*.py` imports the product: what a label says was read in docs/detectors.md alone.
"""

from __future__ import annotations

import csv
import json
import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

FIRST, LAST = date(2026, 8, 1), date(2026, 11, 8)
"""First and last day that the bills hold; October is the last complete month."""
AS_OF = "2026-11-10T06:00:00Z"
OCTOBER, NOVEMBER = date(2026, 10, 1), date(2026, 11, 1)
Expected = Literal["waste", "near", "missing", "undetermined", "allowed"]
"""What must be said. `missing`: data is, so waste must not be called; `undetermined`: this must be told.

`allowed`: the words of the detector fit as well as not, so that neither answer counts.
"""
HEADER = (
    "ProviderName,PublisherName,InvoiceIssuerName,BillingAccountId,SubAccountId,BillingPeriodStart,BillingPeriodEnd,"
    "ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ChargeDescription,ChargeFrequency,BilledCost,EffectiveCost,"
    "ListCost,ContractedCost,PricingCategory,BillingCurrency,ConsumedQuantity,ConsumedUnit,ServiceName,ServiceCategory,"
    "SkuId,SkuMeter,ResourceId,ResourceName,ResourceType,RegionId,CommitmentDiscountId,CommitmentDiscountCategory,"
    "CommitmentDiscountType,CommitmentDiscountStatus,CapacityReservationId,CapacityReservationStatus,Tags"
).split(",")
SETTINGS = """currency = "USD"
timezone = "UTC"
store    = "ledger"

[[source]]
name   = "nimbus"
path   = "bills/nimbus/*.csv"
format = "focus"
"""
SOURCE = '\n[[source]]\nname = "{0}"\npath = "bills/{0}/*.csv"\nformat = "focus"\n'
RULES = "".join(f'[dimension.{name}]\ntags = ["{name}"]\n\n' for name in ("project", "stage", "experiment", "owner"))
RULES += '[dimension.environment]\ntags = ["environment"]\n'


@dataclass(frozen=True)
class Label:
    """What a detector must say of one subject. `also`: other detectors that, by their own words, speak of it too."""

    kind: str
    subject: str
    expected: Expected
    why: str
    also: frozenset[str] = frozenset()


@dataclass
class World:
    """Rows of one workspace, and the labels of their subjects."""

    seed: int
    labels: list[Label] = field(default_factory=list)
    lines: list[dict[str, str]] = field(default_factory=list)
    beside: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    settings: str = ""  # what attribution.toml says beyond the source and the inputs
    feeds: dict[str, list[dict[str, str]]] = field(default_factory=dict)  # lines of further sources

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.count = 0

    def new(self, word: str) -> str:
        """An id that nothing else of this world has."""
        self.count += 1
        return f"{word}-{self.count:03d}{self.random.randrange(16**5):05x}"

    def say(self, kind: str, subject: str, expected: Expected, why: str, *also: str) -> None:
        """Label a subject."""
        self.labels.append(Label(kind, subject, expected, why, frozenset(also)))

    def put(self, table: str, **row: Any) -> None:  # noqa: ANN401 - any column
        """A row of an input beside the bills."""
        self.beside.setdefault(table, []).append(row)

    def bill(
        self, resource: str, sold: str, a_day: str | None = "9", quantity: str = "24", *, first: date = FIRST,
        last: date = LAST, october: str | None = None, only: set[date] | None = None,
        tags: dict[str, str] | None = None, by_day: dict[date, str] | None = None, feed: str | None = None,
        **columns: str,
    ) -> None:  # fmt: skip
        """A meter `service | type | meter | unit | category`, a line a day; `october` is what that month sums to."""
        service, kind, meter, unit, category = (part.strip() for part in sold.split("|"))
        days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        days = [day for day in days if only is None or day in only]
        days = days if by_day is None else sorted(by_day)
        amounts = dict.fromkeys(days, a_day) | (by_day or {})
        inside = [day for day in days if OCTOBER <= day < NOVEMBER]
        if october is not None and inside:
            share = (Decimal(october) / len(inside)).quantize(Decimal("0.0001"))
            amounts |= dict.fromkeys(inside, str(share))
            amounts[inside[-1]] = str(Decimal(october) - share * (len(inside) - 1))
        tags = {"owner": "lin", "project": "orion", "stage": "pretraining"} if tags is None else tags
        for day in days:
            month = day.replace(day=1)
            amount = amounts[day] or ""
            row = dict.fromkeys(HEADER, "") | {
                "ProviderName": "Nimbus", "PublisherName": "Nimbus", "InvoiceIssuerName": "Nimbus",
                "BillingAccountId": "payer", "SubAccountId": "acct", "BillingPeriodStart": _instant(month),
                "BillingPeriodEnd": _instant((month + timedelta(days=32)).replace(day=1)),
                "ChargePeriodStart": _instant(day), "ChargePeriodEnd": _instant(day + timedelta(days=1)),
                "ChargeCategory": "Usage", "ChargeDescription": meter or service, "ChargeFrequency": "Usage-Based",
                "BilledCost": amount or "0", "EffectiveCost": amount, "ListCost": amount, "ContractedCost": amount,
                "PricingCategory": "Standard", "BillingCurrency": "USD", "ConsumedQuantity": quantity,
                "ConsumedUnit": unit, "ServiceName": service, "ServiceCategory": category, "SkuMeter": meter,
                "SkuId": meter, "ResourceId": resource, "ResourceType": kind, "RegionId": "us-east-1",
                "Tags": json.dumps(tags) if tags else "",
            }  # fmt: skip
            (self.lines if feed is None else self.feeds.setdefault(feed, [])).append(row | columns)

    def write(self, root: Path) -> Path:
        """Every file; lines in an order of chance, as exports have them."""
        settings = SETTINGS
        for feed, all_lines in {"nimbus": self.lines, **self.feeds}.items():
            self.random.shuffle(all_lines)
            settings += "" if feed == "nimbus" else SOURCE.format(feed)
            by_month: dict[str, list[dict[str, str]]] = {}
            for line in all_lines:
                by_month.setdefault(line["BillingPeriodStart"][:7], []).append(line)
            for month, lines in by_month.items():
                _table(root / "bills" / feed / f"{month}.csv", lines)
        if self.beside:
            settings += "\n[inputs]\n" + "".join(f'{name} = "{name}/*.csv"\n' for name in sorted(self.beside))
        for name, rows in self.beside.items():
            columns = list(dict.fromkeys(column for row in rows for column in row))
            _table(root / name / f"{name}.csv", [{c: row.get(c, "") for c in columns} for row in rows])
        (root / "attribution.toml").write_text(f"{settings}\n{self.settings}", encoding="utf-8")
        (root / "rules.toml").write_text(RULES, encoding="utf-8")
        return root


def _instant(day: date) -> str:
    return f"{day}T00:00:00Z"


def _table(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows(rows)
