"""FOCUS exports: columns of five versions, cells in many spellings, and rows that cannot be charges."""

from __future__ import annotations

import datetime as dt
import io
import json
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from bills_kit import FOCUS_ROW, csv_text, focus_text, look, put, read_delivery, read_only

from attribution.bills import read as read_batches
from attribution.bills import refuse
from schemas.bills import Rejects
from schemas.charges import CHARGE_COLUMNS, Charges
from schemas.check import check, verify
from schemas.faults import InputError
from schemas.money import add

UTC = dt.UTC


def test_a_charge_has_every_column_of_the_contract_typed_and_in_order(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({}))
    bill = read_only(tmp_path)
    assert dict(bill.charges.schema) == CHARGE_COLUMNS
    assert list(bill.charges.columns) == list(CHARGE_COLUMNS)
    verify(bill.charges, Charges, "bill.csv")


def test_json_lines_are_read_with_columns_that_come_late(tmp_path: Path) -> None:
    late = {"billedCost" if name == "BilledCost" else name: cell for name, cell in FOCUS_ROW.items()}
    early = {name: cell for name, cell in late.items() if name not in ("Tags", "ResourceId")}
    late |= {"Tags": {"team": "data"}, "x_note": "late", "billedCost": 1.10}  # type: ignore[dict-item]
    put(tmp_path, "bill.jsonl", f"{json.dumps(early)}\n{json.dumps(late)}\n")
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") == bill.stated.totals["BilledCost"] == Decimal("2.10")
    assert bill.texts("Tags") == [None, '{"team":"data"}']
    assert bill.texts("ResourceId") == [None, FOCUS_ROW["ResourceId"]]
    assert bill.texts("x_note") == [None, "late"]


def test_a_view_unloaded_from_a_database_has_its_nulls_and_clocks_in_their_own_way(tmp_path: Path) -> None:
    """As Snowflake unloads its FOCUS view: upper case, backslash N, offsets without a colon, tags of no row."""
    row = FOCUS_ROW | {
        "BillingPeriodStart": "2026-10-01 00:00:00.000 +0000",
        "BillingPeriodEnd": "2026-11-01 00:00:00.000 +0000",
        "ChargePeriodStart": "2026-10-14 00:00:00.000 -0700",
        "ChargePeriodEnd": "2026-10-15 00:00:00.000 -0700",
        "BilledCost": "3.120000000000",
        "ListCost": "\\N",
        "ResourceId": "\\N",
        "Tags": "\\N",
        "ConsumedUnit": "credits",
    }
    put(tmp_path, "focus.csv", csv_text([{name.upper(): cell for name, cell in row.items()}]))
    bill = read_only(tmp_path)
    assert not bill.refused.height
    assert bill.stated.totals["ListCost"] == 0
    charge = bill.charges.row(0, named=True)
    assert (charge["ListCost"], charge["ResourceId"], charge["Tags"]) == (None, None, None)
    assert charge["ChargePeriodStart"] == dt.datetime(2026, 10, 14, 7, tzinfo=UTC)
    assert (charge["BilledCost"], charge["ConsumedUnit"]) == (Decimal("3.12"), "credits")


def test_an_invoice_may_hold_usage_of_the_month_before(tmp_path: Path) -> None:
    """As MongoDB Atlas bills the last hours of a month, with the contract that paid for them."""
    row = {"ChargePeriodStart": "2026-08-31T22:00:00Z", "ChargePeriodEnd": "2026-09-01T00:00:00Z"}
    applied = '{"Elements": [{"ContractId": "c-1", "ContractCommitmentType": "Prepaid"}]}'
    put(
        tmp_path,
        "invoice.csv",
        focus_text(row | {"ContractApplied": applied, "BilledCost": "0", "EffectiveCost": "4.4"}),
    )
    charge = read_only(tmp_path).charges.row(0, named=True)
    assert (f"{charge['BillingPeriodStart']:%Y-%m}", f"{charge['ChargePeriodStart']:%Y-%m}") == ("2026-09", "2026-08")
    assert (charge["BilledCost"], charge["EffectiveCost"]) == (Decimal(0), Decimal("4.4"))
    assert charge["ContractApplied"] == applied


