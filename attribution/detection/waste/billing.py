"""What bills say of each resource: its cost at stake, its owner, its first and last day of use.

The surprise: the owner is the one of the last days billed, so that a machine handed over is its new owner's matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from attribution.detection.candidates import Finding
from attribution.detection.sums import only
from attribution.detection.waste.inputs import WasteInputs
from attribution.detection.windows import last_complete_month
from attribution.detection.wording import amount
from schemas.dimensions import UNALLOCATED
from schemas.money import add
from schemas.resource_ids import fold_azure_id

Row = dict[str, Any]


@dataclass(frozen=True)
class Billed:
    """One resource in one currency.

    `stake`: EffectiveCost of the source's last complete month; None: none known. `recent`: it cost something in that
    month or later, or may have (a cost unknown).
    """

    resource: str
    source: str
    currency: str
    month: date
    stake: Decimal | None
    owner: str
    project: str
    first_day: date | None
    last_day: date | None
    recent: bool
    unallocated: bool
    what: str

    def finding(self, kind: str, evidence: str, confidence: str, verdict: str = "finding") -> Finding:
        """A finding about this resource."""
        return Finding(
            kind=kind,
            subject=self.resource,
            evidence=evidence,
            verdict=verdict,
            confidence=confidence,
            cost_at_stake=self.stake,
            currency=self.currency,
            owner=self.owner,
            project=self.project,
            month=self.month,
        )

    @property
    def told_cost(self) -> str:
        """Its cost in the last complete month, as evidence says it."""
        known = "unknown" if self.stake is None else f"{amount(self.stake)} {self.currency}"
        return f"its cost in {self.month:%Y-%m}: {known}"

    def matters(self, minimum: Decimal) -> bool:
        """Recently billed, and the cost at stake reaches the minimum or is unknown."""
        return self.recent and (self.stake is None or self.stake >= minimum)


def billing(inputs: WasteInputs) -> dict[str, list[Billed]]:
    """Every resource that was ever billed, by its key: one record a currency."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in inputs.resources_cost.iter_rows(named=True):
        if row["ResourceId"] is not None:
            groups.setdefault((fold_azure_id(row["ResourceId"]), row["BillingCurrency"]), []).append(row)
    billed: dict[str, list[Billed]] = {}
    for (key, currency), rows in sorted(groups.items()):
        billed.setdefault(key, []).append(_billed(currency, rows, inputs))
    return billed


def _billed(currency: str, rows: list[Row], inputs: WasteInputs) -> Billed:
    newest = max(rows, key=lambda row: (row["month"], row["last_day"] or row["month"], row["source"]))
    month = last_complete_month(inputs.watermarks[newest["source"]].last_day)
    last_days = [row["last_day"] for row in rows if row["last_day"]]
    last_day = max(last_days, default=None)
    current = [row for row in rows if row["last_day"] == last_day] if last_day else rows
    in_month = [row for row in rows if row["month"] == month]
    known = [row["EffectiveCost"] for row in in_month if row["EffectiveCost"] is not None]
    return Billed(
        resource=newest["ResourceId"],
        source=newest["source"],
        currency=currency,
        month=month,
        stake=add(*known) if known else None,
        owner=only([row["owner"] for row in current]),
        project=only([row["project"] for row in current]),
        first_day=min((row["first_day"] for row in rows if row["first_day"]), default=None),
        last_day=last_day,
        recent=any(row["month"] >= month and row["EffectiveCost"] != 0 for row in rows),
        unallocated=bool(in_month)
        and all(row["project"] == row["owner"] == UNALLOCATED for row in in_month if _any(row)),
        what=", ".join(dict.fromkeys(filter(None, (newest["ServiceName"], newest["ResourceType"])))),
    )


def _any(row: Row) -> bool:
    return row["EffectiveCost"] is None or row["EffectiveCost"] != 0
