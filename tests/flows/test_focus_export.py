"""The FOCUS file that the product writes: read back it is the same money, and nothing in it is null that may not be."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from small_workspace import AS_OF, TOML, attribution, bill_text, charge, workspace

from attribution.ledger import query
from attribution.reports.focus_export import VERSIONS, columns_of, focus_rows
from schemas.charges import FOCUS_COLUMNS

GOLDEN = Path(__file__).parents[1] / "bills" / "golden"
# Values of the FOCUS 1.4 specification.
CATEGORIES = {"Usage", "Purchase", "Tax", "Credit", "Adjustment"}
NEVER_NULL = {
    "BilledCost", "EffectiveCost", "ListCost", "ContractedCost", "BillingAccountId", "BillingCurrency",
    "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd", "ChargeCategory",
    "InvoiceIssuerName", "ServiceCategory", "ServiceName", "ServiceProviderName",
}  # fmt: skip


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sources: one that says little, and the small AWS report with its fees, tax and savings plan."""
    root = workspace(tmp_path_factory.mktemp("export") / "costs")
    (root / "aws").mkdir()
    shutil.copy(GOLDEN / "aws_cur.csv", root / "aws" / "aws_cur.csv")
    taxed = [charge(), charge("2026-10-20", "38", ChargeCategory="Tax", ResourceId="", ServiceCategory="")]
    (root / "bills" / "october.csv").write_text(bill_text(taxed), encoding="utf-8")
    (root / "attribution.toml").write_text(TOML + '[[source]]\nname = "aws"\npath = "aws/*"\n', encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def exported(root: Path, name: str, *options: str) -> Path:
    to = root / name
    answer = attribution("export", "focus", to, "-w", root, *options)
    assert answer.code == 0, answer
    return to


def rows_of(root: Path, sql: str) -> list[tuple[object, ...]]:
    return query(root / "ledger", sql).rows()


@pytest.mark.parametrize("version", ["1.2", "1.4"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_exported_reads_back_as_the_same_money(ran: Path, tmp_path: Path, version: str, ending: str) -> None:
    again = workspace(tmp_path / "again")
    shutil.rmtree(again / "bills")
    (again / "bills").mkdir()
    shutil.copy(exported(ran, f"all-{version}.{ending}", "--focus-version", version), again / "bills")
    ended = attribution("run", "-w", again, "--as-of", AS_OF)
    assert ended.code == 0, ended
    assert not rows_of(again, "SELECT * FROM rejects")
    # List and contracted cost may have stand-ins; what was billed and what is effective may not.
    same = "SELECT BillingAccountId, ResourceId, Tags, BilledCost, EffectiveCost FROM charges ORDER BY ALL"
    assert rows_of(again, same) == rows_of(ran, same)


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_is_null_that_focus_wants_filled(ran: Path, version: str) -> None:
    rows = pl.read_parquet(exported(ran, f"null-{version}.parquet", "--focus-version", version))
    wanted = NEVER_NULL - (set() if version in ("1.3", "1.4") else {"ServiceProviderName"})
    assert not {name for name in wanted if rows.get_column(name).null_count()}
    assert set(rows.get_column("ChargeCategory")) <= CATEGORIES
    assert (
        rows.group_by("ServiceName").agg(pl.col("ServiceCategory").n_unique()).get_column("ServiceCategory").max() == 1
    )
    taxed = rows.filter(pl.col("ChargeCategory") == "Tax")
    assert taxed.height
    assert taxed.get_column("PricingQuantity").null_count() == taxed.height
    assert (rows.get_column("PricingQuantity").is_null() == rows.get_column("PricingUnit").is_null()).all()


def test_a_stand_in_is_told_row_by_row(tmp_path: Path) -> None:
    root = workspace(tmp_path, [charge(), charge(ListCost="", ResourceId="i-2")])
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    rows = pl.read_parquet(exported(root, "x.parquet"))
    told = dict(zip(rows.get_column("ResourceId"), rows.get_column("x_filled"), strict=True))
    assert "ListCost" in told["i-2"].split(",")
    assert "ListCost" not in told["i-1"].split(",")
    listed = dict(zip(rows.get_column("ResourceId"), rows.get_column("ListCost"), strict=True))
    assert listed["i-2"] == rows.filter(pl.col("ResourceId") == "i-2").get_column("ContractedCost").item()


def test_a_version_has_its_columns_and_no_later_ones() -> None:
    everything = set(FOCUS_COLUMNS)
    first, last = columns_of("1.0", everything, everything), columns_of("1.4", everything, everything)
    assert "ProviderName" in first
    assert "ProviderName" not in last
    assert {"InvoiceDetailId", "HostProviderName", "SkuMeter"} <= set(last) - set(first)
    assert "BillingAccountType" not in columns_of("1.4", everything, everything - {"BillingAccountType"})


def test_text_has_no_exponent_and_instants_end_with_z(tmp_path: Path) -> None:
    root = workspace(tmp_path, [charge(cost="0.0000002")])
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    lines = exported(root, "x.csv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(lines[0].split(","), lines[1].split(","), strict=False))
    assert cells["BilledCost"] == "0.0000002"
    assert cells["BillingPeriodStart"] == "2026-10-01T00:00:00Z"


def test_a_month_or_source_alone(ran: Path) -> None:
    rows = pl.read_parquet(exported(ran, "aws.parquet", "--source", "aws"))
    assert rows.height == rows_of(ran, "SELECT count(*) FROM charges WHERE source = 'aws'")[0][0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["x.json"], "no ending that is known"),
        (["x.csv", "--focus-version", "2.0"], 'no version "2.0"'),
        (["x.csv", "--month", "1999-01"], "no charge of this month and source"),
        (["/proc/nowhere/x.csv"], "cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_told_and_leaves_no_file(
    ran: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    name, *rest = options
    to = tmp_path / name if not name.startswith("/") else Path(name)
    answer = attribution("export", "focus", to, "-w", ran, *rest)
    assert answer.code == 2
    assert said in answer.err
    assert not list(tmp_path.iterdir())


def test_tags_stay_json(ran: Path) -> None:
    rows = pl.read_parquet(exported(ran, "tags.parquet"))
    assert all(isinstance(json.loads(text), dict) for text in rows.get_column("Tags").drop_nulls())


def rows_for(**cells: object) -> pl.DataFrame:
    """One charge as it would be exported, from a row of nulls but for these cells."""
    row: dict[str, object] = dict.fromkeys(FOCUS_COLUMNS, None) | {
        "ChargeCategory": "Usage", "ServiceName": "Nodes", "BilledCost": Decimal(24), "source": "cloud", **cells,
    }  # fmt: skip
    charges = pl.DataFrame([row], schema={**FOCUS_COLUMNS, "source": pl.String})
    services = pl.DataFrame({"ServiceName": ["Nodes"], "ServiceCategory": ["Compute"], "ServiceSubcategory": [None]})
    return focus_rows(charges, list(FOCUS_COLUMNS), services.cast(pl.String))


def test_a_unit_price_stays_only_where_it_makes_the_cost() -> None:
    right = rows_for(ListCost=Decimal(24), ListUnitPrice=12.0, PricingQuantity=2.0, PricingUnit="Hrs")
    wrong = rows_for(ListCost=Decimal(24), ListUnitPrice=12.0, PricingQuantity=3.0, PricingUnit="Hrs")
    assert right.select("ListUnitPrice", "PricingUnit").row(0) == (12.0, "Hours")
    assert wrong.get_column("ListUnitPrice").item() is None
    assert "ListUnitPrice" in wrong.get_column("x_filled").item().split(",")
    assert "ListUnitPrice" not in right.get_column("x_filled").item().split(",")


def test_only_usage_that_happened_is_consumed() -> None:
    used = {"ConsumedQuantity": 5.0, "ConsumedUnit": "GB"}
    assert rows_for(**used).select("ConsumedQuantity", "PricingQuantity", "PricingUnit").row(0) == (5.0, 5.0, "GB")
    for other in ({"ChargeCategory": "Purchase"}, {"CommitmentDiscountStatus": "Unused"}):
        row = rows_for(**used, **other)
        assert row.select("ConsumedQuantity", "ConsumedUnit").row(0) == (None, None)
        assert row.select("PricingQuantity", "PricingUnit").row(0) == (1.0, "Units")
    assert rows_for(**used, ChargeCategory="Tax").select("PricingQuantity", "PricingUnit").row(0) == (None, None)


def test_price_details_of_a_provider_are_marked_as_its_own() -> None:
    told = rows_for(SkuPriceId="p1", SkuPriceDetails='{"vcpu": "96", "CoreCount": 48}').get_column("SkuPriceDetails")
    assert json.loads(told.item()) == {"x_vcpu": "96", "CoreCount": 48}
    assert rows_for(SkuPriceDetails='{"vcpu": "96"}').get_column("SkuPriceDetails").item() is None
