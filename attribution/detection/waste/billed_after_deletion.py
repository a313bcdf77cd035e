"""Resources that are billed on days after they were deleted.

The surprise: usage on the day of deletion itself is right, and a bill that arrives late is no fault.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.candidates import as_frame
from attribution.detection.waste.billing import billing
from attribution.detection.waste.inputs import Explanation, Thresholds, WasteInputs
from attribution.detection.waste.inventory import DELETED, Row, state
from schemas.resource_ids import fold_azure_id

if TYPE_CHECKING:
    import polars as pl

NAME = "billed_after_deletion"
NEEDS: tuple[str, ...] = ("resources",)
THRESHOLDS = {"minimum": Decimal(1)}
EXPLANATION = Explanation(
    meaning="The bill has usage on days after the inventory's day of deletion (or after the inventory itself, where it "
    "says deleted without a day).",
    source="House rule, by the usage date and never by the day a bill was loaded.",
    action="Look whether the resource still exists; if not, claim the charges back.",
    risk="None; an inventory that is wrong about the deletion is the usual innocent cause.",
)


def detect(inputs: WasteInputs, thresholds: Thresholds) -> pl.DataFrame:
    """Findings of deleted resources with usage afterwards, as long as that reaches the last complete month."""
    if inputs.resources is None:
        return as_frame(())
    billed = billing(inputs)
    found = []
    for row in inputs.resources.unique("resource_id", keep="last", maintain_order=True).iter_rows(named=True):
        deleted = _deleted(row, inputs.inventory_day)
        if deleted is None:
            continue
        for bill in billed.get(fold_azure_id(row["resource_id"]), ()):
            if bill.last_day and bill.last_day > deleted and bill.matters(thresholds["minimum"]):
                evidence = (
                    f"Deleted on {deleted}, yet with usage up to {bill.last_day}, {(bill.last_day - deleted).days} "
                    f"days later; {bill.told_cost}."
                )
                found.append(bill.finding(NAME, evidence, "high" if row["deleted_at"] is not None else "medium"))
    return as_frame(found)


def _deleted(row: Row, inventory_day: date | None) -> date | None:
    if row["deleted_at"] is not None:
        day: date = row["deleted_at"].date()
        return day
    return inventory_day if state(row) in DELETED else None
