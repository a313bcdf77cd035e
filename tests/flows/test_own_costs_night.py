"""Own costs through the night: attributed like any charge, restated like any bill, and private rows private."""

from __future__ import annotations

import zipfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from small_workspace import AS_OF, TOML, attribution, published, workspace

from attribution.ledger import open_ledger, read_published

OWN_TOML = f'{TOML}\n[inputs]\nown_costs = "own_costs/*.csv"\n[report.recipients]\n"all" = ["all@example.com"]\n'
RULES = """
[dimension.project]
tags = ["cost-center", "proj"]
values = { "atlas" = ["Atlas 7B"] }
[dimension.team]
[[rule]]
name   = "private labour is the platform's"
when   = { source = "own_costs", ServiceName = "Own labour (private)" }
assign = { project = "platform", owner = "kofi" }
[[rule]]
name   = "no cost center"
when   = { "tag:cost-center" = { missing = true }, "tag:project" = { missing = true } }
assign = { project = "nobody" }
"""
HEADER = "period,cost_element,amount,currency,description,project,stage,experiment,owner,private,Team\n"
SECRETS = ("Zebedee", "Quixotic", "xylo-7")


def own_costs(root: Path, *lines: str, name: str = "2026.csv") -> None:
    (root / "own_costs").mkdir(exist_ok=True)
    (root / "own_costs" / name).write_text(HEADER + "".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path, toml=OWN_TOML, rules=RULES)


def night(root: Path, *expected: int, as_of: str = AS_OF) -> str:
    ended = attribution("run", "-w", root, "--as-of", as_of)
    assert ended.code in (expected or (0,)), ended.err
    return ended.out


def costs(root: Path, columns: str, where: str = "source = 'own_costs'") -> list[tuple[object, ...]]:
    with read_published(root / "ledger") as file:
        return sorted(file.frame(f"SELECT {columns} FROM costs WHERE {where}").rows(), key=repr)  # noqa: S608


def test_a_row_resolves_by_its_columns_whatever_the_keys_of_the_dimensions_are(root: Path) -> None:
    own_costs(root, "2026-10,data,40,USD,labels,Atlas 7B,预训练,run-1,mira,,red", "2026-10,labour,7,USD,,,,,,,")
    night(root)
    names = "project, project_method, project_rule, stage, experiment, owner, team, cost_element, EffectiveCost"
    assert costs(root, names) == [
        ("atlas", "bill-tag", "own_costs:project", "pretraining", "run-1", "mira", "red", "data", 40),
        ("nobody", "rule", "no cost center", *("unallocated",) * 4, "labour", 7),
    ]
    # The same words in a tag of a bill are under no key that anybody trusts.
    assert costs(root, "DISTINCT project", "source = 'cloud'") == [("unallocated",)]


def test_private_rows_count_and_leave_no_trace(root: Path) -> None:
    own_costs(
        root,
        "2026-10,labour,1000.25,USD,pay of Zebedee,xylo-7,,,Quixotic,yes,Quixotic",
        "2026-10,labour,2000.50,USD,pay of Zebedee,,,,,true,",
        "2026-10,labour,Zebedee,USD,pay of Zebedee,,,,,true,",
        "2026-10,labour,3,USD,pay of Zebedee,true",
        "2026-10,Zebedee,3,USD,pay of Zebedee,,,,,maybe,",
    )
    night(root)
    names = "usage_date, project, owner, ServiceName, Tags, BilledCost, EffectiveCost, ListCost, ContractedCost"
    assert costs(root, names) == [
        (date(2026, 10, 1), "platform", "kofi", "Own labour (private)", None, *(Decimal("3000.75"),) * 4)
    ]
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    (cost_id,) = costs(root, "cost_id")[0]
    explained = attribution("explain", "--cost", str(cost_id), "-w", root).out
    assert "own_costs/2026.csv private rows: 2026-10-01 00:00 Usage, BilledCost 3000.75" in explained
    told = [explained, attribution("rejects", "-w", root, "--each").out, repr(published(root))]
    with open_ledger(root / "ledger") as ledger:
        tables = ledger.frame("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'book'").to_series()
        told += [repr(ledger.frame(f"SELECT * FROM book.{table}").rows()) for table in tables]  # noqa: S608
    files = [path for path in (root / "ledger/reports").rglob("*.*") if path.is_file()]
    sheets = [path for path in files if path.suffix == ".xlsx"]
    told += [path.read_text(encoding="utf-8") for path in files if path not in sheets]
    for sheet in sheets:
        with zipfile.ZipFile(sheet) as packed:
            told += [packed.read(name).decode("utf-8") for name in packed.namelist()]
    assert len(told) > 20
    assert [secret for secret in SECRETS for text in told if secret in text] == []


