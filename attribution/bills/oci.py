"""Oracle Cloud cost reports: CSV with `group/Column` names, several files a day, each holding rows of its own.

The surprise: `cost/myCostOverage` is a part of `cost/myCost` and is never added to it. A correction is a row of its
own that names the row it corrects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from attribution.bills.charge_rows import Reading
from attribution.bills.deliveries import one_by_one
from attribution.bills.flat import Layout, RawColumns, has, issued_by, read_flat, sum_flat
from attribution.bills.listing import Head
from attribution.bills.tag_text import TagTexts
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.workspace import Source

NAME = "oci"
READER_VERSION = 1

_TAGS = "tags/"
LAYOUT = Layout(
    costs={"BilledCost": ("cost/myCost",)},
    texts={
        "AvailabilityZone": ("product/availabilityDomain",),
        "BillingAccountId": ("lineItem/tenantId",),
        "BillingCurrency": ("cost/currencyCode",),
        "ChargeDescription": ("product/Description",),
        "PricingUnit": ("cost/skuUnitDescription", "cost/billingUnitReadable"),
        "RegionId": ("product/region",),
        "ResourceId": ("product/resourceId",),
        "ServiceName": ("product/service",),
        "SkuId": ("cost/productSku",),
        "SkuMeter": ("product/Description",),
        "SubAccountId": ("product/compartmentId",),
        "SubAccountName": ("product/compartmentName",),
    },
    instants={
        "ChargePeriodStart": ("lineItem/intervalUsageStart",),
        "ChargePeriodEnd": ("lineItem/intervalUsageEnd",),
    },
    quantities={
        "ConsumedQuantity": ("usage/billedQuantity",),
        "ListUnitPrice": ("cost/unitPrice",),
    },
    kept={
        "x_referenceNo": ("lineItem/referenceNo",),
        "x_backreferenceNo": ("lineItem/backreferenceNo",),
        "x_isCorrection": ("lineItem/isCorrection",),
        "x_subscriptionId": ("cost/subscriptionId",),
        "x_myCostOverage": ("cost/myCostOverage",),
        "x_overageFlag": ("cost/overageFlag",),
    },
    constants={
        "ChargeCategory": "Usage",
        "ChargeFrequency": "Usage-Based",
        "PricingCategory": "Standard",
        **issued_by("Oracle Cloud"),
    },
    required=("BilledCost", "BillingAccountId", "BillingCurrency", "ChargePeriodStart"),
)


def identify(head: Head) -> bool:
    """Whether the header has the report's cost and its tenancy."""
    return has(head, "cost/myCost", "lineItem/tenantId")


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Each file is a delivery and adds its rows once: Oracle writes several a day and never rewrites one."""
    return one_by_one(source, files, NAME, READER_VERSION, mode="append"), []


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` has them."""
    tags = TagTexts()

    def finish(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:
        _derive(reading, kept["x_isCorrection"])
        # `tags/<namespace>.<key>` for defined tags, `tags/<key>` for free-form ones.
        named = {name[len(_TAGS) :]: name for name in sorted(_tag_columns(columns))}
        reading.columns["Tags"] = tags.of_columns(reading.rows.frame, named)

    return read_flat(delivery, LAYOUT, finish, _tag_columns)


def stated(delivery: Delivery) -> Stated:
    """Rows and the sum of `cost/myCost`, apart from the reader."""
    return sum_flat(delivery, LAYOUT)


def _derive(reading: Reading, correction: pl.Series) -> None:
    columns = reading.columns
    corrected = (correction.str.to_lowercase() == "true").fill_null(value=False)
    columns["ChargeClass"] = reading.nulls(pl.String()).set(corrected, "Correction")
    columns["PricingQuantity"] = columns["ConsumedQuantity"]
    columns["ConsumedUnit"] = columns["PricingUnit"]
    # The second part of an OCID says what it is: ocid1.instance.oc1...
    columns["ResourceType"] = reading.get("ResourceId").str.extract(r"^ocid1\.([a-z0-9]+)\.")


def _tag_columns(columns: RawColumns) -> frozenset[str]:
    return frozenset(name for name in columns.names if name.casefold().startswith(_TAGS))
