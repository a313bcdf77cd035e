"""Charges as a FOCUS file: the columns that a version of FOCUS has, and nothing null where it allows no null.

Where a provider said nothing and FOCUS still wants a value, the nearest thing it did say stands there, and the row's
`x_filled` names those columns, so that nobody takes them for the provider's word. Conditional and recommended columns
that no row fills are left out, as FOCUS asks. Source: FOCUS specification 1.2 and 1.4, FinOps Foundation.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl
from polars import selectors

from schemas.charges import FOCUS_COLUMNS

# Since which minor version of FOCUS 1 a column exists; all others are in 1.0.
_SINCE = {
    **dict.fromkeys(("CapacityReservationId", "CapacityReservationStatus", "CommitmentDiscountQuantity",
                     "CommitmentDiscountUnit", "ServiceSubcategory", "SkuMeter", "SkuPriceDetails"), 1),
    **dict.fromkeys(("BillingAccountType", "InvoiceId", "PricingCurrency", "PricingCurrencyContractedUnitPrice",
                     "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "SubAccountType"), 2),
    **dict.fromkeys(("AllocatedMethodDetails", "AllocatedMethodId", "AllocatedResourceId", "AllocatedResourceName",
                     "AllocatedTags", "ContractApplied", "HostProviderName", "ServiceProviderName"), 3),
    **dict.fromkeys(("CommitmentProgramEligibilityDetails", "InvoiceDetailId"), 4),
}  # fmt: skip
# The last minor version that has a column.
_UNTIL = {"ProviderName": 3, "PublisherName": 3}
# Mandatory in FOCUS, or wanted of everybody.
_ALWAYS = (
    "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd",
    "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd",
    "ChargePeriodStart", "ContractedCost", "EffectiveCost", "HostProviderName", "InvoiceId", "InvoiceIssuerName",
    "ListCost", "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName", "ServiceCategory", "ServiceName",
    "ServiceProviderName", "ServiceSubcategory",
)  # fmt: skip
# Columns that FOCUS lets be left out but not be null: they are given where every row has them.
_WHOLE_OR_NONE = ("BillingAccountType", "PricingCurrency", "PricingCurrencyEffectiveCost")
# Never null in FOCUS -> what stands in, best first: a column, else the text itself.
_STAND_INS: dict[str, tuple[str, ...]] = {
    "ChargeDescription": ("SkuMeter", "ServiceName"),
    "EffectiveCost": ("BilledCost",),
    "ContractedCost": ("ListCost", "BilledCost"),
    "ListCost": ("ContractedCost", "BilledCost"),
    "ProviderName": ("ServiceProviderName", "source"),
    "ServiceProviderName": ("ProviderName", "source"),
    "PublisherName": ("ProviderName", "ServiceProviderName", "source"),
    "InvoiceIssuerName": ("ProviderName", "ServiceProviderName", "source"),
}
_OTHER = "Other"
_ONE_UNIT = "Units"
# Units as providers write them -> as FOCUS's unit format does.
_UNITS = {
    "Hrs": "Hours", "hour": "Hours", "Hour": "Hours", "1 Hour": "Hours", "GB-Mo": "GB-Months", "GB-Hrs": "GB-Hours",
    "GB-month": "GB-Months", "GB/Month": "GB-Months", "gibibyte": "GiB", "gibibyte month": "GiB-Months",
    "seconds": "Seconds", "requests": "Requests", "month": "Months", "Month": "Months", "1K tokens": "1000 Tokens",
}  # fmt: skip
VERSIONS = {"1.0": 0, "1.1": 1, "1.2": 2, "1.3": 3, "1.4": 4}


def columns_of(version: str, filled: Collection[str], whole: Collection[str]) -> list[str]:
    """FOCUS columns of an export: those that its version has and that are mandatory or filled as FOCUS wants.

    Args:
        version: of FOCUS.
        filled: columns that some row fills.
        whole: columns that every row fills.
    """
    minor = VERSIONS[version]
    measured = {"ConsumedUnit"} if "ConsumedQuantity" in filled else set()
    given = {*_ALWAYS, *filled, *measured} - {name for name in _WHOLE_OR_NONE if name not in whole}
    return [name for name in FOCUS_COLUMNS if name in given and _SINCE.get(name, 0) <= minor <= _UNTIL.get(name, minor)]


def focus_rows(charges: pl.DataFrame, columns: list[str], services: pl.DataFrame) -> pl.DataFrame:
    """Rows of charges as FOCUS wants them.

    Args:
        charges: of the published view `charges`: FOCUS columns and `source`.
        columns: as `columns_of` gave them.
        services: ServiceName with the one ServiceCategory and ServiceSubcategory that FOCUS allows it.

    Returns:
        Those columns, then `x_filled`: names of columns in which something stands that the provider did not say,
        comma-separated, null where there is none.
    """
    known = set(charges.columns)
    one = charges.select("ServiceName").join(services, on="ServiceName", how="left", maintain_order="left")
    category = one.get_column("ServiceCategory").fill_null(_OTHER)
    used = pl.col("ChargeCategory") == "Usage"
    unpriced = (used | (pl.col("ChargeCategory") == "Purchase")) & pl.col("PricingQuantity").is_null()
    quantity = (
        pl.when(pl.col("ChargeCategory") == "Tax").then(None).when(unpriced).then(1.0).otherwise("PricingQuantity")
    )
    unit = pl.col("PricingUnit").replace(_UNITS).fill_null(_ONE_UNIT)
    made = charges.select(
        *(
            pl.coalesce(name, *(pl.col(raw) if raw in known else pl.lit(raw) for raw in raws)).alias(name)
            for name, raws in _STAND_INS.items()
        ),
        ChargeFrequency=pl.coalesce(
            "ChargeFrequency", pl.when(used).then(pl.lit("Usage-Based")).otherwise(pl.lit("One-Time"))
        ),
        ServiceCategory=category,
        ServiceSubcategory=one.get_column("ServiceSubcategory").fill_null(_OTHER + " (" + category + ")"),
        PricingQuantity=quantity,
        PricingUnit=pl.when(unpriced).then(pl.lit(_ONE_UNIT)).when(quantity.is_not_null()).then(unit),
        ConsumedUnit=pl.when(pl.col("ConsumedQuantity").is_not_null()).then(
            pl.col("ConsumedUnit").replace(_UNITS).fill_null(_ONE_UNIT)
        ),
    )
    told = [name for name in sorted({*made.columns} - {"ConsumedUnit", "PricingUnit"}) if name in columns]
    stands_in = pl.concat_list(
        pl.when(charges.get_column(name).ne_missing(made.get_column(name))).then(pl.lit(name)) for name in told
    ).list.drop_nulls()
    names = pl.when(stands_in.list.len() > 0).then(stands_in.list.join(",")).alias("x_filled")
    return charges.with_columns(*made, names).select(*columns, "x_filled")


def as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Cells as FOCUS writes them in text: instants as 2026-10-01T00:00:00Z, money without zeros at its end."""
    instants = selectors.datetime().dt.to_string("%Y-%m-%dT%H:%M:%SZ")
    return rows.with_columns(instants, selectors.decimal().cast(pl.String).str.replace(r"\.?0+$", ""))