def test_a_month_over_files_and_a_changed_file(root: Path) -> None:
    def bills() -> list[tuple[object, ...]]:
        with read_published(root / "ledger") as file:
            sql = "SELECT billing_month, stored_BilledCost FROM bills WHERE superseded_at IS NULL AND rows > 0"
            return sorted(file.frame(f"{sql} AND source = 'own_costs'").rows())

    own_costs(root, "2026-09,labour,1,USD,,,,,,,", "2026-10,labour,2,USD,,,,,,,", name="a.csv")
    own_costs(root, "2026-10,data,4,USD,,,,,,,", name="b.csv")
    night(root)
    assert bills() == [(date(2026, 9, 1), 1), (date(2026, 10, 1), 6)]
    own_costs(root, "2026-10,labour,3,USD,,,,,,,", name="a.csv")
    night(root)
    assert bills() == [(date(2026, 10, 1), 7)]
    own_costs(root, "2026-10,labour,3,USD,,,,,,,", "2026-11,labour,3,USD,,,,,,,", name="a.csv")
    out = night(root)
    assert bills() == [(date(2026, 10, 1), 7), (date(2026, 11, 1), 3)]
    assert "own_costs" in out
    (root / "own_costs" / "b.csv").rename(root / "own_costs" / "c.csv")
    night(root)
    assert bills() == [(date(2026, 10, 1), 7), (date(2026, 11, 1), 3)]
    own_costs(root, name="a.csv")
    night(root)
    assert bills() == [(date(2026, 10, 1), 4)]


@pytest.mark.parametrize(("as_of", "behind"), [(AS_OF, False), ("2026-12-05T06:00:00Z", True)])
def test_a_month_is_complete_when_it_is_stated_and_days_do_not_wait_for_the_next(
    root: Path, as_of: str, *, behind: bool
) -> None:
    own_costs(root, "2026-10,labour,2,USD,,,,,,,", "2026-09,labour,2,USD,,,,,,,")
    night(root, as_of=as_of)
    with read_published(root / "ledger") as file:
        subjects = file.frame("SELECT subject FROM findings WHERE kind = 'source_behind'").to_series()
        growth = file.frame(
            "SELECT month, days, previous_days, note FROM growth WHERE subject = 'cost_element=labour' ORDER BY month"
        )
    assert ("source=own_costs" in set(subjects)) is behind
    assert growth.rows()[1] == (date(2026, 10, 1), 31, 30, None)
    assert "partial" not in attribution("report", "-w", root, "--as-of", as_of).out


def test_settings_of_own_costs_are_held(tmp_path: Path) -> None:
    workspace(tmp_path, toml=TOML.replace('name = "cloud"', 'name = "own_costs"'))
    assert "own_costs" in attribution("check", "-w", tmp_path).err
    workspace(tmp_path, toml=f'{TOML}format = "own-costs"')
    said = attribution("check", "-w", tmp_path).err
    assert "is no format" in said
    assert "Known: auto, focus, " in said
    assert said.count("own-costs") == 1
    workspace(tmp_path, toml=OWN_TOML)
    assert attribution("run", "-w", tmp_path, "--as-of", AS_OF).code == 2
    own_costs(tmp_path, "2026-10,labour,2,USD,,,,,,,")
    assert "cloud, own_costs" in attribution("check", "-w", tmp_path).out
    (tmp_path / "attribution.toml").write_text(OWN_TOML.replace("bills/*", "*/*.csv"), encoding="utf-8")
    assert "no reader knows this bill" in attribution("ingest", "-w", tmp_path).out
