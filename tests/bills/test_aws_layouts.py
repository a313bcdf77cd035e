"""AWS delivers one bill in four layouts; whichever it is, the charges are the same."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from aws_layouts import Nested, cur2_line, write_athena, write_cur2, write_cur2_lines, write_legacy
from bills_kit import CUR_ROW, Everything, csv_text, look, put, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.bills import read as read_batches
from schemas.charges import Charges
from schemas.check import verify
from schemas.faults import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

COST = "lineItem/UnblendedCost"
KIND = "lineItem/LineItemType"
LISTED = "pricing/publicOnDemandCost"
LINE = CUR_ROW | {
    "lineItem/Operation": "RunInstances", "product/region": "eu-north-1", "product/vcpu": "192",
    "product/instanceType": "p5.48xlarge", "pricing/unit": "Hrs", LISTED: "98.32",
    "resourceTags/user:project": "kestrel", "resourceTags/user:stage": "", "costCategory/team": "night",
    "savingsPlan/SavingsPlanARN": "", "savingsPlan/SavingsPlanEffectiveCost": "",
    "savingsPlan/TotalCommitmentToDate": "", "savingsPlan/UsedCommitment": "", "reservation/ReservationARN": "",
    "reservation/EffectiveCost": "", "reservation/UnusedRecurringFee": "",
    "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod": "", "lineItem/BlendedCost": "0.5",
}  # fmt: skip
WRITERS = {
    "cur.csv.gz": write_legacy,
    "athena/cur-00001.snappy.parquet": write_athena,
    "cur2/cur2-00001.snappy.parquet": write_cur2,
    "cur2/cur2-00001.csv.gz": write_cur2,
}


def read_layout(root: Path, name: str, lines: list[dict[str, str]]) -> Everything:
    folder = root / name.replace("/", "-")
    WRITERS[name](folder / name, lines)
    return read_only(folder)


def folded(bill: Everything) -> pl.DataFrame:
    """Charges without provenance; `x_` columns under names that do not tell the layout."""
    charges = bill.charges.drop("file_id")
    names = {name: f"x_{name[2:].replace('_', '').lower()}" for name in charges.columns if name.startswith("x_")}
    charges = charges.rename(names)
    return charges.select(sorted(charges.columns)).sort("row_number", "ChargeCategory")


def told(bill: Everything) -> list[tuple[str, str]]:
    return sorted((notice.kind, str(notice.amount)) for notice in bill.notices)


def lines_strategy() -> st.SearchStrategy[list[dict[str, str]]]:
    amount = st.decimals(min_value=-(10**5), max_value=10**5, allow_nan=False, places=9).map(str)
    maybe = st.one_of(st.just(""), amount)
    positive = st.one_of(st.just(""), st.decimals(min_value=0, max_value=10**5, allow_nan=False, places=6).map(str))
    kinds = [
        "Usage", "Tax", "Credit", "Refund", "Fee", "RIFee", "DiscountedUsage", "EdpDiscount",
        "SavingsPlanCoveredUsage", "SavingsPlanNegation", "SavingsPlanRecurringFee",
    ]  # fmt: skip
    word = st.sampled_from(["", "kestrel", 'os"prey', "a:b/c.d", "北", "{}", "1E5"])
    line = st.fixed_dictionaries(
        {
            KIND: st.sampled_from(kinds),
            COST: amount,
            LISTED: positive,
            "lineItem/UsageAmount": positive,
            "lineItem/ResourceId": st.sampled_from(["", "i-1", "arn:aws:s3:::bkt"]),
            "savingsPlan/SavingsPlanARN": st.sampled_from(["", "arn:plan/a"]),
            "savingsPlan/SavingsPlanEffectiveCost": positive,
            "savingsPlan/TotalCommitmentToDate": positive,
            "savingsPlan/UsedCommitment": positive,
            "reservation/EffectiveCost": maybe,
            "reservation/ReservationARN": st.sampled_from(["", "arn:ri/1"]),
            "reservation/UnusedRecurringFee": positive,
            "product/ProductName": st.sampled_from(["", "Amazon Elastic Compute Cloud"]),
            "product/marketoption": st.sampled_from(["", "Spot"]),
            "product/vcpu": word,
            "resourceTags/user:project": word,
            "resourceTags/user:stage": word,
            "costCategory/team": word,
        }
    )
    return st.lists(line.map(lambda cells: LINE | cells), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=lines_strategy())
def test_one_bill_gives_the_same_charges_in_every_layout(tmp_path: Path, lines: list[dict[str, str]]) -> None:
    bills = {name: read_layout(tmp_path, name, lines) for name in WRITERS}
    legacy = bills["cur.csv.gz"]
    verify(legacy.charges, Charges, "cur.csv.gz")
    for name, bill in bills.items():
        assert folded(bill).to_dicts() == folded(legacy).to_dicts(), name
        assert (bill.stated, bill.residual, bill.netted) == (legacy.stated, legacy.residual, legacy.netted), name
        assert told(bill) == told(legacy), name
    billed = sum((Decimal(line[COST]) for line in lines), Decimal(0))
    assert legacy.total("BilledCost") + legacy.netted["BilledCost"] == billed


def cur2(root: Path, *changes: Nested, name: str = "cur2.csv.gz") -> Everything:
    """Read a CUR 2.0 report whose lines have these cells, by their own names."""
    write_cur2_lines(root / name, [cur2_line(LINE) | change for change in changes])
    return read_only(root)


def tags_of(bill: Everything) -> list[dict[str, str] | None]:
    return [None if text is None else json.loads(text) for text in bill.texts("Tags")]


def test_account_names_and_capacity_reservations_are_kept(tmp_path: Path) -> None:
    block = {"capacity_reservation_capacity_reservation_arn": "arn:cr/1", "bill_invoicing_entity": "AWS EMEA"}
    bill = cur2(tmp_path, {"bill_payer_account_name": "Payer", "line_item_usage_account_name": "Lab"} | block)
    names = ("BillingAccountName", "SubAccountName", "CapacityReservationId", "InvoiceIssuerName")
    assert [bill.texts(name) for name in names] == [["Payer"], ["Lab"], ["arn:cr/1"], ["AWS"]]
    assert bill.texts("x_bill_invoicing_entity") == ["AWS EMEA"]


@pytest.mark.parametrize("name", ["cur2.csv.gz", "cur2.parquet"])
def test_discounts_are_laid_flat_to_the_last_digit_and_the_net_cost_counts(tmp_path: Path, name: str) -> None:
    discount = {"discount": {"edp_discount": "-4.916666666666667", "total_discount": "-4.916666666666667"}}
    bill = cur2(tmp_path, discount | {"line_item_net_unblended_cost": "93.404"}, {}, name=name)
    assert bill.texts("BilledCost") == bill.texts("EffectiveCost") == [Decimal("93.404"), Decimal("98.32")]
    assert bill.texts("ListCost") == [Decimal("98.32"), Decimal("98.32")]
    assert bill.texts("ContractedCost") == [Decimal("93.404"), Decimal("98.32")]
    assert bill.texts("x_discount_edp_discount") == ["-4.916666666666667", None]
    assert not bill.notices


def test_discounts_without_the_net_column_are_told_and_leave_contracted_cost_unknown(tmp_path: Path) -> None:
    line = {name: cell for name, cell in cur2_line(LINE).items() if name != "line_item_net_unblended_cost"}
    write_cur2_lines(tmp_path / "cur2.parquet", [line | {"discount": {"total_discount": "-5"}}, line])
    bill = read_only(tmp_path)
    assert bill.texts("BilledCost") == [Decimal("98.32")] * 2
    assert bill.texts("ContractedCost") == [None, Decimal("98.32")]
    (notice,) = bill.notices
    assert (notice.kind, notice.amount) == ("net_cost_missing", -5)
    assert "line_item_net_unblended_cost" in notice.sentence


@pytest.mark.parametrize("writer", [write_legacy, write_athena, write_cur2])
@pytest.mark.parametrize("own", ["", "0"])
def test_tasks_and_pods_are_weights_and_their_machine_is_counted_once(
    tmp_path: Path, writer: Callable[[Path, list[dict[str, str]]], None], own: str
) -> None:
    part = {
        "splitLineItem/ParentResourceId": "i-77aa",
        "lineItem/ProductCode": "AmazonEKS",
        "pricing/unit": "vCPU-Hours",
    }
    whole = dict.fromkeys((*part, "splitLineItem/SplitCost", "splitLineItem/UnusedCost"), "") | LINE | {COST: "98.32"}
    lines = [
        whole,
        LINE | part | {COST: own, "splitLineItem/SplitCost": "60.5", "splitLineItem/UnusedCost": "1.5"},
        LINE | part | {COST: own, "splitLineItem/SplitCost": "36.32", "splitLineItem/UnusedCost": ""},
        # A task without a machine of ours is a charge of its own, and what is split of it is itself.
        whole | {COST: "2", LISTED: "2", "splitLineItem/SplitCost": "2"},
    ]
    writer(tmp_path / ("cur.csv.gz" if writer is write_legacy else "cur.parquet"), lines)
    bill = read_only(tmp_path)
    for cost in ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"):
        assert bill.texts(cost) == [Decimal("98.32"), 0, 0, 2]
    assert bill.texts("x_SplitParentResourceId") == [None, "i-77aa", "i-77aa", None]
    assert [Decimal(str(cost)) for cost in bill.texts("x_SplitCost")[1:]] == [Decimal("60.5"), Decimal("36.32"), 2]
    assert bill.texts("x_SplitUnusedCost") == [None, "1.5", None, None]
    assert not bill.notices


def test_a_task_with_a_cost_of_its_own_beside_its_machines_is_kept_and_told(tmp_path: Path) -> None:
    bill = cur2(tmp_path, {"split_line_item_parent_resource_id": "i-77aa", "line_item_unblended_cost": "3"})
    assert bill.texts("BilledCost") == [3]
    assert [(notice.kind, notice.amount) for notice in bill.notices] == [("split_cost_billed", 3)]


@pytest.mark.parametrize("name", ["cur2.csv.gz", "cur2.parquet"])
def test_tag_keys_are_read_flat_and_as_tagged(tmp_path: Path, name: str) -> None:
    bill = cur2(
        tmp_path,
        {
            "resource_tags": {"user_cost_center": "42", "aws_created_by": "root"},
            "cost_category": {"Charge type": "run"},
        },
        {"resource_tags": {"user:CostCenter": "42", "aws:createdBy": "root", "user:user:x": ""}, "cost_category": {}},
        {"resource_tags": {}, "cost_category": {}},
        name=name,
    )
    assert tags_of(bill) == [
        {"cost_center": "42", "aws:created_by": "root", "costCategory/Charge type": "run"},
        {"CostCenter": "42", "aws:createdBy": "root"},
        None,
    ]


def test_the_column_of_all_tags_adds_what_the_others_lack(tmp_path: Path) -> None:
    everything = {"resourceTags/stage": "sft", "accountTag/stage": "lab", "costCategory/team": "night"}
    bill = cur2(
        tmp_path,
        {"tags": everything},
        {"tags": everything | {"resourceTags/project": "kestrel"}, "resource_tags": {}, "cost_category": {}},
    )
    tags = {"stage": "sft", "accountTag/stage": "lab", "costCategory/team": "night", "project": "kestrel"}
    assert tags_of(bill) == [tags, tags]


def test_keys_that_are_one_without_their_prefix_stay_apart(tmp_path: Path) -> None:
    put(tmp_path, "cur.csv", csv_text([CUR_ROW | {"resourceTags/x": "b", "resourceTags/user:x": "a"}]))
    assert tags_of(read_only(tmp_path)) == [{"x": "b", "user:x": "a"}]


def test_a_nested_cell_that_is_no_map_is_told_and_the_line_stays(tmp_path: Path) -> None:
    rows = [cur2_line(LINE) | {"product": "{broken", "resource_tags": "user_project=kestrel"}]
    put(
        tmp_path,
        "cur2.csv",
        csv_text([{name: cell if isinstance(cell, str) else "" for name, cell in rows[0].items()}]),
    )
    bill = read_only(tmp_path)
    assert bill.texts("BilledCost") == [Decimal("98.32")]
    assert bill.texts("ServiceName") == ["AmazonEC2"]
    assert [(line, column, outcome) for line, column, _, outcome in bill.why()] == [
        (2, "product", "value unknown"),
        (2, "resource_tags, cost_category", "value unknown"),
    ]


def test_messages_name_columns_as_the_file_has_them(tmp_path: Path) -> None:
    bill = cur2(tmp_path, {"line_item_unblended_cost": "12 USD"}, {"line_item_usage_start_date": "soon"})
    assert [column for _, column, *_ in bill.why()] == ["line_item_unblended_cost", "line_item_usage_start_date"]
    line = cur2_line(LINE)
    lacking = [{name: cell for name, cell in line.items() if name != "line_item_currency_code"}]
    write_cur2_lines(tmp_path / "less" / "cur2.csv.gz", lacking)
    with pytest.raises(InputError, match='column "line_item_currency_code" is missing'):
        list(read_batches(look(tmp_path / "less").deliveries[0]))


def test_columns_of_one_name_in_two_groups_stay_apart_when_flat(tmp_path: Path) -> None:
    """Kind of case 26: a group's prefix that is dropped makes two columns one."""
    bill = cur2(tmp_path, {"line_item_unblended_cost": "10", "reservation_unblended_cost": "2"})
    assert bill.texts("BilledCost") == [10]
    assert bill.texts("x_reservation_unblended_cost") == ["2"]


