"""Findings: what somebody should look at, with the money at stake and the evidence."""

from __future__ import annotations

import polars as pl

from schemas.check import pa
from schemas.money import MONEY

FINDING_COLUMNS: dict[str, pl.DataType] = {
    "fingerprint": pl.String(),  # stable over runs: kind and subject, no figures
    "kind": pl.String(),
    "subject": pl.String(),  # a ResourceId, or "dimension=value"
    "verdict": pl.String(),
    "owner": pl.String(),
    "project": pl.String(),
    "cost_at_stake": MONEY,  # null: unknown
    "saving": MONEY,  # waste: what ending it saves a month, once a resource; null: unknown, or no waste
    "BillingCurrency": pl.String(),
    "confidence": pl.String(),
    "evidence": pl.String(),  # one sentence with its figures
    "month": pl.Date(),  # month the evidence is about, where there is one
    "tier": pl.String(),  # waste: what the evidence is taken from; null: the finding tells of no waste
}
VERDICTS = ("finding", "undetermined", "planned")
SEVERITIES = ("critical", "high", "medium", "low", "unknown")
FINDING_MARK_COLUMNS: dict[str, pl.DataType] = {
    "fingerprint": pl.String(),
    "severity": pl.String(),  # unknown where the money is, or has no rate
    "suppressed_until": pl.Date(),  # exclusive; null: no [[suppress]] speaks of it
    "suppressed_because": pl.String(),
}
"""One finding of the last run: what the configuration says of it."""
STATES = ("open", "reopened", "acknowledged", "snoozed", "planned", "suppressed", "resolved")
ACTIVE = ("open", "reopened")
"""States in which somebody still has to look."""
KINDS = (
    # growth, days, budgets and plans
    "growth", "new", "weekly_growth", "anomaly", "sudden_silence", "budget_warned", "budget_at_risk",
    "budget_breached", "plan_at_risk", "plan_breached", "burns_without_progress", "rate_missing",
    # sources, invoices and people
    "source_behind", "source_not_named", "bill_in_two_sources", "invoice_differs", "invoice_without_bill",
    "bill_without_invoice", "owner_left", "owner_without_recipient", "recipient_without_cost", "disputed_cost",
    # jobs on nodes
    "job_without_bill", "node_without_jobs", "node_size_unknown", "node_overbooked", "node_in_two_bills",
    # what readers had to decide
    "billing_period_derived", "charge_type_unknown", "footer", "net_cost_missing", "no_resource",
    "private_row_named", "savings_plan_netting", "service_missing", "split_cost_billed", "unused_commitment_derived",
    "unused_commitment_unknown",
)  # fmt: skip
"""Kinds of findings beside those of the waste detectors."""
RESOLVED_FOR = 14
"""Days that a finding resolved by hand may still be found before it opens again: data comes late, windows are long."""
CONFIDENCE = ("high", "medium", "low")

Findings = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in ("cost_at_stake", "saving", "BillingCurrency", "month", "tier"),
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
