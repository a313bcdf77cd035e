"""Recipients of reports whose money nobody has: most often a name that was mistyped."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame, together
from schemas.faults import suggest

if TYPE_CHECKING:
    import polars as pl


def unknown_recipients(recipients: Collection[str], owners: Collection[str]) -> pl.DataFrame:
    """Report each name in [report.recipients] that no cost has as its owner.

    Args:
        recipients: the names, without that of the report for all.
        owners: every owner of a cost.
    """
    return together(
        as_frame(
            Finding(
                kind="recipient_without_cost",
                subject=f"owner={name}",
                evidence=f"No cost has the owner {name} of [report.recipients]. {suggest(name, owners)}".strip(),
            )
            for name in recipients
            if name not in owners
        )
    )
