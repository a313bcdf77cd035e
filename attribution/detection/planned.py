"""Planned changes: what growth and odd days would be without them, and which findings a plan explains.

The days of a plan are brought down to what its money cost a day before, as long as its amount lasts; what exceeds the
amount stays. What is found only before that is planned: told as such, never left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import polars as pl

from attribution.detection.budgets.stated import meets
from attribution.detection.candidates import together
from schemas.money import MONEY, to_units
from schemas.plans import Plan

BASE = 28
"""Days before a plan over which its usual cost a day is taken."""
_PARTS = 10**6
_ROW = ["kind", "subject", "month", "BillingCurrency"]


def without_planned(daily: pl.DataFrame, plans: Sequence[Plan], currency: str) -> pl.DataFrame:
    """Daily costs as they would be without planned changes; quantities shrink with their costs.

    Args:
        daily: attributed daily costs.
        plans: planned changes.
        currency: of their amounts; rows in another are left as they are.
    """
    for plan in plans:
        mine = meets(plan.dimensions) & (pl.col("BillingCurrency") == currency)
        factors = _factors(daily.filter(mine), plan)
        if not factors:
            continue
        scale = pl.when(mine).then(
            pl.col("usage_date").replace_strict(factors, default=_PARTS, return_dtype=pl.Int128)
        ).otherwise(pl.lit(_PARTS, dtype=pl.Int128))  # fmt: skip
        scaled = daily.select(
            *(pl.col(name).to_physical().cast(pl.Int128) * scale // _PARTS for name in ("EffectiveCost", "BilledCost")),
            pl.col("ConsumedQuantity") * scale.cast(pl.Float64) / _PARTS,
        )
        daily = daily.with_columns(
            scaled.get_column("EffectiveCost").reinterpret(dtype=MONEY),
            scaled.get_column("BilledCost").reinterpret(dtype=MONEY),
            scaled.get_column("ConsumedQuantity"),
        )
    return daily


def _factors(costs: pl.DataFrame, plan: Plan) -> dict[date, int]:
    """Day of a plan -> what is left of its costs, in millionths."""
    sums = costs.group_by("usage_date").agg(pl.col("EffectiveCost").to_physical().cast(pl.Int128).sum())
    days = {day: int(units) for day, units in sums.sort("usage_date").iter_rows()}
    if not days:
        return {}
    before = [plan.since - timedelta(days=back) for back in range(1, BASE + 1)]
    known = [days.get(day, 0) for day in before if day >= min(days)]
    usual = max(sum(known) // len(known), 0) if known else 0
    factors, left = {}, to_units(plan.amount)
    for day, units in days.items():
        if plan.since <= day < plan.until and units > 0:
            within = min(units, max(left, 0))
            factors[day] = (min(within, usual) + units - within) * _PARTS // units
            left -= units
    return factors


def planned_apart(
    found: pl.DataFrame, unplanned: pl.DataFrame, grown: pl.DataFrame, plans: Sequence[Plan]
) -> pl.DataFrame:
    """Findings of all costs, those that only plans explain marked so; and those that come up without the plans alone.

    Args:
        found: findings of the costs as they are.
        unplanned: findings of the costs without planned changes.
        grown: growth rows of the same; a subject that fires there is not planned, whichever cause is told for it.
        plans: for their reasons.
    """
    names = unplanned.get_column("fingerprint").to_list()
    firing = grown.filter(pl.col("verdict") == "finding").get_column("subject").unique().to_list()
    explained = (
        (pl.col("verdict") == "finding") & ~pl.col("fingerprint").is_in(names) & ~pl.col("subject").is_in(firing)
    )
    told = pl.concat_str("evidence", pl.lit(f" Planned: {_reasons(plans)}."))
    marked = found.with_columns(
        pl.when(explained).then(pl.lit("planned")).otherwise("verdict").alias("verdict"),
        pl.when(explained).then(told).otherwise("evidence").alias("evidence"),
    )
    more = unplanned.filter(~pl.col("fingerprint").is_in(found.get_column("fingerprint").to_list()))
    return together(marked, more)


def mark_planned(grown: pl.DataFrame, unplanned: pl.DataFrame) -> pl.DataFrame:
    """Growth rows with the verdict `planned` where growth is a finding with planned changes alone."""
    fires = unplanned.filter(pl.col("verdict") == "finding").select(*_ROW, pl.lit(value=True).alias("fires"))
    both = grown.join(fires, on=_ROW, how="left", maintain_order="left", validate="1:1")
    planned = (pl.col("verdict") == "finding") & pl.col("fires").is_null()
    verdict = pl.when(planned).then(pl.lit("planned")).otherwise("verdict").alias("verdict")
    return both.with_columns(verdict).drop("fires")


def _reasons(plans: Sequence[Plan]) -> str:
    told = [
        f"{' '.join(f'{name}={value}' for name, value in one.dimensions.items()) or 'everything'} from {one.since} "
        f"up to, and without, {one.until}: {one.reason}"
        for one in plans
    ]
    return "; ".join(told)
