"""Shapes that many labels share: a thing that is listed and billed, its measurements, a run, a job on a node."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from label_world import LAST, Expected, World
from labels_bill import P5, of

TODAY = date(2026, 11, 10)
DATASET = "Nimbus Datasets | Dataset | Dataset-StorageHot | GB-Months | Storage"
Row = dict[str, str]
How = dict[str, Any] | None
"""What the bill says otherwise than three a day; None is no bill at all."""
MACHINE_KINDS = (
    "idle_by_utilization", "underused_gpu", "underused_machine", "oversized_machine", "gpu_node_without_trace",
    "node_idle_after_last_job", "waiting_queue",
)  # fmt: skip


def ago(days: int) -> str:
    """The day that was so many days before the night."""
    return str(TODAY - timedelta(days=days))


def thing(  # noqa: PLR0917 - a row of a table
    w: World, word: str, kind: str, sold: str, row: Row, how: How = None, *, use: str = ""
) -> str:
    """A row of the inventory, and its lines of the bill; `use` is a meter that shows work."""
    one = w.new(word)
    w.put("resources", resource_id=one, resource_type=kind, **row)
    if how is not None:
        w.bill(one, sold, **{"a_day": "3", "tags": of("orion")} | how)
        if use:
            w.bill(one, use, "0", "5", **{"tags": of("orion")} | {key: how[key] for key in ("last",) if key in how})
    return one


def measure(
    w: World, one: str, usual: dict[str, tuple[str, str]], *, skip: tuple[int, ...] = (),
    odd: dict[int, dict[str, tuple[str, str]]] | None = None, days: range = range(1, 41),
) -> None:  # fmt: skip
    """Average and maximum of each metric, a row for each of `days` before the night; `odd` days differ."""
    for back in days:
        if back not in skip:
            for metric, (average, maximum) in (usual | (odd or {}).get(back, {})).items():
                w.put("utilization", resource_id=one, date=ago(back), metric=metric, average=average, maximum=maximum)


def node(w: World, *, gpus: str = "8", tags: Row | None = None, **how: Any) -> str:  # noqa: ANN401 - any column
    """A machine with eight GPUs, of which nothing else is told."""
    one = thing(w, "gpu", "instance", P5, {"state": "running", "gpus": gpus, "created_at": ago(200)},
                {"a_day": "8", "tags": tags or of("orion")} | how)  # fmt: skip
    for kind in MACHINE_KINDS:
        w.say(kind, one, "allowed", "machines are labelled elsewhere")
    return one


def run(
    w: World, *, start: str = "2026-10-10T00:00:00Z", end: str = "2026-10-12T00:00:00Z", experiment: str = "",
    machine: dict[str, Any] | None = None, **columns: str,
) -> str:  # fmt: skip
    """A run, and a machine of its experiment that is billed while it goes on; `machine` says otherwise how."""
    one, experiment = w.new("run"), experiment or w.new("exp")
    usual = {
        "project": "orion", "stage": "pretraining", "owner": "lin", "status": "completed", "gpus": "8",
        "steps": "90000", "tokens": "4000000000", "mfu": "0.46", "config_hash": w.new("c"), "data_hash": w.new("d"),
        "metric": "loss", "metric_value": "2.1", "log_level": "info",
    } | columns  # fmt: skip
    w.put("runs", run_id=one, experiment=experiment, started_at=start, ended_at=end, **usual)
    last = date.fromisoformat(end[:10]) - timedelta(days="T00:00:00" in end) if end else LAST
    tags = of(usual["project"], experiment=experiment, stage=usual["stage"])
    node(w, **{"tags": tags, "first": max(date.fromisoformat(start[:10]), date(2026, 8, 1)), "last": last}
         | (machine or {}))  # fmt: skip
    return one


def job(w: World, on: str, start: str, end: str, state: str = "COMPLETED", **columns: str) -> str:
    """A job on all GPUs of a node, submitted when it started unless told otherwise."""
    one = w.new("job")
    usual = {"submit": start, "gpus": "8", "project": "orion", "experiment": w.new("exp"), "owner": "lin",
             "partition": "", "name": w.new("name")}  # fmt: skip
    w.put("jobs", job_id=one, resource_id=on, start=start, end=end, state=state, **usual | columns)
    w.say("failed_job", one, "allowed", "jobs are labelled elsewhere")
    return one


def each(w: World, kind: str, subject: str, expected: Expected, case: object, *also: str) -> None:
    """Label a subject by its case; what was allowed of it before is so no more."""
    w.labels = [one for one in w.labels if (one.kind, one.subject) != (kind, subject)]
    w.say(kind, subject, expected, str(case), *also)
