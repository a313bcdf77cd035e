"""Volcengine: the detail bill (账单明细) and the split bill (分账账单), with Chinese headers or the names of its API.

The surprise: the cost bill (成本账单) cuts amounts to few decimals and puts the rest on the last day, so it is not for
reconciliation and not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attribution.bills.china import NULL_WORDS, TAGS, TIMEZONE, read_detail
from attribution.bills.deliveries import one_by_one
from attribution.bills.flat import Layout, has, issued_by, sum_flat
from attribution.bills.listing import Head
from schemas.bills import Batch, BillFile, Delivery, HeldBack, Stated
from schemas.workspace import Source

__all__ = ["NAME", "TIMEZONE", "deliveries", "identify", "read", "stated"]

NAME = "volcengine"
READER_VERSION = 1

_KINDS = ("账单类型", "BillCategory", "计费模式", "BillingMode")
LAYOUT = Layout(
    costs={
        "BilledCost": ("应付金额", "PayableAmount"),
        "ListCost": ("原价", "OriginalBillAmount"),
    },
    texts={
        "AvailabilityZone": ("可用区", "Zone"),
        "BillingAccountId": ("Payer账号ID", "Payer账号", "PayerID"),
        "BillingCurrency": ("币种", "Currency"),
        "ChargeDescription": ("配置名称", "ConfigName"),
        "PricingUnit": ("用量单位", "Unit"),
        "RegionId": ("RegionCode",),
        "RegionName": ("地域", "Region"),
        "ResourceId": ("分拆项ID", "SplitItemID", "实例ID", "InstanceNo"),
        "ResourceName": ("分拆项名称", "SplitItemName", "实例名称", "InstanceName"),
        "ServiceName": ("产品", "ProductZh", "Product"),
        "SkuMeter": ("计费项", "计费单元", "Element"),
        "SubAccountId": ("Owner账号ID", "Owner账号", "OwnerID"),
        "SubAccountName": ("Owner账号", "OwnerUserName"),
        "InvoiceDetailId": ("账单ID", "BillID"),
    },
    instants={
        "BillingPeriodStart": ("账期", "账务账期", "BillPeriod"),
        "ChargePeriodStart": ("消费开始时间", "ExpenseBeginTime", "账单日期", "ExpenseDate"),
        "ChargePeriodEnd": ("消费结束时间", "ExpenseEndTime"),
    },
    quantities={
        "ConsumedQuantity": ("用量", "Count"),
        "ListUnitPrice": ("单价", "Price"),
    },
    kept={
        "x_InstanceID": ("实例ID", "InstanceNo"),
        "x_Project": ("项目", "Project"),
        "x_Rounding": ("抹零金额", "RoundAmount"),
        "x_Voucher": ("代金券抵扣", "CouponAmount"),
        TAGS: ("标签", "Tag"),
    },
    constants=issued_by("Volcengine"),
    required=("BilledCost", "BillingAccountId", "BillingPeriodStart"),
    null_words=NULL_WORDS,
)


def identify(head: Head) -> bool:
    """Whether the header has the payer, the owner, the month and what is payable; the cost bill is left alone."""
    return not has(head, "分摊月") and (
        has(head, "Payer账号", "Owner账号", "应付金额")
        or has(head, "Payer账号ID", "Owner账号ID", "应付金额")
        or has(head, "BillPeriod", "PayerID", "PayableAmount", "InstanceNo")
    )


def deliveries(source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
    """Each file is a delivery; a date or run id in its path orders deliveries of one bill."""
    return one_by_one(source, files, NAME, READER_VERSION), []


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery, batch by batch; errors as `read_flat` has them."""
    return read_detail(delivery, LAYOUT, _KINDS)


def stated(delivery: Delivery) -> Stated:
    """Rows and sums of what is payable and of the list price, apart from the reader."""
    return sum_flat(delivery, LAYOUT)
