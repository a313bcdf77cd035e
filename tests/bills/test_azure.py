"""Azure cost details: layouts and their spellings, inclusive ends, blocks, tags, kinds, commitments, prices."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from azure_kit import EA, VM, ea
from bills_kit import Everything, csv_text, put, read_only

from schemas.charges import Charges
from schemas.check import check
from schemas.faults import InputError

ORDER = "/providers/Microsoft.Capacity/reservationOrders/AB12/reservations/CD34"


def one(root: Path, **changes: str) -> dict[str, object]:
    """The charge that one row becomes."""
    put(root, "a.csv", ea(changes))
    bill = read_only(root)
    assert not bill.refused.height
    assert check(bill.charges, Charges).failures.is_empty()
    return bill.charges.row(0, named=True)


def test_the_last_day_of_a_period_belongs_to_it_and_a_row_is_a_day(tmp_path: Path) -> None:
    row = one(tmp_path)
    assert row["BillingPeriodEnd"] == datetime(2026, 10, 1, tzinfo=UTC)
    assert (row["ChargePeriodStart"], row["ChargePeriodEnd"]) == (
        datetime(2026, 9, 14, tzinfo=UTC),
        datetime(2026, 9, 15, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("billed", "priced", "consumed", "single"),
    [
        (("0.0047", "10K"), "10000 Units", 47.0, "Units"),
        (("24", "100 Hours"), "100 Hours", 2400.0, "Hours"),
        (("24", "1 Hour"), "Hours", 24.0, "Hours"),
        (("3", "1 GB/Month"), "GB/Month", 3.0, "GB/Month"),
        (("0.5", "1/Month"), "Units/Month", 0.5, "Units/Month"),
        (("2", "100000000"), "100000000 Units", 2e8, "Units"),
        (("2", "1M"), "1000000 Units", 2e6, "Units"),
        (("2", "10 MB"), "10 MB", 20.0, "MB"),
        (("2", "Rotations"), "Rotations", 2.0, "Rotations"),
        (("2", ""), None, 2.0, None),
    ],
)
def test_a_block_of_units_is_multiplied_out(
    tmp_path: Path, billed: tuple[str, str], priced: str | None, consumed: float, single: str | None
) -> None:
    quantity, unit = billed
    row = one(tmp_path, Quantity=quantity, UnitOfMeasure=unit)
    assert row["ConsumedQuantity"] == pytest.approx(consumed, rel=1e-15)
    assert row["ConsumedUnit"] == single
    assert (row["PricingQuantity"], row["PricingUnit"]) == (float(quantity), priced)


@pytest.mark.parametrize(
    ("raw", "tags"),
    [
        ('"project": "atlas-7b","owner": "mira"', '{"owner":"mira","project":"atlas-7b"}'),
        ('{"project": "atlas-7b"}', '{"project":"atlas-7b"}'),
        ('"url": "http://x: y","owner": ""', '{"owner":"","url":"http://x: y"}'),
        ('{"Name": "a", "name": "b", "project": "c"}', '{"Name":"a","name":"b","project":"c"}'),
        ("", None),
    ],
)
def test_tags_may_lack_their_braces_and_keys_keep_their_case(tmp_path: Path, raw: str, tags: str | None) -> None:
    assert one(tmp_path, Tags=raw)["Tags"] == tags


def test_ids_are_written_in_one_case(tmp_path: Path) -> None:
    row = one(tmp_path, benefitId=ORDER, PricingModel="Reservation", CostInBillingCurrency="0")
    assert row["ResourceId"] == VM.lower()
    assert row["ResourceName"] == "gpu7"
    assert row["ResourceType"] == "microsoft.compute/virtualmachines"
    assert row["SubAccountId"] == EA["SubscriptionId"].lower()
    assert row["CommitmentDiscountId"] == ORDER.lower()


@pytest.mark.parametrize("placeholder", ["Unassigned", "-2", "Not applicable"])
def test_placeholders_are_no_values_and_an_amount_stays_one(tmp_path: Path, placeholder: str) -> None:
    row = one(tmp_path, MeterCategory=placeholder, ResourceId=placeholder, CostInBillingCurrency="-2")
    assert (row["ServiceName"], row["ResourceId"]) == ("ND96 v5", None)
    assert row["BilledCost"] == Decimal(-2)


@pytest.mark.parametrize(
    ("kind", "frequency", "told"),
    [
        ("Usage", "UsageBased", ("Usage", None, "Usage-Based")),
        ("Purchase", "Recurring", ("Purchase", None, "Recurring")),
        ("Refund", "OneTime", ("Purchase", "Correction", "One-Time")),
        ("Refund", "UsageBased", ("Usage", "Correction", "Usage-Based")),
        ("RoundingAdjustment", "", ("Adjustment", None, "One-Time")),
        ("Tax", "", ("Tax", None, "One-Time")),
    ],
)
def test_charge_types(tmp_path: Path, kind: str, frequency: str, told: tuple[str, str | None, str]) -> None:
    row = one(tmp_path, ChargeType=kind, Frequency=frequency)
    assert (row["ChargeCategory"], row["ChargeClass"], row["ChargeFrequency"]) == told


def test_an_unknown_charge_type_is_kept_as_usage_and_told(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", ea({"ChargeType": "Levy"}))
    bill = read_only(tmp_path)
    assert bill.texts("ChargeCategory") == ["Usage"]
    assert ["Levy" in notice.sentence for notice in bill.notices] == [True]


@pytest.mark.parametrize(
    ("model", "category"),
    [("OnDemand", "Standard"), ("Spot", "Dynamic"), ("SavingsPlan", "Committed"), ("", "Standard")],
)
def test_pricing_models(tmp_path: Path, model: str, category: str) -> None:
    assert one(tmp_path, PricingModel=model, CostInBillingCurrency="0")["PricingCategory"] == category


def test_what_a_reservation_covers_is_used_and_its_purchase_has_no_effective_cost(tmp_path: Path) -> None:
    """An older layout says no pricing model; the reservation's id tells."""
    old = {"PricingModel": "", "ReservationId": "CD34"}
    bought = {"ChargeType": "Purchase", "Frequency": "Recurring", "CostInBillingCurrency": "900"}
    put(tmp_path, "a.csv", ea(old | {"CostInBillingCurrency": "0"}, old | bought, bought))
    bill = read_only(tmp_path)
    assert bill.texts("CommitmentDiscountStatus") == ["Used", None, None]
    assert bill.texts("CommitmentDiscountType") == ["Reservation", "Reservation", None]
    assert bill.charges.get_column("BilledCost").to_list() == [0, 900, 900]
    assert bill.charges.get_column("EffectiveCost").to_list() == [0, 0, 900]