def test_optional_columns_may_be_absent_in_any_part(tmp_path: Path) -> None:
    """Kind of case 27: a column is there only in months in which something used it."""
    needed = ("bill_payer", "line_item_line_item_type", "line_item_usage_start", "line_item_usage_end", "line_item_cur")
    line = {name: cell for name, cell in cur2_line(LINE).items() if name.startswith((*needed, "line_item_unblended"))}
    write_cur2_lines(tmp_path / "few" / "cur2.parquet", [line])
    bill = read_only(tmp_path / "few")
    verify(bill.charges, Charges, "cur2.parquet")
    assert bill.texts("BilledCost") == [Decimal("98.32")]
    assert [bill.texts(name) for name in ("ListCost", "ContractedCost", "ResourceId", "Tags")] == [[None]] * 4


def test_decimals_and_text_in_parquet_are_read_exactly(tmp_path: Path) -> None:
    table = pq.read_table(write_and_name(tmp_path))
    exact = pa.array(["0.123456789012345678"], pa.string()).cast(pa.decimal128(38, 18))
    at = table.column_names.index("line_item_unblended_cost")
    pq.write_table(table.set_column(at, "line_item_unblended_cost", exact), tmp_path / "cur2.parquet")
    bill = read_only(tmp_path)
    assert bill.texts("BilledCost") == [Decimal("0.123456789012")]
    assert bill.residual["BilledCost"] == Decimal("0.000000000000345678")


