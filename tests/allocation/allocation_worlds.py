"""Small worlds for the tests of allocation: a bill said in a few words, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

import polars as pl

from attribution.allocation import Divided, Resolved, resolve, split
from attribution.rules import RuleBook, read_rules
from schemas.costs import LINE_COLUMNS, SUBJECT_COLUMNS
from schemas.inputs import RESOURCE_COLUMNS, TAG_COLUMNS, WAS_ATTACHED
from schemas.money import COSTS
from schemas.tagsets import canonical

MARCH = date(2026, 3, 1)


def march(day: int) -> date:
    return date(2026, 3, day)


@dataclass
class World:
    """Bills, tags and inventory, row by row."""

    subjects: list[dict[str, object]] = field(default_factory=list)
    lines: list[dict[str, object]] = field(default_factory=list)
    tags: list[tuple[object, ...]] = field(default_factory=list)
    resources: list[dict[str, object]] = field(default_factory=list)
    was: dict[str, list[dict[str, object]]] = field(default_factory=dict)

    def bill(
        self,
        resource: str | None,
        cost: str | None,
        day: date = MARCH,
        tags: dict[str, str] | None = None,
        costs: dict[str, str | None] | None = None,
        **columns: object,
    ) -> World:
        """One charge: all four costs the same, unless `costs` says otherwise."""
        subject = {
            "bill_no": 1,
            "source": "aws",
            "billing_month": day.replace(day=1),
            "BillingAccountId": "000000000001",
            "BillingCurrency": "USD",
            "ServiceName": "Compute",
            "ChargeCategory": "Usage",
            **columns,
            "ResourceId": resource,
            "Tags": canonical(tags or {}),
        }
        number = len(self.subjects) + 1
        self.subjects.append({**subject, "subject_id": number})
        amounts = {**dict.fromkeys(COSTS, cost), **(costs or {})}
        money = {name: None if amount is None else Decimal(amount) for name, amount in amounts.items()}
        self.lines.append({"subject_id": number, "usage_date": day, **money, "ConsumedQuantity": 1.0})
        return self

    def tag(
        self, resource: str, key: str, value: str, valid_from: date | None = None, valid_to: date | None = None
    ) -> World:
        self.tags.append((resource, key, value, valid_from, valid_to))
        return self

    def attach(self, child: str, parent: str | None, name: str | None = None) -> World:
        self.resources.append({"resource_id": child, "resource_type": "volume", "attached_to": parent, "name": name})
        return self

    def attach_from(self, child: str, parent: str, valid_from: date | None, valid_to: date | None = None) -> World:
        """As the inventory with days says it; the latest row counts as what is attached now."""
        if child not in self.was:
            self.attach(child, parent)
        rows = self.was.setdefault(child, [])
        rows.append({"attached_to": parent, "valid_from": valid_from, "valid_to": valid_to})
        return self

    @property
    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
        extra = {
            name: pl.String()
            for row in self.subjects
            for name in row
            if name.startswith("x_") or name.endswith("_sign")
        }
        lines = pl.DataFrame(self.lines, schema=LINE_COLUMNS)
        resources = pl.DataFrame(self.resources, schema=RESOURCE_COLUMNS)
        if self.was:
            told = [self.was.get(str(row["resource_id"])) for row in self.resources]
            days = {"attached_to": pl.String(), "valid_from": pl.Date(), "valid_to": pl.Date()}
            resources = resources.with_columns(pl.Series(WAS_ATTACHED, told, dtype=pl.List(pl.Struct(days))))
        # One line a subject and day, as the ledger rolls up.
        return (
            pl.DataFrame(self.subjects, schema={**SUBJECT_COLUMNS, **extra}),
            lines,
            pl.DataFrame(self.tags, schema=TAG_COLUMNS, orient="row"),
            resources,
        )

    def resolved(self, rules: str | RuleBook = "") -> Resolved:
        return resolve(*self.frames, read_rules(rules) if isinstance(rules, str) else rules)

    def divided(self, rules: str) -> Divided:
        book = read_rules(rules)
        return split(self.resolved(book), book)


def told(resolved: Resolved | Divided) -> list[dict[str, object]]:
    """Every cost with its subject and allocation, in order."""
    return (
        resolved.costs.join(resolved.allocations, on="allocation_id", how="left", maintain_order="left")
        .join(resolved.subjects, on="subject_id", how="left", maintain_order="left")
        .to_dicts()
    )


def sums(resolved: Resolved | Divided, *by: str, cost: str = "EffectiveCost") -> dict[object, str]:
    """Money by dimension; values that sum to nothing are left out."""
    found: dict[object, Decimal] = {}
    for row in told(resolved):
        key = row[by[0]] if len(by) == 1 else tuple(row[name] for name in by)
        amount = row[cost]
        assert amount is None or isinstance(amount, Decimal)
        found[key] = found.get(key, Decimal(0)) + (amount or Decimal(0))
    return {key: f"{amount.normalize():f}" for key, amount in found.items() if amount}
