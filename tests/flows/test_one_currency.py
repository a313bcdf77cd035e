"""A report over several currencies: each apart as billed, and all of it in the workspace's by the stated rates."""

from __future__ import annotations

import csv
import json
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import Any

import pytest
from small_workspace import AS_OF, RULES, attribution, charge, workspace

TOML = """
currency = "CNY"
[[source]]
name = "cloud"
path = "bills/*"
[inputs]
rates = "rates.csv"
[report.recipients]
"all" = ["finance@example.com"]
"""
WIDE = Context(prec=99)
RATES = {"2026-10": {"USD": "7.1234567", "EUR": "7.7"}, "2026-09": {"USD": "7.2"}}
ROWS = [
    charge("2026-10-26", "1000.000000000001", BillingCurrency="CNY", project="atlas", ResourceId="i-1"),
    charge("2026-10-27", "33.333333333333", BillingCurrency="USD", project="atlas", ResourceId="i-2"),
    charge("2026-10-28", "66.666666666667", BillingCurrency="USD", project="borealis", ResourceId="i-3", owner="ines"),
    charge("2026-10-29", "-5.5", BillingCurrency="EUR", project="borealis", ResourceId="i-4", owner="ines"),
    charge("2026-10-20", "10", BillingCurrency="USD", project="atlas", ResourceId="i-2"),
    charge("2026-10-05", "4", BillingCurrency="USD", project="atlas", ResourceId="i-2"),
    charge("2026-10-10", "900", BillingCurrency="JPY", project="atlas", ResourceId="i-5"),
    charge("2026-09-10", "9", BillingCurrency="EUR", project="atlas", ResourceId="i-5"),
]


def made(root: Path, rows: list[dict[str, str]], rates: dict[str, dict[str, str]]) -> Path:
    root = workspace(root, rows, TOML, RULES)
    lines = [f"{month},{code},CNY,{rate}" for month, of in rates.items() for code, rate in of.items()]
    (root / "rates.csv").write_text("\n".join(["month,from,to,rate", *lines]) + "\n", encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def worth(rows: list[dict[str, str]], **where: str) -> Decimal:
    """The last complete week of the raw rows in CNY, from the text."""
    whole = Decimal(0)
    for row in rows:
        day = row["ChargePeriodStart"][:10]
        if not "2026-10-26" <= day <= "2026-11-01":
            continue
        if "project" in where and json.loads(row["Tags"])["project"] != where["project"]:
            continue
        code = row["BillingCurrency"]
        rate = "1" if code == "CNY" else RATES[day[:7]].get(code)
        if rate is not None:
            exact = WIDE.multiply(Decimal(row["EffectiveCost"]), Decimal(rate))
            whole = WIDE.add(whole, exact.quantize(Decimal("1e-12"), ROUND_HALF_EVEN, WIDE))
    return whole


def sheet(root: Path, name: str, whose: str = "all") -> list[dict[str, str]]:
    (file,) = (root / "ledger" / "reports").glob(f"*/{whose}/{name}.csv")
    return list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))


