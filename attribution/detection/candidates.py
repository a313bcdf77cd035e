"""Findings as they are made: one record each, then one frame.

The surprise: the fingerprint holds no figures, so that a finding keeps its name while its money changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256

import polars as pl

from schemas.check import verify
from schemas.dimensions import UNALLOCATED
from schemas.findings import FINDING_COLUMNS, Findings
from schemas.money import from_units, to_units


@dataclass(frozen=True)
class Finding:
    """One thing to look at. `cost_at_stake` None is unknown; `evidence` is one sentence with its figures."""

    kind: str
    subject: str
    evidence: str
    verdict: str = "finding"
    confidence: str = "high"
    cost_at_stake: Decimal | None = None
    currency: str | None = None
    owner: str = UNALLOCATED
    project: str = UNALLOCATED
    month: date | None = None
    occasion: str = ""

    @property
    def fingerprint(self) -> str:
        """Stable over runs: kind, subject and currency; the occasion where one subject may have several."""
        return _fingerprint(self.kind, self.subject, self.currency, self.occasion)


def _fingerprint(kind: str, subject: str, currency: str | None, occasion: str = "") -> str:
    named = (kind, subject, currency or "", *([occasion] if occasion else []))
    return sha256("\x1f".join(named).encode()).hexdigest()[:16]


def fingerprints(found: pl.DataFrame) -> pl.Series:
    """Of findings in a frame with kind, subject and BillingCurrency; there are few of them, and polars has no SHA."""
    named = found.select("kind", "subject", "BillingCurrency").iter_rows()
    return pl.Series("fingerprint", [_fingerprint(*one) for one in named], dtype=pl.String)


def as_frame(found: Iterable[Finding]) -> pl.DataFrame:
    """Findings as a frame with FINDING_COLUMNS, the money exact; sorted by kind, subject and currency."""
    ordered = sorted(found, key=lambda one: (one.kind, one.subject, one.currency or ""))
    names = (
        "kind", "subject", "evidence", "verdict", "confidence", "cost_at_stake", "BillingCurrency", "owner",
        "project", "month",
    )  # fmt: skip
    columns: dict[str, Sequence[object]] = {"fingerprint": [one.fingerprint for one in ordered]}
    columns |= (
        dict(zip(names, zip(*(astuple(one)[: len(names)] for one in ordered), strict=True), strict=True))
        if ordered
        else {}
    )
    stakes = [None if one.cost_at_stake is None else to_units(one.cost_at_stake) for one in ordered]
    return pl.DataFrame(
        [
            from_units(stakes, name)
            if name == "cost_at_stake"
            else pl.Series(name, list(columns.get(name, [None] * len(ordered))), dtype=dtype)
            for name, dtype in FINDING_COLUMNS.items()
        ]
    )


def together(*frames: pl.DataFrame) -> pl.DataFrame:
    """All findings in one frame, checked.

    Raises:
        LawBrokenError: two findings have one fingerprint, or a column breaks the schema.
    """
    found = pl.concat([pl.DataFrame(schema=FINDING_COLUMNS), *frames])
    return verify(found.sort("kind", "subject", "BillingCurrency"), Findings, "findings")
