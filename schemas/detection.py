"""What detection is given and what growth it tells. Grain, units and columns of each frame.

The surprise: `percent` is null where a percentage would be a lie (no base, or one below zero), never infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from schemas.check import pa
from schemas.dimensions import DIMENSIONS
from schemas.findings import VERDICTS
from schemas.money import MONEY


@dataclass(frozen=True)
class Watermark:
    """How far one source's data reaches: its first day with a charge, and the last day that is complete."""

    first_day: date
    last_day: date


def daily_columns(dimensions: tuple[str, ...] = DIMENSIONS) -> dict[str, pl.DataType]:
    """Columns of the daily costs that growth is judged on: attributed, after splits, summed to this grain."""
    return {
        "usage_date": pl.Date(),
        "source": pl.String(),
        "BillingCurrency": pl.String(),
        "ChargeCategory": pl.String(),
        "ServiceName": pl.String(),
        "cost_element": pl.String(),
        "SkuId": pl.String(),  # null: no SKU, or a share of a split
        **dict.fromkeys(dimensions, pl.String()),
        "EffectiveCost": MONEY,  # null: unknown
        "BilledCost": MONEY,
        "ConsumedQuantity": pl.Float64(),  # null: unknown, or a share of a split
    }


NOTICE_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "subject": pl.String(),
    "sentence": pl.String(),
    "amount": MONEY,
    "BillingCurrency": pl.String(),
}
"""One remark made while bills were read, such as "unused commitment was derived"; several may share a subject."""

BILLED_COLUMNS: dict[str, pl.DataType] = {
    "source": pl.String(),
    "BillingAccountId": pl.String(),
    "billing_month": pl.Date(),
    "BillingCurrency": pl.String(),
    "InvoiceId": pl.String(),  # null: no charge names one, or invoices are not asked for
    "BilledCost": MONEY,
    "refused_rows": pl.Int64(),  # of the files that the bill lies in
}
"""One bill that counts x currency x InvoiceId."""

INVOICE_STATUSES = ("matches", "differs", "no bill", "no invoice")
INVOICE_CHECK_COLUMNS: dict[str, pl.DataType] = {
    **{name: dtype for name, dtype in BILLED_COLUMNS.items() if name != "refused_rows"},  # BilledCost null: no bill
    "paid": MONEY,  # null: no invoice
    "difference": MONEY,  # paid - BilledCost; null where one of them is
    "status": pl.String(),
    "refused_rows": pl.Int64(),
}
"""One bill x currency, or one invoice of it where both sides name invoices."""

EFFECTS = ("price_effect", "usage_effect", "mix_effect", "new_effect", "vanished_effect")
"""What a change is made of; they sum to it."""

CONTRIBUTOR_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "subject": pl.String(),
    "month": pl.Date(),
    "BillingCurrency": pl.String(),
    "rank": pl.Int32(),  # 1 is the largest; the last one is all others
    "ResourceId": pl.String(),  # null: charges of no resource, or all others
    "ResourceName": pl.String(),
    "ServiceName": pl.String(),  # null: all others
    "cost": MONEY,  # EffectiveCost of Usage in the days compared
    "previous": MONEY,
    "change": MONEY,  # day-adjusted; the rows of a subject's month sum to its change
}
"""One resource x service behind a cause of growth, of the five largest, and one row of all others."""

DAY_STATUSES = ("usual", "above", "below", "not judged", "unknown")
DAILY_BOUND_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),  # project, service ..., or "project x stage"
    "subject": pl.String(),
    "BillingCurrency": pl.String(),
    "usage_date": pl.Date(),
    "cost": MONEY,  # EffectiveCost of Usage, without what is billed for longer than a day; null: unknown
    "expected": MONEY,  # a statistic, to the hundredth; null while the subject warms up or usually costs nothing
    "lower": MONEY,
    "upper": MONEY,
    "status": pl.String(),
    "provisional": pl.Boolean(),  # late charges may still raise it
}
"""One subject x day: what it cost, and between which bounds it was to be expected."""

SHAPES = ("spike", "level shift", "leak", "silence")
EPISODE_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "subject": pl.String(),
    "BillingCurrency": pl.String(),
    "shape": pl.String(),
    "start": pl.Date(),
    "peak": pl.Date(),  # the day with the largest excess
    "end": pl.Date(),  # last odd day so far
    "days": pl.Int32(),  # odd days from start to end
    "cost": MONEY,  # of the odd days
    "expected": MONEY,  # of the odd days; a statistic, to the hundredth
    "excess": MONEY,  # cost - expected; below zero for a silence
    "peak_cost": MONEY,
    "peak_expected": MONEY,
    "open": pl.Boolean(),  # may go on: its end is one of the last days
    "recent": pl.Boolean(),  # told as a finding, unless another is
    "owner": pl.String(),  # the only owner of the money, "shared" where there are several; null: not recent
    "project": pl.String(),
    "explained_by": pl.String(),  # lower subjects with the same excess, told in its place
}
"""One episode of one subject: days that cost other than expected."""

STATUSES = ("first", "new", "vanished", "grew", "fell", "steady", "no_cost", "unknown")
PERCENT = pl.Decimal(38, 6)

