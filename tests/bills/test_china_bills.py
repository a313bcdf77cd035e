"""Detail bills of China's clouds: Beijing's clock, guards of spreadsheets, tags as text, refunds, purchases."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from bills_kit import Everything, csv_text, look, put, read_only

from attribution.bills import clock_of
from attribution.bills.china.detail import written_pairs
from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError

GOLDEN = Path(__file__).parent / "golden"
PAYABLE = {
    "alibaba": "应付金额",
    "tencent": "Total Cost (Including Tax)",
    "huawei": "应付金额",
    "volcengine": "PayableAmount",
    "baidu": "应付金额",
}
KINDS = {
    "alibaba": ("账单类型", "消费类型"),
    "tencent": ("Transaction Type", "Billing Mode"),
    "huawei": ("账单类型", "计费模式"),
    "volcengine": ("BillCategory", "BillingMode"),
    "baidu": ("订单类型", "付费方式"),
}


def first_row(name: str) -> dict[str, str]:
    text = (GOLDEN / f"{name}.csv").read_text(encoding="utf-8-sig")
    return next(csv.DictReader(io.StringIO(text)))


def bill(root: Path, name: str, *changes: dict[str, str], encoding: str = "utf-8", **options: object) -> Everything:
    text = csv_text([first_row(name) | change for change in changes])
    put(root, "bill.csv", text.encode(encoding))
    return read_only(root, format=name, timezone=clock_of(name), **options)


@pytest.mark.parametrize("name", PAYABLE)
def test_a_bill_sums_to_what_is_payable_to_the_last_digit(tmp_path: Path, name: str) -> None:
    amounts = ["0.1", "0.2", "-7.00000000000049", "1e-13", "88888888.12345678"]
    read = bill(tmp_path, name, *({PAYABLE[name]: amount} for amount in amounts))
    assert read.total("BilledCost") + read.residual["BilledCost"] == sum(map(Decimal, amounts))
    assert read.total("EffectiveCost") == read.total("BilledCost")
    assert check(read.charges, Charges).failures.is_empty()


@pytest.mark.parametrize("name", PAYABLE)
def test_times_are_beijings_and_the_month_is_the_bills(tmp_path: Path, name: str) -> None:
    read = bill(tmp_path, name, {})
    assert [f"{moment:%F %H}" for moment in read.charges["BillingPeriodStart"]] == ["2026-08-31 16"]
    assert [f"{moment:%F %H}" for moment in read.charges["ChargePeriodEnd"]] == ["2026-09-30 16"]
    assert not read.notices


@pytest.mark.parametrize("name", PAYABLE)
def test_a_file_tells_whose_it_is_but_not_its_clock(tmp_path: Path, name: str) -> None:
    put(tmp_path, "bill.csv", csv_text([first_row(name)]))
    with pytest.raises(InputError, match=f'whose clock is Asia/Shanghai.*\n.*`format = "{name}"`'):
        look(tmp_path)
    (delivery,) = look(tmp_path, timezone="Asia/Shanghai").deliveries
    assert delivery.reader == name


@pytest.mark.parametrize("name", PAYABLE)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("包年包月新购", "包年包月"), ("Purchase", "One-Time", None)),
        (("续费", "预付费"), ("Purchase", "One-Time", None)),
        (("消费-自动续订", "包年/包月-月"), ("Purchase", "One-Time", None)),
        (("退款-退订", "包年包月"), ("Purchase", "One-Time", "Correction")),
        (("Refund", "Pay-as-you-go"), ("Usage", "Usage-Based", "Correction")),
        (("消费-退订手续费增收", "包年/包月-月"), ("Purchase", "One-Time", None)),
        (("按量计费小时结", "按量计费"), ("Usage", "Usage-Based", None)),
        (("", "后付费"), ("Usage", "Usage-Based", None)),
        (("消费-按时计费", "节省计划"), ("Purchase", "Recurring", None)),
        (("消费-节省计划抵扣", "节省计划"), ("Usage", "Usage-Based", None)),
        (("调账-补偿", "按量计费"), ("Adjustment", "One-Time", None)),
        (("SubscriptionOrder", "Subscription"), ("Purchase", "One-Time", None)),
        (("PayAsYouGoBill", "PayAsYouGo"), ("Usage", "Usage-Based", None)),
    ],
)
def test_kinds_are_told_by_their_words(
    tmp_path: Path, name: str, words: tuple[str, str], told: tuple[str, str, str | None]
) -> None:
    read = bill(tmp_path, name, dict(zip(KINDS[name], words, strict=True)))
    assert read.charges.select("ChargeCategory", "ChargeFrequency", "ChargeClass").row(0) == told
    assert not read.notices


@pytest.mark.parametrize("name", PAYABLE)
def test_an_unknown_kind_is_kept_as_usage_and_told(tmp_path: Path, name: str) -> None:
    read = bill(tmp_path, name, dict.fromkeys(KINDS[name], "火星"))
    assert read.texts("ChargeCategory") == ["Usage"]
    assert ["火星" in notice.sentence for notice in read.notices] == [True]


@pytest.mark.parametrize("guard", ["\t", "'", " \t'"])
def test_guards_of_spreadsheets_are_no_part_of_ids(tmp_path: Path, guard: str) -> None:
    ids = {"账号ID": f"{guard}0012", "实例ID": f"{guard}i-1\t", "账期": f"{guard}2026-09", "实例昵称": "\t'quoted'"}
    read = bill(tmp_path, "alibaba", ids | {"账单开始时间": "\t2026-09-03 01:00:00"})
    assert [read.texts(name) for name in ("BillingAccountId", "ResourceId")] == [["0012"], ["i-1"]]
    assert read.texts("ResourceName") == ["'quoted'"]


def test_an_account_that_a_spreadsheet_rounded_refuses_the_row(tmp_path: Path) -> None:
    read = bill(tmp_path, "alibaba", {"账号ID": "1.904E+15"})
    assert [(column, value) for _, column, value, _ in read.why()] == [("账号ID", "1.904E+15")]


def test_gb18030_reads_as_utf_8_does(tmp_path: Path) -> None:
    tags = {"实例标签": "key:项目 value:数据获取；𠮷"}
    plain = bill(tmp_path / "a", "alibaba", tags)
    coded = bill(tmp_path / "b", "alibaba", tags, encoding="gb18030")
    assert plain.charges.drop("file_id").equals(coded.charges.drop("file_id"))


def test_what_is_billed_is_no_resource_where_the_bill_says_so(tmp_path: Path) -> None:
    read = bill(tmp_path, "alibaba", {"实例ID": "cn-shanghai;standard"}, {"实例ID": "i-2"})
    assert read.texts("ResourceId") == [None, "i-2"]
    assert read.texts("x_InstanceID") == ["cn-shanghai;standard", "i-2"]
    assert [notice.kind for notice in read.notices] == ["no_resource"]


def test_the_split_bill_names_the_resource(tmp_path: Path) -> None:
    read = bill(
        tmp_path, "alibaba", {"实例ID": "cn-shanghai;standard", "分拆项ID": "bkt-corpus", "分拆项名称": "corpus"}
    )
    assert (read.texts("ResourceId"), read.texts("ResourceName")) == (["bkt-corpus"], ["corpus"])
    assert not read.notices


def test_a_resource_pack_is_no_part_of_what_was_paid_for(tmp_path: Path) -> None:
    read = bill(tmp_path, "alibaba", {"用量": "1500", "资源包抵扣": "1000"}, {"用量": "", "资源包抵扣": ""})
    assert read.charges["ConsumedQuantity"].to_list() == [500.0, None]


@pytest.mark.parametrize(
    ("shown", "region"),
    [
        ("华东1（杭州）", "cn-hangzhou"),
        ("华北6(乌兰察布)", "cn-wulanchabu"),
        ("中国（香港）", "cn-hongkong"),
        ("新加坡", "ap-southeast-1"),
        ("cn-beijing", "cn-beijing"),
        ("月球1（静海）", None),
        ("", None),
    ],
)
def test_regions_by_the_name_that_is_shown(tmp_path: Path, shown: str, region: str | None) -> None:
    read = bill(tmp_path, "alibaba", {"地域": shown})
    assert (read.texts("RegionId"), read.texts("RegionName")) == ([region], [shown or None])


def test_alibabas_file_api_has_other_names_for_the_same(tmp_path: Path) -> None:
    row = {
        "BillingCycle": "2026-09", "AccountID": "19", "OwnerID": "21", "SubscriptionType": "PayAsYouGo",
        "ProductCode": "oss", "ProductName": "对象存储", "UsageStartTime": "2026-09-03 00:00:00",
        "UsageEndTime": "2026-09-03 01:00:00", "Item": "Refund", "InstanceID": "bkt", "Tag": "k1:v1;k2:v2",
        "PretaxGrossAmount": "-2", "PretaxAmount": "-1.5", "PaymentAmount": "-1", "Currency": "USD",
    }  # fmt: skip
    put(tmp_path, "bill.csv", csv_text([row]))
    read = read_only(tmp_path, timezone="Asia/Shanghai")
    assert read.delivery.reader == "alibaba"
    assert read.stated.totals == {"BilledCost": Decimal("-1.5"), "ListCost": Decimal(-2)}
    told = [read.texts(name) for name in ("ChargeClass", "BillingCurrency", "Tags", "SubAccountId")]
    assert told == [["Correction"], ["USD"], ['{"k1":"v1","k2":"v2"}'], ["21"]]


def test_tencents_chinese_headers_are_known(tmp_path: Path) -> None:
    row = {
        "支付者UIN": "1000", "使用者UIN": "1001", "产品名称": "云服务器CVM", "子产品名称": "GPU型",
        "计费模式": "包年包月", "交易类型": "包年包月退款", "扣费时间": "2026-09-03 08:00:00",
        "开始使用时间": "-", "结束使用时间": "-", "资源ID": "ins-1", "组件类型": "GPU",
        "原价": "-", "优惠后总价": "-88.8", "账单月份": "2026-09",
    }  # fmt: skip
    put(tmp_path, "bill.csv", csv_text([row]))
    read = read_only(tmp_path, timezone="Asia/Shanghai")
    assert (read.delivery.reader, read.total("BilledCost")) == ("tencent", Decimal("-88.8"))
    assert (read.texts("ChargeClass"), read.texts("BillingCurrency")) == (["Correction"], ["CNY"])
    assert [f"{moment:%F %H}" for moment in read.charges["ChargePeriodStart"]] == ["2026-09-03 00"]


def test_volcengines_cost_bill_is_left_alone(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", csv_text([{"分摊月": "2026-09", "Payer账号": "1", "Owner账号": "2", "应付金额": "3"}]))
    with pytest.raises(InputError, match="no reader knows this bill"):
        look(tmp_path)


def test_baidu_starts_a_charge_when_it_was_billed_not_when_the_machine_was(tmp_path: Path) -> None:
    spans = ["2026-09-03 00:00:00 ~ 2026-09-04 00:00:00", "2026-09-03 00:00:00-2026-09-04 00:00:00"]
    read = bill(tmp_path, "baidu", *({"账单时间": span, "服务开始时间": "2019-01-01 00:00:00"} for span in spans))
    periods = read.charges.select("ChargePeriodStart", "ChargePeriodEnd").unique()
    assert [f"{moment:%F %H}" for moment in periods.row(0)] == ["2026-09-02 16", "2026-09-03 16"]
    assert periods.height == 1


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("key:Team value:a; key:项目 value:Atlas 7B", [("Team", "a"), ("项目", "Atlas 7B")]),
        ("key:url value:https://x/y;z=1; key:b value:", [("url", "https://x/y;z=1"), ("b", "")]),
        ("key:a value:1;key:a value:1;", [("a", "1")]),
        ("k1:v1;k2:v:2", [("k1", "v1"), ("k2", "v:2")]),
        ("team=a,stage=sft", [("team", "a"), ("stage", "sft")]),
        ("note:one, two", [("note", "one, two")]),
    ],
)
def test_tags_written_as_text(text: str, pairs: list[tuple[str, str]]) -> None:
    assert written_pairs(text) == pairs


@pytest.mark.parametrize("text", ["key:a", "key:a value:1; key:a value:2", "nothing", "a:1;nothing", ";;x"])
def test_text_that_is_no_tags_is_told(tmp_path: Path, text: str) -> None:
    read = bill(tmp_path, "alibaba", {"实例标签": text})
    assert read.texts("Tags") == [None]
    assert read.why() == [(2, "实例标签", text, "value unknown")]


def test_hostile_cells_stay_text(tmp_path: Path) -> None:
    cells = ['=HYPERLINK("x")', "<b>x</b>", 'a "quoted"\nline', "🤖" * 100]
    read = bill(tmp_path, "alibaba", *({"产品": cell, "实例昵称": cell} for cell in cells))
    assert (read.texts("ServiceName"), read.texts("ResourceName")) == (cells, cells)
