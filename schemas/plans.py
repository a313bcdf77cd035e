"""Money that is foreseen: planned changes, budgets and how they stand, rates between currencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

import polars as pl

from schemas.cell_checks import above_zero, below, currency_code, in_order, not_blank, not_negative
from schemas.check import pa
from schemas.money import MONEY

PLANNED_COLUMNS: dict[str, pl.DataType] = {
    "from": pl.Date(),
    "to": pl.Date(),  # the first day that is out
    "amount": MONEY,  # what all that meets the row's dimensions will cost in those days, in the workspace's currency
    "reason": pl.String(),
}
"""One planned change; every further column is a dimension, and a blank cell does not matter."""

RATE_COLUMNS: dict[str, pl.DataType] = {
    "month": pl.Date(),  # first day of the month
    "from": pl.String(),
    "to": pl.String(),
    "rate": MONEY,  # no money, but as exact: units of `to` for one of `from`
}
"""One rate of a month between two currencies."""
RATE_LIMIT = 10**8
"""No two currencies are as far apart as this; below it, an amount by its rate is no larger than MONEY holds."""

BudgetPeriod = Literal["month", "quarter", "total", "plan"]
BUDGET_STATUSES = ("kept", "warned", "may breach", "at risk", "breached")
BUDGET_COLUMNS: dict[str, pl.DataType] = {
    "budget": pl.String(),
    "dimensions": pl.String(),  # "project=orion stage=pretraining"
    "period": pl.String(),
    "period_start": pl.Date(),
    "period_end": pl.Date(),  # the first day that is out; null: a total has none
    "amount": MONEY,
    "warn_amount": MONEY,
    "BillingCurrency": pl.String(),  # the workspace's
    "spent": MONEY,  # over the complete days of each source; null: nothing known
    "spent_to": pl.Date(),  # the last of those days
    "forecast": MONEY,  # of the whole period; of a total, which has no end, of 30 days more
    "forecast_low": MONEY,
    "forecast_high": MONEY,
    "warn_date": pl.Date(),  # the day on which the running sum reaches the line; after as_of it is foreseen
    "breach_date": pl.Date(),
    "status": pl.String(),
    "owner": pl.String(),
    "note": pl.String(),  # what is not in these figures; null: nothing
}
"""One budget x period; a planned change is a budget of its own days."""
_NULLABLE = ("period_end", "spent", "spent_to", "warn_date",
             "breach_date", "note")  # fmt: skip


@dataclass(frozen=True)
class Budget:
    """A sum that some money should not exceed in each period. `warn_at` is a fraction of it."""

    dimensions: Mapping[str, str]
    amount: Decimal
    period: BudgetPeriod = "month"
    warn_at: Decimal = Decimal("0.8")
    name: str = ""
    since: date | None = None  # of a total: its first day; of a plan too
    until: date | None = None  # of a plan: the first day that is out
    responsible: str | None = None  # who hears of it; null: the only owner of its money

    @property
    def words(self) -> str:
        """Its dimensions as a subject is written."""
        return " ".join(f"{name}={value}" for name, value in self.dimensions.items()) or "everything"


@dataclass(frozen=True)
class Plan:
    """One row of planned.csv, dimensions under their canonical names. It holds in [since, until)."""

    since: date
    until: date
    dimensions: Mapping[str, str] = field(default_factory=dict)
    amount: Decimal = Decimal(0)
    reason: str = ""


Planned = pa.DataFrameSchema(
    {
        "from": pa.Column(pl.Date()),
        "to": pa.Column(pl.Date()),
        "amount": pa.Column(
            MONEY,
            checks=[not_negative()],
        ),
        "reason": pa.Column(pl.String(), checks=[not_blank()]),
    },
    checks=[in_order("from", "to", "a day after from", strict=True)],
    strict=False,
    name="Planned",
)
Rates = pa.DataFrameSchema(
    {
        "month": pa.Column(pl.Date()),
        "from": pa.Column(pl.String(), checks=[currency_code()]),
        "to": pa.Column(pl.String(), checks=[currency_code()]),
        "rate": pa.Column(MONEY, checks=[above_zero(), below(RATE_LIMIT)]),
    },
    strict=True,
    name="Rates",
)
Budgets = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in _NULLABLE,
            checks=[pa.Check.isin(BUDGET_STATUSES)] if name == "status" else [],
        )
        for name, dtype in BUDGET_COLUMNS.items()
    },
    strict=True,
    unique=["budget", "period_start"],
    name="Budgets",
)
