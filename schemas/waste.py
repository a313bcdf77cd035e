"""What waste detectors are given, what they answer, and what is counted of their work.

The surprise: a verdict is a truth value that may be missing. True is waste, False is at work, and null, which is
what any comparison with missing data gives, is undetermined.
"""

from __future__ import annotations

import polars as pl

from schemas.dimensions import DIMENSIONS
from schemas.money import MONEY

TIERS = ("bill", "inventory", "utilization", "training")
"""What a detector's evidence is taken from, the least first."""

RESULTS = ("waste", "active", "undetermined")

METER_TEXT = (
    "source", "ResourceId", "BillingCurrency", "SubAccountId", "ServiceProviderName", "ServiceCategory",
    "ServiceSubcategory", "ServiceName", "ResourceType", "RegionId", "SkuId", "SkuMeter", "PricingCategory",
    "ChargeCategory", "ChargeFrequency", "CommitmentDiscountId", "CommitmentDiscountStatus",
    "CapacityReservationId", "CapacityReservationStatus", "ConsumedUnit", "cost_element",
)  # fmt: skip


def meter_columns(dimensions: tuple[str, ...] = DIMENSIONS) -> dict[str, pl.DataType]:
    """Columns of the metered costs: one resource (or none) x calendar month of usage x meter x dimensions."""
    return {
        **dict.fromkeys((*METER_TEXT, *dimensions), pl.String()),
        "month": pl.Date(),  # first day of the month of usage_date
        "EffectiveCost": MONEY,  # null: unknown
        "BilledCost": MONEY,
        "ListCost": MONEY,
        "ConsumedQuantity": pl.Float64(),  # null: unknown, or a share of a split
        "first_day": pl.Date(),  # first and last usage_date of Usage charges of this row; null: it has none
        "last_day": pl.Date(),
        "days": pl.Int32(),  # days of the month with a charge
        "weekend_days": pl.Int32(),  # Saturdays and Sundays among them
    }


JUDGED_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "key": pl.String(),  # what savings are counted once for: a resource, or whatever the detector judges
    "subject": pl.String(),
    "BillingCurrency": pl.String(),  # null: no bill knows the subject
    "result": pl.String(),
    "confidence": pl.String(),
    "cost_at_stake": MONEY,  # of the last complete month; null: unknown
    "saving": MONEY,  # part of it that would not be billed; null: unknown
    "owner": pl.String(),
    "project": pl.String(),
    "month": pl.Date(),
    "evidence": pl.String(),
    "within": pl.String(),  # key of the resource whose money this is a part of, apart from other parts; null: its own
    "made_of": pl.List(pl.Struct({"key": pl.String(), "cost": MONEY})),  # resources whose money it sums up; null: one
}
"""One subject x currency that a detector judged."""

DETECTOR_COLUMNS: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "tier": pl.String(),
    "lacks": pl.String(),  # inputs and columns without which it cannot run; null: it ran
    "BillingCurrency": pl.String(),  # null: of subjects that no bill knows, or it did not run
    "judged": pl.Int64(),
    "waste": pl.Int64(),
    "active": pl.Int64(),
    "undetermined": pl.Int64(),
    "cost_at_stake": MONEY,  # of what is waste; null: unknown
    "saving": MONEY,
}
"""One detector x currency of what it judged in the last run."""
