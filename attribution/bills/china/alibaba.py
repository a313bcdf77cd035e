"""Alibaba Cloud: the detail bill (账单明细) and the split bill (分账账单), headers in Chinese or as in its API.

The surprise: 实例ID is the grain that was billed, which is no resource for storage, CDN and the like
(`cn-shanghai;standard`); only the split bill names the bucket, in 分拆项ID.
"""

from __future__ import annotations

import polars as pl

from attribution.bills.charge_rows import Reading
from attribution.bills.china.detail import NULL_WORDS, TAGS, DetailBill
from attribution.bills.flat import Layout, RawColumns, has, issued_by
from attribution.bills.listing import Head

_KINDS = ("账单类型", "Item", "消费类型", "SubscriptionType")
LAYOUT = Layout(
    costs={
        "BilledCost": ("应付金额", "PretaxAmount"),
        "ListCost": ("原价", "PretaxGrossAmount"),
    },
    texts={
        "AvailabilityZone": ("可用区", "Zone"),
        "BillingAccountId": ("账号ID", "AccountID"),
        "BillingAccountName": ("账号", "AccountName"),
        "BillingCurrency": ("币种", "Currency"),
        "ChargeDescription": ("产品明细", "ProductDetail", "计费项", "BillingItem"),
        "PricingUnit": ("用量单位", "UsageUnit"),
        "RegionName": ("地域", "Region"),
        "ResourceId": ("分拆项ID", "SplitItemID", "实例ID", "InstanceID"),
        "ResourceName": ("分拆项名称", "SplitItemName", "实例昵称", "NickName"),
        "ResourceType": ("产品明细Code", "ProductType"),
        "ServiceName": ("产品", "ProductName"),
        "SkuId": ("产品Code", "ProductCode"),
        "SkuMeter": ("计费项", "BillingItem"),
        "SubAccountId": ("Owner账号ID", "OwnerID", "Owner账号", "账号ID", "AccountID"),
        "SubAccountName": ("Owner账号", "OwnerAccountName", "账号", "AccountName"),
    },
    instants={
        "BillingPeriodStart": ("账期", "BillingCycle"),
        "ChargePeriodStart": ("账单开始时间", "UsageStartTime", "账单日期", "BillingDate", "消费时间", "PaymentTime"),
        "ChargePeriodEnd": ("账单结束时间", "UsageEndTime"),
    },
    quantities={"ConsumedQuantity": ("用量", "Usage"), "ListUnitPrice": ("单价", "ListPrice")},
    kept={
        "x_InstanceID": ("实例ID", "InstanceID"),
        "x_CostUnit": ("财务单元", "CostUnit"),
        "x_DeductedByResourcePackage": ("资源包抵扣", "DeductedByResourcePackage"),
        TAGS: ("实例标签", "Tag"),
    },
    constants=issued_by("Alibaba Cloud"),
    required=("BilledCost", "BillingAccountId", "BillingPeriodStart"),
    null_words=NULL_WORDS,
)

# Names as the bill shows them, with or without the city.
_REGIONS = {
    "华东1": "cn-hangzhou", "华东2": "cn-shanghai", "华北1": "cn-qingdao", "华北2": "cn-beijing",
    "华北3": "cn-zhangjiakou", "华北5": "cn-huhehaote", "华北6": "cn-wulanchabu", "华南1": "cn-shenzhen",
    "华南2": "cn-heyuan", "华南3": "cn-guangzhou", "西南1": "cn-chengdu", "中国香港": "cn-hongkong",
    "新加坡": "ap-southeast-1", "马来西亚吉隆坡": "ap-southeast-3", "印度尼西亚雅加达": "ap-southeast-5",
    "菲律宾马尼拉": "ap-southeast-6", "泰国曼谷": "ap-southeast-7", "日本东京": "ap-northeast-1",
    "韩国首尔": "ap-northeast-2", "美国硅谷": "us-west-1", "美国弗吉尼亚": "us-east-1",
    "德国法兰克福": "eu-central-1", "英国伦敦": "eu-west-1", "阿联酋迪拜": "me-east-1",
}  # fmt: skip


def identify(head: Head) -> bool:
    """Whether the header has the bill's month, what is payable, and the grain that was billed."""
    return has(head, "账期", "应付金额", "账号ID", "实例ID") or has(
        head, "BillingCycle", "PretaxAmount", "AccountID", "InstanceID"
    )


def _more(reading: Reading, columns: RawColumns, kept: dict[str, pl.Series]) -> None:  # noqa: ARG001
    filled = reading.columns
    filled["RegionId"] = _region(reading.get("RegionName"))
    packed = kept["x_DeductedByResourcePackage"]
    packed = packed.cast(pl.Float64, strict=False).set(packed.is_null(), 0.0)
    filled["ConsumedQuantity"] = filled["PricingQuantity"] = reading.get("ConsumedQuantity") - packed
    grain = reading.get("ResourceId").str.contains(";", literal=True).fill_null(value=False)
    if grain.any():
        filled["ResourceId"] = reading.get("ResourceId").set(grain, None)
        told = (
            f"{grain.sum()} rows name in 实例ID what was billed and no resource; it is kept as x_InstanceID, "
            "and the split bill (分账账单) has the resources"
        )
        reading.tell("no_resource", told)


def _region(names: pl.Series) -> pl.Series:
    """Region ids of the names; ids stay ids, and an unknown name gives none."""
    plain = names.str.replace_all(r"[（）()\s]", "")
    ids = names.set(~names.str.contains(r"^[a-z]{2}-[a-z]+(-\d+)?$").fill_null(value=False), None)
    known = {name: _REGIONS.get(name) or _REGIONS.get(name[:3]) for name in plain.drop_nulls().unique().to_list()}
    return pl.select(pl.coalesce(ids, plain.replace_strict(known, default=None, return_dtype=pl.String))).to_series()


READER = DetailBill("alibaba", LAYOUT, _KINDS, identify, _more)
