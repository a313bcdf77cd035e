"""Databricks' usage and list prices: exact products, prices by time, corrections that net."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bills_kit import Everything, csv_text, look, put, read_delivery

from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError

USAGE = {
    "record_id": "11aa",
    "account_id": "7f00-quill",
    "workspace_id": "1234567890123456",
    "sku_name": "PREMIUM_JOBS_COMPUTE",
    "cloud": "AWS",
    "usage_start_time": "2026-10-31T23:00:00.000+00:00",
    "usage_end_time": "2026-11-01T00:00:00.000+00:00",
    "usage_unit": "DBU",
    "usage_quantity": "2.500000000000000000",
    "custom_tags": '{"project": "atlas-7b"}',
    "usage_metadata": '{"job_id": "771", "job_name": "tokenize", "cluster_id": "0931-x"}',
    "record_type": "ORIGINAL",
    "billing_origin_product": "JOBS",
}
PRICE = {
    "price_start_time": "2026-01-01T00:00:00.000+00:00",
    "price_end_time": "",
    "account_id": "7f00-quill",
    "sku_name": "PREMIUM_JOBS_COMPUTE",
    "cloud": "AWS",
    "currency_code": "USD",
    "usage_unit": "DBU",
    "pricing": '{"default": "0.150000000000000000", "effective_list": {"default": "0.15"}}',
}


def read_usage(root: Path, usage: list[dict[str, str]], prices: list[dict[str, str]]) -> Everything:
    put(root, "usage/october.csv", csv_text([USAGE | one for one in usage]))
    put(root, "prices/list.csv", csv_text([PRICE | one for one in prices]))
    found = look(root)
    assert not found.held_back
    (delivery,) = found.deliveries
    bill = read_delivery(delivery)
    assert check(bill.charges, Charges).failures.is_empty()
    return bill


def test_cost_is_usage_times_list_price(tmp_path: Path) -> None:
    charge = read_usage(tmp_path, [{}], [{}]).charges.row(0, named=True)
    assert (charge["BilledCost"], charge["EffectiveCost"], charge["ListCost"]) == (Decimal("0.375"),) * 3
    assert (charge["ContractedCost"], charge["BillingCurrency"], charge["ListUnitPrice"]) == (None, "USD", 0.15)
    assert (charge["ResourceId"], charge["ResourceType"], charge["ResourceName"]) == ("771", "job", "tokenize")
    assert (charge["SubAccountId"], charge["ServiceName"]) == ("1234567890123456", "Databricks JOBS")
    assert (charge["ServiceCategory"], charge["Tags"]) == ("Analytics", '{"project":"atlas-7b"}')
    assert f"{charge['BillingPeriodStart']:%Y-%m}" == "2026-10"


def test_products_are_exact_and_what_is_cut_is_kept(tmp_path: Path) -> None:
    bill = read_usage(tmp_path, [{"usage_quantity": "0.123456789012345678"}] * 3, [{}])
    exact = 3 * Decimal("0.123456789012345678") * Decimal("0.15")
    assert bill.total("BilledCost") == 3 * Decimal("0.018518518352")
    assert bill.total("BilledCost") + bill.residual["BilledCost"] == bill.stated.totals["BilledCost"] == exact


def test_a_promotion_lowers_what_is_billed_and_not_the_list_cost(tmp_path: Path) -> None:
    off = '{"default": "0.20", "promotional": {"default": "0.05"}, "effective_list": {"default": "0.05"}}'
    charge = read_usage(tmp_path, [{}], [{"pricing": off}]).charges.row(0, named=True)
    assert (charge["BilledCost"], charge["ListCost"]) == (Decimal("0.125"), Decimal("0.5"))


def test_the_price_in_force_when_usage_began_counts(tmp_path: Path) -> None:
    noon = {"price_start_time": "2026-10-31T12:00:00Z", "pricing": '{"default": "1"}'}
    times = ("2026-10-31T11:59:59Z", "2026-10-31T12:00:00Z")
    # The first price has no end, as an export of September still shows it.
    bill = read_usage(tmp_path, [{"usage_start_time": one, "usage_quantity": "1"} for one in times], [noon, {}])
    assert bill.charges["BilledCost"].to_list() == [Decimal("0.15"), Decimal(1)]


def test_an_older_export_of_prices_does_not_revive_what_has_ended(tmp_path: Path) -> None:
    ended = {"price_end_time": "2026-10-01T00:00:00Z"}
    bill = read_usage(tmp_path, [{}], [{}, ended])
    assert bill.why() == [(2, "sku_name", "PREMIUM_JOBS_COMPUTE", "row refused")]


def test_retractions_take_back_and_restatements_state_anew(tmp_path: Path) -> None:
    rows = [
        {},
        {"record_type": "RETRACTION", "usage_quantity": "-2.5", "record_id": "12"},
        {"record_type": "RESTATEMENT", "usage_quantity": "2", "record_id": "13"},
    ]
    bill = read_usage(tmp_path, rows, [{}])
    assert bill.total("BilledCost") == Decimal("0.30")
    assert bill.texts("ChargeClass") == [None, "Correction", "Correction"]
    assert bill.rows == 3


@pytest.mark.parametrize(
    "other",
    [
        {"sku_name": "SOMETHING_ELSE"},
        {"cloud": "AZURE"},
        {"price_start_time": "2026-11-01T00:00:00Z"},
        {"price_end_time": "2026-10-31T23:00:00Z"},
    ],
)
def test_usage_without_a_price_is_refused_and_never_free(tmp_path: Path, other: dict[str, str]) -> None:
    bill = read_usage(tmp_path, [{}], [other])
    assert bill.charges.is_empty()
    assert bill.why() == [(2, "sku_name", "PREMIUM_JOBS_COMPUTE", "row refused")]


def test_a_sku_with_prices_in_two_currencies_is_refused(tmp_path: Path) -> None:
    bill = read_usage(tmp_path, [{}], [{}, {"currency_code": "EUR"}])
    assert [one[3] for one in bill.why()] == ["row refused"]


@pytest.mark.parametrize("written", ["", "many", "1e30"])
def test_a_quantity_that_is_none_is_refused(tmp_path: Path, written: str) -> None:
    bill = read_usage(tmp_path, [{"usage_quantity": written}, {}], [{}])
    assert [one[:2] for one in bill.why()] == [(2, "usage_quantity")] * len(bill.why())
    assert bill.total("BilledCost") == Decimal("0.375")


def test_refused_rows_count_with_their_money_and_rows_of_a_wrong_width_with_none(tmp_path: Path) -> None:
    text = csv_text([USAGE, USAGE | {"account_id": ""}])
    put(tmp_path, "usage.csv", text + "a,b\n")
    put(tmp_path, "prices.csv", csv_text([PRICE]))
    (delivery,) = look(tmp_path).deliveries
    bill = read_delivery(delivery)
    assert (bill.rows, bill.charges.height) == (3, 1)
    assert bill.rejected["BilledCost"] == Decimal("0.375")


def test_prices_that_contradict_each_other_hold_the_usage_back(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has two prices in USD from 2026-01-01"):
        read_usage(tmp_path, [{}], [{}, {"pricing": '{"default": "0.99"}'}])


def test_a_price_that_cannot_be_read_is_no_price_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="price 1 of the file lacks"):
        read_usage(tmp_path, [{}], [{"pricing": '{"default": "free"}'}])


def test_usage_alone_and_prices_alone_are_held_back(tmp_path: Path) -> None:
    put(tmp_path, "a/usage.csv", csv_text([USAGE]))
    put(tmp_path, "b/prices.csv", csv_text([PRICE]))
    for folder, what in (("a", "the usage has no price"), ("b", "no usage")):
        found = look(tmp_path, f"{folder}/*")
        assert not found.deliveries
        assert what in found.held_back[0].reason


def test_new_prices_make_it_another_delivery_and_its_files_stay_the_usage(tmp_path: Path) -> None:
    put(tmp_path, "usage.csv", csv_text([USAGE]))
    put(tmp_path, "prices.csv", csv_text([PRICE]))
    (before,) = look(tmp_path).deliveries
    put(tmp_path, "prices.csv", csv_text([PRICE | {"pricing": '{"default": "0.30"}'}]))
    (after,) = look(tmp_path).deliveries
    assert before.digest != after.digest
    assert [file.name for file in after.files] == ["usage.csv"]
    assert read_delivery(after).total("BilledCost") == Decimal("0.75")


def nested(row: dict[str, str]) -> dict[str, Any]:
    inner = ("pricing", "usage_metadata", "custom_tags")
    return {name: json.loads(cell) if name in inner else cell or None for name, cell in row.items()}


def flat(row: dict[str, str]) -> dict[str, str]:
    """Structs as columns of their own."""
    cells = dict(row)
    for name in ("pricing", "usage_metadata"):
        for inner, value in json.loads(cells.pop(name, "{}")).items():
            one = value if isinstance(value, dict) else {"": value}
            cells |= {f"{name}.{inner}.{key}".rstrip("."): str(cell) for key, cell in one.items()}
    return cells


def test_all_forms_read_alike(tmp_path: Path) -> None:
    usage, prices = [USAGE, USAGE | {"usage_quantity": "0.1"}], [PRICE]
    put(tmp_path / "csv", "u.csv", csv_text(usage))
    put(tmp_path / "csv", "p.csv", csv_text(prices))
    put(tmp_path / "flat", "u.csv", csv_text([flat(row) for row in usage]))
    put(tmp_path / "flat", "p.csv", csv_text([flat(row) for row in prices]))
    put(tmp_path / "json", "u.json", "".join(json.dumps(nested(row)) + "\n" for row in usage))
    put(tmp_path / "json", "p.json", "".join(json.dumps(nested(row)) + "\n" for row in prices))
    (tmp_path / "parquet").mkdir()
    exact = pl.col("usage_quantity").str.to_decimal(scale=18)
    times = pl.col("usage_start_time", "usage_end_time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z")
    pl.DataFrame([nested(row) for row in usage]).with_columns(exact, times).write_parquet(
        tmp_path / "parquet/u.parquet"
    )
    pl.DataFrame([nested(row) for row in prices]).write_parquet(tmp_path / "parquet/p.parquet")
    bills = {form: read_delivery(look(tmp_path / form).deliveries[0]) for form in ("csv", "flat", "json", "parquet")}
    names = (
        "BilledCost",
        "ListCost",
        "ResourceId",
        "ResourceName",
        "ResourceType",
        "Tags",
        "ChargePeriodStart",
        "SkuId",
    )
    for bill in bills.values():
        assert bill.charges.select(names).equals(bills["csv"].charges.select(names))
    assert bills["csv"].total("BilledCost") == Decimal("0.39")
