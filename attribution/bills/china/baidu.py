"""Baidu AI Cloud: the bill of resources (账单明细) as its console exports it, with Chinese headers.

The surprise: 账单时间 is a moment for what is prepaid and a span for what is paid by use; 服务开始时间 of the latter is
when the resource was started, maybe years ago, and no time of the charge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attribution.bills.cells import read_instants
from attribution.bills.charge_rows import Reading
from attribution.bills.china.detail import NULL_WORDS, TAGS, DetailBill
from attribution.bills.flat import Layout, RawColumns, has, issued_by
from attribution.bills.listing import Head

if TYPE_CHECKING:
    import polars as pl

_MOMENT = r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?"
_KINDS = ("订单类型", "付费方式")
LAYOUT = Layout(
    costs={
        "BilledCost": ("应付金额",),
        "ListCost": ("原价",),
    },
    texts={
        "BillingAccountId": ("账号ID",),
        "BillingAccountName": ("账号登录名",),
        "BillingCurrency": ("币种",),
        "ChargeDescription": ("配置",),
        "PricingUnit": ("用量单位",),
        "RegionName": ("区域",),
        "ResourceId": ("实例ID",),
        "ResourceName": ("实例名称",),
        "ServiceName": ("产品名称",),
        "SkuId": ("云商品编号",),
        "SkuMeter": ("计费项", "配置项"),
        "SubAccountId": ("账号ID",),
        "SubAccountName": ("组织单元", "账号登录名"),
        "InvoiceDetailId": ("订单号",),
    },
    instants={
        "BillingPeriodStart": ("账期",),
    },
    quantities={
        "ConsumedQuantity": ("用量", "配置项用量"),
        "ListUnitPrice": ("单价",),
    },
    kept={
        "x_BillTime": ("账单时间",),
        "x_Voucher": ("代金券金额",),
        TAGS: ("标签",),
    },
    constants=issued_by("Baidu AI Cloud"),
    required=("BilledCost", "BillingAccountId", "x_BillTime"),
    null_words=NULL_WORDS,
)


def identify(head: Head) -> bool:
    """Whether the header has the account, how it is paid, the product and what is payable, as Baidu names them."""
    return has(head, "账号ID", "付费方式", "产品名称", "应付金额")


def _bill_time(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:  # noqa: ARG001
    """The first moment in 账单时间 starts the charge, the second ends it."""
    text = kept["x_BillTime"]
    moments = text.str.extract_all(_MOMENT)
    start, lost = read_instants(moments.list.get(0, null_on_oob=True), reading.source)
    end, bad = read_instants(moments.list.get(1, null_on_oob=True), reading.source)
    reading.columns["ChargePeriodStart"], reading.columns["ChargePeriodEnd"] = start, end
    unread = lost | bad | (text.is_not_null() & start.is_null())
    reading.raw_names["ChargePeriodStart"] = "账单时间"
    reading.fail(unread, "ChargePeriodStart", "a moment or a span, 1970 to 2199", text, required=True)


READER = DetailBill("baidu", LAYOUT, _KINDS, identify, _bill_time)