GROWTH_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),  # project, service ..., or "project x stage"
    "subject": pl.String(),  # "project=orion stage=pretraining"
    "month": pl.Date(),  # first day of the month of usage_date
    "BillingCurrency": pl.String(),
    "days": pl.Int32(),  # complete days compared in this month; the most of any of the subject's sources
    "previous_days": pl.Int32(),  # days of the month before they are compared with; null: no base
    "cost": MONEY,  # EffectiveCost of Usage in those days, before credits, tax and the like; null: unknown
    "previous": MONEY,  # the same of the month before; null: unknown or no base
    "net": MONEY,  # EffectiveCost of all charge categories in those days
    "previous_net": MONEY,
    "per_day": MONEY,  # cost per day: each source's cost by its own days, summed; rounded half-even
    "previous_per_day": MONEY,  # the same of the days before, weekdays evened out where they have a plain pattern
    "change": MONEY,  # (per_day - previous_per_day) x days, computed exactly, then rounded
    "percent": PERCENT,  # (per_day / previous_per_day - 1) x 100; null: new, no base, or a base that is not positive
    "price_effect": MONEY,  # change of price x new quantity, over SKUs found in both months
    "usage_effect": MONEY,  # change of quantity x old price, over the same SKUs
    "new_effect": MONEY,  # SKUs of this month only
    "vanished_effect": MONEY,  # SKUs of the month before only; not above zero where costs are not below it
    "mix_effect": MONEY,  # all else: shares of splits, what has no quantity; the five sum to `change`
    "currency_effect": MONEY,  # what another rate adds, in the workspace's currency; null: a rate is missing
    "converted_change": MONEY,  # `change` at this month's rate + currency_effect; null: a rate is missing
    "weekday_adjustment": MONEY,  # what other weekdays alone add to the days before, so that it is not in `change`
    "status": pl.String(),
    "verdict": pl.String(),  # null: nothing to report
    "owner": pl.String(),  # the only owner of this money; "shared" where there are several
    "project": pl.String(),
    "note": pl.String(),  # what in the data weakens the comparison; null: nothing
    "explained_by": pl.String(),  # lower subjects that explain this growth, so that they are told in its place
}

WEEKLY_COLUMNS: dict[str, pl.DataType] = {
    **{name: GROWTH_COLUMNS[name] for name in ("kind", "subject")},
    "week": pl.Date(),  # its Monday
    **{name: GROWTH_COLUMNS[name] for name in ("BillingCurrency", "cost", "previous", "net", "previous_net", "change")},
    **dict.fromkeys(EFFECTS, MONEY),
    **{name: GROWTH_COLUMNS[name] for name in ("percent", "verdict", "owner", "project", "explained_by")},
}
"""One subject x complete week: cost, the week before, and what made the difference; see GROWTH_COLUMNS."""

_ALWAYS = ("kind", "subject", "month", "BillingCurrency", "days", "status", "owner", "project")


def _checks(name: str) -> list[pa.Check]:
    known = {"status": STATUSES, "verdict": VERDICTS}.get(name)
    return [pa.Check.isin(known)] if known else []


GrowthRows = pa.DataFrameSchema(
    {
        name: pa.Column(dtype, nullable=name not in _ALWAYS, checks=_checks(name))
        for name, dtype in GROWTH_COLUMNS.items()
    },
    strict=True,
    unique=["kind", "subject", "month", "BillingCurrency"],
    name="GrowthRows",
)

WeeklyRows = pa.DataFrameSchema(
    {
        name: pa.Column(dtype, nullable=name not in (*_ALWAYS, "week"), checks=_checks(name))
        for name, dtype in WEEKLY_COLUMNS.items()
    },
    strict=True,
    unique=["kind", "subject", "week", "BillingCurrency"],
    name="WeeklyRows",
)

Contributors = pa.DataFrameSchema(
    {
        name: pa.Column(dtype, nullable=name in ("ResourceId", "ResourceName", "ServiceName"))
        for name, dtype in CONTRIBUTOR_COLUMNS.items()
    },
    strict=True,
    unique=["kind", "subject", "month", "BillingCurrency", "rank"],
    name="Contributors",
)

DailyBounds = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in ("cost", "expected", "lower", "upper"),
            checks=[pa.Check.isin(DAY_STATUSES)] if name == "status" else [],
        )
        for name, dtype in DAILY_BOUND_COLUMNS.items()
    },
    strict=True,
    unique=["kind", "subject", "BillingCurrency", "usage_date"],
    name="DailyBounds",
)

Episodes = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in ("cost", "excess", "peak_cost", "peak_expected", "owner", "project", "explained_by"),
            checks=[pa.Check.isin(SHAPES)] if name == "shape" else [],
        )
        for name, dtype in EPISODE_COLUMNS.items()
    },
    strict=True,
    unique=["kind", "subject", "BillingCurrency", "shape", "start"],
    name="Episodes",
)

InvoiceChecks = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name in ("InvoiceId", "BilledCost", "paid", "difference", "refused_rows"),
            checks=[pa.Check.isin(INVOICE_STATUSES)] if name == "status" else [],
        )
        for name, dtype in INVOICE_CHECK_COLUMNS.items()
    },
    strict=True,
    unique=["source", "BillingAccountId", "billing_month", "BillingCurrency", "InvoiceId"],
    name="InvoiceChecks",
)
