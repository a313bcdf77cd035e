"""Findings: what somebody should look at, with the money at stake and the evidence."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from schemas.money import MONEY

FINDING_COLUMNS: dict[str, pl.DataType] = {
    "fingerprint": pl.String(),  # stable over runs: kind and subject, no figures
    "kind": pl.String(),
    "subject": pl.String(),  # a ResourceId, or "dimension=value"
    "verdict": pl.String(),
    "owner": pl.String(),
    "project": pl.String(),
    "cost_at_stake": MONEY,  # null: unknown
    "BillingCurrency": pl.String(),
    "confidence": pl.String(),
    "evidence": pl.String(),  # one sentence with its figures
    "month": pl.Date(),  # month the evidence is about, where there is one
}
VERDICTS = ("finding", "undetermined")
CONFIDENCE = ("high", "medium", "low")

Findings = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in ("cost_at_stake", "BillingCurrency", "month"),
            unique=name == "fingerprint",
            checks=(
                [pa.Check.isin(VERDICTS)]
                if name == "verdict"
                else [pa.Check.isin(CONFIDENCE)]
                if name == "confidence"
                else []
            ),
        )
        for name, dtype in FINDING_COLUMNS.items()
    },
    strict=True,
    name="Findings",
)
