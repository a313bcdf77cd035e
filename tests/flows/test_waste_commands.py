"""Waste as its users meet it: thresholds in attribution.toml, the way to action, a plan of two files and no deed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from small_workspace import AS_OF, RULES, TOML, attribution, charge, workspace

INVENTORY = """\
resource_id,resource_type,state,attached_to,created_at
vol-0a,volume,available,,2026-08-01T00:00:00Z
vol-0b,volume,available,,2026-08-01T00:00:00Z
vol-0c,volume,available,,2026-08-01T00:00:00Z
"""
WASTE = """
[inputs]
resources = "inventory.csv"
tags = "tags.csv"
[waste]
minimum = 2
[waste.plan]
grace_days = 3
protected_tags = ["keep"]
[[waste.override]]
project = "kestrel"
[waste.override.unattached_volume]
min_age_days = 400
"""
STAGE = '[dimension.stage]\ntags = ["stage"]\n'


def volumes(root: Path) -> Path:
    rows = [
        charge(f"2026-10-{day:02d}", "1", ResourceId=name, project=project, Tags=json.dumps(tags))
        for day in range(1, 32)
        for name, project, tags in (
            ("vol-0a", "atlas", {"project": "atlas", "owner": "mira", "stage": "serving"}),
            ("vol-0b", "atlas", {"project": "atlas", "owner": "mira"}),
            ("vol-0c", "kestrel", {"project": "kestrel", "owner": "mira"}),
        )
    ]
    made = workspace(root, rows, TOML + WASTE, RULES + STAGE)
    (made / "inventory.csv").write_text(INVENTORY, encoding="utf-8")
    (made / "tags.csv").write_text("resource_id,key,value\nvol-0b,Keep,yes\nvol-0c,keep,no\n", encoding="utf-8")
    return made


def test_a_plan_is_written_with_a_reason_for_all_that_is_left_out(tmp_path: Path) -> None:
    root = volumes(tmp_path)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    rows = json.loads(attribution("waste", "path", "--json", "-w", root).out)
    assert {(row["subject"], row["step"], row["due_on"]) for row in rows} == {
        ("vol-0a", "mark", None), ("vol-0b", "mark", None),
    }  # fmt: skip
    ended = attribution("waste", "plan", tmp_path / "reclaim", "-w", root, "--as-of", AS_OF)
    assert "0 planned, 2 left out" in ended.out
    with (tmp_path / "reclaim" / "plan.csv").open(encoding="utf-8-sig", newline="") as file:
        told = {row["subject"]: (row["why_not"], row["rollback"]) for row in csv.DictReader(file)}
    assert told["vol-0a"][0] == "protected: stage serving"
    assert told["vol-0b"][0] == "protected: tag Keep"
    assert all(rollback.startswith("Snapshot first") for _, rollback in told.values())
    text = (tmp_path / "reclaim" / "policies.yml").read_text(encoding="utf-8")
    assert "custodian run --dryrun" in text


def test_a_dimension_that_no_workspace_has_is_told(tmp_path: Path) -> None:
    root = workspace(tmp_path, toml=TOML + '[[waste.override]]\nprojct = "x"\nminimum = 3\n')
    ended = attribution("check", "-w", root)
    assert ended.code == 2
    assert 'unknown dimension "projct"' in ended.err
    assert 'Did you mean "project"?' in ended.err
