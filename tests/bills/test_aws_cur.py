"""The legacy AWS report: what each line item type is worth, and commitments that are counted once."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from bills_kit import CUR_ROW, Everything, csv_text, cur_text, look, put, read_only
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attribution.bills import read as read_batches
from schemas.charges import CHARGE_COLUMNS, Charges
from schemas.check import verify
from schemas.faults import InputError

COST = "lineItem/UnblendedCost"
KIND = "lineItem/LineItemType"
PLAN = "savingsPlan/SavingsPlanArn"
PLAN_COST = "savingsPlan/SavingsPlanEffectiveCost"
FEE = "SavingsPlanRecurringFee"
COVERED = {KIND: "SavingsPlanCoveredUsage", COST: "10.00", PLAN_COST: "7.00"}
NEGATION = {KIND: "SavingsPlanNegation", COST: "-10.00", PLAN_COST: "None", "lineItem/ResourceId": ""}


def read_lines(root: Path, *lines: dict[str, str], **options: str) -> Everything:
    put(root, "cur.csv.gz", cur_text(*lines))
    return read_only(root, **options)


def by_status(bill: Everything) -> dict[tuple[str, str | None], tuple[Decimal, Decimal]]:
    rows = bill.charges.group_by("ChargeCategory", "CommitmentDiscountStatus").agg(
        pl.col("BilledCost").sum(), pl.col("EffectiveCost").sum()
    )
    return {(row[0], row[1]): (row[2], row[3]) for row in rows.rows()}


def test_charges_have_the_contract_and_keep_accounts_as_text(tmp_path: Path) -> None:
    bill = read_lines(tmp_path, {})
    verify(bill.charges, Charges, "cur.csv.gz")
    assert list(bill.charges.columns)[: len(CHARGE_COLUMNS)] == list(CHARGE_COLUMNS)
    assert bill.texts("SubAccountId") == ["000903447716"]
    assert bill.texts("BillingAccountId") == ["004418230975"]
    assert bill.texts("SkuMeter") == ["BoxUsage:p5.48xlarge"]
    assert (bill.total("BilledCost"), bill.total("EffectiveCost")) == (Decimal("98.32"), Decimal("98.32"))


def test_only_a_marketplaces_seller_is_another_publisher(tmp_path: Path) -> None:
    sellers = ["Amazon Web Services, Inc.", "AWS EMEA SARL", "Vector Search Ltd", ""]
    bill = read_lines(tmp_path, *({"lineItem/LegalEntity": name} for name in sellers))
    assert bill.charges["PublisherName"].to_list() == ["AWS", "AWS", "Vector Search Ltd", None]
    assert bill.charges["x_lineItem_LegalEntity"].to_list() == [*sellers[:3], None]
    assert set(bill.texts("InvoiceIssuerName")) == {"AWS"}


def test_a_savings_plan_is_counted_once_used_or_not(tmp_path: Path) -> None:
    """Kind of case 52: fee and covered usage both counted would give 20, a dropped negation 23."""
    stated = {"savingsPlan/TotalCommitmentToDate": "8.00", "savingsPlan/UsedCommitment": "7.00"}
    bill = read_lines(tmp_path, COVERED, NEGATION, {KIND: FEE, COST: "8.00"} | stated, {COST: "5.00"})
    assert bill.total("BilledCost") == bill.total("EffectiveCost") == 13
    assert by_status(bill) == {
        ("Usage", "Used"): (Decimal(0), Decimal(7)),
        ("Usage", "Unused"): (Decimal(0), Decimal(1)),
        ("Usage", None): (Decimal(5), Decimal(5)),
        ("Purchase", None): (Decimal(8), Decimal(0)),
    }
    assert bill.netted == {"BilledCost": 0}
    assert bill.charges.height == 5
    assert not bill.refused.height  # the negation's "None" is no amount of anything


def test_a_negation_is_a_charge_of_nothing(tmp_path: Path) -> None:
    bill = read_lines(tmp_path, COVERED, NEGATION)
    row = bill.charges.filter(pl.col("x_LineItemType") == "SavingsPlanNegation").row(0, named=True)
    names = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "ConsumedQuantity", "PricingQuantity")
    assert [row[name] for name in names] == [0] * 6


def test_usage_and_negation_that_do_not_cancel_are_told_with_the_difference(tmp_path: Path) -> None:
    bill = read_lines(tmp_path, COVERED, NEGATION | {COST: "-9.75"})
    assert bill.netted == {"BilledCost": Decimal("0.25")}
    assert [(notice.kind, notice.amount) for notice in bill.notices] == [("savings_plan_netting", Decimal("0.25"))]


def test_unused_commitment_is_derived_by_plan_where_the_report_leaves_it_blank(tmp_path: Path) -> None:
    lines = [
        {KIND: FEE, COST: "8.00", PLAN: "arn:plan/a"},
        COVERED | {PLAN: "arn:plan/a"},
        NEGATION,
        {KIND: FEE, COST: "3.00", PLAN: "arn:plan/b"},
        COVERED | {PLAN: "arn:plan/b"},
        NEGATION,
    ]
    bill = read_lines(tmp_path, *lines)
    unused = bill.charges.filter(pl.col("CommitmentDiscountStatus") == "Unused")
    assert unused.select("CommitmentDiscountId", "EffectiveCost", "row_number").rows() == [("arn:plan/a", 1, 1)]
    told = {notice.subject: notice.amount for notice in bill.notices}
    assert told == {
        "arn:plan/a in 2026-09": Decimal(1),
        "arn:plan/b in 2026-09": Decimal(0),
    }  # covered more than its fee: never below zero


def test_corrected_fees_leave_no_unused_commitment(tmp_path: Path) -> None:
    """More was given back than paid, and usage that was covered is corrected: nothing is left to be unused."""
    bill = read_lines(tmp_path, {KIND: FEE, COST: "-8.00"}, COVERED | {PLAN_COST: "-9.00"}, NEGATION)
    assert by_status(bill)["Purchase", None] == (-8, 0)
    assert ("Usage", "Unused") not in by_status(bill)


def test_without_plans_the_payers_fees_and_usage_are_compared_over_all_parts(tmp_path: Path) -> None:
    folder = "20260901-20261001/assembly-1"
    put(tmp_path, f"{folder}/cur-1.csv", cur_text({KIND: FEE, COST: "6.00"}, {KIND: FEE, COST: "4.00"}))
    put(tmp_path, f"{folder}/cur-2.csv", cur_text(COVERED, NEGATION))
    bill = read_only(tmp_path)
    unused = bill.charges.filter(pl.col("CommitmentDiscountStatus") == "Unused")
    assert unused.get_column("EffectiveCost").to_list() == [Decimal("1.8"), Decimal("1.2")]
    (notice,) = bill.notices
    assert (notice.kind, notice.subject, notice.amount) == (
        "unused_commitment_derived",
        "004418230975 in 2026-09",
        Decimal(3),
    )


def test_covered_usage_without_its_cost_leaves_the_unused_part_unknown(tmp_path: Path) -> None:
    bill = read_lines(tmp_path, {KIND: FEE, COST: "8.00"}, COVERED | {PLAN_COST: ""}, NEGATION)
    unused = bill.charges.filter(pl.col("CommitmentDiscountStatus") == "Unused")
    assert unused.get_column("EffectiveCost").to_list() == [None]
    assert bill.notices[0].amount is None


def test_a_reservation_is_counted_once_used_or_not(tmp_path: Path) -> None:
    """Kind of case 54: 42 was paid, 9 is what the month cost, 3 of it unused."""
    arn = {"reservation/ReservationARN": "arn:ri/1"}
    unused = {
        "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod": "1.00",
        "reservation/UnusedRecurringFee": "2.00",
    }
    bill = read_lines(
        tmp_path,
        arn | {KIND: "DiscountedUsage", COST: "0", "reservation/EffectiveCost": "6.00"},
        arn | unused | {KIND: "RIFee", COST: "6.00"},
        arn | {KIND: "Fee", COST: "36.00"},
    )
    assert (bill.total("BilledCost"), bill.total("EffectiveCost")) == (42, 9)
    assert by_status(bill)["Usage", "Unused"] == (0, 3)
    assert bill.charges.get_column("CommitmentDiscountCategory").unique().to_list() == ["Usage"]


def test_reserved_usage_without_its_cost_is_unknown_not_zero(tmp_path: Path) -> None:
    bill = read_lines(tmp_path, {KIND: "DiscountedUsage", COST: "0"}, {KIND: "RIFee", COST: "5"})
    assert bill.texts("EffectiveCost") == [None, 0]
    assert [notice.kind for notice in bill.notices] == ["unused_commitment_unknown"]


def test_all_line_types_sum_to_the_invoice(tmp_path: Path) -> None:
    """Kind of cases 56 and 58: what is no usage is billed all the same."""
    kinds = {
        "Usage": "80", "EdpDiscount": "-20", "Tax": "6", "Credit": "-3", "Refund": "-2", "Fee": "4",
        "PrivateRateDiscount": "-1", "SomethingNew": "0.5",
    }  # fmt: skip
    bill = read_lines(tmp_path, *({KIND: kind, COST: cost} for kind, cost in kinds.items()))
    assert bill.total("BilledCost") == bill.total("EffectiveCost") == Decimal("64.5")
    assert bill.texts("ChargeCategory") == [
        "Usage", "Adjustment", "Tax", "Credit", "Usage", "Purchase", "Adjustment", "Usage"
    ]  # fmt: skip
    assert bill.texts("ChargeClass") == [None, None, None, None, "Correction", None, None, None]
    assert [notice.kind for notice in bill.notices] == ["charge_type_unknown"]


def test_net_columns_come_first_and_tell_the_contracted_cost_of_lines_at_list_price(tmp_path: Path) -> None:
    net, listed = "lineItem/NetUnblendedCost", "pricing/publicOnDemandCost"
    bill = read_lines(
        tmp_path,
        {COST: "100", net: "80", listed: "100"},
        {COST: "100", net: "80", listed: "110"},
        {COST: "5", net: "", listed: "6"},
        {COST: "7", net: "6", listed: ""},
    )
    assert bill.texts("BilledCost") == [80, 80, 5, 6]
    assert bill.texts("ContractedCost") == [80, None, 6, None]
    assert read_lines(tmp_path / "plain", {listed: "6"}).texts("ContractedCost") == [6]


def test_discounts_without_the_net_cost_are_told(tmp_path: Path) -> None:
    listed = {COST: "100", "pricing/publicOnDemandCost": "100"}
    bill = read_lines(tmp_path, listed | {"discount/TotalDiscount": "-20"}, listed | {"discount/TotalDiscount": "0.0"})
    assert bill.texts("BilledCost") == [100, 100]
    assert bill.texts("ContractedCost") == [None, 100]
    assert [(notice.kind, notice.amount) for notice in bill.notices] == [("net_cost_missing", Decimal(-20))]
    assert "has no lineItem/NetUnblendedCost" in bill.notices[0].sentence


def test_blended_cost_is_never_used(tmp_path: Path) -> None:
    """Kind of case 61: blended rates would give both accounts 9."""
    bill = read_lines(tmp_path, {COST: "12", "lineItem/BlendedCost": "9"}, {COST: "6", "lineItem/BlendedCost": "9"})
    assert bill.texts("BilledCost") == [12, 6]
    assert bill.texts("x_lineItem_BlendedCost") == ["9", "9"]


def test_columns_of_one_name_in_two_groups_stay_apart(tmp_path: Path) -> None:
    """Kind of case 26."""
    bill = read_lines(tmp_path, {COST: "10", "reservation/UnblendedCost": "2", "product/databaseEngine": ""})
    assert bill.total("BilledCost") == 10
    assert bill.texts("x_reservation_UnblendedCost") == ["2"]
    assert "x_product_databaseEngine" not in bill.charges.columns


def test_tags_keep_their_case_and_cost_categories_their_prefix(tmp_path: Path) -> None:
    tags = {
        "resourceTags/user:Project": "kestrel",
        "resourceTags/user:project": "osprey",
        "resourceTags/aws:createdBy": "root",
        "costCategory/Team": "night",
        "resourceTags/user:blank": "",
    }
    bill = read_lines(tmp_path, tags, {})
    assert json.loads(str(bill.texts("Tags")[0])) == {
        "Project": "kestrel",
        "aws:createdBy": "root",
        "costCategory/Team": "night",
        "project": "osprey",
    }
    assert bill.texts("Tags")[1] is None


@pytest.mark.parametrize(
    ("code", "meter", "category"),
    [
        ("AmazonEC2", "USW2-BoxUsage:p5.48xlarge", "Compute"),
        ("AmazonEC2", "USW2-EBS:VolumeUsage.gp3", "Storage"),
        ("AmazonEC2", "EBS:SnapshotUsage", "Storage"),
        ("AmazonEC2", "USW2-DataTransfer-Out-Bytes", "Networking"),
        ("AmazonEC2", "USW2-USE1-AWS-Out-Bytes", "Networking"),
        ("AmazonSageMaker", "Host:ml.p4d", "AI and Machine Learning"),
        ("AmazonBedrock", "Tokens", "AI and Machine Learning"),
        ("5hnnev4d0v7mapf09j0v8of0o2", "Software", "Other"),
    ],
)
def test_service_category_goes_by_product_and_inside_ec2_by_usage(
    tmp_path: Path, code: str, meter: str, category: str
) -> None:
    bill = read_lines(tmp_path, {"lineItem/ProductCode": code, "lineItem/UsageType": meter})
    assert bill.texts("ServiceCategory") == [category]


def test_spot_is_dynamic_and_covered_usage_is_committed(tmp_path: Path) -> None:
    spot = {"lineItem/UsageType": "USW2-SpotUsage:p5.48xlarge"}
    bill = read_lines(tmp_path, {}, spot, COVERED, {KIND: "Tax"})
    assert bill.texts("PricingCategory") == ["Standard", "Dynamic", "Committed", None]


def test_a_refund_without_dates_falls_back_to_its_billing_period(tmp_path: Path) -> None:
    """Kind of case 60."""
    undated = {"lineItem/UsageStartDate": "", "lineItem/UsageEndDate": "", KIND: "Refund", COST: "-12.50"}
    bill = read_lines(tmp_path, {COST: "50"}, undated)
    assert bill.total("BilledCost") == Decimal("37.50")
    assert str(bill.texts("ChargePeriodStart")[1]) == "2026-09-01 00:00:00+00:00"


def test_rejects_name_the_column_as_it_stands_in_the_file(tmp_path: Path) -> None:
    bill = read_lines(
        tmp_path,
        {COST: "12 USD"},
        {"lineItem/UsageStartDate": "yesterday", COST: "3"},
        {"lineItem/UsageAccountId": "9.03448E+11"},
        {"pricing/publicOnDemandCost": "convertible"},
    )
    assert [(line, column) for line, column, *_ in bill.why()] == [
        (2, COST),
        (3, "lineItem/UsageStartDate"),
        (4, "lineItem/UsageAccountId"),
        (5, "pricing/publicOnDemandCost"),
    ]
    assert bill.charges.height == 1
    assert bill.rejected["BilledCost"] == Decimal("101.32")


def test_refused_covered_usage_counts_what_was_billed(tmp_path: Path) -> None:
    bill = read_lines(tmp_path, COVERED | {"lineItem/UsageEndDate": "soon"}, NEGATION)
    assert (bill.rejected["BilledCost"], bill.netted["BilledCost"]) == (10, -10)


def test_missing_columns_are_one_message(tmp_path: Path) -> None:
    row = {name: cell for name, cell in CUR_ROW.items() if name not in ("bill/PayerAccountId", "lineItem/CurrencyCode")}
    put(tmp_path, "cur.csv", csv_text([row]))
    with pytest.raises(InputError) as refusal:
        list(read_batches(look(tmp_path).deliveries[0]))
    assert len(refusal.value.faults) == 2


AMOUNTS = st.decimals(min_value=-(10**6), max_value=10**6, allow_nan=False, places=14).map(str)
LINES = st.lists(
    st.tuples(st.sampled_from(["Usage", "Tax", "Credit", FEE, "RIFee", "Fee", "EdpDiscount"]), AMOUNTS),
    min_size=1,
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
def test_whatever_the_lines_the_invoice_is_kept_to_the_last_decimal(
    tmp_path: Path, lines: list[tuple[str, str]]
) -> None:
    bill = read_lines(tmp_path, *({KIND: kind, COST: cost} for kind, cost in lines))
    assert bill.rows == len(lines)
    assert bill.stated.totals["BilledCost"] == bill.total("BilledCost") + bill.residual["BilledCost"]
