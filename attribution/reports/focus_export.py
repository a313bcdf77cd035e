"""Charges as a FOCUS file: the columns that a version of FOCUS has, and nothing null where it allows no null.

Where a provider said nothing and FOCUS still wants a value, the nearest thing it did say stands there; a unit price
that does not multiply to its cost is left out. `x_filled` names such columns row by row, so that nobody takes them for
the provider's word. Conditional and recommended columns that no row fills are left out, as FOCUS asks.
Source: FOCUS specification 1.2 and 1.4, FinOps Foundation.
"""

from __future__ import annotations

import json
from collections.abc import Collection

import polars as pl
from polars import selectors

from schemas.charges import FOCUS_COLUMNS

ALLOCATED = (
    "AllocatedMethodDetails", "AllocatedMethodId", "AllocatedResourceId", "AllocatedResourceName", "AllocatedTags",
)  # fmt: skip
"""What tells how a cost was split and to whom; an attributed file has them in every version, before 1.3 as `x_`."""
# Since which minor version of FOCUS 1 a column exists; all others are in 1.0.
_SINCE = {
    **dict.fromkeys(("CapacityReservationId", "CapacityReservationStatus", "CommitmentDiscountQuantity",
                     "CommitmentDiscountUnit", "ServiceSubcategory", "SkuMeter", "SkuPriceDetails"), 1),
    **dict.fromkeys(("BillingAccountType", "InvoiceId", "PricingCurrency", "PricingCurrencyContractedUnitPrice",
                     "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "SubAccountType"), 2),
    **dict.fromkeys((*ALLOCATED, "ContractApplied", "HostProviderName", "ServiceProviderName"), 3),
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
# Keys of SkuPriceDetails that FOCUS defines; others start with x_.
_DETAILS = frozenset((
    "CoreCount", "DiskMaxIops", "DiskSpace", "DiskType", "GpuCount", "InstanceSeries", "InstanceType", "MemorySize",
    "NetworkMaxIops", "NetworkMaxThroughput", "OperatingSystem", "Redundancy", "StorageClass",
))  # fmt: skip
# Prices are doubles: so near they are the same.
_CLOSE = 1e-9
VERSIONS = {"1.0": 0, "1.1": 1, "1.2": 2, "1.3": 3, "1.4": 4}

_USED = pl.col("ChargeCategory") == "Usage"
_BY_USE, _ONCE = pl.lit("Usage-Based"), pl.lit("One-Time")
_UNIT_PRICES = {"ListUnitPrice": "ListCost", "ContractedUnitPrice": "ContractedCost"}
# Units are written FOCUS's way without being told: they say the same.
_TOUCHED = (
    *_STAND_INS, *_UNIT_PRICES, "ChargeFrequency", "ConsumedQuantity", "PricingQuantity", "ServiceCategory",
    "ServiceSubcategory", "SkuPriceDetails",
)  # fmt: skip


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
    return [name for name in FOCUS_COLUMNS if name in given and _known(name, minor)]


def not_yet(version: str) -> tuple[str, ...]:
    """Columns of ALLOCATED that a version of FOCUS does not have."""
    return tuple(name for name in ALLOCATED if not _known(name, VERSIONS[version]))


def _known(name: str, minor: int) -> bool:
    return _SINCE.get(name, 0) <= minor <= _UNTIL.get(name, minor)


def focus_rows(charges: pl.DataFrame, columns: list[str], services: pl.DataFrame) -> pl.DataFrame:
    """Rows of charges as FOCUS wants them.

    Args:
        charges: of the published view `charges`: FOCUS columns and `source`.
        columns: as `columns_of` gave them.
        services: ServiceName with the one ServiceCategory and ServiceSubcategory that FOCUS allows it.

    Returns:
        Those columns, then `x_filled`: names of columns that are not as the provider gave them, comma-separated,
        null where there is none.
    """
    known = set(charges.columns)
    one = charges.select("ServiceName").join(services, on="ServiceName", how="left", maintain_order="left")
    category = one.get_column("ServiceCategory").fill_null(_OTHER)
    made = (
        charges.with_columns(
            *(
                pl.coalesce(name, *(pl.col(raw) if raw in known else pl.lit(raw) for raw in raws)).alias(name)
                for name, raws in _STAND_INS.items()
            ),
            ChargeFrequency=pl.coalesce("ChargeFrequency", pl.when(_USED).then(_BY_USE).otherwise(_ONCE)),
            ServiceCategory=category,
            ServiceSubcategory=one.get_column("ServiceSubcategory").fill_null(_OTHER + " (" + category + ")"),
            SkuPriceDetails=pl.when(pl.col("SkuPriceId").is_not_null()).then(
                _price_details(charges.get_column("SkuPriceDetails"))
            ),
        )
        .with_columns(**_quantities())
        .with_columns(**_unit_prices())
    )
    told = sorted({name for name in _TOUCHED if name in columns})
    stands_in = pl.concat_list(
        pl.when(charges.get_column(name).ne_missing(made.get_column(name))).then(pl.lit(name)) for name in told
    ).list.drop_nulls()
    names = pl.when(stands_in.list.len() > 0).then(stands_in.list.join(",")).alias("x_filled")
    return made.with_columns(names).select(*columns, "x_filled")


def _quantities() -> dict[str, pl.Expr]:
    """Only usage that happened is consumed; tax has no quantity; a priced charge has what was consumed, else one."""
    consumed = _USED & pl.col("CommitmentDiscountStatus").ne_missing("Unused")
    known = consumed & pl.col("ConsumedQuantity").is_not_null()
    taxed = pl.col("ChargeCategory") == "Tax"
    unpriced = (_USED | (pl.col("ChargeCategory") == "Purchase")) & pl.col("PricingQuantity").is_null()
    consumed_unit, unit = (
        pl.col(name).replace(_UNITS).fill_null(_ONE_UNIT) for name in ("ConsumedUnit", "PricingUnit")
    )
    quantity = pl.when(unpriced & known).then("ConsumedQuantity").when(unpriced).then(1.0).otherwise("PricingQuantity")
    one = pl.when(unpriced & known).then(consumed_unit).when(unpriced).then(pl.lit(_ONE_UNIT)).otherwise(unit)
    return {
        "ConsumedQuantity": pl.when(consumed).then("ConsumedQuantity"),
        "ConsumedUnit": pl.when(known).then(consumed_unit),
        "PricingQuantity": pl.when(~taxed).then(quantity),
        "PricingUnit": pl.when(~taxed & quantity.is_not_null()).then(one),
    }


def _unit_prices() -> dict[str, pl.Expr]:
    """A unit price stays where it times the quantity is the cost; FOCUS wants them to agree.

    Prices and quantities are doubles and only tell about money, so they are compared with it as doubles; no amount is
    made of them.
    """
    return {
        price: pl.when(
            (pl.col(price) * pl.col("PricingQuantity") - pl.col(cost).cast(pl.Float64)).abs()
            <= pl.col(cost).cast(pl.Float64).abs() * _CLOSE
        ).then(price)
        for price, cost in _UNIT_PRICES.items()
    }


def _price_details(texts: pl.Series) -> pl.Series:
    """SkuPriceDetails with keys of the provider's own marked as such; the work is done once a distinct text."""
    known = {text: _marked(text) for text in texts.drop_nulls().unique().to_list()}
    return texts.replace_strict(known, default=None, return_dtype=pl.String)


def _marked(text: str) -> str:
    try:
        details = json.loads(text)
        if not isinstance(details, dict) or all(key in _DETAILS or key.startswith("x_") for key in details):
            return text
        named = {key if key in _DETAILS or key.startswith("x_") else f"x_{key}": one for key, one in details.items()}
        marked = json.dumps(named, ensure_ascii=False, allow_nan=False)
        marked.encode()
    except (ValueError, RecursionError):  # no JSON, or half of a character, or a number that is none
        return text
    return marked


def as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Cells as FOCUS writes them in text: instants as 2026-10-01T00:00:00Z, money without zeros at its end."""
    instants = selectors.datetime().dt.to_string("%Y-%m-%dT%H:%M:%SZ")
    return rows.with_columns(instants, selectors.decimal().cast(pl.String).str.replace(r"\.?0+$", ""))
