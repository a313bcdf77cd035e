"""Budgets of a workspace over nights: settings, rates, plans, the published view and findings."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from small_workspace import AS_OF, TOML, attribution, charge, workspace

DAYS = [
    charge(f"2026-{month:02}-{day:02}", "10") for month in (9, 10, 11) for day in range(1, 31) if month < 11 or day < 5
]


def ask(root: Path, sql: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(attribution("sql", sql, "--json", "-w", root).out)
    return rows


def test_a_budget_is_judged_each_night_and_a_breach_is_told_once(tmp_path: Path) -> None:
    toml = TOML + '[[budget]]\nproject = "atlas"\namount = 45.5\n'
    root = workspace(tmp_path / "w", DAYS, toml)
    for day, status in (("2026-11-04", "at risk"), ("2026-11-05", "at risk")):
        assert attribution("run", "-w", root, "--as-of", f"{day}T06:00:00Z").code == 0
        (row,) = ask(root, "SELECT * FROM budgets WHERE period_start = '2026-11-01'")
        assert row["status"] == status
    assert (row["budget"], row["spent"], row["breach_date"]) == ("project=atlas month", "40.000000000000", "2026-11-06")
    assert Decimal(row["forecast"]) == 300
    (one,) = ask(root, "SELECT kind, owner, state, seen FROM findings WHERE subject LIKE 'budget=%2026-11'")
    assert one == {"kind": "budget_at_risk", "owner": "mira", "state": "open", "seen": "still"}


def test_foreign_costs_count_by_their_rate_and_without_one_they_are_told(tmp_path: Path) -> None:
    rows = [*DAYS, charge("2026-10-03", "100", BillingCurrency="EUR"), charge("2026-09-03", "7", BillingCurrency="EUR")]
    toml = TOML + '[inputs]\nrates = "rates.csv"\n[[budget]]\nname = "all"\namount = 1000\n'
    root = workspace(tmp_path / "w", rows, toml)
    (root / "rates.csv").write_text("month,from,to,rate\n2026-10,EUR,USD,1.5\n", encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    spent = ask(root, "SELECT period_start, spent::VARCHAR AS spent FROM budgets ORDER BY 1")
    assert [Decimal(one["spent"]) for one in spent] == [300, 450, 40]
    (missing,) = ask(root, "SELECT subject, evidence FROM findings WHERE kind = 'rate_missing'")
    assert missing["subject"] == "currency=EUR"
    assert "2026-09: 7.00 EUR" in missing["evidence"]
    levels = ask(root, "SELECT DISTINCT severity FROM findings WHERE BillingCurrency = 'EUR'")
    assert {one["severity"] for one in levels} <= {"low", "medium"}


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[budget]]\nprojekt = "a"\namount = 5\n', 'unknown setting "projekt"'),
        ('[[budget]]\nproject = "a"\n', '"amount" is missing'),
        ("[[budget]]\namount = 0\n", "amount = 0 must be more than 0"),
        ("[[budget]]\namount = 5\nwarn_at = 1.1\n", "must not be above 1"),
        ('[[budget]]\namount = 5\nperiod = "week"\n', 'period = "week" is not known'),
        ("[[budget]]\namount = 5\nsince = 2026-10-01\n", 'which only period = "total" knows'),
        ("[[budget]]\namount = 5\n[[budget]]\namount = 6\n", "holds two called everything month"),
        ("[[budget]]\nproject = 7\namount = 6\n", "must be text"),
        ("[progress]\ndays = 0\n", "must not be below 1"),
    ],
    ids=str,
)
def test_wrong_budgets_are_told_in_their_place(toml: str, said: str, tmp_path: Path) -> None:
    ended = attribution("check", "-w", workspace(tmp_path / "w", toml=TOML + toml))
    assert ended.code == 2
    assert said in ended.err


def test_steps_that_stand_still_over_nights_are_told(tmp_path: Path) -> None:
    rows = [charge(f"2026-11-{day:02}", "100", Tags='{"project": "atlas", "owner": "mira", "exp": "e-1"}')
            for day in range(1, 12)]  # fmt: skip
    rules = '[dimension.project]\ntags = ["project"]\n[dimension.owner]\ntags = ["owner"]\n'
    rules += '[dimension.experiment]\ntags = ["exp"]\n[dimension.experiment.values]\n"e-1" = ["E One"]\n'
    toml = TOML + '[inputs]\nruns = "runs.csv"\n'
    root = workspace(tmp_path / "w", rows, toml, rules)
    told = []
    for day, steps in ((2, 10), (3, 20), (4, 20), (7, 20), (8, 20), (9, 30)):
        lines = ["run_id,experiment,status,started_at,steps", f"r-1,E One,running,2026-11-01,{steps}"]
        lines.append(f"r-2,e-2,running,2026-11-{day:02},1")  # another that is new each night
        (root / "runs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert attribution("run", "-w", root, "--as-of", f"2026-11-{day:02}T23:00:00Z").code == 0
        found = ask(root, "SELECT subject FROM findings WHERE kind = 'burns_without_progress' AND seen <> 'gone'")
        told.append((day, [one["subject"] for one in found]))
    assert told == [(2, []), (3, []), (4, []), (7, []), (8, ["e-1"]), (9, [])]