def test_account_ids_keep_their_leading_zeros(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"SubAccountId": "000000000071"}, {"SubAccountId": "000903447716"}))
    bill = read_only(tmp_path)
    assert bill.texts("SubAccountId") == ["000000000071", "000903447716"]
    assert bill.texts("BillingAccountId") == ["004418230975"] * 2


def test_amounts_are_read_in_plain_and_e_notation_whatever_the_first_rows_look_like(tmp_path: Path) -> None:
    amounts = ["3"] * 150 + ["4.5", "2E-7", "3.5e-3", "-2E+2", "1E2", "+7", ".5", "6."]
    put(tmp_path, "bill.csv", focus_text(*({"BilledCost": one} for one in amounts)))
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") == sum(map(Decimal, amounts), Decimal(0))
    assert bill.charges.get_column("BilledCost").null_count() == 0
    assert not bill.refused.height


@pytest.mark.parametrize(
    "cell",
    ["€12", "1,234.50", "9^2", "12 GiB", "NaN", "nan", "inf", "-Infinity", "(4.20)", "1_000", "0x1F", "--1", "1e"],
)
def test_what_is_no_plain_number_is_refused_with_its_text_and_never_zero(tmp_path: Path, cell: str) -> None:
    put(tmp_path, "bill.csv", focus_text({"BilledCost": "5"}, {"BilledCost": cell}))
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") == 5
    assert bill.why() == [(3, "BilledCost", cell, "row refused")]
    assert bill.rejected["EffectiveCost"] == 1  # its readable money is told, not lost
    assert bill.stated.unreadable == {"BilledCost": 1}


def test_a_charge_without_an_amount_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"BilledCost": "2.5"}, {"BilledCost": ""}, {"BilledCost": "NULL"}))
    bill = read_only(tmp_path)
    assert [(line, column) for line, column, *_ in bill.why()] == [(3, "BilledCost"), (4, "BilledCost")]
    assert bill.charges.height == 1


def test_an_unreadable_list_cost_is_unknown_and_the_charge_stays(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ListCost": "n/a", "ConsumedQuantity": "inf"}))
    bill = read_only(tmp_path)
    assert bill.texts("ListCost") == [None]
    assert bill.texts("ConsumedQuantity") == [None]
    assert {(column, outcome) for _, column, _, outcome in bill.why()} == {
        ("ListCost", "value unknown"),
        ("ConsumedQuantity", "value unknown"),
    }


def test_more_than_twelve_places_are_rounded_and_the_rest_is_kept_with_the_bill(tmp_path: Path) -> None:
    amounts = ["0.2000000000005", "0.3000000000015", "0.00000000000004", "0.12345678901234567890123456789012345678901"]
    put(tmp_path, "bill.csv", focus_text(*({"BilledCost": one} for one in amounts)))
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") == Decimal("0.623456789014")
    assert add(bill.total("BilledCost"), bill.residual["BilledCost"]) == add(*map(Decimal, amounts))


def test_an_amount_too_large_to_keep_is_refused_and_counted(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"BilledCost": "1e30"}, {"BilledCost": "1"}))
    bill = read_only(tmp_path)
    assert bill.rejected["BilledCost"] == Decimal("1e30")


def test_the_number_style_is_the_sources_and_other_cells_are_refused(tmp_path: Path) -> None:
    cells = ["2.345,60", "80000000,00", "1,5", "12.34,5", "7.25"]
    rows = [{"BilledCost": one, "EffectiveCost": "1", "ListCost": "", "ContractedCost": ""} for one in cells]
    put(tmp_path, "bill.csv", focus_text(*rows, delimiter=";"))
    bill = read_only(tmp_path, decimal=",", thousands=".")
    assert bill.total("BilledCost") == Decimal("80002347.10")
    assert [value for _, _, value, _ in bill.why()] == ["12.34,5", "7.25"]


def test_thousands_separators_are_read_where_the_source_states_them(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"BilledCost": "2,500,000.25"}, {"BilledCost": "3.5"}))
    bill = read_only(tmp_path, thousands=",")
    assert bill.total("BilledCost") == Decimal("2500003.75")


