"""Google Cloud's exports: credits that net once, months that are the invoice's, four schemes of labels, three forms."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bills_kit import Everything, csv_text, look, put, read_delivery, read_only

from attribution.bills.control_sums import nested_amounts
from attribution.bills.nested_cells import read_nested
from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError
from schemas.packed import UnfinishedFileError

ROW = {
    "billing_account_id": "0A1B2C-3D4E5F-607182",
    "service.id": "6F81-5844-456A",
    "service.description": "Compute Engine",
    "sku.id": "D1A2-0001-GPU8",
    "sku.description": "Nvidia H100 80GB GPU running in Iowa",
    "usage_start_time": "2026-10-31T23:00:00Z",
    "usage_end_time": "2026-11-01T00:00:00Z",
    "project.id": "quill-train",
    "project.name": "Quill training",
    "project.labels": '[{"key": "team", "value": "research"}]',
    "labels": '[{"key": "experiment", "value": "lr-sweep"}]',
    "system_labels": "",
    "tags": "",
    "location.location": "us-central1-a",
    "location.region": "us-central1",
    "location.zone": "us-central1-a",
    "export_time": "2026-11-03T09:00:00Z",
    "cost": "10.00",
    "currency": "USD",
    "usage.amount": "3600",
    "usage.unit": "seconds",
    "usage.amount_in_pricing_units": "1",
    "usage.pricing_unit": "hour",
    "credits": "[]",
    "invoice.month": "202610",
    "cost_type": "regular",
    "resource.name": "trainer-3",
    "resource.global_name": "//compute.googleapis.com/projects/9/zones/us-central1-a/instances/77",
    "cost_at_list": "12.50",
}
CUD = {"name": "Commitment", "amount": "-2.0", "type": "COMMITTED_USAGE_DISCOUNT"}
SUD = {"name": "Sustained", "amount": "-1.0", "type": "SUSTAINED_USAGE_DISCOUNT"}
FREE = {"name": "Trial", "amount": "-3.0", "type": "PROMOTION", "id": "t-1", "full_name": "Trial of 300"}


def gcp(*changes: dict[str, str], drop: tuple[str, ...] = ()) -> str:
    rows = [ROW | change for change in changes]
    return csv_text([{name: cell for name, cell in row.items() if name not in drop} for row in rows])


def credits_of(*given: dict[str, str]) -> dict[str, str]:
    """Credits as JSON text with bare numbers."""
    text = json.dumps(given)
    for one in given:
        text = text.replace(f'"{one["amount"]}"', one["amount"])
    return {"credits": text}


def read_text(root: Path, text: str, name: str = "gcp.csv", **options: str) -> Everything:
    put(root, name, text)
    bill = read_only(root, **options)
    assert check(bill.charges, Charges).failures.is_empty()
    return bill


def test_credits_that_are_a_price_are_in_the_cost_and_others_are_charges(tmp_path: Path) -> None:
    bill = read_text(tmp_path, gcp(credits_of(CUD, SUD, FREE), {"cost": "5"}))
    charges = bill.charges.select("ChargeCategory", "BilledCost", "EffectiveCost", "ContractedCost", "ListCost")
    net, five, trial = Decimal("7.00"), Decimal(5), Decimal("-3.0")
    assert charges.rows() == [
        ("Usage", net, net, Decimal(10), Decimal("12.50")),
        ("Usage", five, five, five, Decimal("12.50")),
        ("Credit", trial, trial, None, None),
    ]
    assert bill.rows == 2
    assert bill.total("BilledCost") == Decimal(9)


def test_a_credit_has_the_place_and_time_of_its_row_and_no_quantity(tmp_path: Path) -> None:
    bill = read_text(tmp_path, gcp(credits_of(FREE)))
    usage, credit = bill.charges.rows(named=True)
    for name in (
        "SubAccountId",
        "ResourceId",
        "Tags",
        "ChargePeriodStart",
        "BillingPeriodStart",
        "SkuId",
        "row_number",
    ):
        assert credit[name] == usage[name], name
    assert (credit["ConsumedQuantity"], usage["ConsumedQuantity"]) == (None, 3600.0)
    assert (credit["ChargeDescription"], credit["x_credit_id"]) == ("Trial of 300", "t-1")


@pytest.mark.parametrize("kind", ["PROMOTION", "FREE_TIER", "SUBSCRIPTION_BENEFIT", "SOMETHING_NEW", None])
def test_kinds_of_credit_that_are_no_price_or_unknown_stand_apart(tmp_path: Path, kind: str | None) -> None:
    one = {"name": "x", "amount": "-4.0"} | ({"type": kind} if kind else {})
    bill = read_text(tmp_path, gcp(credits_of(one)))
    assert bill.texts("ChargeCategory") == ["Usage", "Credit"]
    assert bill.charges["BilledCost"].to_list() == [Decimal(10), Decimal(-4)]


@pytest.mark.parametrize(
    "kind",
    ["COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE", "DISCOUNT", "RESELLER_MARGIN", "FEE_UTILIZATION_OFFSET"],
)
def test_kinds_of_credit_that_are_a_price_are_in_the_row(tmp_path: Path, kind: str) -> None:
    bill = read_text(tmp_path, gcp(credits_of({"name": "x", "amount": "-4.0", "type": kind})))
    assert bill.charges["BilledCost"].to_list() == [Decimal(6)]
    assert json.loads(str(bill.texts("x_credits")[0]))[0]["name"] == "x"


def test_amounts_keep_every_digit(tmp_path: Path) -> None:
    long = {"name": "x", "amount": "-0.00000000000123456789", "type": "DISCOUNT"}
    bill = read_text(tmp_path, gcp({"cost": "1e-7"} | credits_of(long), {"cost": "0.1234567890123456"}))
    written = Decimal("1e-7") + Decimal("-0.00000000000123456789") + Decimal("0.1234567890123456")
    assert bill.total("BilledCost") + bill.residual["BilledCost"] == written
    assert bill.stated.totals["BilledCost"] == written


def test_single_quoted_credits_are_read_as_they_are_printed(tmp_path: Path) -> None:
    printed = """[{'name': "Quill's trial", 'amount': -0.73, 'full_name': None, 'type': 'PROMOTION'},
     {'name': 'say \\'amount\\': 9', 'amount': Decimal('-0.10'), 'type': 'DISCOUNT'}]"""
    bill = read_text(tmp_path, gcp({"credits": printed}))
    assert bill.charges["BilledCost"].to_list() == [Decimal("9.90"), Decimal("-0.73")]
    assert bill.texts("x_credit_name") == [None, "Quill's trial"]


@pytest.mark.parametrize(
    "damaged",
    [
        "[{'name': 'x', 'amount': -1.5",
        "[{'name': 'it's', 'amount': -1.5}]",
        '{"amount": -1.5}',
        '[{"amount": -1.5, "amount": -2}]',
        '[{"name": "x", "amount": "about one"}]',
        '[{"name": "x"}]',
        '[{"amount": 1e30}]',
        "free",
    ],
)
def test_a_row_whose_credits_cannot_be_read_is_refused_and_its_money_is_told(tmp_path: Path, damaged: str) -> None:
    put(tmp_path, "gcp.csv", gcp({"cost": "4"}, {"credits": damaged}))
    bill = read_only(tmp_path)  # which proves that stored and rejected sum to what the file states
    assert bill.why() == [(3, "credits", damaged, "row refused")]
    assert bill.total("BilledCost") == Decimal(4)


def test_a_refused_row_takes_its_credits_with_it(tmp_path: Path) -> None:
    bill = read_text(
        tmp_path, gcp({"cost": "ten"} | credits_of(FREE, CUD), {"usage_end_time": "soon"} | credits_of(FREE))
    )
    assert bill.charges.is_empty()
    assert bill.rejected["BilledCost"] == Decimal(-5) + Decimal(7)


def test_rows_of_a_wrong_width_count_with_their_credits(tmp_path: Path) -> None:
    text = gcp(credits_of(FREE), credits_of(CUD, FREE))
    lines = text.splitlines()
    put(tmp_path, "gcp.csv", "\n".join([*lines[:2], f"{lines[2]},more"]) + "\n")
    bill = read_only(tmp_path)
    assert bill.rejected["BilledCost"] == Decimal(5)
    assert bill.total("BilledCost") == Decimal(7)


def test_the_month_is_the_invoices_and_the_day_is_that_of_the_usage(tmp_path: Path) -> None:
    late = {"usage_start_time": "2026-10-31T20:00:00Z", "cost": "5", "invoice.month": "202611"}
    early = {"usage_start_time": "2026-11-01T03:00:00Z", "usage_end_time": "2026-11-01T04:00:00Z", "cost": "2"}
    bill = read_text(tmp_path, gcp(late, early))
    months = [f"{start:%Y-%m-%d %H}" for start in bill.charges["BillingPeriodStart"]]
    assert months == ["2026-11-01 07", "2026-10-01 07"]  # midnight in Pacific time, before and in its summer
    assert [f"{start:%m-%d}" for start in bill.charges["ChargePeriodStart"]] == ["10-31", "11-01"]
    assert bill.texts("x_export_time") == ["2026-11-03T09:00:00Z"] * 2


@pytest.mark.parametrize("written", ["", "2026", "202613", "Oct 2026"])
def test_a_month_is_never_made_up(tmp_path: Path, written: str) -> None:
    put(tmp_path, "gcp.csv", gcp({"invoice.month": written}))
    assert read_only(tmp_path).why() == [(2, "invoice.month", written or None, "row refused")]


def test_kinds_of_rows(tmp_path: Path) -> None:
    bill = read_text(
        tmp_path,
        gcp(
            {"cost_type": "tax", "project.id": "", "project.name": "", "resource.global_name": "", "resource.name": ""},
            {"cost_type": "rounding_error", "cost": "-0.000001"},
            {"cost_type": "adjustment", "adjustment_info.type": "USAGE_CORRECTION", "cost": "-3"},
            {"cost_type": "adjustment", "adjustment_info.type": "GOODWILL", "cost": "-1"},
            {"sku.description": "Commitment v1: H100 in Iowa for 1 Year", "project.id": ""},
            {"sku.description": "Spot Preemptible H100 in Iowa"},
            credits_of(CUD),
        ),
    )
    kinds = bill.charges.select("ChargeCategory", "ChargeFrequency", "ChargeClass", "PricingCategory").rows()
    assert kinds == [
        ("Tax", "One-Time", None, None),
        ("Adjustment", "One-Time", None, None),
        ("Adjustment", "One-Time", "Correction", None),
        ("Adjustment", "One-Time", None, None),
        ("Purchase", "Recurring", None, "Standard"),
        ("Usage", "Usage-Based", None, "Dynamic"),
        ("Usage", "Usage-Based", None, "Committed"),
    ]
    assert bill.texts("SubAccountId")[0] is None
    assert bill.texts("ResourceId")[0] is None


def test_labels_of_four_kinds_keep_apart(tmp_path: Path) -> None:
    schemes = {
        "labels": "[{'key': 'project', 'value': 'quill'}]",
        "project.labels": '[{"key": "project", "value": "lab"}]',
        "system_labels": '[{"key": "compute.googleapis.com/cores", "value": "8"}]',
        "tags": '[{"key": "env", "value": "prod", "namespace": "9"}, {"key": "zone", "value": "a", "namespace": "1"}, '
        '{"key": "zone", "value": "b", "namespace": "2"}]',
    }
    assert json.loads(str(read_text(tmp_path, gcp(schemes)).texts("Tags")[0])) == {
        "project": "quill",
        "project/project": "lab",
        "system/compute.googleapis.com/cores": "8",
        "tag/env": "prod",
        "tag/1/zone": "a",
        "tag/2/zone": "b",
    }


def test_labels_that_cannot_be_read_are_told_and_the_money_stays(tmp_path: Path) -> None:
    bill = read_text(tmp_path, gcp({"labels": "team=research"}))
    assert bill.why() == [(2, "labels", "team=research", "value unknown")]
    assert bill.total("BilledCost") == Decimal(10)


def test_names_may_be_joined_by_underscores(tmp_path: Path) -> None:
    under = csv_text([{name.replace(".", "_"): cell for name, cell in (ROW | credits_of(FREE)).items()}])
    other = read_text(tmp_path / "a", under)
    assert other.charges.drop("file_id").equals(
        read_text(tmp_path / "b", gcp(credits_of(FREE))).charges.drop("file_id")
    )


@pytest.mark.parametrize("gone", ["billing_account_id", "credits", "usage_end_time"])
def test_an_export_without_a_column_that_decides_is_refused_by_name(tmp_path: Path, gone: str) -> None:
    put(tmp_path, "gcp.csv", gcp({}, drop=(gone,)))
    with pytest.raises(InputError, match=f'column "{gone}" is missing'):
        read_only(tmp_path)


def test_without_cost_types_tax_cannot_be_told_and_that_is_said(tmp_path: Path) -> None:
    (notice,) = read_text(tmp_path, gcp({}, drop=("cost_type",))).notices
    assert notice.kind == "charge_type_unknown"
    assert "cost_type" in notice.sentence


def nested(row: dict[str, str]) -> dict[str, Any]:
    """A flat row as BigQuery has it: structs, lists, numbers."""
    made: dict[str, Any] = {}
    for name, cell in row.items():
        outer, _, inner = name.partition(".")
        value: Any = cell or None
        if name in ("labels", "project.labels", "system_labels", "tags", "credits"):
            value = json.loads(cell) if cell else []
        elif cell and name in ("cost", "cost_at_list", "usage.amount", "usage.amount_in_pricing_units"):
            value = float(cell)
        if inner:
            made.setdefault(outer, {})[inner] = value
        else:
            made[outer] = value
    return made


ROWS = (
    ROW | credits_of(CUD, FREE),
    ROW | {"cost": "0.1", "project.labels": "", "cost_at_list": ""},
    ROW | credits_of(SUD),
)


def parquet(root: Path, rows: tuple[dict[str, str], ...] = ROWS) -> None:
    pl.DataFrame([nested(row) for row in rows], infer_schema_length=None).write_parquet(root / "gcp.parquet")


def same(one: Everything, other: Everything) -> None:
    """The same charges, whatever the form; texts of numbers may differ in their zeros."""
    names = [name for name in one.charges.columns if name not in ("file_id", "row_number", "x_credits")]
    assert one.charges.select(names).equals(other.charges.select(names))


def test_nested_parquet_reads_as_the_flat_export(tmp_path: Path) -> None:
    for name in ("flat", "nested"):
        (tmp_path / name).mkdir()
    parquet(tmp_path / "nested")
    bill = read_only(tmp_path / "nested")
    assert bill.total("BilledCost") == Decimal("8.0") + Decimal("0.1") + Decimal(9) - Decimal(3)
    same(read_text(tmp_path / "flat", gcp(*ROWS)), bill)


def json_lines(rows: tuple[dict[str, str], ...]) -> str:
    """As BigQuery writes them: no nulls, and amounts as bare numbers."""

    def full(value: object) -> object:
        return {k: full(v) for k, v in value.items() if v is not None} if isinstance(value, dict) else value

    return "".join(json.dumps(full(nested(row))) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["gcp.json", "gcp.jsonl.gz", "gcp.ndjson"])
def test_json_lines_read_as_the_flat_export(tmp_path: Path, name: str) -> None:
    same(read_text(tmp_path / "flat", gcp(*ROWS)), read_text(tmp_path / "nested", json_lines(ROWS), name))


def test_numbers_of_json_keep_every_digit(tmp_path: Path) -> None:
    line = json_lines((ROW | credits_of(FREE),)).replace("10.0", "10.00000000000000000001").replace("-3.0", "-3e-13")
    bill = read_text(tmp_path, line, "gcp.json")
    assert bill.total("BilledCost") + bill.residual["BilledCost"] == Decimal("10.00000000000000000001") - Decimal(
        "3e-13"
    )


def test_a_bad_line_is_refused_with_its_number_and_the_others_are_read(tmp_path: Path) -> None:
    good = json_lines((ROW,))
    put(tmp_path, "gcp.json", f'{good}\n{{"cost": 7,\n["cost"]\n{{"cost": 1, "cost": 2}}\n{good}')
    bill = read_only(tmp_path)
    assert [one[:2] for one in bill.why()] == [(3, "(row)"), (4, "(row)"), (5, "(row)")]
    assert bill.charges["row_number"].to_list() == [1, 6]
    assert bill.total("BilledCost") == Decimal(20)


def test_columns_that_come_late_are_read(tmp_path: Path) -> None:
    late = ROW | {"cost_at_list": "9"}
    bill = read_text(tmp_path, json_lines((ROW | {"cost_at_list": "", "resource.name": ""}, late)), "gcp.json")
    assert bill.stated.totals["ListCost"] == Decimal(9)
    assert bill.texts("ResourceName") == [None, "trainer-3"]


def test_json_that_was_cut_or_is_a_list_is_held_back(tmp_path: Path) -> None:
    line = json_lines((ROW,))
    put(tmp_path, "list.json", f"[{line.strip()}]\n")
    put(tmp_path, "good.json", line)
    put(tmp_path, "some-Manifest.json", "{}")
    found = look(tmp_path)
    assert [(one.name, "one object a line" in one.reason) for one in found.held_back] == [("list.json", True)]
    put(tmp_path, "good.json", line + line[: len(line) // 2])
    (delivery,) = look(tmp_path).deliveries
    with pytest.raises(UnfinishedFileError, match="was cut"):
        read_delivery(delivery)


def test_an_export_without_rows_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame([nested(row) for row in ROWS], infer_schema_length=None)
    frame.clear().write_parquet(tmp_path / "gcp.parquet")
    assert read_only(tmp_path).rows == 0


def test_numbered_files_of_one_export_are_one_delivery(tmp_path: Path) -> None:
    for at in range(3):
        put(tmp_path, f"bills/2026-11-02/export-{at:012}.csv.gz", gcp({"cost": str(at)}))
    put(tmp_path, "bills/202611020600.csv", gcp({}))
    found = look(tmp_path, "bills/**/*")
    assert sorted(len(one.files) for one in found.deliveries) == [1, 3]
    assert {one.order_key for one in found.deliveries if len(one.files) > 1} == {"20261102"}
    (whole,) = (one for one in found.deliveries if len(one.files) > 1)
    assert read_delivery(whole).rows == 3


def test_an_export_that_lacks_a_numbered_file_is_held_back(tmp_path: Path) -> None:
    for at in (0, 2):
        put(tmp_path, f"export-{at:012}.csv", gcp({"cost": str(at)}))
    found = look(tmp_path)
    assert not found.deliveries
    assert [one.reason for one in found.held_back] == [
        "file 000000000001 of this export is missing, so it was not wholly delivered"
    ]


def test_partitions_of_a_table_add_up_and_nothing_else_is_assumed(tmp_path: Path) -> None:
    for day in ("01", "02"):
        put(tmp_path, f"t/partition_date=2026-11-{day}/x.csv", gcp({"cost": day}))
    assert {one.mode for one in look(tmp_path).deliveries} == {"append"}
    put(tmp_path, "other/gcp.csv", gcp({}))
    assert {one.mode for one in look(tmp_path, "other/*").deliveries} == {None}


def test_names_inside_of_texts_are_no_amounts() -> None:
    text = """[{"name": "x 'amount': 5", 'note': "\\"amount\\": 6", "amount": "-1.5", 'type': 'X'},
    {'amount': Decimal('2e-3'), "type": "Y"}, {"amount": 7}]"""
    assert list(nested_amounts(text, "amount")) == ["-1.5", "2e-3", "7"]


@pytest.mark.parametrize(("text", "value"), [("{'a': None, 'b': True}", {"a": None, "b": True}), ("[1.50]", ["1.50"])])
def test_printed_objects(text: str, value: object) -> None:
    assert read_nested(text) == value
