"""A reclaim plan: what is due, within limits, with what to do and the way back. It is written down and never acted on.

The surprise: whatever is left out is in the plan too, with the reason, so that nobody has to guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import polars as pl

from attribution.detection.waste.custodian import policy_names, reclaimed_id
from attribution.detection.waste.detector import Detector
from schemas.money import MONEY
from schemas.workspace import WastePlan

_STALE = 35
"""Days: a month that ended earlier than so many days ago says too little of today."""

PLAN_COLUMNS: dict[str, pl.DataType] = {
    "planned": pl.Boolean(),
    "why_not": pl.String(),  # null: it is planned
    "kind": pl.String(),
    "subject": pl.String(),
    "owner": pl.String(),
    "project": pl.String(),
    "saving": MONEY,
    "cost_at_stake": MONEY,
    "BillingCurrency": pl.String(),
    "confidence": pl.String(),
    "step": pl.String(),
    "marked_on": pl.Date(),
    "warned_on": pl.Date(),
    "due_on": pl.Date(),
    "action": pl.String(),
    "risk": pl.String(),
    "rollback": pl.String(),
    "policy": pl.String(),  # of the policy file; null: a person does it
    "evidence": pl.String(),
}
"""One finding of waste that stands, planned or not, and why."""


def reclaim_plan(
    path: pl.DataFrame,
    judged: pl.DataFrame,
    protected: pl.DataFrame,
    detectors: Sequence[Detector],
    *,
    terms: WastePlan,
    today: date,
) -> pl.DataFrame:
    """Choose what is planned.

    Args:
        path: findings of waste as the view `waste_path` has them.
        judged: kind and how many subjects it judged, from the view `detectors`.
        protected: subject and `protected`, the reason why it is never on a plan.
        detectors: the table, for what to do and the way back.
        terms: limits. Of a kind at most `max_resources` are planned, and at most `max_percent` of all it judged, but
            always one; those that save most come first.
        today: evidence of a month that ended long before it is no ground to act on.

    Returns:
        PLAN_COLUMNS, what is planned first, most saving first.
    """
    about = pl.DataFrame(
        [(one.name, one.action, one.risk, one.rollback) for one in detectors],
        schema=dict.fromkeys(("kind", "action", "risk", "rollback"), pl.String),
        orient="row",
    )
    sizes = judged.group_by("kind").agg(pl.col("judged").sum())
    share = (pl.col("judged").fill_null(0) * float(terms.max_percent) / 100).floor().cast(pl.Int64)
    limit = pl.min_horizontal(pl.lit(terms.max_resources, pl.Int64), pl.max_horizontal(share, pl.lit(1, pl.Int64)))
    rows = (
        path.filter(~pl.col("step").is_in(["done"]))
        .join(about, on="kind", how="left")
        .join(sizes, on="kind", how="left")
        .join(protected.unique("subject"), on="subject", how="left")
        .join(policy_names(), on="kind", how="left")
        .with_columns(pl.when(reclaimed_id().is_not_null()).then("policy").alias("policy"))
        .with_columns(limit.alias("limit"), _held(terms, today).alias("why_not"))
        .sort("saving", "cost_at_stake", "subject", descending=[True, True, False], nulls_last=True)
    )
    free = pl.col("why_not").is_null()
    above = free.cast(pl.Int64).cum_sum().over("kind") > pl.col("limit")
    told = pl.format("above the limit of {} of this kind", "limit")
    chosen = rows.with_columns(pl.when(free & above).then(told).otherwise("why_not").alias("why_not"))
    return (
        chosen.with_columns(pl.col("why_not").is_null().alias("planned"))
        .sort("planned", descending=True, maintain_order=True)
        .select(pl.col(name).cast(dtype) for name, dtype in PLAN_COLUMNS.items())
    )


def _held(terms: WastePlan, today: date) -> pl.Expr:
    """Why a row is not planned, by everything but the limits; null: nothing speaks against it."""
    step = pl.col("step")
    return (
        pl.when(pl.col("protected").is_not_null())
        .then(pl.format("protected: {}", "protected"))
        .when(step == "exempt")
        .then(pl.format("exempt: {}", "exempt_because"))
        .when(step == "mark")
        .then(pl.lit("its owner was not told yet"))
        .when(step == "warn")
        .then(pl.format("due on {}", pl.col("due_on").dt.to_string("%Y-%m-%d")))
        .when(pl.col("month") < (today - timedelta(days=_STALE)).replace(day=1))
        .then(pl.format("its evidence is of {}: the bill is behind", pl.col("month").dt.to_string("%Y-%m")))
        .when(pl.col("saving").fill_null(0) <= 0)
        .then(pl.lit("nothing to save, or another finding of the same resource saves it"))
        .when(~pl.col("confidence").is_in(list(terms.confidence)))
        .then(pl.format("of {} confidence", "confidence"))
    )
