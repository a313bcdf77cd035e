"""A night with a shared GPU node: hours of the stored charges, Slurm's list, and what analysts see of it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

from small_workspace import AS_OF, RULES, attribution, charge, workspace

from attribution.ledger import read_published

TOML = """
currency = "USD"
[[source]]
name = "cloud"
path = "bills/*"
[inputs]
jobs = "jobs/*"
resources = "inventory.csv"
"""
SPLIT = """
[[split]]
name = "node"
when = { ServiceName = "Nodes" }
across = ["project", "experiment", "owner"]
by = "jobs"
"""
HEADER = "JobID|JobName|User|Account|State|Start|End|AllocTRES|NodeList\n"
TRES = "cpu=8,gres/gpu=4,node=1"
JOBS = f"{HEADER}1|e1|ines|atlas|FAILED|2026-10-03T01:00:00|2026-10-03T03:30:00|{TRES}|gpu1\n"


def night(root: Path, jobs: str) -> tuple[dict[str, Decimal], list[tuple[object, ...]]]:
    """Money by project, and the jobs, after a night over a node of eight GPUs: six hours at 8, a day at 24."""
    hours = [
        charge(
            cost="8",
            ChargePeriodStart=f"2026-10-03T0{hour}:00:00Z",
            ChargePeriodEnd=f"2026-10-03T0{hour + 1}:00:00Z",
        )
        for hour in range(6)
    ]
    rows = [*hours, charge("2026-10-04", "24"), charge("2026-10-04", "1", ResourceId="disk", ServiceName="Disks")]
    workspace(root, rows, TOML, RULES + SPLIT)
    (root / "inventory.csv").write_text("resource_id,resource_type,gpus,name\ni-1,node,8,gpu1\n", encoding="utf-8")
    (root / "jobs").mkdir(exist_ok=True)
    (root / "jobs/sacct.txt").write_text(jobs, encoding="utf-8")
    ended = attribution("run", "--workspace", root, "--as-of", AS_OF)
    assert ended.code == 0, ended.err
    with read_published(root / "ledger") as file:
        money = file.frame(
            "SELECT project, sum(EffectiveCost) FROM costs GROUP BY ALL HAVING sum(EffectiveCost) <> 0"
        ).rows()
        told = file.frame(
            "SELECT job_id, project, experiment, owner, job_state, nodes, gpu_hours, EffectiveCost FROM job_costs"
        ).rows()
        sums = file.frame(
            "SELECT EffectiveCost - coalesce(cost_of_jobs, 0) - coalesce(cost_idle, 0) FROM node_costs"
        ).to_series()
        assert set(sums) == {Decimal(0)}
    return dict(money), told


def test_a_node_is_divided_by_the_hours_of_its_stored_charges(tmp_path: Path) -> None:
    money, told = night(tmp_path, JOBS)
    # Two and a half hours with half of the GPUs at 8 an hour.
    assert money == {"atlas": Decimal(11), "idle": Decimal(62)}  # atlas has the disk too, which is no node
    assert told == [("1", "atlas", "e1", "ines", "FAILED", 1, 10.0, Decimal(10))]


def test_another_night_with_other_jobs_divides_anew(tmp_path: Path) -> None:
    night(tmp_path, JOBS)
    more = f"2|e2|tomas|orion|COMPLETED|2026-10-04T00:00:00|2026-10-04T12:00:00|{TRES}|gpu1\n"
    money, told = night(tmp_path, JOBS + more)
    assert money == {"atlas": Decimal(11), "orion": Decimal(6), "idle": Decimal(56)}
    assert sorted(told)[1] == ("2", "orion", "e2", "tomas", "COMPLETED", 1, 48.0, Decimal(6))


def test_a_closed_month_keeps_what_its_jobs_cost(tmp_path: Path) -> None:
    before = night(tmp_path, JOBS)
    ended = attribution("close", "2026-10", "--workspace", tmp_path)
    assert ended.code == 0, ended.err
    more = f"2|e2|tomas|orion|COMPLETED|2026-10-04T00:00:00|2026-10-04T12:00:00|{TRES}|gpu1\n"
    assert night(tmp_path, JOBS + more) == before


def test_jobs_of_a_node_that_no_bill_knows_are_a_finding(tmp_path: Path) -> None:
    night(tmp_path, f"{JOBS}3|e|ines|atlas|COMPLETED|2026-10-03T01:00:00|2026-10-03T03:00:00|{TRES}|gpu7\n")
    with read_published(tmp_path / "ledger") as file:
        found = file.frame("SELECT subject, evidence FROM findings WHERE kind = 'job_without_bill'").rows()
    assert [subject for subject, _ in found] == ["gpu7"]
    assert "1 job had 8 GPU-hours" in str(found[0][1])


def test_a_split_by_a_measure_that_is_not_there_stops_with_a_message(tmp_path: Path) -> None:
    rules = '[[split]]\nname = "m"\nwhen = { project = "atlas" }\nacross = ["project"]\nby = "measure:m.csv"\n'
    ended = attribution("run", "--workspace", workspace(tmp_path, rules=RULES + rules), "--as-of", AS_OF)
    assert ended.code == 2
    assert "m.csv: no such file; a split divides by it" in ended.err


def test_a_day_of_a_node_leads_up_to_each_job_by_its_hours(tmp_path: Path) -> None:
    jobs = f"{HEADER}2|e2|tomas|orion|COMPLETED|2026-10-04T10:00:00|2026-10-04T12:00:00|{TRES}|gpu1\n"
    night(tmp_path, jobs)
    asked = attribution("explain", "--charge", "bills/october.csv:7", "--json", "--workspace", tmp_path)
    assert asked.code == 0, asked.err
    found = json.loads(asked.out)
    of_job = [step for step in found["splits"] if step["job_id"] == "2"]
    assert [step["hour"] for step in of_job] == ["2026-10-04 10:00", "2026-10-04 11:00"]
    assert {Decimal(step["weight"]) / Decimal(step["total_weight"]) for step in of_job} == {Decimal("0.5")}
    assert {(part["project"], Decimal(part["EffectiveCost"])) for part in found["paid_by"]} == {
        ("orion", Decimal(1)),
        ("idle", Decimal(23)),
    }
    said = attribution("explain", "--charge", "bills/october.csv:7", "--workspace", tmp_path).out
    assert 'split "node" (hour 2026-10-04 10:00, job 2): ' in said
    assert "hour 2026-10-04 11:00, job 2" not in said
    assert "; the same in 1 more hour\n" in said
