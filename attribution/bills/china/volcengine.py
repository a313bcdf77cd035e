"""Volcengine: the detail bill (账单明细) and the split bill (分账账单), with Chinese headers or the names of its API.

The surprise: the cost bill (成本账单) cuts amounts to few decimals and puts the rest on the last day, so it is not for
reconciliation and not read.
"""

from __future__ import annotations

from attribution.bills.china.detail import NULL_WORDS, TAGS, DetailBill
from attribution.bills.flat import Layout, has, issued_by
from attribution.bills.listing import Head

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


READER = DetailBill("volcengine", LAYOUT, _KINDS, identify)
