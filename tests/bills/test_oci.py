"""Oracle's cost reports: corrections, overage, tag columns that come and go, files that add up."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from bills_kit import csv_text, look, put, read_delivery, read_only

from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError

ROW = {
    "lineItem/referenceNo": "V2.q1==",
    "lineItem/tenantId": "ocid1.tenancy.oc1..quill",
    "lineItem/intervalUsageStart": "2026-09-30T23:00Z",
    "lineItem/intervalUsageEnd": "2026-10-01T00:00Z",
    "product/service": "COMPUTE",
    "product/compartmentId": "ocid1.compartment.oc1..training",
    "product/region": "eu-frankfurt-1",
    "product/resourceId": "ocid1.instance.oc1.eu-frankfurt-1.gpu7",
    "usage/billedQuantity": "8",
    "cost/productSku": "B95909",
    "cost/unitPrice": "10",
    "cost/myCost": "80",
    "cost/myCostOverage": "",
    "cost/currencyCode": "EUR",
    "lineItem/isCorrection": "false",
    "lineItem/backreferenceNo": "",
    "tags/Ops.project": "atlas-7b",
}


def oci(*changes: dict[str, str]) -> str:
    return csv_text([ROW | change for change in changes])


def test_overage_is_part_of_the_cost_and_never_added(tmp_path: Path) -> None:
    put(tmp_path, "cost.csv", oci({"cost/myCost": "77.46300000000001", "cost/myCostOverage": "77.46300000000001"}))
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") + bill.residual["BilledCost"] == Decimal("77.46300000000001")
    assert bill.texts("x_myCostOverage") == ["77.46300000000001"]


def test_a_correction_names_the_row_it_corrects(tmp_path: Path) -> None:
    fix = {"cost/myCost": "-30", "lineItem/isCorrection": "true", "lineItem/backreferenceNo": "V2.q1=="}
    put(tmp_path, "cost.csv", oci({}, fix | {"lineItem/referenceNo": "V2.q2=="}))
    bill = read_only(tmp_path)
    assert bill.texts("ChargeClass") == [None, "Correction"]
    assert bill.texts("x_backreferenceNo") == [None, "V2.q1=="]
    assert bill.total("BilledCost") == Decimal(50)


def test_the_bill_is_the_month_of_the_hour_and_nobody_is_told(tmp_path: Path) -> None:
    put(
        tmp_path,
        "cost.csv",
        oci(
            {},
            {"lineItem/intervalUsageStart": "2026-10-01T00:00Z"} | {"lineItem/intervalUsageEnd": "2026-10-01T01:00Z"},
        ),
    )
    bill = read_only(tmp_path)
    assert [f"{start:%Y-%m}" for start in bill.charges["BillingPeriodStart"]] == ["2026-09", "2026-10"]
    assert not bill.notices
    assert check(bill.charges, Charges).failures.is_empty()


def test_tag_columns_may_differ_by_file_and_each_is_a_tag(tmp_path: Path) -> None:
    put(tmp_path, "one.csv", oci({"tags/Ops.project": "a"}))
    other = {name: cell for name, cell in ROW.items() if not name.startswith("tags/")}
    put(tmp_path, "two.csv", csv_text([other | {"tags/stage": "sft", "lineItem/referenceNo": "V2.q9=="}]))
    tags = [read_delivery(one).texts("Tags") for one in look(tmp_path).deliveries]
    assert tags == [['{"Ops.project":"a"}'], ['{"stage":"sft"}']]
    assert not any(name.startswith("x_tags") for name in read_delivery(look(tmp_path).deliveries[0]).charges.columns)


def test_files_of_one_month_add_up_without_a_statement(tmp_path: Path) -> None:
    put(tmp_path, "0001.csv.gz", oci({}))
    put(tmp_path, "0002.csv.gz", oci({"lineItem/referenceNo": "V2.q2=="}))
    assert {one.mode for one in look(tmp_path).deliveries} == {"append"}


def test_a_report_without_its_currency_is_refused_by_name(tmp_path: Path) -> None:
    put(tmp_path, "cost.csv", csv_text([{name: cell for name, cell in ROW.items() if name != "cost/currencyCode"}]))
    with pytest.raises(InputError, match=r'column "cost/currencyCode" is missing'):
        read_only(tmp_path)