def test_headers_match_without_regard_to_case_and_tag_keys_keep_theirs(tmp_path: Path) -> None:
    tags = '{"Project": "kestrel", "project": "osprey"}'
    row = {name[0].lower() + name[1:]: cell for name, cell in (FOCUS_ROW | {"Tags": tags}).items()}
    put(tmp_path, "bill.csv", csv_text([row]))
    bill = read_only(tmp_path)
    assert bill.texts("BillingCurrency") == ["EUR"]
    assert json.loads(str(bill.texts("Tags")[0])) == {"Project": "kestrel", "project": "osprey"}


def test_columns_that_focus_does_not_know_are_kept_as_text(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"Id": "007", "x_Team": "night", "id": "8", "billedcost": "9"}))
    bill = read_only(tmp_path)
    extras = {name: bill.texts(name)[0] for name in bill.charges.columns if name.startswith("x_")}
    assert extras == {"x_Id": "007", "x_Team": "night", "x_id_2": "8", "x_billedcost": "9"}
    assert bill.total("BilledCost") == 1


def test_columns_of_later_versions_may_be_absent_and_provider_names_fill_each_other(tmp_path: Path) -> None:
    put(tmp_path, "old.csv", focus_text({"ProviderName": "Meridian"}, drop=("Tags", "ListCost", "ResourceId")))
    put(tmp_path, "new.csv", focus_text({"ServiceProviderName": "Meridian"}, {"ServiceProviderName": ""}))
    for name in ("old.csv", "new.csv"):
        bill = read_only(tmp_path, name)
        assert bill.texts("ProviderName")[0] == bill.texts("ServiceProviderName")[0] == "Meridian"
    assert read_only(tmp_path, "old.csv").texts("ListCost") == [None]
    assert "ListCost" not in read_only(tmp_path, "old.csv").stated.totals