def ask(root: Path, sql: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(attribution("sql", sql, "--json", "-w", root).out)
    return rows


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = made(tmp_path_factory.mktemp("mixed") / "w", ROWS, RATES)
    assert attribution("weekly", "-w", root, "--as-of", AS_OF, "--dry-run").code == 0
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code in (0, 2)
    return root


def test_each_project_is_told_in_one_currency_to_the_last_digit(mixed: Path) -> None:
    told = {row["name"]: Decimal(row["EffectiveCost"]) for row in sheet(mixed, "in_one_currency")
            if row["dimension"] == "project"}  # fmt: skip
    assert told == {name: worth(ROWS, project=name) for name in ("atlas", "borealis")}
    for dimension in ("project", "owner", "experiment", "ServiceName", "cost_element"):
        rows = [row for row in sheet(mixed, "in_one_currency") if row["dimension"] == dimension]
        assert sum((Decimal(row["EffectiveCost"]) for row in rows), Decimal(0)) == worth(ROWS), dimension
        assert {row["currency"] for row in rows} == {"CNY"}


def test_each_currency_stands_with_its_rate_and_month(mixed: Path) -> None:
    parts = {(row["BillingCurrency"], row["month"]): row for row in sheet(mixed, "rates")}
    assert set(parts) == {("CNY", ""), ("EUR", "2026-10-01"), ("USD", "2026-10-01")}
    assert Decimal(parts["USD", "2026-10-01"]["rate"]) == Decimal("7.1234567")
    assert Decimal(parts["EUR", "2026-10-01"]["EffectiveCost"]) == Decimal("-5.5")
    assert Decimal(parts["EUR", "2026-10-01"]["converted"]) == Decimal("-42.35")
    assert sum((Decimal(row["converted"]) for row in parts.values()), Decimal(0)) == worth(ROWS)


def test_a_month_without_a_rate_is_named_and_stands_apart(mixed: Path) -> None:
    text = attribution("report", "-w", mixed).out
    assert "All in CNY, by the month's rate" in text
    assert "7.1234567" in text
    assert "No rate from JPY to CNY is stated for Oct 2026" in text
    euro, yen = ask(mixed, "SELECT subject, evidence FROM findings WHERE kind = 'rate_missing' ORDER BY subject")
    assert (euro["subject"], yen["subject"]) == ("currency=EUR", "currency=JPY")
    assert "2026-09: 9.00 EUR" in euro["evidence"]
    assert "2026-10: 900 JPY" in yen["evidence"] or "2026-10: 900.00 JPY" in yen["evidence"]
    last = {row["name"]: Decimal(row["last_month"]) for row in sheet(mixed, "in_one_currency")
            if row["dimension"] == "project"}  # fmt: skip
    assert last["atlas"] == WIDE.add(worth(ROWS, project="atlas"), Decimal("99.7283938"))  # 14 dollars, and no yen
    yens = next(row for row in sheet(mixed, "by_project") if row["BillingCurrency"] == "JPY")
    assert (yens["name"], Decimal(yens["last_month"])) == ("atlas", 900)


def test_the_ledger_keeps_what_was_billed(mixed: Path) -> None:
    kept = ask(mixed, "SELECT BillingCurrency AS code, sum(EffectiveCost)::VARCHAR AS cost FROM costs GROUP BY ALL")
    billed: dict[str, Decimal] = {}
    for row in ROWS:
        code = row["BillingCurrency"]
        billed[code] = WIDE.add(billed.get(code, Decimal(0)), Decimal(row["EffectiveCost"]))
    assert {row["code"]: Decimal(row["cost"]) for row in kept} == billed
    assert len(ask(mixed, "SELECT * FROM rates WHERE \"to\" = 'CNY'")) == 3


def test_an_owner_is_told_their_own_money_only(mixed: Path) -> None:
    rows = [row for row in sheet(mixed, "in_one_currency", "ines") if row["dimension"] == "project"]
    assert {row["name"]: Decimal(row["EffectiveCost"]) for row in rows} == {"borealis": worth(ROWS, project="borealis")}
    assert {row["BillingCurrency"] for row in sheet(mixed, "rates", "ines")} == {"EUR", "USD"}


@pytest.mark.parametrize("rates", [{}, {"2026-08": {"USD": "7", "EUR": "8"}}, {"2026-10": {"GBP": "9"}}])
def test_without_a_rate_for_any_of_it_nothing_is_added(rates: dict[str, dict[str, str]], tmp_path: Path) -> None:
    root = made(tmp_path / "w", ROWS, rates)
    text = attribution("report", "-w", root).out
    assert "All in CNY" not in text
    assert all(f"\n{code}\n" in text for code in ("CNY", "EUR", "USD"))
    assert {row["subject"] for row in ask(root, "SELECT subject FROM findings WHERE kind = 'rate_missing'")} == {
        "currency=EUR", "currency=JPY", "currency=USD"}  # fmt: skip


def test_a_rate_that_came_late_counts_from_the_next_night(tmp_path: Path) -> None:
    root = made(tmp_path / "w", ROWS, {"2026-10": {"USD": "7"}})
    assert "no rate: apart" in attribution("report", "-w", root).out
    with (root / "rates.csv").open("a", encoding="utf-8") as file:
        file.write("2026-10,EUR,CNY,8\n")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    text = attribution("report", "-w", root).out
    assert "no rate: apart" not in text
    assert "-44.00" in text


SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "62-currency-mix"


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not beside this repository")
def test_the_figures_that_others_stated(tmp_path: Path) -> None:
    stated = json.loads((SHARED / "expected.json").read_text(encoding="utf-8"))["exact"]
    bill = csv.DictReader((SHARED / "bill.csv").read_text(encoding="utf-8").splitlines())
    rows = [
        charge("2026-03-26", row["cost"], BillingCurrency=row["currency"], project=row["project"], ResourceId=f"i-{n}")
        for n, row in enumerate(bill)
    ]
    root = workspace(tmp_path / "w", rows, TOML, RULES)
    (root / "rates.csv").write_bytes((SHARED / "fx.csv").read_bytes())
    assert attribution("run", "-w", root, "--as-of", "2026-04-02T06:00:00Z").code == 0
    attribution("weekly", "-w", root, "--as-of", "2026-04-02T06:00:00Z")
    told = {row["name"]: Decimal(row["EffectiveCost"]) for row in sheet(root, "in_one_currency")
            if row["dimension"] == "project"}  # fmt: skip
    assert told == {name: Decimal(one) for name, one in stated["by_project_CNY"].items()}
    assert sum(told.values()) == Decimal(stated["total_CNY"])
    parts = {row["BillingCurrency"]: Decimal(row["EffectiveCost"]) for row in sheet(root, "rates")}
    assert parts == {code: Decimal(one) for code, one in stated["by_currency"].items()}
