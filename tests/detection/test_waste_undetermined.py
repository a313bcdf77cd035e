"""Cells that decide and are blank for one thing: undetermined where all else speaks for waste, else nothing is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import LAST, billed, mark, thing
from test_waste_inventory import INVENTORY, machine
from test_waste_training import BILLS, FIRST, LATER_SHELF, NEXT, SHELF, TRAINING, at, run, steps, world
from test_waste_utilization import UTILIZATION
from waste_cases import Change, days_ago, findings_of

CASES = {one.kind: one for one in (*INVENTORY, *UTILIZATION, *TRAINING)}
HOT: Change = {
    "others": [thing("d", "bucket", storage_class="hot", last_used_at=days_ago(1))],
    "bills": [billed("d", "9")],
}
ON: Change = {"state": None, "others": [thing("m-2", "instance", state="running")]}
LEVELS: Change = {"own": {"log_level": pl.String()}, "log_level": None}
LOGS = billed("logs", "5", cost_element="observability", experiment="Exp-1")
OTHER_RUN = run("z", experiment="zzz", metric_value=1.0)
DONE: Change = {"runs": [NEXT], "checkpoints": LATER_SHELF, "status": "completed"}
RAN = [billed("m-1", "9", date(2026, 10, 1), last_day=date(2026, 10, 28))]


def few(**more: Any) -> Change:  # noqa: ANN401
    return {"runs": [run("r-0", **{"gpus": 4.0, "tokens": 500.0} | more)]}


MUST = (
    ("cold_data", {"storage_class": None, **HOT}, "storage_class"),
    ("debug_logging", {**LEVELS, "runs": [run("z", log_level="info")], "bills": [*BILLS, LOGS]}, "log_level"),
    ("oversized_cluster", {"tokens": None, "runs": [*few()["runs"], *few(run_id="r-9", gpus=2.0)["runs"]]}, "tokens"),
    ("oversized_cluster", {"tokens": 749.0, **few(tokens=None)}, "tokens"),
    ("oversized_cluster", {"tokens": 749.0, **few(gpus=None)}, "gpus"),
    ("oversized_cluster", {"gpus": None, **few()}, "gpus"),
    ("stopped_long", {**ON, "bill": {"cost_element": "storage"}}, "no state"),
    ("volume_of_deallocated_machine", {"others": machine(state=None)}, "no state"),
    ("volume_of_deallocated_machine", {"others": machine(state=None, last_used_at=None)}, "no state"),
    ("duplicate_data", {"size_gb": None}, "size_gb"),
    (
        "duplicate_data",
        {"others": [thing("r-0", "dataset", name="corpus-v1", size_gb=None, created_at=days_ago(500))]},
        "size_gb",
    ),
    ("experiment_without_evaluation", {"runs": [OTHER_RUN], "ended_at": None}, "ended_at"),
    ("tag_of_ended_project", {"ended_at": None}, "ended_at"),
    ("checkpoints_of_superseded_run", {**DONE, "metric_value": None}, "metric_value"),
    ("checkpoints_of_superseded_run", {**DONE, "runs": [NEXT | {"metric_value": None}]}, "metric_value"),
    ("checkpoints_of_superseded_run", {"runs": [NEXT], "checkpoints": LATER_SHELF, "ended_at": None}, "ended_at"),
)
SILENT = (
    ("low_mfu", {"mfu": None, "runs": [run("z", mfu=0.4)]}),
    ("cold_data", {"storage_class": None, "last_used_at": days_ago(3), **HOT}),
    ("cold_data", {"storage_class": None, "last_used_at": days_ago(200), **HOT}),
    ("cold_data", {"storage_class": None, "kind": "file share", **HOT}),
    ("low_mfu", {"mfu": None, "stage": "grpo", "runs": [run("z", mfu=0.4)]}),
    ("low_mfu", {"mfu": None, "status": "completed", "ended_at": None, "runs": [run("z", mfu=0.4)]}),
    ("debug_logging", {**LEVELS, "runs": [run("z", log_level="info")]}),
    ("debug_logging", {**LEVELS, "bills": [*BILLS, LOGS],
                       "runs": [OTHER_RUN | {"project": "vega", "log_level": "info"}]}),
    ("oversized_cluster", {"tokens": None, **few(tokens=None)}),
    ("oversized_cluster", {"tokens": 749.0, **few(tokens=None, gpus=16.0)}),
    ("stopped_long", ON),
    ("stopped_long", {**ON, "last_used_at": days_ago(2), "bill": {"cost_element": "storage"}}),
    ("volume_of_deallocated_machine", {"others": machine(state=None), "bills": RAN}),
    ("duplicate_data", {"size_gb": None, "created_at": days_ago(600)}),
    ("duplicate_data", {"size_gb": None, "kind": "bucket"}),
    ("experiment_without_evaluation", {"runs": [OTHER_RUN], "ended_at": None, "metric_value": 0.5}),
    ("experiment_without_evaluation", {"runs": [OTHER_RUN], "ended_at": None, "started_at": days_ago(93)}),
    ("experiment_without_evaluation", {"runs": [OTHER_RUN, run("y", ended_at=None, status="running")],
                                       "ended_at": None}),
    ("tag_of_ended_project", {"ended_at": None, "status": "running"}),
    ("tag_of_ended_project", {"ended_at": None, "runs": [run("x", project="orion")]}),
    ("checkpoints_of_superseded_run", {**DONE, "metric_value": None, "runs": [NEXT | {"metric_value": None}]}),
    ("checkpoints_of_superseded_run", {**DONE, "metric_value": None, "checkpoints": SHELF}),
    ("checkpoints_of_superseded_run", {**DONE, "metric_value": None, "checkpoints": [*steps(1, 2, pinned=True),
                                                                                     *LATER_SHELF[4:]]}),
    ("temporary_name", {"created_at": None, "bill": {"first_day": date(2026, 10, 20)}}),
    ("job_without_use", {"start": at(11, 5, 2), "end": at(11, 5, 22)}),
    ("idle_cluster", {"others": []}),
)  # fmt: skip


def told(kind: str, change: Change) -> list[tuple[str, str]]:
    cases = CASES[kind]
    rows = findings_of(cases.make(**change), kind)
    return [(row["verdict"], row["evidence"]) for row in rows if row["subject"] == cases.subject]


@pytest.mark.parametrize(("kind", "change", "cell"), MUST)
def test_a_blank_cell_that_decides_is_told_by_name(kind: str, change: Change, cell: str) -> None:
    ((verdict, evidence),) = told(kind, change)
    assert verdict == "undetermined"
    assert cell in evidence.partition("Undetermined: ")[2]


@pytest.mark.parametrize(("kind", "change"), SILENT)
def test_a_blank_cell_that_decides_nothing_is_no_doubt(kind: str, change: Change) -> None:
    assert told(kind, change) == []


@pytest.mark.parametrize(
    ("first", "expected"), [(date(2026, 10, 11), ["finding"]), (date(2026, 10, 12), ["undetermined"])]
)
def test_what_the_bills_begin_with_may_be_older_than_they_are(first: date, expected: list[str]) -> None:
    """30 days before November 10 is October 11."""
    plain = CASES["temporary_name"].make(created_at=None, bill={"first_day": first})
    rows = findings_of(replace(plain, watermarks={"nimbus": mark(LAST, first)}), "temporary_name")
    assert [row["verdict"] for row in rows] == expected


def test_a_run_that_is_over_since_when_has_an_unknown_cost_and_takes_none_from_others() -> None:
    rows = [run("r-1", status="failed"), run("r-2", ended_at=None)]
    (row,) = findings_of(world(runs=rows), "failed_run")
    assert row["cost_at_stake"] == Decimal(48)
    older = [FIRST | {"ended_at": None, "started_at": at(10, 2), "metric_value": None}, OTHER_RUN]
    (row,) = (one for one in findings_of(world(runs=older), "experiment_without_evaluation"))
    assert (row["verdict"], row["cost_at_stake"]) == ("undetermined", None)
    assert "unknown GPU-hours" in row["evidence"]