def test_missing_required_columns_are_one_message_with_suggestions(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ChargePeriodStar": "x"}, drop=("ChargePeriodStart", "BillingCurrency")))
    (delivery,) = look(tmp_path).deliveries
    with pytest.raises(InputError) as refusal:
        list(read_batches(delivery))
    assert len(refusal.value.faults) == 2
    assert 'Did you mean "ChargePeriodStar"?' in str(refusal.value)


def test_text_null_is_nothing_and_text_none_is_a_value(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ResourceId": "NULL"}, {"ResourceId": "None"}, {"ResourceId": ""}))
    assert read_only(tmp_path).texts("ResourceId") == [None, "None", None]


def test_an_id_that_a_spreadsheet_made_a_number_is_refused_by_name(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ResourceId": "2.00701E+18"}, {"ResourceId": "2007010000000000123"}))
    bill = read_only(tmp_path)
    assert bill.texts("ResourceId") == ["2007010000000000123"]
    assert bill.why() == [(2, "ResourceId", "2.00701E+18", "row refused")]
    assert "spreadsheet" in bill.refused.get_column("check")[0]


def test_azure_ids_are_lowered_and_others_stay_exact(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ResourceId": "/Subscriptions/AB/VM-1"}, {"ResourceId": "arn:X:Y"}))
    assert read_only(tmp_path).texts("ResourceId") == ["/subscriptions/ab/vm-1", "arn:X:Y"]


@pytest.mark.parametrize(
    ("cell", "zone", "instant"),
    [
        ("2026-09-14T05:00:00Z", "UTC", dt.datetime(2026, 9, 14, 5, tzinfo=UTC)),
        ("2026-09-14 05:00:00", "UTC", dt.datetime(2026, 9, 14, 5, tzinfo=UTC)),
        ("2026-09-14 05:00:00+00:00", "Asia/Tokyo", dt.datetime(2026, 9, 14, 5, tzinfo=UTC)),
        ("2026-09-14T05:00:00.250+02:00", "UTC", dt.datetime(2026, 9, 14, 3, 0, 0, 250_000, tzinfo=UTC)),
        ("2026-09-14 05:00:00 -0330", "UTC", dt.datetime(2026, 9, 14, 8, 30, tzinfo=UTC)),
        ("2026-09-14 05:00:00 UTC", "Asia/Tokyo", dt.datetime(2026, 9, 14, 5, tzinfo=UTC)),
        ("2026-09-14T05:00Z", "UTC", dt.datetime(2026, 9, 14, 5, tzinfo=UTC)),
        ("2026-09-14", "UTC", dt.datetime(2026, 9, 14, tzinfo=UTC)),
        ("2026-09-14 05:00:00", "Asia/Shanghai", dt.datetime(2026, 9, 13, 21, tzinfo=UTC)),
    ],
)
def test_instants_are_read_in_the_ways_exports_write_them(
    tmp_path: Path, cell: str, zone: str, instant: dt.datetime
) -> None:
    put(tmp_path, "bill.csv", focus_text({"ChargePeriodStart": cell}))
    assert read_only(tmp_path, timezone=zone).texts("ChargePeriodStart") == [instant]


@pytest.mark.parametrize("cell", ["09/14/2026", "2026/9/14 5:00", "14.09.2026", "2026-09-31", "2026-09-14T25:00:00Z"])
def test_an_instant_in_a_form_that_nobody_stated_is_refused(tmp_path: Path, cell: str) -> None:
    put(tmp_path, "bill.csv", focus_text({"ChargePeriodStart": cell}, {}))
    bill = read_only(tmp_path)
    assert bill.why() == [(2, "ChargePeriodStart", cell, "row refused")]


@pytest.mark.parametrize(("style", "month"), [("%m/%d/%Y", 4), ("%d/%m/%Y", 5)])
def test_month_first_or_day_first_is_the_sources_statement(tmp_path: Path, style: str, month: int) -> None:
    blank = {"ChargePeriodEnd": "", "BillingPeriodStart": "", "BillingPeriodEnd": ""}
    put(tmp_path, "bill.csv", focus_text(blank | {"ChargePeriodStart": "04/05/2026", "ChargePeriodEnd": "04/05/2026"}))
    bill = read_only(tmp_path, date_format=style)
    assert bill.charges.get_column("ChargePeriodStart").dt.month().to_list() == [month]


def test_a_blank_billing_period_is_the_charges_month_and_is_said_to_be_derived(tmp_path: Path) -> None:
    blank = {"BillingPeriodStart": "", "BillingPeriodEnd": ""}
    put(
        tmp_path,
        "bill.csv",
        focus_text(blank, blank | {"ChargePeriodStart": "2026-12-31T23:00:00Z", "ChargePeriodEnd": "2027-01-01"}),
    )
    bill = read_only(tmp_path)
    assert bill.texts("BillingPeriodStart") == [
        dt.datetime(2026, 9, 1, tzinfo=UTC),
        dt.datetime(2026, 12, 1, tzinfo=UTC),
    ]
    assert bill.texts("BillingPeriodEnd") == [dt.datetime(2026, 10, 1, tzinfo=UTC), dt.datetime(2027, 1, 1, tzinfo=UTC)]
    assert [notice.kind for notice in bill.notices] == ["billing_period_derived"]


def test_a_refund_without_dates_falls_back_to_its_billing_period(tmp_path: Path) -> None:
    undated = {"ChargePeriodStart": "", "ChargePeriodEnd": "", "BilledCost": "-4.50"}
    put(tmp_path, "bill.csv", focus_text({}, undated))
    bill = read_only(tmp_path)
    assert bill.texts("ChargePeriodStart")[1] == dt.datetime(2026, 9, 1, tzinfo=UTC)
    assert bill.texts("ChargePeriodEnd")[1] == dt.datetime(2026, 10, 1, tzinfo=UTC)
    assert bill.total("BilledCost") == Decimal("-3.50")


def test_a_charge_without_any_date_is_refused(tmp_path: Path) -> None:
    dates = dict.fromkeys(("ChargePeriodStart", "ChargePeriodEnd", "BillingPeriodStart", "BillingPeriodEnd"), "")
    put(tmp_path, "bill.csv", focus_text({}, dates))
    bill = read_only(tmp_path)
    assert bill.charges.height == 1
    assert {line for line, *_ in bill.why()} == {3}
    assert bill.rejected["BilledCost"] == 1


def test_money_without_a_service_is_kept_under_a_name_that_says_so(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"ServiceName": "", "ChargeCategory": "Purchase"}))
    bill = read_only(tmp_path)
    assert bill.texts("ServiceName") == ["(no service)"]
    assert [notice.kind for notice in bill.notices] == ["service_missing"]


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        ('{"owner": "mira", "gpu": 8, "spot": true, "none": null}', {"gpu": "8", "owner": "mira", "spot": "true"}),
        ('"owner": "mira","url": "http://a: b"', {"owner": "mira", "url": "http://a: b"}),
        ('[{"key": "owner", "value": "mira"}, {"key": "blank", "value": ""}]', {"blank": "", "owner": "mira"}),
        ('{"nested": {"a": [1, {"b": 2}]}}', {"nested": '{"a": [1, {"b": 2}]}'}),
        ('{"version": 1.10, "build": 4e3}', {"build": "4e3", "version": "1.10"}),
        ("{}", None),
        ('{"Name": "gpu-1", "name": "gpu-2"}', {"Name": "gpu-1", "name": "gpu-2"}),
    ],
)
def test_tags_come_in_many_forms_and_leave_in_one(tmp_path: Path, cell: str, tags: dict[str, str] | None) -> None:
    put(tmp_path, "bill.csv", focus_text({"Tags": cell}))
    text = read_only(tmp_path).texts("Tags")[0]
    assert (json.loads(text) if text else None) == tags