def test_a_savings_plan_commits_to_spending(tmp_path: Path) -> None:
    plan = "/providers/Microsoft.BillingBenefits/savingsPlanOrders/AB/savingsPlans/CD"
    row = one(tmp_path, PricingModel="SavingsPlan", benefitId=plan, CostInBillingCurrency="0")
    assert (row["CommitmentDiscountType"], row["CommitmentDiscountCategory"]) == ("Savings plan", "Spend")


def test_prices_times_quantity_to_the_last_decimal(tmp_path: Path) -> None:
    row = one(tmp_path, Quantity="0.033336", PayGPrice="6.380000000001", UnitPrice="0.1")
    exact = Decimal("0.033336") * Decimal("6.380000000001")
    assert row["ListCost"] == exact.quantize(Decimal("1e-12"))
    assert row["ContractedCost"] == Decimal("0.0033336")


def test_a_price_of_nothing_is_unknown_where_azure_does_not_say(tmp_path: Path) -> None:
    free = one(tmp_path / "free", PayGPrice="0", UnitPrice="0", CostInBillingCurrency="0")
    assert (free["ListCost"], free["ContractedCost"]) == (None, 0)
    sold = one(tmp_path / "sold", PayGPrice="0", UnitPrice="0", PublisherType="Marketplace")
    assert (sold["ListCost"], sold["ContractedCost"], sold["ContractedUnitPrice"]) == (None, None, None)


