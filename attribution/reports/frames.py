"""The frames a report is built from, column by column; the ledger feeds them, whole, and the report filters.

Feed at least the period, the period before and three calendar months of `daily`, as one row a combination or finer:
rows are only ever added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import polars as pl

from schemas.bills import HeldBack
from schemas.detection import GROWTH_COLUMNS, INVOICE_CHECK_COLUMNS, Watermark
from schemas.faults import LawBrokenError
from schemas.findings import FINDING_COLUMNS
from schemas.money import MONEY
from schemas.plans import RATE_COLUMNS

DAILY_COLUMNS: dict[str, pl.DataType] = {
    "usage_date": pl.Date(),
    "BillingCurrency": pl.String(),
    "project": pl.String(),
    "stage": pl.String(),
    "experiment": pl.String(),
    "owner": pl.String(),
    "ServiceName": pl.String(),
    "cost_element": pl.String(),
    "EffectiveCost": MONEY,  # null: unknown
    "BilledCost": MONEY,  # null: unknown
    "monthly": pl.Boolean(),  # a month's sum, which says nothing of its days
}
"""Attributed costs; a text column `team` may be added and then gets a table in the report for all."""

RESOURCE_COLUMNS: dict[str, pl.DataType] = {
    "usage_date": pl.Date(),
    "BillingCurrency": pl.String(),
    "project": pl.String(),
    "stage": pl.String(),
    "experiment": pl.String(),
    "owner": pl.String(),
    "ServiceName": pl.String(),
    "ResourceId": pl.String(),  # null: billed without one
    "ResourceName": pl.String(),
    "EffectiveCost": MONEY,  # null: unknown
    "monthly": pl.Boolean(),
}
"""The same costs by resource, of the period and the one before alone, a row a day or one for all days of either.

With `team` where `daily` has it.
"""

REPORT_FINDING_COLUMNS: dict[str, pl.DataType] = {
    **FINDING_COLUMNS,
    "state": pl.String(),
    "first_seen": pl.Date(),
    "last_seen": pl.Date(),
}
"""Findings that still stand, of every kind; those of growth are left out, since `growth` says the same with figures."""

RESTATEMENT_COLUMNS: dict[str, pl.DataType] = {
    "month": pl.Date(),
    "BillingCurrency": pl.String(),
    "project": pl.String(),
    "owner": pl.String(),
    "before": MONEY,
    "after": MONEY,
    "changed_on": pl.Date(),
    "reported": pl.Boolean(),  # the month had stood in a report before the change
}
BILL_COLUMNS: dict[str, pl.DataType] = {
    "source": pl.String(),
    "BillingAccountId": pl.String(),
    "month": pl.Date(),
    "rows": pl.Int64(),
    "BillingCurrency": pl.String(),
    "BilledCost": MONEY,
    "state": pl.String(),  # new, restated, unchanged
}
RECONCILED_COLUMNS: dict[str, pl.DataType] = {
    "BillingCurrency": pl.String(),
    "column": pl.String(),  # name of a cost column
    "lines": MONEY,
    "costs": MONEY,  # as attributed now, also of closed months
    "pending": MONEY,  # of `costs` what closed months hold back, in no other figure; 0 without any
}
REPORT_BUDGET_COLUMNS: dict[str, pl.DataType] = {
    "budget": pl.String(),
    "dimensions": pl.String(),  # "project=orion stage=pretraining"
    "period_start": pl.Date(),
    "period_end": pl.Date(),  # the first day that is out; null: it has no end
    "amount": MONEY,
    "BillingCurrency": pl.String(),
    "spent": MONEY,
    "forecast": MONEY,  # of the whole period; null: unknown, or it has no end
    "breach_date": pl.Date(),
    "status": pl.String(),
    "owner": pl.String(),  # who answers for it; "shared" where there are several
}
"""Budgets of all owners in all their periods, as the view `budgets` has them."""


def _empty(columns: dict[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame(schema=columns)


@dataclass(frozen=True)
class ReportFrames:
    """All that reports are made of, for all owners; `as_of` is in the workspace's time zone."""

    as_of: datetime
    daily: pl.DataFrame
    findings: pl.DataFrame = field(default_factory=lambda: _empty(REPORT_FINDING_COLUMNS))
    growth: pl.DataFrame = field(default_factory=lambda: _empty(GROWTH_COLUMNS))
    restatements: pl.DataFrame = field(default_factory=lambda: _empty(RESTATEMENT_COLUMNS))
    budgets: pl.DataFrame = field(default_factory=lambda: _empty(REPORT_BUDGET_COLUMNS))
    watermarks: Mapping[str, Watermark] = field(default_factory=dict)  # by source
    bills: pl.DataFrame = field(default_factory=lambda: _empty(BILL_COLUMNS))
    reconciled: pl.DataFrame = field(default_factory=lambda: _empty(RECONCILED_COLUMNS))
    invoices: pl.DataFrame = field(default_factory=lambda: _empty(INVOICE_CHECK_COLUMNS))
    rates: pl.DataFrame = field(default_factory=lambda: _empty(RATE_COLUMNS))  # what currencies are worth by the month
    held_back: tuple[HeldBack, ...] = ()
    rejects: int = 0
    currency: str | None = None  # the workspace's own; its section comes first
    locale: str = "en"
    font: str | None = None  # of charts
    resources: pl.DataFrame = field(default_factory=lambda: _empty(RESOURCE_COLUMNS))  # none: nothing to drill into

    def __post_init__(self) -> None:
        for name, columns in (
            ("daily", DAILY_COLUMNS),
            ("resources", RESOURCE_COLUMNS),
            ("findings", REPORT_FINDING_COLUMNS),
            ("growth", GROWTH_COLUMNS),
            ("restatements", RESTATEMENT_COLUMNS),
            ("budgets", REPORT_BUDGET_COLUMNS),
            ("bills", BILL_COLUMNS),
            ("reconciled", RECONCILED_COLUMNS),
            ("invoices", INVOICE_CHECK_COLUMNS),
            ("rates", RATE_COLUMNS),
        ):
            schema = getattr(self, name).schema
            wrong = [column for column, dtype in columns.items() if schema.get(column) != dtype]
            if wrong:
                message = f"report frame {name}: missing or of another type: {', '.join(wrong)}"
                raise LawBrokenError(message)
