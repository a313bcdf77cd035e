"""`attribution doctor`: each piece of advice is there when its cause is, and gone when it is gone."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from small_workspace import AS_OF, TOML, attribution, bill_text, charge, workspace

from flows import doctor
from schemas.workspace import Inputs


def advice(root: Path, area: str) -> list[dict[str, Any]]:
    asked = attribution("doctor", "--workspace", root, "--json")
    assert asked.code == 0, asked.err
    return [one for one in json.loads(asked.out) if one["area"] == area]


def run(root: Path) -> None:
    attribution("run", "--workspace", root, "--as-of", AS_OF)


def test_money_without_a_project_is_named_by_account_and_service_largest_first(tmp_path: Path) -> None:
    rows = [
        charge(cost="60"),
        charge(cost="10", project="", ServiceName="Disks"),
        charge(cost="30", project="", ServiceName="Nodes", SubAccountId="000746"),
    ]
    run(workspace(tmp_path, rows))
    found = advice(tmp_path, "coverage")
    assert [(one["subject"], one["amount"], one["what"]) for one in found] == [
        ("000746, Nodes", "30.000000000000", "has no project: 30.0 % of the month"),
        ("000745, Disks", "10.000000000000", "has no project: 10.0 % of the month"),
    ]


def test_the_running_month_is_not_judged(tmp_path: Path) -> None:
    run(workspace(tmp_path, [charge(), charge("2026-11-02", "5", project="")]))
    assert advice(tmp_path, "coverage") == []


def test_an_input_is_advised_with_its_detectors_until_it_is_there(tmp_path: Path) -> None:
    run(workspace(tmp_path))
    before = {one["subject"]: one["what"] for one in advice(tmp_path, "input")}
    assert "detector" in before["resources"]
    (tmp_path / "inventory.csv").write_text("resource_id,resource_type\ni-1,Instance\n", encoding="utf-8")
    run(workspace(tmp_path, toml=TOML + '[inputs]\nresources = "inventory.csv"\n'))
    after = {one["subject"]: one["what"] for one in advice(tmp_path, "input")}
    assert before.keys() - after.keys() == {"resources"}


def test_what_is_held_back_and_what_was_refused_is_told(tmp_path: Path) -> None:
    root = workspace(tmp_path, [charge()])
    again = [charge("2026-10-05"), charge("2026-10-04", ChargeCategory="Usages")]
    (root / "bills" / "again.csv").write_text(bill_text(again), encoding="utf-8")
    run(root)
    told = [one["what"] for one in advice(root, "source")]
    assert any("is held back" in what for what in told)
    assert "1 value refused" in told


def test_a_workspace_without_a_run_is_told_to_run(tmp_path: Path) -> None:
    ended = attribution("doctor", "--workspace", workspace(tmp_path))
    assert (ended.code, "attribution run" in ended.err) == (2, True)


def test_on_the_terminal_nothing_is_cut(tmp_path: Path) -> None:
    service = "A service with a name that is rather longer than sixty letters would ever be"
    run(workspace(tmp_path, [charge(project="", ServiceName=service)]))
    said = " ".join(attribution("doctor", "--workspace", tmp_path).out.split())
    assert service in said


def test_each_input_that_a_workspace_can_have_is_advised() -> None:
    assert set(doctor._FEEDS) == {one.name for one in fields(Inputs)}


def test_what_several_have_in_common_is_said_once(tmp_path: Path) -> None:
    rows = [charge(project="", SubAccountId=account) for account in ("000746", "000747")]
    run(workspace(tmp_path, rows))
    said = " ".join(attribution("doctor", "--workspace", tmp_path).out.split())
    assert said.count("has no project") == 2
    assert said.count("Tag it") == 1
