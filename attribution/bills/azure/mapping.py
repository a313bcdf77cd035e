"""How rows of Azure cost details become charges: the layout, kinds of charges, commitments, prices.

Enterprise, customer, partner and pay-as-you-go layouts share one table, since they name one thing in several ways and
never two things alike. The surprise: prices of customer agreements are in another currency than costs.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from attribution.bills.azure.regions import region_ids
from attribution.bills.cells import plain_number, read_costs
from attribution.bills.charge_rows import Reading
from attribution.bills.flat import Layout, RawColumns, categorize, folded, issued_by
from attribution.bills.tag_text import TagTexts
from attribution.bills.units import blocks
from schemas.instants import day_after
from schemas.money import MONEY, multiply
from schemas.resource_ids import fold_azure_ids

_COST = ("CostInBillingCurrency", "Cost", "PreTaxCost", "ExtendedCost")
_SUBSCRIPTION = ("SubscriptionId", "SubscriptionGuid")
_ACCOUNT = ("BillingAccountId", "BillingProfileId")
_LIST_COST = "paygCostInBillingCurrency"
# Services that the words of their names would put wrong.
_SERVICES = {
    "advanced data security": "Security",
    "advanced threat protection": "Security",
    "azure data factory v2": "Analytics",
    "log analytics": "Management and Governance",
    "virtual machines": "Compute",
    "virtual machines licenses": "Compute",
    "virtual network": "Networking",
    "virtual wan": "Networking",
}

ACTUAL = Layout(
    costs={"BilledCost": _COST},
    texts={
        "AvailabilityZone": ("AvailabilityZone",),
        "BillingAccountName": ("BillingAccountName",),
        "BillingCurrency": ("BillingCurrency", "BillingCurrencyCode", "Currency"),
        "ChargeDescription": ("ProductName", "Product", "MeterName"),
        "CommitmentDiscountId": ("benefitId", "ReservationId"),
        "CommitmentDiscountName": ("benefitName", "ReservationName"),
        "InvoiceId": ("invoiceId",),
        "InvoiceIssuerName": ("partnerName",),
        "PricingCurrency": ("pricingCurrency",),
        "PublisherName": ("PublisherName",),
        "RegionName": ("ResourceLocationNormalized", "ResourceLocation", "Location"),
        "ResourceId": ("ResourceId", "InstanceId"),
        "ResourceName": ("ResourceName",),
        "ResourceType": ("ResourceType",),
        "ServiceName": ("MeterCategory", "ServiceName", "ConsumedService", "ProductName", "Product", "ServiceFamily"),
        "SkuId": ("MeterId",),
        "SkuMeter": ("MeterName",),
        "SkuPriceId": ("PartNumber", "ProductId"),
        "SubAccountId": _SUBSCRIPTION,
        "SubAccountName": ("SubscriptionName",),
    },
    instants={
        "BillingPeriodStart": ("BillingPeriodStartDate",),
        "BillingPeriodEnd": ("BillingPeriodEndDate",),
        "ChargePeriodStart": ("Date", "UsageDateTime", "UsageDate"),
    },
    quantities={
        "ContractedUnitPrice": ("UnitPrice",),
        "ListUnitPrice": ("PayGPrice",),
        "PricingQuantity": ("Quantity", "UsageQuantity", "ConsumedQuantity"),
    },
    kept={
        "x_ChargeType": ("ChargeType",),
        "x_Frequency": ("Frequency",),
        "x_PricingModel": ("PricingModel",),
        "x_PublisherType": ("PublisherType",),
        "x_ResourceGroup": ("ResourceGroup", "ResourceGroupName"),
        "x_UnitOfMeasure": ("UnitOfMeasure", "Unit"),
    },
    constants=issued_by("Microsoft"),
    required=("BilledCost", "BillingCurrency", "ChargePeriodStart"),
    services=_SERVICES,
    placeholders=("Unassigned", "-2", "Not applicable", "00000000-0000-0000-0000-000000000000"),
)
AMORTIZED = replace(
    ACTUAL, costs={"EffectiveCost": _COST}, required=("EffectiveCost", "BillingCurrency", "ChargePeriodStart")
)

# ChargeType -> category, frequency, class.
_KINDS: dict[str, tuple[str, str, str | None]] = {
    "": ("Usage", "Usage-Based", None),
    "usage": ("Usage", "Usage-Based", None),
    "purchase": ("Purchase", "One-Time", None),
    "refund": ("Purchase", "One-Time", "Correction"),
    "unusedreservation": ("Usage", "Usage-Based", None),
    "unusedsavingsplan": ("Usage", "Usage-Based", None),
    "roundingadjustment": ("Adjustment", "One-Time", None),
    "tax": ("Tax", "One-Time", None),
    "credit": ("Credit", "One-Time", None),
}
# What a resource's id tells where the file does not.
_FROM_ID = {
    "ResourceName": r"^/subscriptions/.*/([^/]+)$",
    "ResourceType": r".*/providers/([^/]+/[^/]+)/[^/]",
}
_FREQUENCIES = {"onetime": "One-Time", "recurring": "Recurring", "usagebased": "Usage-Based"}
_MODELS = {"ondemand": "Standard", "spot": "Dynamic", "reservation": "Committed", "reservations": "Committed"}
_MODELS["savingsplan"] = "Committed"


class Mapping:
    """Fills what the layout's table cannot say, for one delivery.

    Args:
        amortized: whether the file spreads commitments over what they covered; else it tells what was billed.
    """

    def __init__(self, *, amortized: bool) -> None:
        self._amortized = amortized
        self._tags = TagTexts()

    def __call__(self, reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:
        """As `flat.Finish` has it."""
        reading.raw_names["Tags"] = columns.find("Tags") or "Tags"
        reading.read_tags(self._tags, columns.text(reading.rows.frame, "Tags"))
        _ids(reading, columns)
        _periods(reading)
        _kinds(reading, kept)
        _commitments(reading, kept)
        _costs(reading, amortized=self._amortized)
        _prices(reading, columns, kept)
        _units(reading, kept)
        reading.columns["RegionId"] = region_ids(reading.get("RegionName"))


def own_columns(columns: RawColumns) -> frozenset[str]:
    """Raw columns that `Mapping` reads by itself, so that they are not kept a second time."""
    return frozenset([*columns.present(("Tags",)), *columns.present(_ACCOUNT)[:1]])


def committed(charges: pl.DataFrame) -> pl.Series:
    """Which charges are of a commitment: its purchase, usage it covered, what nobody used of it."""
    return charges.get_column("CommitmentDiscountCategory").is_not_null()


def _ids(reading: Reading, columns: RawColumns) -> None:
    """A pay-as-you-go file names no account: there each subscription has a bill of its own."""
    account = columns.present(_ACCOUNT)[:1] or _SUBSCRIPTION
    reading.raw_names["BillingAccountId"] = next(iter(columns.present(account)), account[0])
    blanks = ACTUAL.placeholders
    reading.columns["BillingAccountId"] = columns.text(reading.rows.frame, *account, blanks=blanks)
    reading.columns["SubAccountId"] = reading.get("SubAccountId").str.to_lowercase()
    subscribed = reading.get("SubAccountId").is_not_null()
    reading.columns["SubAccountType"] = reading.nulls(pl.String()).set(subscribed, "Subscription")
    for name in ("ResourceId", "CommitmentDiscountId"):
        reading.columns[name] = fold_azure_ids(reading.get(name))
    resource = reading.get("ResourceId")
    distinct = resource.drop_nulls().unique()
    if distinct.len():
        for name, pattern in _FROM_ID.items():
            found = resource.replace_strict(distinct, distinct.str.extract(pattern), return_dtype=pl.String)
            reading.columns[name] = pl.select(pl.coalesce(reading.get(name), found)).to_series()


def _periods(reading: Reading) -> None:
    """Rows are days, and the last day of a billing period belongs to it."""
    zone = reading.source.timezone
    for name, raw in (("ChargePeriodEnd", "ChargePeriodStart"), ("BillingPeriodEnd", "BillingPeriodEnd")):
        reading.columns[name] = day_after(reading.get(raw), zone)


def _kinds(reading: Reading, kept: dict[str, pl.Series]) -> None:
    categorize(reading, kept["x_ChargeType"], _KINDS, "charge types")
    stated = _plain(kept["x_Frequency"]).replace_strict(_FREQUENCIES, default=None, return_dtype=pl.String)
    columns = reading.columns
    columns["ChargeFrequency"] = stated.zip_with(stated.is_not_null(), columns["ChargeFrequency"])
    # What is given back for usage is usage.
    back = (columns["ChargeClass"] == "Correction") & (columns["ChargeFrequency"] == "Usage-Based")
    columns["ChargeCategory"] = columns["ChargeCategory"].set(back.fill_null(value=False), "Usage")


def _commitments(reading: Reading, kept: dict[str, pl.Series]) -> None:
    frame = pl.DataFrame(
        {
            "id": reading.get("CommitmentDiscountId"),
            "model": _plain(kept["x_PricingModel"]),
            "kind": _plain(kept["x_ChargeType"]),
            "category": reading.columns["ChargeCategory"],
        }
    )
    id_, model, kind, category = (pl.col(name) for name in frame.columns)
    price = model.replace_strict(_MODELS, default=None, return_dtype=pl.String)
    unused = kind.str.starts_with("unused")
    is_committed = unused | (price == "Committed") | (id_.is_not_null() & price.is_null())
    spend = model.str.starts_with("savingsplan") | (kind == "unusedsavingsplan") | id_.str.contains("(?i)savingsplan")
    usage = category == "Usage"
    told = frame.with_columns(of=is_committed.fill_null(value=False), spend=spend.fill_null(value=False)).select(
        CommitmentDiscountCategory=pl.when("of").then(
            pl.when("spend").then(pl.lit("Spend")).otherwise(pl.lit("Usage"))
        ),
        CommitmentDiscountType=pl.when("of").then(
            pl.when("spend").then(pl.lit("Savings plan")).otherwise(pl.lit("Reservation"))
        ),
        CommitmentDiscountStatus=pl.when(pl.col("of") & usage).then(
            pl.when(unused.fill_null(value=False)).then(pl.lit("Unused")).otherwise(pl.lit("Used"))
        ),
        PricingCategory=pl.when(usage & pl.col("of"))
        .then(pl.lit("Committed"))
        .when(usage)
        .then(price.fill_null("Standard"))
        .when(category == "Purchase")
        .then(pl.lit("Standard")),
    )
    reading.columns |= {name: told.get_column(name) for name in told.columns}


def _costs(reading: Reading, *, amortized: bool) -> None:
    """The other of the two costs: the same, but for commitments, whose purchase is billed and whose use is effective.

    FOCUS, EffectiveCost: a purchase that covers later charges has none, and what it covered was not billed again.
    """
    columns = reading.columns
    of = columns["CommitmentDiscountCategory"].is_not_null()
    if amortized:
        columns["BilledCost"] = _without(columns["EffectiveCost"], of)
    else:
        columns["EffectiveCost"] = _without(columns["BilledCost"], of & (columns["ChargeCategory"] == "Purchase"))


def _without(costs: pl.Series, mask: pl.Series) -> pl.Series:
    nothing = pl.Series([0], dtype=pl.Int64).cast(MONEY)
    return pl.select(pl.when(mask & costs.is_not_null()).then(nothing).otherwise(costs)).to_series()


def _prices(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:
    """List and contracted cost.

    A list price of 0 means that Azure does not say; so does a contracted one for commitments and for what others sell.
    """
    frame, source = reading.rows.frame, reading.source

    def number(name: str) -> pl.Series:
        return plain_number(columns.text(frame, *ACTUAL.quantities[name]), source)

    currency = reading.get("PricingCurrency")
    own = currency.is_null() | (currency == reading.get("BillingCurrency")).fill_null(value=False)
    others = (kept["x_PublisherType"].str.to_lowercase() == "marketplace").fill_null(value=False)
    silent = reading.columns["CommitmentDiscountCategory"].is_not_null() | others
    quantity = number("PricingQuantity")
    for cost, price in (("ListCost", "ListUnitPrice"), ("ContractedCost", "ContractedUnitPrice")):
        unit = reading.get(price)
        unknown = (unit == 0).fill_null(value=False) & (silent if cost == "ContractedCost" else True)
        unit = unit.set(unknown, None)
        made = multiply(number(price), quantity).set(unknown | ~own, None)
        priced = unit.set(currency.is_null(), None)
        reading.columns |= {price: unit.set(~own, None), f"PricingCurrency{price}": priced, cost: made}
    if columns.find(_LIST_COST):
        stated = read_costs(columns.text(frame, _LIST_COST), source)[0]
        filled = (stated != 0).fill_null(value=False)
        reading.columns["ListCost"] = stated.zip_with(filled, reading.columns["ListCost"])


def _units(reading: Reading, kept: dict[str, pl.Series]) -> None:
    """Prices are by the block, which FOCUS writes as a number and a unit; what was consumed is in single units."""
    columns = reading.columns
    sizes, names = blocks(kept["x_UnitOfMeasure"])
    many = sizes.cast(pl.Int64).cast(pl.String) + pl.lit(" ") + names
    columns["PricingUnit"] = pl.select(pl.when(sizes > 1).then(many).otherwise(names)).to_series()
    unused = (columns["CommitmentDiscountStatus"] == "Unused").fill_null(value=False)
    none = (columns["ChargeCategory"] != "Usage") | unused
    columns["ConsumedQuantity"] = (reading.get("PricingQuantity") * sizes.fill_null(1.0)).set(none, None)
    columns["ConsumedUnit"] = names.set(none, None)


def _plain(words: pl.Series) -> pl.Series:
    """Words without case and marks; blank where there is none."""
    filled = words.fill_null("")
    return filled.replace_strict({word: folded(word) for word in filled.unique().to_list()}, return_dtype=pl.String)