def test_tags_that_are_none_are_unknown_and_the_charge_stays(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"Tags": "{owner: mira"}, {"Tags": '{"owner": "mira"}'}))
    bill = read_only(tmp_path)
    assert bill.texts("Tags") == [None, '{"owner":"mira"}']
    assert bill.why() == [(2, "Tags", "{owner: mira", "value unknown")]


def test_billed_cost_stands_in_where_the_source_never_fills_effective_cost(tmp_path: Path) -> None:
    put(tmp_path, "bill.csv", focus_text({"BilledCost": "7", "EffectiveCost": "0"}))
    bill = read_only(tmp_path, effective="billed")
    assert bill.total("EffectiveCost") == 7
    assert "EffectiveCost" not in bill.stated.totals


def test_parquet_types_are_taken_exactly(tmp_path: Path) -> None:
    naive = dt.datetime(2026, 9, 1, 2)  # noqa: DTZ001
    frame = pl.DataFrame(
        {
            "BilledCost": pl.Series(["0.10", "12.345678901234567"]).str.to_decimal(scale=15),
            "EffectiveCost": [0.1, 1e-7],
            "ListCost": [3, None],
            "BillingAccountId": [4418230975, 4418230975],
            "BillingCurrency": pl.Series(["CNY", "CNY"], dtype=pl.Categorical),
            "BillingPeriodStart": [dt.date(2026, 9, 1)] * 2,
            "BillingPeriodEnd": ["2026-10-01", "2026-10-01"],
            "ChargePeriodStart": pl.Series([naive, naive], dtype=pl.Datetime("ms")),
            "ChargePeriodEnd": pl.Series([naive, naive]).dt.replace_time_zone("Asia/Shanghai"),
            "ChargeCategory": ["Usage", "Usage"],
            "ServiceName": ["", "GPU"],
            "Tags": pl.Series([[("a", "1")], []], dtype=pl.List(pl.Struct({"key": pl.String, "value": pl.String}))),
            "x_flags": [[True], None],
        },
        strict=False,
    )
    frame.write_parquet(tmp_path / "bill.parquet")
    bill = read_only(tmp_path, timezone="Asia/Shanghai")
    assert bill.texts("BilledCost") == [Decimal("0.1"), Decimal("12.345678901235")]
    assert bill.residual["BilledCost"] == Decimal("-0.000000000000433")
    assert bill.texts("EffectiveCost") == [Decimal("0.1"), Decimal("0.0000001")]
    assert bill.texts("ListCost") == [3, None]
    assert bill.texts("BillingAccountId") == ["4418230975"] * 2
    assert bill.texts("ChargePeriodStart") == [dt.datetime(2026, 8, 31, 18, tzinfo=UTC)] * 2
    assert bill.texts("ChargePeriodEnd") == [dt.datetime(2026, 8, 31, 18, tzinfo=UTC)] * 2
    assert bill.texts("Tags") == ['{"a":"1"}', None]
    assert bill.texts("x_flags") == ["[true]", None]


