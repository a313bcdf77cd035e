"""Resources that the tags name and no bill does.

The surprise: a parent, such as a cluster, is tagged for its children's sake and need not be billed itself.
"""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame
from attribution.detection.sums import only
from attribution.detection.waste.billing import Billed, billing
from attribution.detection.waste.inputs import Explanation, Thresholds, WasteInputs
from attribution.detection.waste.inventory import STOPPED, Row, gone, state
from schemas.dimensions import fold
from schemas.resource_ids import fold_azure_id

if TYPE_CHECKING:
    import polars as pl

NAME = "orphaned_tag"
NEEDS: tuple[str, ...] = ("tags",)
THRESHOLDS = {"days": Decimal(30)}
EXPLANATION = Explanation(
    meaning="A tag has been in force for 30 days in which no bill names its resource, and the inventory does not say "
    "that it is stopped.",
    source="House rule; tag registers outlive what they describe.",
    action="Correct the identifier, or end the tag with a valid_to.",
    risk="None for running systems. A resource may be billed by a source that is not connected.",
)


def detect(inputs: WasteInputs, thresholds: Thresholds) -> pl.DataFrame:
    """Findings of tagged resources; no cost is known of them, so none is at stake."""
    if inputs.tags is None or not inputs.watermarks:
        return as_frame(())
    days = int(thresholds["days"])
    billed, inventory = billing(inputs), _inventory(inputs)
    parents = {fold_azure_id(row["attached_to"]) for row in inventory.values() if row["attached_to"]}
    tagged_on: dict[date, set[str]] = {}
    found = []
    for key, (resource, rows) in sorted(_in_force(inputs.tags, inputs.as_of.date()).items()):
        known, bills = inventory.get(key), billed.get(key, [])
        until = _until(inputs, bills, days)
        if until is None or key in parents or (known is not None and state(known) in STOPPED):
            continue
        since = until - timedelta(days=days - 1)
        if since not in tagged_on:
            tagged_on[since] = set(_in_force(inputs.tags, since))
        last = max((bill.last_day for bill in bills if bill.last_day), default=None)
        covered = min(mark.first_day for mark in inputs.watermarks.values()) <= since
        if covered and key in tagged_on[since] and (last is None or last < since):
            charged = f"its last charge was on {last}" if last else "no bill ever named it"
            span = f"without a charge from {since} to {until}: {charged}{_listed(known, inputs)}"
            sure = known is None and inputs.resources is not None
            found.append(_finding(resource, rows, span, "high" if sure else "medium"))
    return as_frame(found)


def _inventory(inputs: WasteInputs) -> dict[str, Row]:
    if inputs.resources is None:
        return {}
    return {fold_azure_id(row["resource_id"]): row for row in inputs.resources.iter_rows(named=True)}


def _in_force(tags: pl.DataFrame, day: date) -> dict[str, tuple[str, list[Row]]]:
    """Tags in force on a day, by resource."""
    named: dict[str, tuple[str, list[Row]]] = {}
    for row in tags.iter_rows(named=True):
        begun = row["valid_from"] is None or row["valid_from"] <= day
        if begun and (row["valid_to"] is None or row["valid_to"] > day) and row["value"].strip():
            named.setdefault(fold_azure_id(row["resource_id"]), (row["resource_id"], []))[1].append(row)
    return named


def _until(inputs: WasteInputs, bills: list[Billed], days: int) -> date | None:
    """Last day on which a charge would be known: of its own source, else of the slowest that is not silent."""
    if bills:
        return max(inputs.watermarks[bill.source].last_day for bill in bills)
    oldest = inputs.as_of.date() - timedelta(days=days)
    return min((mark.last_day for mark in inputs.watermarks.values() if mark.last_day >= oldest), default=None)


def _listed(known: Row | None, inputs: WasteInputs) -> str:
    if known is None:
        return "" if inputs.resources is None else "; the inventory does not know it"
    return "; the inventory says it is deleted" if gone(known, inputs.as_of) else "; the inventory still has it"


def _finding(resource: str, rows: list[Row], span: str, confidence: str) -> Finding:
    tags = ", ".join(sorted({f"{row['key']}={row['value']}" for row in rows}))
    return Finding(
        kind=NAME,
        subject=resource,
        evidence=f"Tagged {tags}, {span}.",
        confidence=confidence,
        owner=only([row["value"] for row in rows if fold(row["key"]) == "owner"]),
        project=only([row["value"] for row in rows if fold(row["key"]) == "project"]),
    )
