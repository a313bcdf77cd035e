"""Which column of the legacy AWS report holds what, and what each line item type is."""

from __future__ import annotations

# Best first: where a discount was agreed, the report has net columns.
NETS: dict[str, tuple[str, ...]] = {
    "BilledCost": ("lineItem/NetUnblendedCost", "lineItem/UnblendedCost"),
    "savings plan": ("savingsPlan/NetSavingsPlanEffectiveCost", "savingsPlan/SavingsPlanEffectiveCost"),
    "reservation": ("reservation/NetEffectiveCost", "reservation/EffectiveCost"),
    "unused upfront": (
        "reservation/NetUnusedAmortizedUpfrontFeeForBillingPeriod",
        "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod",
    ),
    "unused recurring": ("reservation/NetUnusedRecurringFee", "reservation/UnusedRecurringFee"),
    "commitment": ("savingsPlan/TotalCommitmentToDate",),
    "used commitment": ("savingsPlan/UsedCommitment",),
    "ListCost": ("pricing/publicOnDemandCost",),
}
TEXTS: dict[str, tuple[str, ...]] = {
    "AvailabilityZone": ("lineItem/AvailabilityZone",),
    "BillingAccountId": ("bill/PayerAccountId",),
    "BillingCurrency": ("lineItem/CurrencyCode",),
    "ChargeDescription": ("lineItem/LineItemDescription",),
    "ConsumedUnit": ("pricing/unit",),
    "InvoiceId": ("bill/InvoiceId",),
    "InvoiceIssuerName": ("lineItem/LegalEntity",),
    "PricingCurrency": ("pricing/currency",),
    "PublisherName": ("lineItem/LegalEntity",),
    "RegionId": ("product/regionCode", "product/region"),
    "RegionName": ("product/location",),
    "ResourceId": ("lineItem/ResourceId",),
    "ResourceType": ("product/productFamily",),
    "ServiceName": ("product/ProductName", "product/servicename", "lineItem/ProductCode"),
    "SkuId": ("product/sku",),
    "SkuMeter": ("lineItem/UsageType",),
    "SkuPriceId": ("pricing/RateCode", "pricing/RateId"),
    "SubAccountId": ("lineItem/UsageAccountId",),
}
INSTANTS = {
    "BillingPeriodStart": "bill/BillingPeriodStartDate",
    "BillingPeriodEnd": "bill/BillingPeriodEndDate",
    "ChargePeriodStart": "lineItem/UsageStartDate",
    "ChargePeriodEnd": "lineItem/UsageEndDate",
}
QUANTITIES = {"ConsumedQuantity": "lineItem/UsageAmount", "ListUnitPrice": "pricing/publicOnDemandRate"}
KEPT = {
    "x_LineItemType": "lineItem/LineItemType",
    "x_Operation": "lineItem/Operation",
    "x_ProductCode": "lineItem/ProductCode",
}
_TAGS = "resourcetags/"
_COST_CATEGORY = "costcategory/"
_USER = "user:"

# Line item type -> ChargeCategory and ChargeFrequency. A refund keeps the category of what it corrects.
KINDS: dict[str, tuple[str, str]] = {
    "Usage": ("Usage", "Usage-Based"),
    "DiscountedUsage": ("Usage", "Usage-Based"),
    "SavingsPlanCoveredUsage": ("Usage", "Usage-Based"),
    "SavingsPlanNegation": ("Usage", "Usage-Based"),
    "SavingsPlanRecurringFee": ("Purchase", "Recurring"),
    "SavingsPlanUpfrontFee": ("Purchase", "One-Time"),
    "RIFee": ("Purchase", "Recurring"),
    "Fee": ("Purchase", "One-Time"),
    "Tax": ("Tax", "One-Time"),
    "Credit": ("Credit", "One-Time"),
    "Refund": ("Usage", "One-Time"),
}


class Columns:
    """Raw columns of one file, found without regard to case; tag columns keep theirs."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._folded = {name.casefold(): name for name in reversed(names) if not name.casefold().startswith(_TAGS)}

    def find(self, name: str) -> str | None:
        """A column as the file writes it, or None."""
        return self._folded.get(name.casefold())

    def present(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the columns that the file has, best first."""
        return tuple(found for found in map(self.find, names) if found)

    @property
    def has_net(self) -> bool:
        """Whether a negotiated discount is in force, so that contracted prices are not list prices."""
        return self.find(NETS["BilledCost"][0]) is not None

    def raw_names(self) -> dict[str, str]:
        """Charge column -> the raw column that messages name."""
        singles = {name: (raw,) for name, raw in (INSTANTS | QUANTITIES).items()}
        return {
            name: next(iter(self.present(raws)), raws[0])
            for name, raws in (NETS | TEXTS | singles | {"ChargeCategory": ("lineItem/LineItemType",)}).items()
        }

    def tags(self) -> dict[str, str]:
        """Tag key -> column: `user:` goes, other prefixes stay; cost categories keep their group as prefix."""
        keys: dict[str, str] = {}
        for name in self.names:
            group, _, rest = name.partition("/")
            if f"{group}/".casefold() == _TAGS:
                bare = rest.removeprefix(_USER)
                keys[rest if bare in keys else bare] = name
            elif f"{group}/".casefold() == _COST_CATEGORY:
                keys[f"costCategory/{rest}"] = name
        return keys

    def unmapped(self) -> dict[str, str]:
        """`x_` name -> column, of those that go nowhere else."""
        used = {*INSTANTS.values(), *QUANTITIES.values(), *KEPT.values()}
        used |= {name for names in (*NETS.values(), *TEXTS.values()) for name in names}
        taken = {self.find(name) for name in used} | set(self.tags().values())
        extras: dict[str, str] = {}
        folded: set[str] = set()
        for name in self.names:
            if name in taken:
                continue
            extra = f"x_{name.replace('/', '_')}"
            while extra.casefold() in folded:
                extra += "_2"
            folded.add(extra.casefold())
            extras[extra] = name
        return extras
