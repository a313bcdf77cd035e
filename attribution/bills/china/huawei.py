"""Huawei Cloud: detail bills as the billing centre delivers them to a bucket, by use (使用量类型明细账单) or by month.

The surprise: no column holds the account's id, only its name (账号).
"""

from __future__ import annotations

from attribution.bills.china.detail import NULL_WORDS, TAGS, DetailBill
from attribution.bills.flat import Layout, has, issued_by
from attribution.bills.listing import Head

_KINDS = ("账单类型", "计费模式")
LAYOUT = Layout(
    costs={
        "BilledCost": ("应付金额",),
        "ListCost": ("官网价",),
    },
    texts={
        "BillingAccountId": ("账号",),
        "BillingAccountName": ("账号",),
        "BillingCurrency": ("币种",),
        "ChargeDescription": ("规格",),
        "PricingUnit": ("使用量单位",),
        "RegionId": ("区域编码",),
        "RegionName": ("区域",),
        "ResourceId": ("资源ID",),
        "ResourceName": ("资源名称",),
        "ResourceType": ("产品编码",),
        "ServiceName": ("产品类型", "产品"),
        "SkuId": ("产品ID",),
        "SkuMeter": ("使用量类型", "产品"),
        "SubAccountId": ("企业项目ID",),
        "SubAccountName": ("企业项目",),
        "InvoiceDetailId": ("订单号/交易号",),
    },
    instants={
        "BillingPeriodStart": ("账期",),
        "ChargePeriodStart": ("使用开始时间", "交易时间"),
        "ChargePeriodEnd": ("使用结束时间",),
    },
    quantities={
        "ConsumedQuantity": ("使用量",),
        "ListUnitPrice": ("单价",),
    },
    kept={
        "x_Rounding": ("抹零金额",),
        "x_Voucher": ("代金券抵扣",),
        TAGS: ("资源标签",),
    },
    constants=issued_by("Huawei Cloud"),
    required=("BilledCost", "BillingAccountId", "BillingPeriodStart"),
    null_words=NULL_WORDS,
)


def identify(head: Head) -> bool:
    """Whether the header has the month, what is payable, and Huawei's product type and enterprise project."""
    return has(head, "账期", "应付金额", "产品类型", "企业项目", "计费模式")


READER = DetailBill("huawei", LAYOUT, _KINDS, identify)
