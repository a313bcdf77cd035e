"""Cost lines and costs: charges rolled up to the day, then attributed.

A *subject* is everything about a charge but its time and money (resource, service, SKU, tags, currency ...).
A *line* is one subject on one day with its money. Rules speak of subjects, of which there are few; lines
carry integers and money only. An *allocation* is one combination of dimension values with the method and
rule that set each. A *cost* is a line (or a share of one) with its allocation.
"""

from __future__ import annotations

import polars as pl

from schemas.check import pa
from schemas.dimensions import COST_ELEMENTS, ELASTICITY, METHODS
from schemas.instants import INSTANT
from schemas.money import COSTS, MONEY

SUBJECT_TEXT = (
    "BillingAccountId", "BillingCurrency", "SubAccountId", "SubAccountName", "ServiceProviderName",
    "ServiceCategory", "ServiceSubcategory", "ServiceName", "SkuId", "SkuMeter", "SkuPriceId", "ResourceId",
    "ResourceName", "ResourceType", "RegionId", "ChargeCategory", "ChargeClass", "ChargeFrequency",
    "PricingCategory", "CommitmentDiscountId", "CommitmentDiscountStatus", "CommitmentDiscountCategory",
    "CapacityReservationId", "CapacityReservationStatus", "ConsumedUnit", "Tags",
)  # fmt: skip
"""Columns of a charge that every subject has; a rule that names another column adds it (a re-roll from charges)."""

SUBJECT_COLUMNS: dict[str, pl.DataType] = {
    "subject_id": pl.Int64(),
    "bill_no": pl.Int32(),
    "source": pl.String(),
    "billing_month": pl.Date(),
    **dict.fromkeys(SUBJECT_TEXT, pl.String()),
}
LINE_COLUMNS: dict[str, pl.DataType] = {
    "subject_id": pl.Int64(),
    "usage_date": pl.Date(),
    **dict.fromkeys(COSTS, MONEY),
    "ConsumedQuantity": pl.Float64(),
}
COST_COLUMNS: dict[str, pl.DataType] = {
    "subject_id": pl.Int64(),
    "usage_date": pl.Date(),
    "allocation_id": pl.Int32(),
    **dict.fromkeys(COSTS, MONEY),
    "ConsumedQuantity": pl.Float64(),
}
PERIOD_COLUMNS: dict[str, pl.DataType] = {
    "subject_id": pl.Int64(),
    "usage_date": pl.Date(),
    "ChargePeriodStart": INSTANT,
    "ChargePeriodEnd": INSTANT,
    **dict.fromkeys(COSTS, MONEY),
    "SkuPriceDetails": pl.String(),
}
"""A line told by the periods of its charges, for resources that are divided by the hour."""

OTHER_LIMIT_COLUMNS: dict[str, pl.DataType] = {"dimension": pl.String(), "other_below": MONEY}
"""One dimension: values that carry less than so much in a billing month and currency are shown as `other`."""

SIGNS = ("positive", "negative", "zero")
"""What a rule may ask of a charge's cost; unknown has no sign."""


def sign_of(cost: str) -> str:
    """Name of the column that tells the sign of a cost; charges are rolled up by it where a rule asks."""
    return f"{cost}_sign"


COST_SUBJECT_COLUMNS: dict[str, pl.DataType] = {
    **SUBJECT_COLUMNS,
    "cost_element": pl.String(),
    "elasticity": pl.String(),
}
LINEAGE_COLUMNS: dict[str, pl.DataType] = {
    "split": pl.String(),
    "subject_id": pl.Int64(),  # the pool's
    "usage_date": pl.Date(),
    "pool_allocation_id": pl.Int32(),
    "negation_allocation_id": pl.Int32(),
    "receiver_allocation_id": pl.Int32(),
    "position": pl.Int32(),  # order among the receivers: of equal remainders the earlier one gets the unit
    "weight": pl.String(),
    "total_weight": pl.String(),
    "hour": INSTANT,  # start of the clock hour of a node that jobs divided; null for other splits
    "job_id": pl.String(),  # who received by use; null for other splits, and for what nobody used
    **dict.fromkeys(COSTS, MONEY),  # the pool's amounts
}
"""One pool (of nodes, and hour) and receiver of a split; weights and the pool's amounts make the share anew."""

POOLED_COLUMNS: dict[str, pl.DataType] = {
    "split": pl.String(),
    "subject_id": pl.Int64(),
    "usage_date": pl.Date(),
    "allocation_id": pl.Int32(),
    "pool_subject_id": pl.Int64(),
}
"""One cost row that a split took, and the pool it was summed into."""


def allocation_columns(dimensions: tuple[str, ...]) -> dict[str, pl.DataType]:
    """Columns of the allocations frame: each dimension with the method and rule that set it."""
    columns: dict[str, pl.DataType] = {"allocation_id": pl.Int32()}
    for dimension in dimensions:
        columns |= dict.fromkeys((dimension, f"{dimension}_method", f"{dimension}_rule"), pl.String())
    return columns


Subjects = pa.DataFrameSchema(
    {
        "subject_id": pa.Column(pl.Int64(), unique=True),
        **{
            name: pa.Column(
                pl.String(),
                nullable=name not in ("BillingAccountId", "BillingCurrency", "ServiceName", "ChargeCategory"),
            )
            for name in SUBJECT_TEXT
        },
    },
    strict=False,
    name="Subjects",
)
Lines = pa.DataFrameSchema(
    {name: pa.Column(dtype, nullable=name not in ("subject_id", "usage_date")) for name, dtype in LINE_COLUMNS.items()},
    strict=True,
    name="Lines",
)
Costs = pa.DataFrameSchema(
    {
        name: pa.Column(dtype, nullable=name not in ("subject_id", "usage_date", "allocation_id"))
        for name, dtype in COST_COLUMNS.items()
    },
    strict=True,
    name="Costs",
)
CostSubjects = pa.DataFrameSchema(
    {
        "subject_id": pa.Column(pl.Int64(), unique=True),
        "bill_no": pa.Column(pl.Int32()),
        "source": pa.Column(pl.String()),
        "billing_month": pa.Column(pl.Date()),
        "BillingCurrency": pa.Column(pl.String()),
        "cost_element": pa.Column(pl.String(), checks=[pa.Check.isin(COST_ELEMENTS)]),
        "elasticity": pa.Column(pl.String(), checks=[pa.Check.isin(ELASTICITY)]),
    },
    strict=False,
    name="CostSubjects",
)


def allocations_schema(dimensions: tuple[str, ...]) -> pa.DataFrameSchema:
    """Every dimension has a value and a known method; a rule only where one decided."""
    columns: dict[str, pa.Column] = {"allocation_id": pa.Column(pl.Int32(), unique=True)}
    for dimension in dimensions:
        columns[dimension] = pa.Column(pl.String())
        columns[f"{dimension}_method"] = pa.Column(pl.String(), checks=[pa.Check.isin(METHODS)])
        columns[f"{dimension}_rule"] = pa.Column(pl.String(), nullable=True)
    return pa.DataFrameSchema(columns, strict=True, name="Allocations")