def test_prices_in_another_currency_are_no_costs_of_this_bill(tmp_path: Path) -> None:
    row = one(tmp_path, pricingCurrency="USD", paygCostInBillingCurrency="2100.5")
    assert (row["ListCost"], row["ContractedCost"]) == (Decimal("2100.5"), None)
    assert (row["ListUnitPrice"], row["PricingCurrencyListUnitPrice"]) == (None, 98.32)


@pytest.mark.parametrize(
    ("name", "region"),
    [("UK South", "uksouth"), ("EastUS2", "eastus2"), ("US East 2", "eastus2"), ("EU West", "westeurope"), ("", None)],
)
def test_regions_have_one_name(tmp_path: Path, name: str, region: str | None) -> None:
    assert one(tmp_path, ResourceLocation=name)["RegionId"] == region


OLD = {
    "SubscriptionGuid": "5e1f",
    "UsageDateTime": "2026-09-14",
    "MeterCategory": "Storage",
    "MeterId": "m-9",
    "UsageQuantity": "2",
    "ResourceRate": "0.5",
    "PreTaxCost": "1.00",
    "InstanceId": VM,
    "Currency": "EUR",
    "CostCenter": "00042",
}
GERMAN = {
    "SubscriptionGuid": "Abonnement-GUID (SubscriptionGuid)",
    "UsageDateTime": "UsageDateTime (UsageDateTime)",
    "MeterCategory": "Kategorie der Verbrauchseinheit (MeterCategory)",
    "UsageQuantity": "UsageQuantity (UsageQuantity)",
    "PreTaxCost": "PreTaxCost (PreTaxCost)",
    "CostCenter": "Kostenstelle (CostCenter)",
}
FRENCH = {"MeterCategory": "Catégorie du compteur (MeterCategory)", "PreTaxCost": "Coût (PreTaxCost)"}


def as_read(root: Path, row: dict[str, str], **options: str) -> Everything:
    put(root, "a.csv", csv_text([row]))
    bill = read_only(root, **options)
    assert not bill.refused.height
    return bill


@pytest.mark.parametrize("names", [{}, GERMAN, FRENCH, {name: name.lower() for name in OLD}], ids=str)
def test_pay_as_you_go_in_any_language_and_case(tmp_path: Path, names: dict[str, str]) -> None:
    bill = as_read(tmp_path, {names.get(name, name): cell for name, cell in OLD.items()})
    row = bill.charges.row(0, named=True)
    assert bill.delivery.reader == "azure"
    assert bill.stated.totals["BilledCost"] == row["BilledCost"] == Decimal("1.00")
    assert (row["BillingAccountId"], row["SubAccountId"], row["BillingCurrency"]) == ("5e1f", "5e1f", "EUR")
    assert (row["ServiceName"], row["ConsumedQuantity"]) == ("Storage", 2)
    assert "00042" in row.values()


def test_partner_exports_mix_cases(tmp_path: Path) -> None:
    partner = {
        "date": "06/02/2026",
        "SubscriptionId": "s-1",
        "costInBillingCurrency": "2.50",
        "billingCurrency": "EUR",
        "partnerName": "Harbour Cloud",
        "tags": "",
    }
    bill = as_read(tmp_path, partner, date_format="%m/%d/%Y")
    assert bill.total("BilledCost") == Decimal("2.50")
    assert bill.texts("InvoiceIssuerName") == ["Harbour Cloud"]
    assert [f"{start:%Y-%m-%d}" for start in bill.charges["ChargePeriodStart"]] == ["2026-06-02"]


AMERICAN = {"BillingPeriodStartDate": "09/01/2026", "BillingPeriodEndDate": "09/30/2026", "Date": "09/04/2026"}


def test_the_end_of_the_billing_period_proves_that_months_come_first(tmp_path: Path) -> None:
    """Days of the first twelve alone would not."""
    row = one(tmp_path, **AMERICAN)
    assert row["ChargePeriodStart"] == datetime(2026, 9, 4, tzinfo=UTC)
    assert row["BillingPeriodEnd"] == datetime(2026, 10, 1, tzinfo=UTC)


