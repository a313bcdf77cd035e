"""Azure exports as they arrive night by night: month-to-date runs, a late amortized file, an overlapping export."""

from __future__ import annotations

import csv
import io
import json
import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
from small_workspace import AS_OF, RULES, attribution

TOML = 'currency = "EUR"\n[[source]]\nname = "azure"\npath = "bills/**/*.csv"\n'
MONTH = "20261001-20261031"
ROW = {
    "BillingAccountId": "77001",
    "BillingPeriodStartDate": "10/01/2026",
    "BillingPeriodEndDate": "10/31/2026",
    "SubscriptionId": "5e1f",
    "MeterCategory": "Virtual Machines",
    "MeterId": "m-1",
    "Quantity": "24",
    "UnitOfMeasure": "1 Hour",
    "BillingCurrency": "EUR",
    "ResourceId": "/subscriptions/5E1F/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/gpu7",
    "Tags": '"project": "atlas","owner": "mira"',
    "ChargeType": "Usage",
    "PricingModel": "OnDemand",
    "ReservationId": "",
}
COVERED = {"PricingModel": "Reservation", "ReservationId": "cd34"}


def day(number: int, cost: str, **changes: str) -> dict[str, str]:
    return ROW | {"Date": f"10/{number:02}/2026", "Cost": cost} | changes


def deliver(root: Path, export: str, run: str, rows: list[dict[str, str]], kind: str = "ActualCost") -> None:
    """A run and its manifest; `run` is when it was submitted, in October, and its days are those of its rows."""
    folder = root / "bills" / export / MONTH / run.replace(":", "")
    folder.mkdir(parents=True)
    sink = io.StringIO()
    writer = csv.DictWriter(sink, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    (folder / "part_0_0001.csv").write_bytes(sink.getvalue().encode("utf-8-sig"))
    dates = sorted(row["Date"] for row in rows)
    manifest = {
        "dataRowCount": len(rows),
        "exportConfig": {
            "type": kind,
            "resourceId": "/providers/Microsoft.Billing/billingAccounts/77001/providers/Microsoft.CostManagement/x",
        },
        "runInfo": {
            "submittedTime": f"2026-10-{run}:00Z",
            "startDate": f"2026-10-{dates[0][3:5]}T00:00:00",
            "endDate": f"2026-10-{dates[-1][3:5]}T00:00:00Z",
        },
        "blobs": [{"blobName": f"costs/{export}/part_0_0001.csv"}],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def night(root: Path) -> tuple[Decimal, Decimal, int]:
    """Billed and effective cost of October and its charges, after a run."""
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 0, ended.err
    with duckdb.connect(str(root / "ledger" / "costs.duckdb"), read_only=True) as con:
        sql = (
            "SELECT sum(stored_BilledCost), sum(stored_EffectiveCost), sum(rows) FROM bills WHERE superseded_at IS NULL"
        )
        ((billed, effective, rows),) = con.execute(sql).fetchall()
        ((attributed,),) = con.execute("SELECT sum(EffectiveCost) FROM costs WHERE project = 'atlas'").fetchall()
    assert attributed == effective
    return billed, effective, int(rows)


def test_a_month_of_exports_is_never_doubled(tmp_path: Path) -> None:
    (tmp_path / "attribution.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    bought = day(1, "90", ChargeType="Purchase", **COVERED)
    covered = [day(number, "0", **COVERED) for number in range(1, 10)]
    plain = [day(number, "10.00") for number in range(1, 13)]
    deliver(tmp_path, "actual", "10T01:00", [bought, *covered, *plain[:9]])
    assert night(tmp_path) == (Decimal(180), Decimal(90), 19)
    spread = [row | {"Cost": "3.5"} for row in covered]
    deliver(tmp_path, "amortized", "10T02:00", [*spread, *plain[:9]], "AmortizedCost")
    assert night(tmp_path) == (Decimal(180), Decimal("121.5"), 19)
    # The next run of the month replaces both, and restates a day that was billed before.
    restated = [*plain[:8], day(9, "11.00"), *plain[9:]]
    deliver(tmp_path, "actual", "13T01:00", [bought, *covered, *restated])
    deliver(tmp_path, "amortized", "13T02:00", [*spread, *restated], "AmortizedCost")
    whole = (Decimal(211), Decimal("152.5"), 22)
    assert night(tmp_path) == whole
    # Somebody exports the first nine days once more, later.
    deliver(tmp_path, "once", "14T01:00", [bought, *covered, *plain[:9]])
    assert night(tmp_path) == whole
    assert night(tmp_path) == whole


def test_all_at_once_gives_the_same_bill(tmp_path: Path) -> None:
    (tmp_path / "attribution.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    for run, days in (("10T01:00", 9), ("11T01:00", 10), ("13T01:00", 12)):
        rows = [day(number, "10.00") for number in range(1, days + 1)]
        deliver(tmp_path, "actual", run, rows)
        deliver(tmp_path, "amortized", run, rows, "AmortizedCost")
    assert night(tmp_path) == (Decimal(120), Decimal(120), 12)


def test_a_row_that_only_the_charges_schema_refuses_is_counted_on_both_sides(tmp_path: Path) -> None:
    """A break of the law of the door would end with 3."""
    (tmp_path / "attribution.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    rows = [day(1, "10.00"), day(2, "7.00", BillingCurrency="Euro"), day(3, "0", BillingCurrency="Euro", **COVERED)]
    deliver(tmp_path, "actual", "10T01:00", rows)
    spread = [rows[0], rows[1], rows[2] | {"Cost": "3.5"}, day(4, "1.5", **COVERED)]
    deliver(tmp_path, "amortized", "10T02:00", spread, "AmortizedCost")
    assert night(tmp_path) == (Decimal(10), Decimal("11.5"), 2)
    with duckdb.connect(str(tmp_path / "ledger" / "costs.duckdb"), read_only=True) as con:
        refused = con.execute(
            'SELECT file, line, value FROM rejects WHERE "column" = ?', ["BillingCurrency"]
        ).fetchall()
    assert sorted((Path(file).parts[1], line, value) for file, line, value in refused) == [
        ("actual", 3, "Euro"),
        ("amortized", 4, "Euro"),
    ]


def test_an_amortized_export_that_is_withdrawn_lowers_nothing_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "attribution.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    bought = day(1, "90", ChargeType="Purchase", **COVERED)
    deliver(tmp_path, "costs-actual", "05T06:00", [day(1, "31.5"), bought])
    deliver(tmp_path, "costs-amortized", "05T07:00", [day(1, "31.5"), day(1, "90", **COVERED)], "AmortizedCost")
    assert night(tmp_path)[:2] == (Decimal("121.5"), Decimal("121.5"))
    shutil.rmtree(tmp_path / "bills" / "costs-amortized")
    ended = attribution("run", "-w", tmp_path, "--as-of", AS_OF)
    assert ended.code == 2
    told = " ".join((ended.out + ended.err).split())
    assert "from EffectiveCost 121.5 EUR to 31.5" in told
    with duckdb.connect(str(tmp_path / "ledger" / "costs.duckdb"), read_only=True) as con:
        ((effective,),) = con.execute("SELECT sum(EffectiveCost) FROM costs").fetchall()
    assert effective == Decimal("121.5")
