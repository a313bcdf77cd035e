"""Tencent Cloud: the component bill (L3), with the Chinese headers of the domestic site or the English of the other.

The surprise: the international bill states tax in the row of what is taxed. What is payable includes it, as on the
invoice; the tax itself is kept beside.
"""

from __future__ import annotations

from attribution.bills.china.detail import NULL_WORDS, TAGS, DetailBill
from attribution.bills.flat import Layout, has, issued_by
from attribution.bills.listing import Head

_KINDS = ("交易类型", "Transaction Type", "计费模式", "Billing Mode", "实例类型", "Instance Type")
LAYOUT = Layout(
    costs={
        "BilledCost": ("优惠后总价", "Total Cost (Including Tax)", "Total Cost"),
        "ListCost": ("原价", "组件原价", "Original Cost"),
    },
    texts={
        "AvailabilityZone": ("可用区", "Availability Zone"),
        "BillingAccountId": ("支付者UIN", "Payer Account ID"),
        "BillingCurrency": ("币种", "Currency"),
        "ChargeDescription": ("组件名称", "Component Name"),
        "PricingUnit": ("组件用量单位", "Component Usage Unit"),
        "RegionId": ("Region Code",),
        "RegionName": ("地域", "Region"),
        "ResourceId": ("资源ID", "实例ID", "Instance ID"),
        "ResourceName": ("资源别名", "Instance Name"),
        "ServiceName": ("产品名称", "Product Name"),
        "SkuId": ("子产品名称", "Subproduct Name"),
        "SkuMeter": ("组件类型", "Component Type"),
        "SubAccountId": ("使用者UIN", "Owner Account ID"),
        "InvoiceDetailId": ("交易ID", "Transaction ID"),
    },
    instants={
        "BillingPeriodStart": ("账单月份", "Bill Month"),
        "ChargePeriodStart": ("开始使用时间", "Usage Start Time", "扣费时间", "Transaction Time"),
        "ChargePeriodEnd": ("结束使用时间", "Usage End Time"),
    },
    quantities={
        "ConsumedQuantity": ("组件用量", "Component Usage"),
        "ListUnitPrice": ("组件刊例价", "Component List Price"),
    },
    kept={
        "x_Project": ("项目名称", "Project Name"),
        "x_TaxAmount": ("Tax Amount",),
        "x_BeforeTax": ("Amount Before Tax",),
        "x_Voucher": ("代金券支出(元)", "Voucher Deduction"),
        TAGS: ("分账标签", "标签信息", "Tag Keys"),
    },
    constants=issued_by("Tencent Cloud"),
    required=("BilledCost", "BillingAccountId", "ChargePeriodStart"),
    null_words=NULL_WORDS,
)


def identify(head: Head) -> bool:
    """Whether the header has the payer, the subproduct and the component, as Tencent names them."""
    return has(head, "支付者UIN", "子产品名称", "组件类型") or has(
        head, "Payer Account ID", "Subproduct Name", "Component Type"
    )


READER = DetailBill("tencent", LAYOUT, _KINDS, identify)
