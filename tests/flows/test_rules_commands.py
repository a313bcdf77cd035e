"""`attribution rules`: on a workspace with a night behind it, and never writing there."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from pathlib import Path

import pytest
from small_workspace import AS_OF, RULES, TOML, attribution, charge, workspace

from attribution.ledger import query

ROWS = [
    charge(cost="10.5"),
    charge("2026-10-20", "200", ResourceId="i-2", project="orion", owner="tomas"),
    charge("2026-10-21", "-3.25", project="", ChargeCategory="Credit", ChargeDescription="goodwill", ResourceId=""),
    charge("2026-10-21", "60", project="", ServiceName='Odd "Store"\\', ResourceId="b-1", SubAccountId="000746"),
    charge("2026-10-22", "7", project="", ResourceId="b-2", SubAccountId=""),
]
RULE = '\n[[rule]]\nname = "gifts"\nwhen = {{ {} }}\nassign = {{ project = "orion" }}\n'


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    root = workspace(tmp_path, ROWS)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def unallocated(root: Path) -> Decimal:
    found = query(root / "ledger", "SELECT sum(EffectiveCost) FROM costs WHERE project = 'unallocated'").item()
    return Decimal(found or 0)


def fingerprint(root: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((root / "ledger").rglob("*"))
        if path.is_file()
    }


def test_proposed_rules_work_when_they_are_appended(ran: Path) -> None:
    told = json.loads(attribution("rules", "coverage", "--json", "-w", ran).out)
    amounts = [Decimal(one["EffectiveCost"]["USD"]) for one in told["proposals"]]
    assert (amounts, unallocated(ran)) == ([Decimal(60), Decimal(7), Decimal("-3.25")], Decimal("63.75"))
    for most in (1, 2, 3):
        proposed = attribution("rules", "coverage", "--toml", "--top", str(most), "-w", ran).out
        (ran / "rules.toml").write_text(RULES + proposed, encoding="utf-8")
        assert attribution("check", "-w", ran).code == 0
        assert attribution("run", "-w", ran, "--as-of", AS_OF).code == 0
        assert unallocated(ran) == Decimal("63.75") - sum(amounts[:most])
        (ran / "rules.toml").write_text(RULES, encoding="utf-8")
    (ran / "rules.toml").write_text(RULES + proposed, encoding="utf-8")
    assert attribution("rules", "coverage", "--toml", "-w", ran).out == "# Every charge has a project.\n"


def test_coverage_is_of_a_month_and_a_dimension(ran: Path) -> None:
    ended = attribution("rules", "coverage", "--dimension", "owner", "--month", "2026-10", "-w", ran)
    assert ended.code == 0
    assert "tag:owner" in ended.out
    empty = json.loads(attribution("rules", "coverage", "--month", "2026-01", "--json", "-w", ran).out)
    assert (empty["answers"], empty["proposals"], empty["first_day"]) == ([], [], None)
    wrong = attribution("rules", "coverage", "--dimension", "ownr", "-w", ran)
    assert (wrong.code, 'Did you mean "owner"?' in wrong.err) == (2, True)


def test_diff_asks_columns_that_nothing_is_rolled_up_by_and_writes_nothing(ran: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.toml"
    new.write_text(RULES + RULE.format('ChargeDescription = "goodwill", BilledCost = { sign = "negative" }'), "utf-8")
    before = fingerprint(ran)
    ended = attribution("rules", "diff", ran / "rules.toml", new, "--json", "-w", ran)
    assert (ended.code, ended.err) == (0, "")
    rows = [row for row in json.loads(ended.out) if row["column"] == "EffectiveCost"]
    assert [(row["value"], row["before"], row["after"]) for row in rows] == [
        ("orion", "200.000000000000", "196.750000000000"),
        ("unallocated", "63.750000000000", "67.000000000000"),
    ]
    assert sum(Decimal(row["difference"]) for row in rows) == 0
    assert "EffectiveCost of 3.25 USD moves" in attribution("rules", "diff", new, "-w", ran).out
    assert "Nothing moves." in attribution("rules", "diff", ran / "rules.toml", "-w", ran).out
    assert fingerprint(ran) == before
    # What was told is what happens.
    (ran / "rules.toml").write_text(new.read_text("utf-8"), "utf-8")
    assert attribution("run", "-w", ran, "--as-of", AS_OF).code == 0
    assert unallocated(ran) == 67


def test_diff_takes_folders_and_names_the_file_with_a_fault(ran: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    assert "holds no file of rules" in attribution("rules", "diff", folder, "-w", ran).err
    (folder / "a.toml").write_text(RULES, "utf-8")
    (folder / "b.toml").write_text(RULE.format('ServiceName = "Nodes"'), "utf-8")
    assert "orion" in attribution("rules", "diff", ran / "rules.toml", folder, "-w", ran).out
    (folder / "b.toml").write_text(RULE.format('ServiceNam = "Nodes"'), "utf-8")
    ended = attribution("rules", "diff", folder, "-w", ran)
    assert ended.code == 2
    assert f'{(folder / "b.toml").as_posix()}: rule "gifts": unknown condition "ServiceNam"' in ended.err


def test_lint_is_strict_where_asked(ran: Path) -> None:
    assert attribution("rules", "lint", "--strict", "-w", ran).code == 0
    (ran / "rules.toml").write_text(RULES + RULE.format('ServiceName = "Nods"'), encoding="utf-8")
    ended = attribution("rules", "lint", "-w", ran)
    assert ended.code == 0
    assert 'rules.toml: rule "gifts": no charge meets its condition.' in ended.out
    assert attribution("rules", "lint", "--strict", "-w", ran).code == 1
    ((one),) = json.loads(attribution("rules", "lint", "--json", "-w", ran).out)
    assert one["kind"] == "never_matches"


def test_lint_tells_a_circle_that_only_the_bills_show(ran: Path) -> None:
    split = '[[split]]\nname = "{}"\nwhen = {{ {} }}\nacross = ["project"]\nby = "even"\n{}\n'
    first = split.format("first", 'ServiceName = "Nodes", project = { any_of = ["orion"] }', 'to = ["atlas"]')
    second = split.format("second", 'SubAccountId = "000746"', 'to = ["orion"]')
    (ran / "rules.toml").write_text(RULES + first + second, encoding="utf-8")
    told = json.loads(attribution("rules", "lint", "--json", "-w", ran).out)
    assert [(one["kind"], one["where"]) for one in told if one["kind"] == "circle"] == [
        ("circle", 'rules.toml: split "second"')
    ]


@pytest.mark.parametrize("command", ["lint", "coverage", "diff"])
def test_nothing_published_and_wrong_rules_are_said(tmp_path: Path, command: str) -> None:
    root = workspace(tmp_path, rules="[[rule]\n")
    words = [command, root / "rules.toml"] if command == "diff" else [command]
    assert "rules.toml: not TOML" in attribution("rules", *words, "-w", root).err
    (root / "rules.toml").write_text(RULES, encoding="utf-8")
    ended = attribution("rules", *words, "-w", root)
    assert (ended.code, "nothing is published yet" in ended.err) == (2, True)


def test_rules_in_several_files_make_a_night(tmp_path: Path) -> None:
    root = workspace(tmp_path, ROWS, toml=f'rules = ["rules.toml", "rules/*.toml"]\n{TOML}')
    (root / "rules").mkdir()
    (root / "rules" / "gifts.toml").write_text(RULE.format('ChargeCategory = "Credit"'), "utf-8")
    assert "rules.toml, rules/gifts.toml: 1 rule" in attribution("check", "-w", root).out
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert unallocated(root) == 67
    (root / "rules" / "gifts.toml").write_text("[[rle]]\n", "utf-8")
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert (ended.code, 'rules/gifts.toml: unknown section "rle"' in ended.err) == (2, True)
