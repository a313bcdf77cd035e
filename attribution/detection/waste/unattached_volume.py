"""Volumes that no machine mounts and that are billed all the same."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame
from attribution.detection.waste.billing import Billed, billing
from attribution.detection.waste.inputs import Explanation, Thresholds, WasteInputs
from attribution.detection.waste.inventory import ATTACHED, DETACHED, VOLUMES, Row, gone, of_kind, state
from schemas.resource_ids import fold_azure_id

if TYPE_CHECKING:
    import polars as pl

NAME = "unattached_volume"
NEEDS: tuple[str, ...] = ("resources",)
THRESHOLDS = {"min_age_days": Decimal(14), "minimum": Decimal(1)}
EXPLANATION = Explanation(
    meaning="The inventory shows a volume attached to nothing, it is older than the grace period, and it is billed.",
    source="AWS Compute Optimizer calls such a volume unattached after 32 days; the grace here is 14 days, settable.",
    action="Take a snapshot if anybody may want the data, then delete the volume.",
    risk="The data is lost with the volume; ask the owner first, since checkpoints may lie on it.",
)


def detect(inputs: WasteInputs, thresholds: Thresholds) -> pl.DataFrame:
    """Findings of volumes; `undetermined` where the inventory contradicts itself or does not tell.

    Age counts from the later of creation and last use, else from the first day billed.
    """
    if inputs.resources is None:
        return as_frame(())
    tells_attachment = inputs.resources.get_column("attached_to").count() > 0
    billed = billing(inputs)
    found = []
    for row in of_kind(inputs.resources, VOLUMES):
        doubt = _attached(row, tells_attachment=tells_attachment)
        if doubt is None or gone(row, inputs.as_of):
            continue
        for bill in billed.get(fold_azure_id(row["resource_id"]), ()):
            since = _since(row, bill)
            old = since is not None and inputs.as_of - since >= timedelta(days=int(thresholds["min_age_days"]))
            if old and since and bill.matters(thresholds["minimum"]):
                found.append(_finding(row, bill, since, doubt))
    return as_frame(found)


def _attached(row: Row, *, tells_attachment: bool) -> str | None:
    """None: attached. Else why one may doubt that it is not; empty where nothing speaks against it."""
    detached = state(row) in DETACHED
    if row["attached_to"]:
        return f"the inventory calls it {row['state']}, yet attached to {row['attached_to']}" if detached else None
    if detached:
        return ""
    if state(row) in ATTACHED:
        return None
    return "" if tells_attachment else "the inventory tells neither its state nor what volumes are attached to"


def _since(row: Row, bill: Billed) -> datetime | None:
    stated: list[datetime] = [moment for moment in (row["created_at"], row["last_used_at"]) if moment is not None]
    if stated:
        return max(stated)
    return datetime.combine(bill.first_day, time(), UTC) if bill.first_day else None


def _finding(row: Row, bill: Billed, since: datetime, doubt: str) -> Finding:
    size = f" of {row['size_gb']:,.0f} GB" if row["size_gb"] is not None else ""
    evidence = f"Volume{size} attached to nothing, unused since {since:%Y-%m-%d}; {bill.told_cost}"
    if doubt:
        return bill.finding(NAME, f"{evidence}. Undetermined: {doubt}.", "low", "undetermined")
    return bill.finding(NAME, f"{evidence}.", "high" if state(row) in DETACHED else "medium")
