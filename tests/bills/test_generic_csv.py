"""Bills whose columns the source maps itself: what is mapped is read, what is missing is named, nothing is lost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from bills_kit import Everything, csv_text, look, put, read_only

from attribution.bills.generic_csv import mapping_faults
from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError

COLUMNS = {
    "BilledCost": "Amount",
    "BillingAccountId": "Org",
    "ChargePeriodStart": "From",
    "ChargePeriodEnd": "To",
    "ServiceName": "Item",
    "ResourceId": "Node",
    "ConsumedQuantity": "Hours",
}
ROW = {
    "Org": "007",
    "From": "2026-09-03T05:00:00Z",
    "To": "2026-09-03T06:00:00Z",
    "Item": "H100 SXM GPU",
    "Node": "gpu-a-01",
    "Hours": "8",
    "Amount": "23.60",
    "Project": "Atlas-7B",
}


def mapped(root: Path, *rows: dict[str, str], columns: dict[str, str] | None = None, **options: object) -> Everything:
    put(root, "invoice.csv", csv_text([ROW | row for row in rows]))
    options = {"constants": {"BillingCurrency": "USD"}, "format": "generic-csv"} | options
    return read_only(root, columns=columns or COLUMNS, **options)


def test_a_mapped_row_is_a_whole_charge(tmp_path: Path) -> None:
    bill = mapped(tmp_path, {}, tags={"project": "Project"})
    (charge,) = bill.charges.to_dicts()
    assert check(bill.charges, Charges).failures.is_empty()
    assert (charge["BilledCost"], charge["EffectiveCost"]) == (Decimal("23.60"), Decimal("23.60"))
    assert (charge["ListCost"], charge["ContractedCost"]) == (None, None)
    assert (charge["BillingAccountId"], charge["BillingCurrency"], charge["ResourceId"]) == ("007", "USD", "gpu-a-01")
    assert (charge["ChargeCategory"], charge["ChargeFrequency"]) == ("Usage", None)
    assert (charge["ServiceCategory"], charge["Tags"]) == ("Compute", '{"project":"Atlas-7B"}')
    assert f"{charge['BillingPeriodStart']:%F} {charge['BillingPeriodEnd']:%F}" == "2026-09-01 2026-10-01"
    assert "x_Project" not in bill.charges.columns


def test_what_is_not_mapped_is_kept_beside(tmp_path: Path) -> None:
    assert mapped(tmp_path, {}).texts("x_Project") == ["Atlas-7B"]


def test_only_the_source_chooses_it(tmp_path: Path) -> None:
    put(tmp_path, "invoice.csv", csv_text([ROW]))
    with pytest.raises(InputError, match='can be mapped, with `format = "generic-csv"`'):
        look(tmp_path)


def test_every_mapped_column_that_a_file_lacks_is_named_at_once(tmp_path: Path) -> None:
    wrong = COLUMNS | {"BilledCost": "Amout", "SkuId": "Sku"}
    with pytest.raises(InputError) as refusal:
        mapped(tmp_path, {}, columns=wrong, tags={"stage": "Sage", "project": "project"})
    said = str(refusal.value)
    assert sorted(fault.what for fault in refusal.value.faults) == [
        'column "Amout" is missing', 'column "Sage" is missing', 'column "Sku" is missing',
    ]  # fmt: skip
    assert 'Did you mean "Amount"?' in said
    assert "Known: Org, From, To, Item, Node, Hours, Amount, Project" in said


def test_of_two_columns_that_differ_by_case_the_named_one_counts(tmp_path: Path) -> None:
    bill = mapped(tmp_path, {"amount": "99", "A mount": "77"})
    assert bill.total("BilledCost") == Decimal("23.60")
    assert bill.stated.totals == {"BilledCost": Decimal("23.60")}


def test_the_control_sum_finds_a_column_as_the_reader_does(tmp_path: Path) -> None:
    bill = mapped(tmp_path, {}, columns=COLUMNS | {"BilledCost": "a_mount"})
    assert bill.stated.totals == {"BilledCost": Decimal("23.60")}


@pytest.mark.parametrize(
    ("start", "end", "ends", "until"),
    [
        ("2026-09-03", "", "after", "2026-09-04 00:00"),
        ("2026-09-03T05:00:00Z", "", "after", "2026-09-04 00:00"),
        ("2026-09-01", "2026-09-30", "last", "2026-10-01 00:00"),
        ("2026-09-01", "2026-09-30", "after", "2026-09-30 00:00"),
        ("2026-09-03", "2026-09-03", "last", "2026-09-04 00:00"),
        ("2026-09-03 05:00", "2026-09-03 05:59:59", "last", "2026-09-03 06:00"),
        ("2026-09-03 05:00", "2026-09-03 23:59", "last", "2026-09-04 00:00"),
    ],
)
def test_ends_are_moments_after_or_last_days(tmp_path: Path, start: str, end: str, ends: str, until: str) -> None:
    bill = mapped(tmp_path, {"From": start, "To": end}, ends=ends)
    assert [f"{moment:%F %H:%M}" for moment in bill.charges["ChargePeriodEnd"]] == [until]


def test_last_days_are_days_of_the_sources_clock(tmp_path: Path) -> None:
    bill = mapped(tmp_path, {"From": "2026-10-20", "To": "2026-10-25"}, ends="last", timezone="Europe/Berlin")
    # The last day has 25 hours.
    assert [f"{moment:%F %H:%M}" for moment in bill.charges["ChargePeriodEnd"]] == ["2026-10-25 23:00"]


@pytest.mark.parametrize("month", ["2026-09", "202609", "2026/9", "2026年9月", "2026-09-01", "2026-09-01T00:00:00Z"])
def test_a_month_alone_is_billing_period_and_charge_period(tmp_path: Path, month: str) -> None:
    columns = {name: raw for name, raw in COLUMNS.items() if not name.startswith("ChargePeriod")}
    bill = mapped(tmp_path, {"From": month}, columns=columns | {"BillingPeriodStart": "From"})
    names = ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd")
    periods = bill.charges.select(pl.col(names).dt.to_string("%F"))
    assert periods.rows() == [("2026-09-01", "2026-10-01") * 2]


def test_what_is_no_month_is_refused(tmp_path: Path) -> None:
    columns = {name: raw for name, raw in COLUMNS.items() if not name.startswith("ChargePeriod")}
    bill = mapped(tmp_path, {"From": "2026-13"}, {"From": "09/2026"}, columns=columns | {"BillingPeriodStart": "From"})
    assert [(line, column, value) for line, column, value, _ in bill.why()] == [
        (2, "From", "2026-13"),
        (3, "From", "09/2026"),
    ]
    assert bill.rejected["BilledCost"] == Decimal("47.20")


def test_categories_are_read_in_any_case_and_a_refund_is_a_correction(tmp_path: Path) -> None:
    kinds = ["USAGE", "credit", "Tax", "Purchase", "adjustment", "Refund", "mystery", ""]
    bill = mapped(tmp_path, *({"Kind": kind} for kind in kinds), columns=COLUMNS | {"ChargeCategory": "Kind"})
    assert bill.texts("ChargeCategory") == [
        "Usage", "Credit", "Tax", "Purchase", "Adjustment", "Usage", "Usage", "Usage",
    ]  # fmt: skip
    assert bill.texts("ChargeClass") == [None] * 5 + ["Correction", None, None]
    assert ["mystery" in notice.sentence for notice in bill.notices] == [True]


def test_number_style_and_dates_are_the_sources(tmp_path: Path) -> None:
    rows = [{"Amount": "1.234,50", "From": "13.09.2026", "To": ""}, {"Amount": "$12", "From": "14.09.2026", "To": ""}]
    bill = mapped(tmp_path, *rows, decimal=",", thousands=".", date_format="%d.%m.%Y")
    assert bill.total("BilledCost") == Decimal("1234.50")
    assert bill.why() == [(3, "Amount", "$12", "row refused")]


def test_tags_as_json_of_one_column(tmp_path: Path) -> None:
    labels = [{"Labels": '{"team":"x"}'}, {"Labels": "not json"}]
    bill = mapped(tmp_path, *labels, columns=COLUMNS | {"Tags": "Labels"})
    assert bill.texts("Tags") == ['{"team":"x"}', None]
    assert bill.why() == [(3, "Labels", "not json", "value unknown")]


def test_hostile_cells_are_text_and_money_is_exact(tmp_path: Path) -> None:
    cells = ["=cmd|' /C calc'!A0", "<script>alert(1)</script>", 'say "hi"\nthere, ok', "007", "1E5"]
    amounts = ["0.1", "0.2", "1e-13", "-3", "100000000000000000.000000000001"]
    rows = [{"Item": cell, "Project": cell, "Amount": amount} for cell, amount in zip(cells, amounts, strict=True)]
    bill = mapped(tmp_path, *rows, tags={"project": "Project"})
    assert bill.texts("ServiceName") == cells
    assert bill.total("BilledCost") + bill.residual["BilledCost"] == sum(map(Decimal, amounts))


def test_a_changed_mapping_reads_the_file_anew(tmp_path: Path) -> None:
    put(tmp_path, "invoice.csv", csv_text([ROW]))

    def digest(**options: object) -> str:
        (delivery,) = look(tmp_path, format="generic-csv", **options).deliveries
        return delivery.digest

    turned = dict(reversed(COLUMNS.items()))
    assert digest(columns=COLUMNS) == digest(columns=turned)
    every = {
        digest(),
        digest(columns=COLUMNS),
        digest(columns=COLUMNS | {"SkuId": "Item"}),
        digest(columns=COLUMNS, constants={"BillingCurrency": "USD"}),
        digest(columns=COLUMNS, tags={"project": "Project"}),
        digest(columns=COLUMNS, ends="last"),
    }
    assert len(every) == 6


def test_effective_as_billed_leaves_the_other_column_out(tmp_path: Path) -> None:
    columns = COLUMNS | {"EffectiveCost": "Amortised"}
    assert mapped(tmp_path / "a", {"Amortised": "1"}, columns=columns).total("EffectiveCost") == Decimal(1)
    billed = mapped(tmp_path / "b", {"Amortised": "1"}, columns=columns, effective="billed")
    assert billed.total("EffectiveCost") == Decimal("23.60")


def test_a_mapping_is_judged_before_any_file() -> None:
    needed = {"BilledCost": "a", "BillingAccountId": "b", "BillingCurrency": "c", "BillingPeriodStart": "d"}
    assert mapping_faults(needed, {}, {}) == []
    assert mapping_faults({}, {}, {}) == [
        "maps nothing to BilledCost, BillingAccountId, BillingCurrency, ChargePeriodStart or BillingPeriodStart"
    ]
    assert mapping_faults(needed | {"Tags": "t"}, {"ListCost": "1"}, {"k": "x"}) == [
        "states ListCost for all rows, which only a column can give",
        "maps columns to tags and another one to Tags",
    ]