def test_parquet_tags_may_be_a_map_or_a_struct(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    plain = {name: pa.array([cell]) for name, cell in FOCUS_ROW.items() if name != "Tags"}
    tags = pa.array([[("Name", "a"), ("name", "b")]], pa.map_(pa.string(), pa.string()))
    pq.write_table(pa.table({**plain, "Tags": tags}), tmp_path / "map.parquet")
    pq.write_table(pa.table({**plain, "Tags": pa.array([{"Name": "a", "name": "b"}])}), tmp_path / "struct.parquet")
    for name in ("map.parquet", "struct.parquet"):
        assert read_only(tmp_path, name).texts("Tags") == ['{"Name":"a","name":"b"}']


def test_a_parquet_nan_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({name: [cell, cell] for name, cell in FOCUS_ROW.items()})
    frame.with_columns(BilledCost=pl.Series([float("nan"), 0.25])).write_parquet(tmp_path / "bill.parquet")
    bill = read_only(tmp_path)
    assert bill.total("BilledCost") == Decimal("0.25")
    assert bill.refused.get_column("value").to_list() == ["NaN"]


def test_failures_of_the_schema_become_rejects_with_file_line_and_money(tmp_path: Path) -> None:
    rows = [
        {"ChargeDescription": "two\nlines"},
        {"ChargeCategory": "Usges", "BilledCost": "3"},
        {"BillingCurrency": "€"},
    ]
    put(tmp_path, "bill.csv", focus_text(*({"ChargeDescription": ""} | row for row in rows)))
    (delivery,) = look(tmp_path).deliveries
    for batch in read_batches(delivery):
        refused = refuse(batch, check(batch.charges, Charges).failures)
        verify(refused.rejects, Rejects, "rejects")
        told = refused.rejects.sort("line").select("file", "line", "column", "value").rows()
        assert told == [("bill.csv", 4, "ChargeCategory", "Usges"), ("bill.csv", 5, "BillingCurrency", "€")]
        assert refused.money["BilledCost"] == 4


def test_a_row_of_the_wrong_width_is_refused_and_its_money_counted(tmp_path: Path) -> None:
    lines = focus_text({}, {"BilledCost": "2"}, {"BilledCost": "3"}, {"BilledCost": "4"}).splitlines()
    lines[2] = ",".join(lines[2].split(",")[:-3])
    lines[3] += ",more"
    put(tmp_path, "bill.csv", "\n".join(lines) + "\n")
    bill = read_only(tmp_path)
    assert bill.texts("row_number") == [1, 4]
    assert [line for line, *_ in bill.why()] == [3, 4]
    assert bill.rejected["BilledCost"] == 5
    assert bill.rows == 4


def test_the_same_content_has_the_same_digest_and_another_statement_another(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", focus_text({}))
    put(tmp_path, "b.csv", focus_text({}))
    first, second = look(tmp_path).deliveries
    assert first.digest == second.digest
    assert look(tmp_path, timezone="Asia/Tokyo").deliveries[0].digest != first.digest
    assert read_delivery(first).charges.equals(read_delivery(second).charges)


def test_ragged_rows_deep_in_a_long_file_are_numbered_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attribution.bills.odd_csv._BLOCK", 1 << 12)
    monkeypatch.setattr("attribution.bills.table_file.BATCH_ROWS", 50)
    lines = focus_text(*({"ResourceId": f"r{number}"} for number in range(1, 501))).splitlines()
    for row in (203, 377, 500):
        lines[row] += ",more"
    put(tmp_path, "bill.csv", "\n".join(lines) + "\n")
    bill = read_only(tmp_path)
    assert [line for line, *_ in bill.why()] == [204, 378, 501]
    rows = bill.charges.select("ResourceId", "row_number").rows()
    assert len(rows) == 497
    assert all(resource == f"r{number}" for resource, number in rows)
    assert bill.rejected["BilledCost"] == 3


@pytest.mark.parametrize("written", ["1e5000", "NaN", "--1", "12,5x", "1e0005"])
@pytest.mark.parametrize("column", ["BilledCost", "ListCost", "ConsumedQuantity"])
def test_a_cell_that_is_no_number_is_told_in_csv_and_in_parquet(tmp_path: Path, column: str, written: str) -> None:
    rows = [{column: "1"}, {column: written}, {column: "2"}]
    put(tmp_path, "a.csv", focus_text(*rows))
    frame = pl.read_csv(io.StringIO(focus_text(*rows)), infer_schema=False)
    frame.write_parquet(tmp_path / "b.parquet")
    for delivery in look(tmp_path).deliveries:
        (batch,) = read_batches(delivery)
        assert [(row["column"], row["value"]) for row in batch.refused.iter_rows(named=True)] == [(column, written)]