def test_days_that_prove_nothing_are_refused_and_stated_ones_read(tmp_path: Path) -> None:
    bare = {name: cell for name, cell in (EA | AMERICAN).items() if not name.startswith("BillingPeriod")}
    put(tmp_path, "a.csv", csv_text([bare, bare | {"Date": "04/09/2026"}]))
    with pytest.raises(InputError, match="whether day or month comes first"):
        read_only(tmp_path)
    stated = read_only(tmp_path, date_format="%m/%d/%Y")
    assert [f"{day:%m-%d}" for day in stated.charges["ChargePeriodStart"]] == ["09-04", "04-09"]


def test_a_translation_that_says_another_column_does_not_hide_it(tmp_path: Path) -> None:
    """Seen in exports: the words of one column before the name of another."""
    names = {"SubscriptionGuid": "Ubicación (SubscriptionGuid)", "MeterCategory": "Ubicación (MeterCategory)"}
    bill = as_read(tmp_path, {names.get(name, name): cell for name, cell in OLD.items()})
    assert (bill.texts("SubAccountId"), bill.texts("ServiceName")) == (["5e1f"], ["Storage"])


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"\xef\xbb\xbf" + ea({}).encode(), {}),
        (b"\xef\xbb\xbf" + ea({}).replace("\n", "\n\ufeff", 1).encode(), {}),
        (ea({"Tags": '"owner": "Zoë"'}).encode("utf-16"), {}),
        (ea({"Tags": '"owner": "Zoë"'}).encode("cp1252"), {"encoding": "cp1252"}),
        (csv_text([EA | {"CostInBillingCurrency": "2.162,40"}], delimiter=";").encode(), {}),
    ],
    ids=["bom", "second bom", "utf-16", "cp1252", "decimal comma"],
)
def test_files_as_they_come(tmp_path: Path, content: bytes, options: dict[str, str]) -> None:
    put(tmp_path, "a.csv", content)
    if b";" in content:
        options = {"decimal": ",", "thousands": "."}
    bill = read_only(tmp_path, **options)
    assert bill.total("BilledCost") == Decimal("2162.4")
    assert bill.texts("BillingAccountId") == ["77001"]
    if b"Zo" in content:
        assert bill.texts("Tags") == ['{"owner":"Zoë"}']


def test_parquet_with_days_and_numbers_of_its_own(tmp_path: Path) -> None:
    texts = pl.DataFrame([EA | {"CostInBillingCurrency": "0.1", "Tags": '{"owner":"mira"}'}])
    typed = texts.with_columns(
        pl.col("Date", "BillingPeriodStartDate", "BillingPeriodEndDate").str.to_date(),
        pl.col("Quantity", "CostInBillingCurrency", "UnitPrice").cast(pl.Float64),
        pl.col("PayGPrice").str.to_decimal(scale=6),
    )
    typed.write_parquet(tmp_path / "part_0_0001.snappy.parquet", compression="snappy")
    row = read_only(tmp_path).charges.row(0, named=True)
    assert (row["BilledCost"], row["ListCost"]) == (Decimal("0.1"), Decimal("2359.68"))
    assert row["BillingPeriodEnd"] == datetime(2026, 10, 1, tzinfo=UTC)
    assert (row["ConsumedQuantity"], row["Tags"]) == (24.0, '{"owner":"mira"}')


def test_a_file_without_currency_is_refused_by_name(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", csv_text([{name: cell for name, cell in EA.items() if name != "BillingCurrencyCode"}]))
    with pytest.raises(InputError, match=r'column "BillingCurrency" is missing'):
        read_only(tmp_path)


def test_a_spreadsheet_that_damaged_an_account_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", ea({"BillingAccountId": "7.7001E+18"}, {}))
    bill = read_only(tmp_path)
    assert [(line, column, value) for line, column, value, _ in bill.why()] == [(2, "BillingAccountId", "7.7001E+18")]
    assert bill.rejected["BilledCost"] == Decimal("2162.4")
