"""Which column of an AWS report holds what, and what each line item type is.

The tables speak of columns as the legacy report writes them, `lineItem/UnblendedCost`; its Parquet and CUR 2.0 write
the same names flat, `line_item_unblended_cost`. Columns are found by both, and messages name the file's own.
"""

from __future__ import annotations

import re

from attribution.bills.aws.maps import TAG_MAPS, tag_key
from attribution.bills.charge_rows import extra_columns
from attribution.bills.flat import RawColumns

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
    "unblended": ("lineItem/UnblendedCost",),
    "net": ("lineItem/NetUnblendedCost",),
    "discount": ("discount/TotalDiscount",),
}
TEXTS: dict[str, tuple[str, ...]] = {
    "AvailabilityZone": ("lineItem/AvailabilityZone",),
    "BillingAccountId": ("bill/PayerAccountId",),
    "BillingAccountName": ("bill/PayerAccountName",),
    "BillingCurrency": ("lineItem/CurrencyCode",),
    "CapacityReservationId": ("capacityReservation/CapacityReservationArn",),
    "ChargeDescription": ("lineItem/LineItemDescription",),
    "ConsumedUnit": ("pricing/unit",),
    "InvoiceId": ("bill/InvoiceId",),
    "PricingCurrency": ("pricing/currency",),
    "RegionId": ("product/regionCode", "product/region"),
    "RegionName": ("product/location",),
    "ResourceId": ("lineItem/ResourceId",),
    "ResourceType": ("product/productFamily",),
    "ServiceName": ("product/ProductName", "product/servicename", "lineItem/ProductCode"),
    "SkuId": ("product/sku",),
    "SkuMeter": ("lineItem/UsageType",),
    "SkuPriceId": ("pricing/RateCode", "pricing/RateId"),
    "SubAccountId": ("lineItem/UsageAccountId",),
    "SubAccountName": ("lineItem/UsageAccountName",),
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
# What a task or pod had of its machine. The machine's own line has the money; these weights split it and add nothing.
SPLITS = {
    "x_SplitParentResourceId": "splitLineItem/ParentResourceId",
    "x_SplitCost": "splitLineItem/SplitCost",
    "x_SplitUnusedCost": "splitLineItem/UnusedCost",
    "x_SplitNetCost": "splitLineItem/NetSplitCost",
    "x_SplitNetUnusedCost": "splitLineItem/NetUnusedCost",
    "x_SplitUsage": "splitLineItem/SplitUsage",
    "x_SplitUsageRatio": "splitLineItem/SplitUsageRatio",
}
_TAG_GROUPS = {"resourcetags/": "resource_tags", "costcategory/": "cost_category"}
_FLAT_TAG_GROUPS = {"resource_tags_": "resource_tags", "cost_category_": "cost_category"}

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


class Columns(RawColumns):
    """Raw columns of one report, found without regard to case and whether grouped or flat; tag columns keep theirs."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.flat = not any(name.casefold().startswith("lineitem/") for name in names)
        self._tags = {name: found for name in names if (found := self._tag(name))}
        plain = [name for name in reversed(names) if name not in self._tags]
        self._folded = {self._fold(name): name for name in plain}

    def find(self, name: str) -> str | None:
        """A column as the file writes it, or None."""
        return self._folded.get(self._fold(name))

    def spelled(self, name: str) -> str:
        """A column that the file lacks, in the way in which this file writes its names."""
        return flat_name(name) if self.flat else name

    def discounts(self) -> tuple[str, ...]:
        """Columns that say what was taken off a line, in reports that fold discounts into the lines."""
        return tuple(name for folded, name in self._folded.items() if re.fullmatch(r"discount.+discount", folded))

    def raw_names(self) -> dict[str, str]:
        """Charge column -> the raw column that messages name."""
        singles = {name: (raw,) for name, raw in (INSTANTS | QUANTITIES).items()}
        tables = NETS | TEXTS | singles | {"ChargeCategory": ("lineItem/LineItemType",)}
        return {name: next(iter(self.present(raws)), self.spelled(raws[0])) for name, raws in tables.items()}

    def tags(self) -> dict[str, str]:
        """Tag key -> column, of tags and cost categories that have columns of their own."""
        keys: dict[str, str] = {}
        for name, (scheme, rest) in self._tags.items():
            keys[tag_key(scheme, rest, keys)] = name
        return keys

    def tag_maps(self) -> tuple[str, ...]:
        """Columns that hold all tags, or cost categories, of a line."""
        return tuple(name for name in self.names if self.flat and name in TAG_MAPS)

    def extras(self) -> dict[str, str]:
        """`x_` name -> column, of those that go nowhere else."""
        used = {*INSTANTS.values(), *QUANTITIES.values(), *KEPT.values(), *SPLITS.values()}
        used |= {name for cost, names in NETS.items() for name in names if cost != "discount"}
        used |= {name for names in TEXTS.values() for name in names}
        taken = {self.find(name) for name in used} | set(self.tags().values()) | set(self.tag_maps())
        return extra_columns(name for name in self.names if name not in taken)

    def _fold(self, name: str) -> str:
        folded = name.casefold()
        return re.sub(r"[^a-z0-9]", "", folded) if self.flat else folded

    def _tag(self, name: str) -> tuple[str, str] | None:
        folded = name.casefold()
        groups = _FLAT_TAG_GROUPS if self.flat else _TAG_GROUPS
        return next(
            ((scheme, name[len(group) :]) for group, scheme in groups.items() if folded.startswith(group)), None
        )


def flat_name(name: str) -> str:
    """`lineItem/UnblendedCost` as flat reports write it: `line_item_unblended_cost`."""
    return re.sub(r"(?<!^)(?<!/)([A-Z])", r"_\1", name).replace("/", "_").lower()
