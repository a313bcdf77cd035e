"""Charges: money with a place and a time, FOCUS 1.4 Cost and Usage columns by FOCUS's own names.

Grain: one charge of one delivered file. `ProviderName` and `PublisherName` left FOCUS in 1.4 and stay
here, so that queries written for 1.0 to 1.3 run unchanged. Columns a file has beyond these are kept as
text under `x_` names. Source: FOCUS specification 1.4, FinOps Foundation.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from schemas.cell_checks import currency_code, in_order, one_of
from schemas.check import pa
from schemas.instants import INSTANT
from schemas.money import COSTS, MONEY

_TEXT = """
AllocatedMethodDetails AllocatedMethodId AllocatedResourceId AllocatedResourceName AllocatedTags
AvailabilityZone BillingAccountId BillingAccountName BillingAccountType BillingCurrency
CapacityReservationId CapacityReservationStatus ChargeCategory ChargeClass ChargeDescription
ChargeFrequency CommitmentDiscountCategory CommitmentDiscountId CommitmentDiscountName
CommitmentDiscountStatus CommitmentDiscountType CommitmentDiscountUnit
CommitmentProgramEligibilityDetails ConsumedUnit ContractApplied HostProviderName InvoiceDetailId
InvoiceId InvoiceIssuerName PricingCategory PricingCurrency PricingUnit ProviderName PublisherName
RegionId RegionName ResourceId ResourceName ResourceType ServiceCategory ServiceName
ServiceProviderName ServiceSubcategory SkuId SkuMeter SkuPriceDetails SkuPriceId SubAccountId
SubAccountName SubAccountType Tags
""".split()
_INSTANTS = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")
_QUANTITIES = (
    "CommitmentDiscountQuantity", "ConsumedQuantity", "ContractedUnitPrice", "ListUnitPrice",
    "PricingCurrencyContractedUnitPrice", "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice",
    "PricingQuantity",
)  # fmt: skip

FOCUS_COLUMNS: dict[str, pl.DataType] = dict(
    sorted(
        {
            **dict.fromkeys(_TEXT, pl.String()),
            **dict.fromkeys(_INSTANTS, INSTANT),
            **dict.fromkeys(COSTS, MONEY),
            **dict.fromkeys(_QUANTITIES, pl.Float64()),
        }.items()
    )
)
"""Every FOCUS column of a charge with its type; `PricingCurrencyEffectiveCost` is informative, not money of ours."""

PROVENANCE: dict[str, pl.DataType] = {"file_id": pl.String(), "row_number": pl.Int64()}
"""`file_id`: first 16 hex digits of the file's SHA-256. `row_number`: data row in that file, from 1."""

CHARGE_COLUMNS = {**FOCUS_COLUMNS, **PROVENANCE}

CATEGORIES = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")

REQUIRED = (
    "BilledCost", "BillingAccountId", "BillingCurrency", "BillingPeriodStart", "BillingPeriodEnd",
    "ChargeCategory", "ChargePeriodStart", "ChargePeriodEnd", "ServiceName",
)  # fmt: skip
"""What no charge can lack."""

ALWAYS = (*REQUIRED, *PROVENANCE)
"""Columns that every frame and file of charges has; another one of CHARGE_COLUMNS may be left out where it is blank."""


def _column(name: str, dtype: pl.DataType) -> pa.Column:
    checks = []
    if name == "ChargeCategory":
        checks.append(one_of(CATEGORIES))
    if name == "BillingCurrency":
        checks.append(currency_code())
    return pa.Column(dtype, checks=checks, nullable=name not in REQUIRED, required=name in ALWAYS, name=name)


Charges = pa.DataFrameSchema(
    {name: _column(name, dtype) for name, dtype in CHARGE_COLUMNS.items()},
    checks=[
        in_order("ChargePeriodStart", "ChargePeriodEnd", "not before ChargePeriodStart"),
        in_order("BillingPeriodStart", "BillingPeriodEnd", "not before BillingPeriodStart"),
    ],
    strict=False,
    name="Charges",
)


def without_blanks(charges: pl.DataFrame) -> pl.DataFrame:
    """Leave out FOCUS's columns that hold no value: half of them in most bills, each as dear to store as a full one."""
    blank = [name for name in CHARGE_COLUMNS.keys() - set(ALWAYS) if charges[name].null_count() == charges.height]
    return charges.drop(blank)


def columns_of(charges: pl.DataFrame, names: Iterable[str]) -> list[pl.Expr]:
    """Columns by name, as nulls where they were left out."""
    return [
        pl.col(name) if name in charges.columns else pl.lit(None, CHARGE_COLUMNS.get(name, pl.String())).alias(name)
        for name in names
    ]
