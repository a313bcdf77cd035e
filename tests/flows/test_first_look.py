"""`attribution init --from`: a workspace that works at once, made of what lies there and of nothing else."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from small_workspace import attribution, bill_text, charge

from attribution.ledger import read_published
from flows.settings import load_workspace

SHARED = Path(__file__).resolve().parents[3] / "shared" / "bills"
SAMPLE = Path(__file__).resolve().parents[2] / "sample_bills"
AS_OF = "2026-11-05T06:00:00Z"


def exports(root: Path, rows: list[dict[str, str]] | None = None) -> Path:
    (root / "exports" / "cloud").mkdir(parents=True)
    bill = [charge(), charge("2026-10-20", "200", ResourceId="i-2", project="Atlas", owner="tomas")]
    (root / "exports" / "cloud" / "october.csv").write_text(bill_text(bill if rows is None else rows), encoding="utf-8")
    return root / "exports"


def test_a_described_workspace_is_checked_and_run_at_once(tmp_path: Path) -> None:
    origin = exports(tmp_path)
    (origin / "tags").mkdir()
    (origin / "tags" / "register.csv").write_text("resource_id,project\ni-2,orion\n", encoding="utf-8")
    made = attribution("init", tmp_path / "costs", "--from", origin)
    assert made.code == 0, made.err
    assert "210.50 USD" in made.out
    workspace = load_workspace(tmp_path / "costs")
    assert [(one.name, one.format, one.path) for one in workspace.sources] == [
        ("cloud", "focus", "../exports/cloud/**/*.csv")
    ]
    assert workspace.inputs.tags == "../exports/tags/register.csv"
    assert attribution("check", "--workspace", tmp_path / "costs").code == 0
    assert attribution("run", "--workspace", tmp_path / "costs", "--as-of", AS_OF).code == 0
    with read_published(tmp_path / "costs" / "ledger") as file:
        projects = file.frame("SELECT DISTINCT project FROM costs ORDER BY 1").to_series().to_list()
    assert projects == ["Atlas", "orion"]


def test_spellings_and_owners_are_proposed_with_their_money(tmp_path: Path) -> None:
    made = attribution("init", tmp_path / "costs", "--from", exports(tmp_path))
    assert made.code == 0, made.err
    rules = (tmp_path / "costs" / "rules.toml").read_text(encoding="utf-8")
    assert tomllib.loads(rules)["dimension"]["project"]["values"] == {"Atlas": ["atlas"]}
    assert "100.0 % of the money" in rules
    settings = (tmp_path / "costs" / "attribution.toml").read_text(encoding="utf-8")
    assert '# "mira" = ["..."]' in settings
    assert tomllib.loads(settings)["report"]["recipients"] == {}


def test_what_only_people_know_stands_as_a_question(tmp_path: Path) -> None:
    origin = exports(tmp_path, [charge(EffectiveCost="0")])
    (origin / "cloud" / "again.csv").write_text(bill_text([charge("2026-10-04", EffectiveCost="0")]), encoding="utf-8")
    made = attribution("init", tmp_path / "costs", "--from", origin)
    assert made.code == 0, made.err
    assert "2 questions to answer" in made.out
    settings = (tmp_path / "costs" / "attribution.toml").read_text(encoding="utf-8")
    assert "# QUESTION" in settings
    assert "delivery" in settings.split("\n[[source]]")[0]
    assert 'effective = "billed"' in settings.split("\n[[source]]")[0]
    assert tomllib.loads(settings)["source"][0].keys() == {"name", "path", "format"}
    lines = [number for number, line in enumerate(settings.splitlines(), start=1) if line.startswith("# QUESTION")]
    checked = attribution("check", "--workspace", tmp_path / "costs")
    assert checked.code == 0
    assert f"2 open questions, lines {lines[0]}, {lines[1]}: answer" in checked.out


def test_files_held_back_for_one_reason_are_one_question_and_one_message(tmp_path: Path) -> None:
    origin = exports(tmp_path, [charge()])
    for number in range(5):
        text = bill_text([charge(f"2026-10-{11 + number}")])
        (origin / "cloud" / f"part-{number}.csv").write_text(text, encoding="utf-8")
    assert "1 question to answer" in attribution("init", tmp_path / "costs", "--from", origin).out
    ran = attribution("run", "--workspace", tmp_path / "costs", "--as-of", AS_OF)
    told = " ".join((ran.out + ran.err).split())
    assert "part-1.csv, ../exports/cloud/part-2.csv and 2 more: rows of bill 2026-10 of" in told
    assert told.count("nothing says how they belong together") == 1


def test_an_export_of_which_nothing_can_be_read_does_not_stop_the_others(tmp_path: Path) -> None:
    origin = exports(tmp_path)
    (origin / "broken").mkdir()
    (origin / "broken" / "x.csv").write_text("bill/PayerAccountId,lineItem/UnblendedCost\n1,2\n", encoding="utf-8")
    made = attribution("init", tmp_path / "costs", "--from", origin)
    assert made.code == 0, made.err
    settings = (tmp_path / "costs" / "attribution.toml").read_text(encoding="utf-8")
    assert [one["name"] for one in tomllib.loads(settings)["source"]] == ["cloud"]
    assert '# name   = "broken"' in settings
    assert 'column "lineItem/LineItemType" is missing' in settings
    assert attribution("run", "--workspace", tmp_path / "costs", "--as-of", AS_OF).code == 0


HOSTILE = ['"]\nowner = "x', "a\u2028b", "'''", "\\u0000", "x" * 500, "{project}", "\x7f", "# no comment", "=cmd()"]


@pytest.mark.parametrize("value", HOSTILE)
def test_values_of_bills_stay_text_in_the_files_that_are_written(tmp_path: Path, value: str) -> None:
    tags = json.dumps({"project": value, value: "x", "owner": value})
    odd = charge(Tags=tags, ServiceName=value, SubAccountId=value)
    twice = charge("2026-10-04", Tags=json.dumps({"project": value.upper() + " "}))
    bare = charge("2026-10-05", "500", Tags="", ServiceName=value, SubAccountId=value)
    made = attribution("init", tmp_path / "costs", "--from", exports(tmp_path, [odd, twice, bare]))
    assert made.code == 0, made.err
    rules = tomllib.loads((tmp_path / "costs" / "rules.toml").read_text(encoding="utf-8"))
    assert rules.keys() == {"tags", "dimension"}
    assert tomllib.loads((tmp_path / "costs" / "attribution.toml").read_text(encoding="utf-8"))["source"]
    assert attribution("check", "--workspace", tmp_path / "costs").code == 0


@pytest.mark.parametrize(
    ("origin", "says"),
    [
        ("nowhere", "is no folder"),
        ("empty", "no file matches"),
        ("notes", "no bill was recognised"),
        ("ftp://x", "no address"),
    ],
)
def test_what_cannot_be_looked_at_leaves_nothing_behind(tmp_path: Path, origin: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "n.csv").write_text("who,what\n", encoding="utf-8")
    ended = attribution("init", tmp_path / "costs", "--from", origin if "://" in origin else tmp_path / origin)
    assert (ended.code, says in ended.err) == (2, True), ended.err
    assert not (tmp_path / "costs").exists()


def test_a_workspace_that_is_there_is_never_touched(tmp_path: Path) -> None:
    origin = exports(tmp_path)
    assert attribution("init", tmp_path / "costs", "--from", origin).code == 0
    before = (tmp_path / "costs" / "rules.toml").read_bytes()
    again = attribution("init", tmp_path / "costs", "--from", origin)
    assert (again.code, "exists already" in again.err) == (2, True)
    assert (tmp_path / "costs" / "rules.toml").read_bytes() == before


def test_the_sample_company_is_found_as_it_describes_itself(tmp_path: Path) -> None:
    made = attribution("init", tmp_path / "costs", "--from", SAMPLE)
    assert made.code == 0, made.err
    found, stated = load_workspace(tmp_path / "costs"), load_workspace(SAMPLE)
    formats = {one.name: one.format for one in found.sources}
    assert formats["aws"] == "aws-cur"
    assert len(formats) == len(stated.sources)
    assert found.inputs.tags
    assert found.inputs.resources
    assert found.inputs.people


@pytest.mark.skipif(not SHARED.exists(), reason="the shared bills are not beside this repository")
@pytest.mark.parametrize("name", ["aws-cur", "azure", "gcp", "oci", "focus"])
def test_bills_of_others_are_described_and_run(tmp_path: Path, name: str) -> None:
    made = attribution("init", tmp_path / "costs", "--from", SHARED / name)
    assert made.code == 0, made.err
    assert attribution("check", "--workspace", tmp_path / "costs").code == 0
    ended = attribution("run", "--workspace", tmp_path / "costs", "--as-of", AS_OF)
    asked = "# QUESTION" in (tmp_path / "costs" / "attribution.toml").read_text(encoding="utf-8")
    assert ended.code == (2 if asked else 0), ended.err
    assert (tmp_path / "costs" / "ledger" / "costs.duckdb").exists()


def test_a_folder_of_inputs_alone_is_told_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "register").mkdir()
    (tmp_path / "register" / "t.csv").write_text("resource_id,project\ni-1,atlas\n", encoding="utf-8")
    ended = attribution("init", tmp_path / "costs", "--from", tmp_path / "register")
    assert (ended.code, "state [inputs] tags" in ended.err, "generic-csv" in ended.err) == (2, True, False)


def test_only_a_look_that_has_questions_asks_for_answers(tmp_path: Path) -> None:
    clear = attribution("init", tmp_path / "clear", "--from", exports(tmp_path))
    assert "answer their questions" not in clear.out
    again = bill_text([charge("2026-10-05")])
    (tmp_path / "exports" / "cloud" / "again.csv").write_text(again, encoding="utf-8")
    asked = attribution("init", tmp_path / "asked", "--from", tmp_path / "exports")
    assert "answer their questions" in asked.out
