"""What was planned alarms nobody: findings that are gone without the money of plans are shown as planned.

The surprise: a plan that is exceeded excuses nothing, not even the part that it foresaw.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from attribution.detection.budgets.stated import meets
from attribution.detection.candidates import together
from schemas.money import sum_exactly
from schemas.plans import Plan

PLANNED = "planned"

_SUBJECT = ["subject", "BillingCurrency"]


def plans_kept(converted: pl.DataFrame, plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """Plans that are not exceeded so far.

    Args:
        converted: daily costs in the workspace's currency.
        plans: planned changes.
    """
    return tuple(
        plan
        for plan in plans
        if sum_exactly(converted.filter(_covered(plan)).get_column("EffectiveCost").drop_nulls()) <= plan.amount
    )


def without(daily: pl.DataFrame, plans: Sequence[Plan]) -> pl.DataFrame:
    """Daily costs that no plan foresaw."""
    return daily.filter(~pl.any_horizontal(_covered(plan) for plan in plans)) if plans else daily


def rows_as_planned(grown: pl.DataFrame, rest: pl.DataFrame) -> pl.DataFrame:
    """Growth rows, of which those that are within their limits without the money of plans have the verdict `planned`.

    Args:
        grown: GrowthRows of all money.
        rest: GrowthRows of what no plan foresaw.
    """
    key = ["kind", "subject", "month", "BillingCurrency"]
    fired = rest.filter(pl.col("verdict").is_not_null()).select(*key, pl.lit(value=True).alias("still"))
    foreseen = (pl.col("verdict") == "finding") & pl.col("still").is_null()
    return (
        grown.join(fired, on=key, how="left", maintain_order="left")
        .with_columns(pl.when(foreseen).then(pl.lit(PLANNED)).otherwise("verdict").alias("verdict"))
        .drop("still")
    )


def told_as_planned(
    full: pl.DataFrame, known: pl.DataFrame, rest: pl.DataFrame, fired: pl.DataFrame, plans: Sequence[Plan]
) -> pl.DataFrame:
    """Findings of all money and of the money that no plan foresaw, as one.

    Args:
        full: findings of all money.
        known: `subject` and BillingCurrency of all that is out of bounds, told or explained by others.
        rest: findings of what no plan foresaw; of subjects that are known the finding in `full` is enough.
        fired: the same as `known`, of all that is out of bounds without the plans.
        plans: those that hold.

    Returns:
        Findings; those of `full` that are not out of bounds without the plans have the verdict `planned`.
    """
    still = full.join(fired.select(_SUBJECT).unique(), on=_SUBJECT, how="semi", nulls_equal=True)
    planned = full.join(still.select("fingerprint"), on="fingerprint", how="anti")
    reasons = [
        next((f"Planned: {plan.reason}." for plan in plans if _speaks_of(plan, subject)), "Planned.")
        for subject in planned.get_column("subject")
    ]
    shown = planned.with_columns(
        pl.lit(PLANNED).alias("verdict"),
        pl.concat_str("evidence", pl.Series("reason", reasons, dtype=pl.String), separator=" ").alias("evidence"),
    )
    unseen = rest.join(known.select(_SUBJECT).unique(), on=_SUBJECT, how="anti", nulls_equal=True)
    return together(still, shown, unseen)


def _covered(plan: Plan) -> pl.Expr:
    """Rows of a plan's dimensions in its days, the last day not among them."""
    days = (pl.col("usage_date") >= plan.since) & (pl.col("usage_date") < plan.until)
    return days & meets(plan.dimensions)


def _speaks_of(plan: Plan, subject: str) -> bool:
    """Whether no value of a subject contradicts the plan's."""
    named = re.split(r"(?:^| )([^ =]+)=", subject)[1:]
    values = dict(zip(named[::2], named[1::2], strict=True))
    return all(values.get(name, value) == value for name, value in plan.dimensions.items())
