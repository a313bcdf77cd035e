"""Which input a table is, by the columns that only this input has."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.inputs.usage.openshift import TABLES
from schemas.dimensions import DIMENSIONS, fold

_SIGNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tags", ("resource_id", "key", "value")),
    ("utilization", ("resource_id", "date", "metric", "average")),
    ("jobs", ("job_id", "resource_id", "start", "end", "gpus")),
    ("jobs", ("JobID", "NodeList", "Start", "End")),
    ("checkpoints", ("uri", "experiment", "step", "size_bytes")),
    ("runs", ("run_id", "experiment", "status", "started_at")),
    ("resources", ("resource_id", "resource_type")),
    ("own_costs", ("period", "cost_element", "amount", "currency")),
    ("invoices", ("source", "billing_account", "billing_month", "amount")),
    *(("usage", tuple(columns)) for columns in TABLES.values()),
)
"""Input and columns that tell it, looked at from the top."""
_RESOURCE = fold("resource_id")
_PEOPLE = frozenset(map(fold, ("team", "lead", "email")))


def recognise(columns: Sequence[str]) -> str | None:
    """The name that `[inputs]` has for a table of these columns; None where no input is known by them."""
    folded = {fold(column) for column in columns}
    for name, signs in _SIGNS:
        if {fold(sign) for sign in signs} <= folded:
            return name
    if _RESOURCE in folded:
        return "tags" if folded & set(DIMENSIONS) else None
    return "people" if fold("owner") in folded and folded & _PEOPLE else None
