"""Attributed costs in the shape of FOCUS charges: what was split names its split, the receiver and the ratio.

Every row of `costs` is one row here, negations too, so that all sums stay: the shares of a split are what its
negation takes. `AllocatedResourceId` names the receiver as `dimension=value`, `AllocatedTags` holds all its dimensions.
Source: FOCUS specification 1.3, split cost allocation.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.charges import FOCUS_COLUMNS

_MOVED = "('split', 'job')"
_FROM_COSTS = (
    "BillingAccountId", "SubAccountId", "SubAccountName", "ServiceProviderName", "ServiceCategory", "ServiceName",
    "SkuId", "SkuMeter", "ResourceId", "ResourceName", "ResourceType", "RegionId", "ChargeCategory", "ChargeClass",
    "ChargeFrequency", "PricingCategory", "CommitmentDiscountId", "CommitmentDiscountStatus", "BillingCurrency", "Tags",
    "BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "ConsumedQuantity", "ConsumedUnit",
)  # fmt: skip
_MOST_ELEMENTS = 24
# One entry a pool that a row had a share of; of a node's jobs there may be hundreds, which `split_lineage` has.
_RATIOS = f"""
    SELECT split, subject_id, usage_date, receiver_allocation_id AS allocation_id,
        CASE WHEN count(*) <= {_MOST_ELEMENTS} THEN to_json({{'Elements': list({{
            'AllocatedRatio': CAST(weight AS DOUBLE) / CAST(total_weight AS DOUBLE),
            'x_Weight': weight, 'x_TotalWeight': total_weight
        }} ORDER BY pool_allocation_id, position)}}) END AS details
    FROM split_lineage GROUP BY ALL
"""  # noqa: S608 - a number of our own


def attributed_sql(dimensions: Sequence[str]) -> str:
    """A query of the published file with FOCUS's columns, and `source`, `billing_month`, `x_` dimensions."""
    moved = [f"WHEN c.{name}_method IN {_MOVED} THEN" for name in dimensions]
    split = f"CASE {' '.join(f'{when} c.{name}_rule' for when, name in zip(moved, dimensions, strict=True))} END"
    receiver = ", ".join(f"CASE WHEN c.{name}_method IN {_MOVED} THEN '{name}=' || c.{name} END" for name in dimensions)
    values = ", ".join(f"CASE WHEN c.{name}_method IN {_MOVED} THEN c.{name} END" for name in dimensions)
    tags = ", ".join(f"'{name}': c.{name}" for name in dimensions)
    made = {
        **{name: f"c.{name}" for name in _FROM_COSTS},
        "BillingPeriodStart": "CAST(c.billing_month AS TIMESTAMPTZ)",
        "BillingPeriodEnd": "CAST(c.billing_month + INTERVAL 1 MONTH AS TIMESTAMPTZ)",
        "ChargePeriodStart": "CAST(c.usage_date AS TIMESTAMPTZ)",
        "ChargePeriodEnd": "CAST(c.usage_date + INTERVAL 1 DAY AS TIMESTAMPTZ)",
        "AllocatedMethodId": split,
        "AllocatedMethodDetails": "CAST(r.details AS VARCHAR)",
        "AllocatedResourceId": f"nullif(concat_ws(' ', {receiver}), '')",
        "AllocatedResourceName": f"nullif(concat_ws(' ', {values}), '')",
        "AllocatedTags": f"CASE WHEN {split} IS NOT NULL THEN CAST(to_json({{{tags}}}) AS VARCHAR) END",
    }
    types = {"String": "VARCHAR", "Float64": "DOUBLE"}
    empty = {name: f"CAST(NULL AS {types.get(str(dtype), 'VARCHAR')})" for name, dtype in FOCUS_COLUMNS.items()}
    columns = [f'{made.get(name, nothing)} AS "{name}"' for name, nothing in empty.items()]
    ours = [f'c.{name} AS "x_{name}"' for name in dimensions]
    return f"""
        SELECT c.cost_id, c.source, c.billing_month, {", ".join([*columns, *ours])}
        FROM costs AS c
        LEFT JOIN ({_RATIOS}) AS r ON r.split = {split}
            AND c.cost_id = r.subject_id || '.' || strftime(r.usage_date, '%Y%m%d') || '.' || r.allocation_id
    """  # noqa: S608 - names of our own
