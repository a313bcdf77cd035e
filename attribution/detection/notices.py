"""Remarks made while bills were read, as findings: an unused commitment that was derived, say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attribution.detection.candidates import Finding, as_frame, together
from schemas.money import sum_exactly

if TYPE_CHECKING:
    import polars as pl


def notice_findings(notices: pl.DataFrame) -> pl.DataFrame:
    """One finding a kind, subject and currency; notices that share them are summed and told once.

    Args:
        notices: NOTICE_COLUMNS. An amount is what the notice is about; unknown where all of them are.
    """
    found = []
    for (kind, subject, currency), group in notices.group_by("kind", "subject", "BillingCurrency"):
        sentences = sorted(set(group.get_column("sentence").to_list()))
        more = f" (and {group.height - 1} more like it)" if group.height > 1 else ""
        amounts = group.get_column("amount").drop_nulls()
        found.append(
            Finding(
                kind=str(kind),
                subject=str(subject),
                evidence=f"{sentences[0]}{more}",
                cost_at_stake=sum_exactly(amounts) if amounts.len() else None,
                currency=None if currency is None else str(currency),
            )
        )
    return together(as_frame(found))
