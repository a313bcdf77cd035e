"""Own costs: a row a month from the operators' CSV, and nothing of private rows but their sum."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest
from bills_kit import Everything, put, read_delivery

from attribution.bills import FORMATS, find
from schemas.bills import Rejects
from schemas.charges import CHARGE_COLUMNS, Charges
from schemas.check import verify
from schemas.dimensions import COST_ELEMENTS
from schemas.faults import InputError
from schemas.money import COSTS
from schemas.workspace import OWN_COSTS, Source

GOLDEN = Path(__file__).parent / "golden"
HEADER = "period,cost_element,amount,currency,description,project,stage,experiment,owner,private\n"


def read_text(root: Path, text: str, name: str = "own_costs/2026.csv") -> Everything:
    put(root, name, text)
    found = find(Source(OWN_COSTS, "own_costs/*", "own-costs"), root)
    assert not found.held_back
    (delivery,) = found.deliveries
    bill = read_delivery(delivery)
    verify(bill.charges, Charges, name)
    verify(bill.refused, Rejects, name)
    return bill


def row(**cells: str) -> str:
    told = {
        "period": "2026-09",
        "cost_element": "labour",
        "amount": "10",
        "currency": "USD",
        "description": "work",
        **cells,
    }
    return HEADER + ",".join(told.get(name, "") for name in HEADER.strip().split(",")) + "\n"


def test_the_amounts_of_the_golden_file_are_kept_to_the_last_place(tmp_path: Path) -> None:
    bill = read_text(tmp_path, (GOLDEN / "own_costs.csv").read_text(encoding="utf-8"))
    assert bill.total("BilledCost") == sum(map(Decimal, ("4200.50", "18000", "9000.10", "7000.20", "-120")), Decimal(0))
    assert bill.residual["EffectiveCost"] == Decimal("-0.0000000000005")


def test_a_row_is_a_charge_of_its_calendar_month_with_four_equal_costs(tmp_path: Path) -> None:
    bill = read_text(tmp_path, row(period="2026-12", project="atlas", owner="mira"))
    assert list(bill.charges.columns) == list(CHARGE_COLUMNS)
    (one,) = bill.charges.to_dicts()
    for name in ("BillingPeriod", "ChargePeriod"):
        assert one[f"{name}Start"] == dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
        assert one[f"{name}End"] == dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
    assert {one[cost] for cost in COSTS} == {Decimal(10)}
    assert (one["BillingAccountId"], one["ServiceName"], one["SkuMeter"]) == ("own_costs", "Own labour", "labour")
    assert json.loads(one["Tags"]) == {"project": "atlas", "owner": "mira"}
    assert (one["ChargeDescription"], one["row_number"], one["ResourceId"]) == ("work", 1, None)


def test_private_rows_of_a_month_element_and_currency_are_one_charge_without_detail(tmp_path: Path) -> None:
    rows = [
        "2026-09,labour,100.25,USD,pay of ada,atlas,sft,e-1,ada,yes",
        "2026-09,labour,200.50,USD,pay of bo,,,,bo,1",
        "2026-09,labour,7,EUR,pay of cy,,,,,true",
        "2026-10,labour,9,USD,pay of ada,,,,,true",
        "2026-09,data,11,USD,bonus of ada,,,,,true",
        "2026-09,labour,3,USD,cleaning,,,,kofi,no",
    ]
    bill = read_text(tmp_path, HEADER + "\n".join(rows) + "\n")
    private = bill.charges.filter(bill.charges["row_number"].is_null())
    told = private.select("BillingPeriodStart", "SkuMeter", "BillingCurrency", "EffectiveCost").rows()
    assert sorted((str(at)[:7], *rest) for at, *rest in told) == [
        ("2026-09", "data", "USD", 11),
        ("2026-09", "labour", "EUR", 7),
        ("2026-09", "labour", "USD", Decimal("300.75")),
        ("2026-10", "labour", "USD", 9),
    ]
    for name in ("ChargeDescription", "Tags", "row_number"):
        assert private[name].null_count() == 4
    assert set(private["ServiceName"]) == {"Own labour (private)", "Own data (private)"}
    assert "ada" not in str(bill.charges.to_dicts())
    assert [(one.kind, one.sentence[:14]) for one in bill.notices] == [("private_row_named", "2 private rows")]


@pytest.mark.parametrize(
    ("cells", "column", "check", "value"),
    [
        ({"period": "Sep-26"}, "period", "a month, YYYY-MM", "Sep-26"),
        ({"period": "2026-09-15"}, "period", "a month, YYYY-MM", "2026-09-15"),
        ({"period": "0001-01"}, "period", "a month, YYYY-MM", "0001-01"),
        ({"period": ""}, "period", "a value must stand here", None),
        ({"cost_element": "people"}, "cost_element", f"one of {', '.join(COST_ELEMENTS)}", "people"),
        ({"cost_element": " "}, "cost_element", "a value must stand here", None),
        ({"amount": "ten"}, "amount", "a plain number", "ten"),
        ({"amount": "1e31"}, "amount", "a plain number", "1e31"),
        ({"amount": ""}, "amount", "a value must stand here", None),
        ({"currency": "usd"}, "currency", "a currency code such as USD", "usd"),
        ({"currency": ""}, "currency", "a value must stand here", None),
        ({"private": "maybe"}, "private", "true or false", None),
    ],
)
def test_a_bad_row_is_refused_with_its_place_and_the_others_count(
    tmp_path: Path, cells: dict[str, str], column: str, check: str, value: str | None
) -> None:
    good = row(amount="2.5").removeprefix(HEADER)
    bill = read_text(tmp_path, row(**cells) + good)
    assert bill.refused.select("line", "column", "check", "value", "outcome").rows() == [
        (2, column, check, value, "row refused")
    ]
    assert bill.total("BilledCost") == Decimal("2.5")


@pytest.mark.parametrize("cells", [{"period": "x"}, {"cost_element": "x"}, {"amount": "x"}, {"currency": "x"}])
def test_a_bad_private_row_is_refused_without_its_text(tmp_path: Path, cells: dict[str, str]) -> None:
    bill = read_text(tmp_path, row(**cells, private="yes", description="pay of ada"))
    assert bill.refused.select("line", "value").rows() == [(2, None)]
    assert not bill.charges.height


def test_a_row_of_a_wrong_width_and_lines_after_a_blank_one_are_told_without_their_text(tmp_path: Path) -> None:
    bill = read_text(tmp_path, row() + "2026-09,labour,5,USD,pay of ada,yes\n\npay of ada,77\n")
    assert bill.refused.select("line", "column", "value").rows() == [(3, "(row)", None)]
    assert bill.rejected["BilledCost"] == 5
    assert [(one.kind, one.sentence) for one in bill.notices] == [
        ("footer", "line 4 is blank; what follows it was left out")
    ]


def test_headers_and_elements_match_in_any_spelling_and_further_columns_are_tags(tmp_path: Path) -> None:
    text = (
        "Cost-Element,PERIOD,amount,Currency,Description,Team\n Data ,2026-09, 5,USD,,product\nDATA,2026-09,5,USD,,\n"
    )
    bill = read_text(tmp_path, text)
    assert bill.why() == [(2, "amount", " 5", "row refused")]
    bill = read_text(tmp_path, text.replace(" 5", "5"))
    assert bill.texts("SkuMeter") == ["data", "data"]
    assert bill.texts("Tags") == ['{"Team":"product"}', None]


def test_a_file_without_its_columns_is_refused_with_what_it_has(tmp_path: Path) -> None:
    put(tmp_path, "own_costs/a.csv", "month,cost_element,amount,currency,descripton,Cost element\n")
    (delivery,) = find(Source(OWN_COSTS, "own_costs/*", "own-costs"), tmp_path).deliveries
    with pytest.raises(InputError) as refused:
        read_delivery(delivery)
    said = str(refused.value)
    assert 'column "cost_element" stands twice' in said
    assert 'column "period" is missing' in said
    assert 'Did you mean "descripton"?' in said


def test_no_source_of_bills_takes_own_costs_for_one(tmp_path: Path) -> None:
    put(tmp_path, "own_costs/a.csv", row())
    assert "own-costs" not in FORMATS
    with pytest.raises(InputError, match="no reader knows this bill"):
        find(Source("cloud", "own_costs/*"), tmp_path)


def test_a_header_alone_and_packed_files_are_read(tmp_path: Path) -> None:
    assert not read_text(tmp_path, HEADER, "own_costs/a.csv.gz").charges.height
