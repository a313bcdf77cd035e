"""Explanations: from a figure down to its charges, from a charge up to its payers; every sum holds exactly."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from small_workspace import AS_OF, RULES, attribution, charge, workspace

from attribution.ledger import query

CHAIN = """
[[rule]]
name = "support is shared"
when = { ServiceName = "Support" }
assign = { project = "shared" }
because = "nobody orders it alone"
[[split]]
name = "shared follows cost"
when = { project = "shared" }
across = ["project"]
by = "cost"
because = "as finance agreed"
[[split]]
name = "platform by contract"
when = { project = "platform" }
across = ["project"]
by = "fixed"
weights = { atlas = 1, orion = 2 }
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Support reaches the platform, and from there the projects; each amount leaves remainders."""
    support = {"ResourceId": "", "ServiceName": "Support", "project": "", "owner": ""}
    rows = [
        charge(),
        charge("2026-10-20", "200", ResourceId="i-2", project="orion", owner="tomas"),
        charge("2026-10-05", "33.33", ResourceId="i-3", project="platform", owner="kofi"),
        charge("2026-10-31", "10.000000000001", EffectiveCost="", **support),
        charge("2026-10-31", "5", **support),
        charge("2026-10-31", "-0.7", ChargeCategory="Credit", **support),
    ]
    root = workspace(tmp_path_factory.mktemp("explaining"), rows, rules=RULES + CHAIN)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def told(root: Path, *words: str) -> dict[str, Any]:
    ended = attribution("explain", *words, "--json", "-w", root)
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def total(rows: list[dict[str, Any]], cost: str) -> Decimal:
    return sum((Decimal(row[cost]) for row in rows if row[cost] is not None), Decimal(0))


@pytest.mark.parametrize("project", ["atlas", "orion", "platform", "shared"])
def test_the_parts_of_a_figure_sum_to_it(ran: Path, project: str) -> None:
    found = told(ran, "--where", f"project={project}", "--month", "2026-10")
    sql = "SELECT sum(BilledCost), sum(EffectiveCost) FROM costs WHERE project = ?"
    sums = query(ran / "ledger", sql, [project]).row(0)
    for cost, amount in zip(("BilledCost", "EffectiveCost"), sums, strict=True):
        assert total(found["sums"], cost) == amount
        assert total(found["by_rule"], cost) == amount
        assert total(found["things"], cost) == amount
    assert found["charges"]


def test_a_figure_names_rules_and_why_they_are(ran: Path) -> None:
    text = attribution("explain", "--where", "project=atlas", "-w", ran).out
    assert "split: shared follows cost; because as finance agreed" in text
    assert "bills/october.csv row 1" in text
    assert attribution("explain", "--experiment", "unallocated", "--month", "2026-10", "-w", ran).code == 0


@pytest.mark.parametrize("row", range(1, 7))
def test_a_charge_is_paid_to_the_last_unit(ran: Path, row: int) -> None:
    found = told(ran, "--charge", f"bills/october.csv:{row}")
    for cost in ("BilledCost", "EffectiveCost"):
        if found["charge"][cost] is None:
            assert {part[cost] for part in found["paid_by"]} == {None}
        else:
            assert total(found["paid_by"], cost) == Decimal(found["charge"][cost])
    bill = query(ran / "ledger", "SELECT bill_id FROM bills").item()
    assert told(ran, "--charge", f"{bill}:{row}") == found


def test_a_chain_is_followed_to_those_who_pay_in_the_end(ran: Path) -> None:
    found = told(ran, "--charge", "bills/october.csv:5")
    assert {part["project"] for part in found["paid_by"]} == {"atlas", "orion"}
    assert {step["split"] for step in found["splits"]} == {"shared follows cost", "platform by contract"}
    direct, through = (
        Decimal(5) * Decimal("10.5") / Decimal("243.83"),
        Decimal(5) * Decimal("33.33") / Decimal("243.83"),
    )
    (atlas,) = [Decimal(part["EffectiveCost"]) for part in found["paid_by"] if part["project"] == "atlas"]
    assert abs(atlas - direct - through / 3) < Decimal("1e-11")
    assert "because nobody orders it alone" in attribution("explain", "--charge", "bills/october.csv:5", "-w", ran).out


def test_a_resource_shows_where_splits_moved_it_as_stored(ran: Path) -> None:
    found = told(ran, "i-3", "--month", "2026-10")
    assert {
        (one["split"], one["receiver"]["project"], one["weight"], one["total_weight"]) for one in found["shares"]
    } == {
        ("platform by contract", "atlas", "1", "3"),
        ("platform by contract", "orion", "2", "3"),
    }
    assert total(found["shares"], "share") == Decimal("33.33")


def test_rules_that_changed_since_are_said(ran: Path) -> None:
    rules = ran / "rules.toml"
    before = rules.read_text(encoding="utf-8")
    rules.write_text(before.replace("atlas = 1", "atlas = 2"), encoding="utf-8")
    try:
        for words in (["i-3"], ["--where", "project=atlas"], ["--charge", "bills/october.csv:5"]):
            assert attribution("explain", *words, "-w", ran).out.startswith("The rules changed since"), words
    finally:
        rules.write_text(before, encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        (["--where", "project=atlas", "--where", "project=orion"], "project IN ('atlas', 'orion')"),
        (["--where", "project=atlas", "--days", "2026-10-05..2026-10-31"],
         "project = 'atlas' AND usage_date BETWEEN '2026-10-05' AND '2026-10-31'"),
        (["--where", "ResourceId=", "--days", "2026-10-31"], "ResourceId IS NULL AND usage_date = '2026-10-31'"),
        (["--where", "ResourceId=", "--where", "ResourceId=i-3", "--where", "BillingCurrency=USD"],
         "ResourceId IS NULL OR ResourceId = 'i-3'"),
    ],
)  # fmt: skip
def test_a_figure_may_be_of_several_values_of_none_and_of_days(ran: Path, words: list[str], condition: str) -> None:
    (summed,) = told(ran, *words)["sums"]
    sql = f"SELECT count(*), sum(BilledCost), sum(EffectiveCost) FROM costs WHERE {condition}"  # noqa: S608 - as above
    rows, *sums = query(ran / "ledger", sql).row(0)
    assert rows
    assert [summed["rows"], Decimal(summed["BilledCost"]), Decimal(summed["EffectiveCost"])] == [rows, *sums]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--where", "project"], "is no COLUMN=VALUE"),
        (["--where", "projekt=atlas"], 'Did you mean "project"?'),
        (["--where", "project=atlas", "--days", "2026-10-09..2026-10-03"], "are no days"),
        (["--where", "project=atlas", "--days", "0001-01-01"], "outside the years"),
        (["--where", "project=atlas", "--days", "2026-10-03", "--month", "2026-10"], "without --month"),
        (["i-1", "--days", "2026-10-03"], "goes with --where"),
        (["--where", "project=nobody"], "no cost of project=nobody"),
        (["--charge", "october"], "names no row"),
        (["--charge", "bills/october.csv:77"], 'no charge in row 77 of "bills/october.csv"'),
        (["--finding", "zz"], 'no finding "zz"'),
        (["i-1", "--where", "project=atlas"], "name one thing"),
    ],
)
def test_what_cannot_be_explained_says_why(ran: Path, words: list[str], said: str) -> None:
    ended = attribution("explain", *words, "-w", ran)
    assert ended.code == 2
    assert said in ended.err


def test_a_finding_leads_to_its_figure_or_its_resource(ran: Path) -> None:
    for fingerprint, subject in query(ran / "ledger", "SELECT fingerprint, subject FROM findings").iter_rows():
        found = told(ran, "--finding", fingerprint)
        assert found["finding"]["subject"] == subject


def test_the_charges_of_a_cost_are_its_own_whatever_they_share_with_others(tmp_path: Path) -> None:
    """One resource and day: currencies and types apart, for shares and what left the pool too."""
    rows = [
        charge(BillingCurrency=currency, BillingAccountId=account, ResourceType=kind, ChargeDescription=text)
        for currency in ("USD", "EUR", "CNY")
        for account in ("0012", "0013")
        for kind in ("Instance", "Volume")
        for text in ("first", "second")
    ]
    split = '[[split]]\nname = "halves"\nwhen = { project = "atlas" }\nacross = ["project"]\nby = "fixed"\n'
    root = workspace(tmp_path, rows, rules=RULES + split + "weights = { heron = 1, orion = 1 }\n")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    costs = query(root / "ledger", "SELECT cost_id, project, BillingCurrency, EffectiveCost FROM costs")
    for cost_id, project, currency, amount in costs.iter_rows():
        behind = told(root, "--cost", cost_id)["charges"]
        assert {one["BillingCurrency"] for one in behind} == {currency}
        if project == "atlas" and amount > 0:
            assert total(behind, "EffectiveCost") == amount
    for project in ("heron", "orion"):
        found = told(root, "--where", f"project={project}")["charges"]
        assert len(found) == len({(one["file"], one["row_number"]) for one in found}), "a charge is told once"