def write_and_name(root: Path) -> Path:
    path = root / "cur2.parquet"
    write_cur2_lines(path, [cur2_line(LINE)])
    return path


GOLDEN = Path(__file__).parent / "golden"


def test_the_golden_reports_total_what_their_cells_do(tmp_path: Path) -> None:
    """Billed is the net cost, else the cost; effective takes covered usage and what of the fee nobody used."""
    rows = list(csv.DictReader((GOLDEN / "aws_cur2.csv").read_text(encoding="utf-8").splitlines()))
    billed = sum(Decimal(row["line_item_net_unblended_cost"] or row["line_item_unblended_cost"] or "0") for row in rows)
    others = [row for row in rows if not row["line_item_line_item_type"].startswith("SavingsPlan")]
    used = sum(Decimal(row["line_item_net_unblended_cost"] or row["line_item_unblended_cost"] or "0") for row in others)
    plans = [Decimal(row[name] or "0") for row in rows for name in (
        "savings_plan_savings_plan_effective_cost", "savings_plan_total_commitment_to_date")]  # fmt: skip
    unused = sum(Decimal(row["savings_plan_used_commitment"] or "0") for row in rows)
    for name in ("aws_cur_athena.parquet", "aws_cur2.csv", "aws_cur2.parquet"):
        put(tmp_path / name, name, (GOLDEN / name).read_bytes())
        bill = read_only(tmp_path / name)
        assert bill.total("BilledCost") == billed
        assert bill.total("EffectiveCost") == used + sum(plans) - unused
