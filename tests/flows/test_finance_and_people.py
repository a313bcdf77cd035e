"""Invoices and people through the night and the week: told to all, to no lead, and no address published."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from small_workspace import AS_OF, TOML, attribution, charge, published, workspace

from attribution.ledger import query

FINANCE = f"""{TOML}
[inputs]
invoices = "invoices.csv"
people = "people.csv"
[report.recipients]
"all" = ["boss@example.com"]
"""
PAID = "source,billing_account,billing_month,invoice_id,currency,amount\n"
PEOPLE = "owner,team,lead,email,valid_from,valid_to\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rows = [
        charge("2026-09-03", "10", InvoiceId="x"),
        charge("2026-10-03", "20"),
        charge("2026-10-20", "30", owner="tomas"),
        charge("2026-10-21", "12x", owner="tomas"),
    ]
    return workspace(tmp_path, rows, FINANCE)


def say(root: Path, paid: str = "", people: str = "") -> None:
    (root / "invoices.csv").write_text(PAID + paid, encoding="utf-8")
    (root / "people.csv").write_text(PEOPLE + people, encoding="utf-8")


def text_of(path: Path) -> str:
    """All that a file says; a spreadsheet is a zip of XML."""
    if path.suffix != ".xlsx":
        return path.read_text(encoding="utf-8")
    with zipfile.ZipFile(path) as book:
        return "".join(book.read(name).decode("utf-8") for name in book.namelist())


def test_finances_table_is_in_the_report_for_all_and_in_no_leads(root: Path) -> None:
    say(root, "cloud,0012,2026-10,,USD,62.5\ncloud,0012,2026-09,,USD,10.004\nlab,7,2026-10,i,EUR,99\n")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    checks = query(root / "ledger", "SELECT source, status, difference, refused_rows FROM invoice_checks ORDER BY ALL")
    assert [(*row[:2], None if row[2] is None else f"{row[2].normalize():f}", row[3]) for row in checks.rows()] == [
        ("cloud", "differs", "12.5", 1),
        ("cloud", "matches", "0.004", 1),
        ("lab", "no bill", None, None),
    ]
    assert "invoice differs: 1" in attribution("run", "-w", root, "--as-of", AS_OF).out
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    folder = next((root / "ledger/reports").iterdir())
    for face in ("report.html", "invoices.csv"):
        told = (folder / "all" / face).read_text(encoding="utf-8")
        assert "differs" in told
        assert "no bill" in told
    assert "62.50" in (folder / "all" / "report.html").read_text(encoding="utf-8")
    others = [path for path in folder.rglob("*") if path.is_file() and path.parent.name in ("mira", "tomas")]
    assert others
    assert "invoices.csv" not in {path.name for path in others}
    told = "".join(text_of(path) for path in others)
    assert not [word for word in ("Invoices against", "invoice differs", "no bill", "62.50") if word in told]
    shown = attribution("report", "-w", root).out
    assert "Invoices against bills, USD: 1 of 2 match" in shown
    assert "Invoices against bills" not in attribution("report", "--owner", "mira", "-w", root).out


def test_the_tolerance_is_stated_and_wrong_ones_are_told(root: Path) -> None:
    say(root, "cloud,0012,2026-10,,USD,62.5\n")
    (root / "attribution.toml").write_text(f"{FINANCE}[invoices]\ntolerance = 12.5\n", encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert query(root / "ledger", "SELECT status FROM invoice_checks").to_series().to_list() == ["matches"]
    (root / "attribution.toml").write_text(f"{FINANCE}[invoices]\ntolerances = -1\n", encoding="utf-8")
    said = attribution("check", "-w", root).err
    assert 'Did you mean "tolerance"?' in said


def test_people_receive_until_they_leave_and_no_address_is_published(root: Path) -> None:
    say(
        root,
        people="mira,,,mira@example.com,,\ntomas,,mira,tomas@example.com,,2026-10-15\nines,,,a@b@secret.example,,\n",
    )
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    everything = repr(published(root))
    assert [name for name, rows in published(root).items() if "example.com" in repr(rows)] == []
    assert "secret.example" not in everything
    (finding,) = query(root / "ledger", "SELECT * FROM findings WHERE kind = 'owner_left'").to_dicts()
    assert (finding["subject"], finding["cost_at_stake"]) == ("owner=tomas", 30)
    assert "mira, who was their lead" in finding["evidence"]
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    sent = query(root / "ledger", "SELECT report, recipient FROM deliveries ORDER BY ALL").rows()
    assert sent == [("all", "boss@example.com"), ("owner=mira", "mira@example.com")]


def test_aliases_hold_for_people_and_the_settings_win(root: Path) -> None:
    say(root, people="MIRA,,,mira@example.com,,\ntomas,,,tomas@example.com,,\n")
    toml = FINANCE.replace('"all" =', '"tomas" = ["box@example.com"]\n"all" =')
    (root / "attribution.toml").write_text(toml, encoding="utf-8")
    (root / "rules.toml").write_text('[dimension.owner.values]\n"mira" = ["MIRA"]\n', encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    sent = query(root / "ledger", "SELECT report, recipient FROM deliveries ORDER BY ALL").rows()
    assert sent == [
        ("all", "boss@example.com"),
        ("owner=mira", "mira@example.com"),
        ("owner=tomas", "box@example.com"),
    ]


def test_people_say_the_team_in_time_where_nothing_else_does_and_a_team_may_be_a_recipient(root: Path) -> None:
    say(root, people="MIRA,foundation,,,,2026-10-10\nmira,data,,,2026-10-10,\ntomas,data,,,,\n")
    rules = '[dimension.team]\ntags = ["team"]\n[dimension.owner.values]\n"mira" = ["MIRA"]\n'
    (root / "rules.toml").write_text(rules, encoding="utf-8")
    toml = FINANCE.replace('"all" =', '"data" = ["data@example.com"]\n"all" =')
    (root / "attribution.toml").write_text(toml, encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    told = query(
        root / "ledger",
        "SELECT DISTINCT owner, team, team_method, team_rule FROM costs WHERE owner IN ('mira', 'tomas') ORDER BY ALL",
    ).rows()
    expected = {
        ("mira", "foundation", "rule", "mira is in team foundation"),
        ("mira", "data", "rule", "mira is in team data"),
        ("tomas", "data", "rule", "tomas is in team data"),
    }
    assert set(told) <= expected
    assert {row[1] for row in told} >= {"data"}
    assert query(root / "ledger", "SELECT count(*) FROM costs WHERE usage_date < '2026-10-10' AND team = 'data' "
                                  "AND owner = 'mira'").item() == 0  # fmt: skip
    found = query(root / "ledger", "SELECT subject FROM findings WHERE kind = 'owner_without_recipient'").rows()
    assert found == [("owner=mira",)]  # somebody hears of the owners of the team data
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    sent = query(root / "ledger", "SELECT report, recipient FROM deliveries ORDER BY ALL").rows()
    assert sent == [("all", "boss@example.com"), ("team=data", "data@example.com")]
    assert (next((root / "ledger/reports").iterdir()) / "team-data" / "report.html").is_file()
    whose = attribution("report", "--team", "data", "-w", root)
    assert (whose.code, "Cost report for team data" in whose.out) == (0, True)
