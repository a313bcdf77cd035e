"""Detectors of jobs, runs and checkpoints: five cases that fire, five near misses, and missing data, of each.

The machine n-1 has 8 GPUs and costs 1 USD an hour from October to November 8, for the experiment exp-1 of lin.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from detection_worlds import AS_OF, LAST, WORLD, billed, inventory, metered, metric, thing, utilization
from waste_cases import (
    ALWAYS_FIRES,
    ALWAYS_SPARED,
    FEWEST,
    SECOND,
    Change,
    Near,
    around,
    days_ago,
    findings_of,
)

from attribution.detection import WasteInputs
from schemas.inputs import CHECKPOINT_COLUMNS, JOB_COLUMNS, RUN_COLUMNS

OCTOBER, NOVEMBER = date(2026, 10, 1), date(2026, 11, 1)
HOURLY = {"experiment": "Exp-1", "ConsumedUnit": "Hours"}
NODE = thing("n-1", "node", gpus=8.0, created_at=days_ago(200))
BILLS = (
    billed("n-1", "744", OCTOBER, last_day=date(2026, 10, 31), days=31, ConsumedQuantity=744.0, **HOURLY),
    billed("n-1", "192", NOVEMBER, last_day=LAST, days=8, ConsumedQuantity=192.0, **HOURLY),
)
BUCKET = billed("bkt", "100", cost_element="storage")


def at(month: int, day: int, hour: int = 0) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


def run(name: str = "r-1", /, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    plain = {
        "run_id": name, "experiment": "exp_1", "stage": "pretrain", "status": "completed", "gpus": 8.0,
        "started_at": at(11, 1), "ended_at": at(11, 3), "config_hash": "c", "data_hash": "d",
    }  # fmt: skip
    return dict.fromkeys(RUN_COLUMNS) | plain | more


def job(name: str = "r-1", /, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    plain = {
        "job_id": name, "resource_id": "n-1", "start": at(11, 1), "end": at(11, 3), "gpus": 8.0, "state": "COMPLETED",
        "name": "train",
    }  # fmt: skip
    return dict.fromkeys(JOB_COLUMNS) | plain | more


def checkpoint(step: int, of: str | None = "r-1", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    plain = {
        "uri": f"s3://bkt/{of}/{step}", "experiment": "exp_1", "run_id": of, "step": step, "size_bytes": 10**9,
        "created_at": days_ago(14), "resource_id": "bkt",
    }  # fmt: skip
    return dict.fromkeys(CHECKPOINT_COLUMNS) | plain | more


def steps(*numbers: int, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [checkpoint(number, **more) for number in numbers]


def world(**changes: Any) -> WasteInputs:  # noqa: ANN401
    """Changes: rows of `runs`, `jobs`, `checkpoints`, `bills`, `things`, `metrics`; `own`: extra columns of runs."""
    own = changes.get("own", {})
    frames: dict[str, Any] = {}
    for name, columns in (("runs", RUN_COLUMNS), ("jobs", JOB_COLUMNS), ("checkpoints", CHECKPOINT_COLUMNS)):
        if name in changes:
            frames[name] = pl.DataFrame(changes[name], schema=columns | (own if name == "runs" else {}), orient="row")
    if "metrics" in changes:
        frames["utilization"] = utilization(*changes["metrics"])
    bills = changes.get("bills", (*BILLS, BUCKET))
    return replace(WORLD, costs=metered(*bills), resources=inventory(*changes.get("things", (NODE,))), **frames)


def of_runs(kind: str, **plain: Any) -> dict[str, Any]:  # noqa: ANN401
    """The parts of Near for a detector that judges one run `r-1`; a change is columns of it, or `bills`."""

    def make(**changes: Any) -> WasteInputs:  # noqa: ANN401
        rest = {
            name: changes.pop(name) for name in ("bills", "runs", "checkpoints", "own", "things") if name in changes
        }
        rows = [run(**plain | changes), *rest.pop("runs", [])]
        return world(runs=rows, **rest)

    return {"kind": kind, "make": make}


def of_jobs(kind: str, **plain: Any) -> dict[str, Any]:  # noqa: ANN401
    """The same for one job; `more` are further jobs."""

    def make(**changes: Any) -> WasteInputs:  # noqa: ANN401
        apart = ("bills", "runs", "things", "metrics", "more", "jobs")
        rest = {name: changes.pop(name) for name in apart if name in changes}
        known = dict(plain)
        rows = [job(**{name: value for name, value in (known | changes).items() if name not in apart})]
        rows = rest.pop("jobs", None) or [*rows, *rest.pop("more", plain.get("more", []))]
        return world(jobs=rows, **{name: plain[name] for name in ("metrics",) if name in plain} | rest)

    return {"kind": kind, "make": make}


def ended(kind: str, *words: str) -> Near:
    """31 days back from November 10 at noon is October 10 at noon; 48 hours of 8 GPUs are 48 USD."""
    return Near(
        **of_runs(kind, status=words[0]),
        fires=(
            {}, *({"status": word} for word in words[1:]), {"ended_at": at(11, 1, 1)},
            {"started_at": at(10, 1), "ended_at": days_ago(31) + SECOND}, {"checkpoints": steps(1)}, {"gpus": 1.0},
        ),
        spares=(
            {"status": "completed"}, {"status": "running"}, {"ended_at": None},
            {"started_at": at(10, 1), "ended_at": days_ago(31)}, {"ended_at": at(11, 1) + timedelta(minutes=59)},
            {"status": "timeout" if kind == "cancelled_run" else "cancelled" if kind == "timed_out_run" else "queued"},
        ),
        lacks=({"status": None}, {"ended_at": None, "status": "running"}),
    )  # fmt: skip


def evaluation(name: str, start: datetime) -> dict[str, Any]:
    return run(name, stage="eval", experiment="e", project="orion", started_at=start, ended_at=start)


def attempts(*ends: datetime, hours: float = 0.9, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    length = timedelta(hours=hours)
    return [job(f"j-{n}", start=end - length, end=end, state="FAILED", **more) for n, end in enumerate(ends)]


THREE = (at(11, 5, 2), at(11, 5, 10), at(11, 6, 2))
SHELF = steps(1, 2, 3, 4)
OTHER = run("r-0", started_at=at(10, 20), ended_at=at(10, 22))
DATA_OTHER = run("r-0", started_at=at(10, 20), ended_at=at(10, 22), stage="数据处理", experiment="other")
OLD = {"started_at": at(10, 20), "ended_at": days_ago(14)}


ENDS = at(11, 9)


def resting(last: datetime, through: datetime = ENDS, **more: Any) -> Change:  # noqa: ANN401
    return {"jobs": [job(start=at(10, 5), end=last, partition="big", **more),
                     job("o", resource_id="n-2", start=through, end=through)]}  # fmt: skip


def billed_to(day: date) -> tuple[Any, ...]:
    """The node's bill up to a day, while its source goes on to November 8."""
    return (BILLS[0], billed("n-1", "9", NOVEMBER, last_day=day, days=day.day, **HOURLY))


def rest(kind: str, subject: str) -> Near:
    return Near(
        **of_jobs(kind),
        subject=subject,
        fires=(
            resting(at(11, 2)), resting(at(10, 9)), resting(at(11, 3), at(11, 10)),
            resting(at(11, 2), state="FAILED"), {"things": [], **resting(at(11, 2))},
            {"bills": billed_to(date(2026, 11, 7)), **resting(at(11, 2))},
            {"bills": billed_to(date(2026, 11, 6)), **resting(at(10, 31))},
            resting(at(10, 20), days_ago(7) + SECOND),
        ),
        spares=(
            resting(at(11, 2, 1)), resting(at(11, 9)), {"bills": BILLS[:0], **resting(at(11, 2))},
            {"jobs": [job(start=at(10, 5), end=None, partition="big"), job("o", resource_id="n-2", end=at(11, 9))]},
            {"bills": [billed("n-1", "9", date(2026, 9, 1))], **resting(at(11, 2))},
            {"bills": billed_to(date(2026, 11, 6)), **resting(at(10, 31, 1))},
            {"bills": (billed("n-1", "9", OCTOBER, last_day=date(2026, 10, 30), days=30, **HOURLY),),
             **resting(at(10, 25), at(10, 26))},
            {"jobs": [*resting(at(10, 9))["jobs"], job("later", start=at(11, 2), end=at(11, 2, 1), partition="big")]},
        ),
        lacks=({"jobs": [job(end=at(11, 1), partition="big", start=at(10, 30))]}, resting(at(10, 26), at(10, 27)),
               resting(at(10, 20), days_ago(7))),
    )  # fmt: skip


def low(value: float = 1.0, first: date = date(2026, 11, 2), last: date = date(2026, 11, 6), **more: Any) -> Any:  # noqa: ANN401
    return [metric("n-1", "gpu_percent", value, first, last, **more)]


def colder(*sizes: float) -> list[dict[str, Any]]:
    """Buckets of a colder class; each is billed one dollar a month."""
    return [thing(f"cold-{at}", "bucket", storage_class="Glacier", size_gb=size, last_used_at=days_ago(1))
            for at, size in enumerate(sizes)]  # fmt: skip


def gap(hours: float) -> list[dict[str, Any]]:
    free = at(10, 20)
    return [
        job("j-1", start=at(10, 18), end=free, submit=at(10, 17)),
        job("j-2", start=free + timedelta(hours=hours), end=at(11, 1), submit=at(10, 18)),
    ]


ENDPOINTS = [thing("e-2", "endpoint", source_id="r-2", created_at=days_ago(14))]
NEXT = run("r-2", started_at=at(10, 10), ended_at=at(10, 12), metric="loss", metric_value=2.0)
FIRST = run("r-1", started_at=at(10, 1), ended_at=at(10, 5), metric="loss", metric_value=2.1)
THIRD = run("r-3", started_at=at(10, 15), ended_at=at(10, 16), metric="loss", metric_value=1.0)
LATER_SHELF = [*SHELF, *steps(9, of="r-2")]

TRAINING = (
    ended("failed_run", "failed", "node_fail", "out_of_memory", "preempted"),
    ended("cancelled_run", "cancelled"),
    ended("timed_out_run", "timeout"),
    Near(
        **of_jobs("failed_job", state="FAILED"),
        fires=(
            {},
            {"state": "TIMEOUT"},
            {"state": "CANCELLED by 1004"},
            {"state": "node_fail"},
            {"start": at(10, 1), "end": days_ago(31) + SECOND},
            {"runs": [run(status="completed")], "experiment": "exp-1"},
        ),
        spares=(
            {"state": "COMPLETED"},
            {"state": "RUNNING", "end": None},
            {"gpus": 0.0},
            {"start": at(10, 1), "end": days_ago(31)},
            {"end": at(11, 1) + timedelta(minutes=59)},
            {"runs": [run(status="failed")], "experiment": "Exp-1"},
        ),
        lacks=({"state": None}, {"end": None}),
    ),
    Near(
        **of_jobs("restart_loop"),
        subject="train",
        fires=(
            {"jobs": attempts(*THREE)},
            {"jobs": attempts(*THREE, hours=0.999)},
            {"jobs": attempts(at(10, 20), *THREE)},
            {"jobs": attempts(*THREE, gpus=4.0)},
            {"jobs": [*attempts(*THREE), job("ok")]},
        ),
        spares=(
            {"jobs": attempts(*THREE[:2])},
            {"jobs": attempts(*THREE, hours=1.0)},
            {"jobs": attempts(*THREE[:2], THREE[2] + SECOND)},
            {"jobs": attempts(*THREE, gpus=0.0)},
            {"jobs": [one | {"state": "COMPLETED"} for one in attempts(*THREE)]},
            {"jobs": [one | {"owner": f"o{n}"} for n, one in enumerate(attempts(*THREE))]},
        ),
        lacks=(
            {"jobs": [one | {"state": None} for one in attempts(*THREE)]},
            {"jobs": [one | {"end": None} for one in attempts(*THREE)]},
        ),
    ),
    Near(
        **of_runs("duplicate_run"),
        fires=tuple(
            {"runs": [OTHER | more]}
            for more in (
                {},
                {"stage": "sft"},
                {"experiment": "EXP-1"},
                {"gpus": 1.0},
                {"started_at": at(8, 20), "ended_at": at(8, 22)},
            )
        ),
        spares=(
            {"runs": [OTHER | {"status": "failed"}]},
            {"runs": [OTHER | {"config_hash": "c2"}]},
            {"runs": [OTHER | {"data_hash": "d2"}]},
            {"runs": [OTHER | {"experiment": "exp_2"}]},
            {"runs": [OTHER], "status": "cancelled"},
            {},
            {
                "runs": [run("r-0", started_at=at(7, 1), ended_at=at(7, 2))],
                "started_at": at(8, 1),
                "ended_at": days_ago(92),
            },
        ),
        lacks=({"runs": [OTHER], "data_hash": None}, {"runs": [OTHER | {"config_hash": None}], "config_hash": None}),
    ),
    Near(
        **of_runs("data_work_repeated", stage="data-prep"),
        fires=(
            {"runs": [DATA_OTHER]},
            {"runs": [DATA_OTHER | {"experiment": "exp_1"}]},
            {"runs": [DATA_OTHER | {"stage": "data_processing"}]},
            {
                "runs": [DATA_OTHER | {"config_hash": None, "algorithm": "dedup"}],
                "config_hash": None,
                "algorithm": "dedup",
            },
            {"runs": [DATA_OTHER | {"stage": "tokenizer"}], "stage": "分词器"},
        ),
        spares=(
            {},
            {"runs": [DATA_OTHER | {"data_hash": "d2"}]},
            {"runs": [DATA_OTHER | {"config_hash": "c2"}]},
            {"runs": [DATA_OTHER | {"stage": "tokenizer"}]},
            {"runs": [DATA_OTHER | {"status": "failed"}]},
            {"runs": [DATA_OTHER | {"stage": "sft"}]},
        ),
        lacks=({"runs": [DATA_OTHER], "data_hash": None}, {"runs": [DATA_OTHER], "stage": None}),
    ),
    Near(
        **of_runs("experiment_without_evaluation", project="orion", **OLD),
        subject="Exp-1",
        fires=tuple(
            {"runs": [run("z", experiment="zzz", metric_value=1.0), *more]}
            for more in (
                [],
                [OTHER],
                [run("e", stage="eval", experiment="e", project="orion", started_at=at(10, 1), ended_at=at(10, 2))],
                [run("e", stage="eval", experiment="e", project="vega")],
                [OTHER | {"status": "failed"}],
                [OTHER | {"gpus": None}],
                [run("r-2", started_at=at(10, 1), ended_at=at(10, 2))],
            )
        ),
        spares=(
            {"runs": [run("z", experiment="zzz", metric_value=1.0), OTHER | {"metric_value": 0.4}]},
            {"runs": [evaluation("e1", at(10, 1)), evaluation("e2", at(11, 5))]},
            {"runs": [run("z", experiment="zzz", metric_value=1.0), evaluation("e", at(10, 20))]},
            {
                "runs": [
                    run("z", experiment="zzz", metric_value=1.0),
                    evaluation("e", at(10, 22)),
                    run("r-2", started_at=at(10, 25), ended_at=at(10, 26)),
                ]
            },
            {"runs": [run("z", experiment="zzz", metric_value=1.0)], "metric_value": 0.5},
            {"runs": [run("z", experiment="zzz", metric_value=1.0)], "ended_at": days_ago(14) + SECOND},
            {"runs": [run("z", experiment="zzz", metric_value=1.0), OTHER | {"ended_at": None, "status": "running"}]},
            {"runs": [run("z", experiment="zzz", metric_value=1.0)], "checkpoints": steps(1, metric_value=0.5)},
            {"runs": [run("z", metric_value=1.0, stage="eval", experiment="e", project="orion")]},
            {"runs": [run("z", experiment="zzz", metric_value=1.0)], "status": "failed"},
        ),
        lacks=(
            {},
            {"runs": [run("z", experiment="zzz", metric_value=1.0)], "ended_at": None},
            {"runs": [run("z", experiment="zzz", metric_value=1.0), OTHER | {"ended_at": None}]},
        ),
    ),
    rest("node_idle_after_last_job", "n-1"),
    rest("empty_partition", "partition=big"),
    Near(
        **of_jobs("job_without_use", end=at(11, 7), metrics=low()),
        fires=(
            {},
            {"metrics": low(4.9)},
            {"metrics": low(0.0, last=date(2026, 11, 5)), "start": at(11, 2)},
            {"metrics": [*low(), metric("n-1", "gpu_percent", 90.0, date(2026, 11, 7), date(2026, 11, 7))]},
            {"end": None, "metrics": low(first=NOVEMBER, last=LAST)},
        ),
        spares=(
            {"metrics": low(5.0)},
            {"metrics": low(1.0, maximum=5.0)},
            {"gpus": 0.0},
            {"end": at(11, 1, 20)},
            {"start": at(10, 1), "end": days_ago(31), "metrics": low(first=OCTOBER, last=date(2026, 10, 10))},
            {"metrics": [*low(), metric("n-1", "gpu_percent", 6.0, date(2026, 11, 3), date(2026, 11, 3))]},
        ),
        lacks=({"metrics": low(last=date(2026, 11, 4))}, {"metrics": []}),
    ),
    Near(
        **of_jobs("waiting_queue"),
        subject="n-1",
        fires=(
            {"jobs": gap(24)},
            {"jobs": gap(200)},
            {"jobs": gap(24), "things": []},
            {"jobs": [gap(24)[0] | {"gpus": 2.0}, gap(24)[1]], "things": []},
            {"jobs": [*gap(24), job("j-3", start=at(11, 2), submit=at(11, 2))]},
            {"jobs": [gap(24)[0], gap(24)[1] | {"submit": at(10, 20)}]},
        ),
        spares=(
            {"jobs": gap(23.9)},
            {"jobs": [gap(24)[0], gap(24)[1] | {"submit": at(10, 20) + SECOND}]},
            {"jobs": [*gap(24), job("j-0", start=at(10, 17), end=at(10, 20, 5), submit=at(10, 16))]},
            {"jobs": gap(24), "bills": []},
            {"jobs": gap(24)[:1]},
        ),
        lacks=({"jobs": [one | {"submit": None} for one in gap(24)]}, {"jobs": gap(24), "bills": BILLS[:0]}),
    ),
    Near(
        **of_runs("checkpoints_beyond_retention", metric="loss"),
        fires=(
            {"checkpoints": SHELF},
            {"checkpoints": SHELF, "gpus": None},
            {"checkpoints": [*SHELF, checkpoint(0, metric_value=1.0)]},
            {"checkpoints": [checkpoint(1, pinned=False), *SHELF[1:]]},
            {"checkpoints": [checkpoint(1, metric_value=3.0), *steps(2, 3, 4, metric_value=2.0)]},
            {"checkpoints": [checkpoint(1, metric_value=1.0), *steps(2, 3, 4, metric_value=2.0)], "metric": "win_rate"},
        ),
        spares=(
            {"checkpoints": SHELF[1:]},
            {"checkpoints": [checkpoint(1, pinned=True), *SHELF[1:]]},
            {"checkpoints": [checkpoint(1, metric_value=1.0), *steps(2, 3, 4, metric_value=2.0)]},
            {"checkpoints": [checkpoint(1, created_at=days_ago(14) + SECOND), *SHELF[1:]]},
            {"checkpoints": [checkpoint(1, of="r-0"), *SHELF[1:]]},
            {"checkpoints": [checkpoint(1, metric_value=3.0), *steps(2, 3, 4, metric_value=2.0)], "metric": "reward"},
        ),
        lacks=(
            {"checkpoints": [checkpoint(1, metric_value=3.0), *steps(2, 3, 4, metric_value=2.0)], "metric": None},
            {"checkpoints": []},
        ),
    ),
    Near(
        **of_runs("checkpoints_of_superseded_run", **{**FIRST, "status": "failed"}),
        fires=(
            {"runs": [NEXT], "checkpoints": LATER_SHELF},
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "status": "cancelled"},
            {"runs": [NEXT | {"status": "running", "ended_at": None}], "checkpoints": LATER_SHELF},
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "status": "completed"},
            {"runs": [NEXT], "checkpoints": [checkpoint(1, pinned=True), *LATER_SHELF[1:]]},
            {"runs": [NEXT | {"metric_value": 2.1}], "checkpoints": LATER_SHELF, "status": "completed"},
            {
                "runs": [NEXT | {"metric": "reward", "metric_value": 2.1}],
                "checkpoints": LATER_SHELF,
                "status": "completed",
                "metric": "reward",
            },
            {"runs": [NEXT, THIRD], "checkpoints": [*LATER_SHELF, *steps(7, of="r-3")]},
            {"runs": [NEXT, THIRD], "checkpoints": [*LATER_SHELF, *steps(7, of="r-3")], "status": "completed"},
            {"runs": [NEXT], "checkpoints": [*SHELF[:1], *LATER_SHELF[4:]]},
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "ended_at": days_ago(14), "started_at": at(10, 1)},
        ),
        spares=(
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "ended_at": days_ago(14) + SECOND},
            {"runs": [NEXT], "checkpoints": SHELF},
            {"checkpoints": SHELF},
            {"runs": [NEXT | {"experiment": "other"}], "checkpoints": LATER_SHELF},
            {"runs": [NEXT | {"metric_value": 2.2}], "checkpoints": LATER_SHELF, "status": "completed"},
            {"runs": [NEXT], "checkpoints": [*steps(1, 2, pinned=True), *LATER_SHELF[4:]]},
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "status": "running", "ended_at": None},
            {"runs": [NEXT | {"started_at": at(9, 1)}], "checkpoints": LATER_SHELF},
        ),
        lacks=(
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "status": None},
            {"runs": [NEXT], "checkpoints": LATER_SHELF, "ended_at": None},
        ),
    ),
    Near(
        "unread_data",
        around("dataset", last_used_at=days_ago(90), created_at=days_ago(300)),
        fires=(*ALWAYS_FIRES, {"kind": "bucket"}, {"last_used_at": days_ago(900)}),
        spares=(*ALWAYS_SPARED, {"last_used_at": days_ago(90) + SECOND}),
        lacks=(
            {"last_used_at": None},
            {"last_used_at": None, "others": [thing("d", "dataset", last_used_at=days_ago(1))]},
        ),
    ),
    Near(
        "cold_data",
        around("bucket", last_used_at=days_ago(30), created_at=days_ago(300), storage_class="Hot", size_gb=100.0),
        fires=(
            *ALWAYS_FIRES,
            {"storage_class": "STANDARD"},
            {"last_used_at": days_ago(90) + SECOND},
            *(
                {"others": colder(*sizes), "bills": [billed(f"cold-{at}", "1") for at in range(len(sizes))]}
                for sizes in ((2.0,), (100.0, 400.0), (0.5,), (1.0,), (0.3,))
            ),
        ),
        spares=(
            *ALWAYS_SPARED,
            {"last_used_at": days_ago(30) + SECOND},
            {"last_used_at": days_ago(90)},
            {"storage_class": "Cool"},
            {"storage_class": "GLACIER"},
            {"storage_class": "Standard_IA"},
        ),
        lacks=(
            {"last_used_at": None, "others": [thing("d", "dataset", last_used_at=days_ago(1))]},
            {"storage_class": None},
        ),
    ),
    Near(
        "superseded_endpoint",
        around(
            "endpoint",
            source_id="r-1",
            others=ENDPOINTS,
            bills=[billed("e-2", "9")],
            runs=pl.DataFrame([FIRST, NEXT], schema=RUN_COLUMNS),
        ),
        fires=(
            {},
            {"cost": "1"},
            {"created_at": days_ago(1)},
            {"kind": "inference endpoint"},
            {"runs": pl.DataFrame([FIRST, NEXT | {"ended_at": None}], schema=RUN_COLUMNS)},
        ),
        spares=(
            {"source_id": "r-2"},
            {"cost": "0.99"},
            {"state": "deleted"},
            {"bills": []},
            {"others": [ENDPOINTS[0] | {"created_at": days_ago(14) + SECOND}]},
            {"bill": {"project": "vega"}},
            {"bill": {"stage": "evaluation"}},
        ),
        lacks=({"source_id": None}, {"source_id": "nobody"}),
    ),
    Near(
        **of_runs("low_mfu", mfu=0.299),
        fires=({}, {"mfu": 0.01}, {"stage": "sft"}, {"ended_at": None, "status": "running"}, {"ended_at": at(11, 2)}),
        spares=(
            {"mfu": 0.3},
            {"mfu": 0.5},
            {"mfu": 0.0},
            {"stage": "grpo"},
            {"ended_at": at(11, 2) - SECOND},
            {"started_at": at(10, 1), "ended_at": days_ago(31)},
            {"stage": "evaluation"},
        ),
        lacks=({"mfu": None}, {"stage": None, "bills": []}),
    ),
    Near(
        **of_runs("oversized_cluster", gpus=8.0, tokens=749),
        fires=tuple(
            {"runs": [run("r-0", gpus=4.0, tokens=tokens, **more)], **mine}
            for tokens, more, mine in (
                (500, {}, {}),
                (5000, {}, {}),
                (500, {"started_at": at(8, 1), "ended_at": at(8, 3)}, {}),
                (500, {}, {"ended_at": None, "status": "running", "tokens": 3500}),
                (500, {"status": "failed"}, {}),
                (250, {"ended_at": at(11, 2)}, {}),
            )
        ),
        spares=(
            {"runs": [run("r-0", gpus=4.0, tokens=500)], "tokens": 750},
            {"runs": [run("r-0", gpus=8.0, tokens=5000)]},
            {"runs": [run("r-0", gpus=16.0, tokens=5000)]},
            {"runs": [run("r-0", gpus=0.0, tokens=500)]},
            {"runs": [run("r-0", gpus=4.0, tokens=0)]},
            {"runs": [run("r-0", gpus=4.0, tokens=500, experiment="x")]},
            {"runs": [run("r-0", gpus=4.0, tokens=500, ended_at=at(11, 1, 23))]},
            {},
        ),
        lacks=(
            {"tokens": None, "runs": [run("r-0", gpus=4.0, tokens=5)]},
            {"gpus": None, "runs": [run("r-0", gpus=4.0, tokens=5)]},
        ),
    ),
    Near(
        **of_runs("debug_logging", log_level="DEBUG"),
        fires=tuple(
            {"own": {"log_level": pl.String()}, **more}
            for more in (
                {},
                {"log_level": " trace"},
                {"log_level": "10"},
                {"ended_at": at(11, 2)},
                {"ended_at": None, "status": "running"},
            )
        ),
        spares=tuple(
            {"own": {"log_level": pl.String()}, **more}
            for more in (
                {"log_level": "info"},
                {"log_level": "WARNING"},
                {"ended_at": at(11, 2) - SECOND},
                {"log_level": "20"},
                {"started_at": at(10, 1), "ended_at": days_ago(31)},
            )
        ),
        lacks=tuple(
            {"own": {"log_level": pl.String()}, **more}
            for more in ({"log_level": None}, {"log_level": None, "ended_at": None})
        ),
    ),
    Near(
        **of_runs(
            "tag_of_ended_project", project="Orion", started_at=at(9, 1), ended_at=datetime(2026, 10, 11, tzinfo=UTC)
        ),
        subject="project=orion",
        fires=(
            {},
            {"status": "failed"},
            {"ended_at": at(9, 2)},
            {"bills": BILLS[:1]},
            {"runs": [run("x", project="vega")]},
        ),
        spares=(
            {"ended_at": at(10, 12)},
            {"ended_at": None},
            {"runs": [run("x", project="orion")]},
            {"bills": []},
            {"bills": [billed("n-1", "9", date(2026, 9, 1))]},
            {"project": "vega"},
        ),
        lacks=({"project": None}, {"project": None, "ended_at": None}),
    ),
)


def test_every_detector_has_its_cases() -> None:
    for one in TRAINING:
        assert min(len(one.fires), len(one.spares)) >= FEWEST, one.kind


def test_a_failed_run_costs_its_share_of_paid_gpu_time_and_tells_what_no_checkpoint_saved() -> None:
    # 48 hours of 8 GPUs, of a machine of 8 at 1 USD an hour; the checkpoint came after half of it.
    half = steps(1, created_at=at(11, 2))
    (row,) = findings_of(world(runs=[run(status="failed")], checkpoints=half), "failed_run")
    assert (row["cost_at_stake"], row["saving"], row["owner"]) == (Decimal(48), None, "lin")
    assert row["evidence"] == (
        "Run failed on 2026-11-03 after 384 GPU-hours, 48.00 USD; lost since its last checkpoint on 2026-11-02: "
        "192 GPU-hours, 24.00 USD."
    )
    (row,) = findings_of(world(runs=[run(status="failed", gpus=4.0)]), "failed_run")
    assert row["cost_at_stake"] == Decimal(24)


@pytest.mark.parametrize(("costs_say", "run_says"), [("Straße 1", "STRASSE-1"), ("ΟΔΟΣ", "οδος")])
def test_a_run_is_priced_however_its_experiment_is_spelled(costs_say: str, run_says: str) -> None:
    bills = [bill | {"experiment": costs_say} for bill in BILLS]
    (row,) = findings_of(world(runs=[run(status="failed", experiment=run_says)], bills=bills), "failed_run")
    assert (row["cost_at_stake"], row["owner"]) == (Decimal(48), "lin")


def test_runs_that_overlap_share_what_was_paid_and_no_more() -> None:
    rows = [run(f"r-{n}", status="failed", ended_at=at(11, 9)) for n in range(3)]
    found = findings_of(world(runs=rows), "failed_run")
    assert [row["cost_at_stake"] for row in found] == [Decimal(64)] * 3  # 192 USD of November, a third each


def test_a_run_over_two_months_is_priced_by_each() -> None:
    dear = (BILLS[0], BILLS[1] | {"EffectiveCost": Decimal(384)})
    (row,) = findings_of(world(runs=[run(status="failed", started_at=at(10, 31))], bills=dear), "failed_run")
    assert row["cost_at_stake"] == Decimal(24 + 2 * 48)


def test_checkpoints_cost_their_share_of_the_bucket() -> None:
    shelf = [*SHELF, checkpoint(5, of="r-2", size_bytes=6 * 10**9)]
    (row,) = findings_of(world(runs=[run()], checkpoints=shelf), "checkpoints_beyond_retention")
    assert (row["subject"], row["cost_at_stake"], row["saving"]) == ("r-1", Decimal(10), Decimal(10))
    assert "1 of 4 checkpoints of r-1" in row["evidence"]


def test_checkpoints_without_a_run_are_their_experiments() -> None:
    shelf = steps(1, 2, 3, 4, of=None)
    (row,) = findings_of(world(checkpoints=shelf), "checkpoints_beyond_retention")
    assert (row["subject"], row["cost_at_stake"]) == ("exp_1", Decimal(25))


def test_a_waiting_queue_costs_the_empty_hours() -> None:
    (row,) = findings_of(world(jobs=gap(30)), "waiting_queue")
    assert row["cost_at_stake"] == Decimal(30)


def test_a_queue_waits_for_a_job_that_began_before_the_window() -> None:
    first, second = gap(30)
    (row,) = findings_of(world(jobs=[first | {"start": at(10, 1)}, second]), "waiting_queue")
    assert row["cost_at_stake"] == Decimal(30)


@pytest.mark.parametrize("kind", ["low_mfu", "oversized_cluster"])
def test_a_run_that_is_over_since_when_does_not_go_on(kind: str) -> None:
    long = {"started_at": at(11, 1), "ended_at": None, "mfu": 0.1, "tokens": 9.0}
    few = run("r-0", gpus=1.0, tokens=1e9, started_at=at(10, 1), ended_at=at(10, 9))
    assert findings_of(world(runs=[few, run(status="running", **long)]), kind)
    assert not findings_of(world(runs=[few, run(status="completed", **long)]), kind)


def test_cold_storage_is_priced_by_the_same_bills() -> None:
    cold = thing("c", "bucket", storage_class="archive", size_gb=1000.0, created_at=days_ago(300))
    make = around(
        "bucket", last_used_at=days_ago(40), created_at=days_ago(300), storage_class="hot", size_gb=100.0,
        others=[cold], bills=[billed("c", "800")],
    )  # fmt: skip
    (row,) = findings_of(make(), "cold_data")
    assert (row["cost_at_stake"], row["saving"]) == (Decimal(320), Decimal(240))


def test_the_clock_of_these_cases_is_what_they_say() -> None:
    assert (AS_OF, days_ago(31)) == (at(11, 10, 12), at(10, 10, 12))


def partition(*jobs: dict[str, Any], handed_back: bool = False) -> list[dict[str, Any]]:
    """What is said of partition big, of two nodes that are billed all the time; n-2 is handed back where it is said."""
    bills = (*BILLS, *(one | {"ResourceId": "n-2"} for one in (billed_to(date(2026, 11, 6)) if handed_back else BILLS)))
    ends = job("o", resource_id="n-3", start=ENDS, end=ENDS)
    return findings_of(world(jobs=[*jobs, ends], bills=bills), "empty_partition")


def test_a_partition_rests_since_the_last_job_of_any_of_its_nodes() -> None:
    one = job("a", start=at(10, 5), end=at(11, 2), partition="big")
    old = job("b", resource_id="n-2", start=at(10, 5), end=at(10, 20), partition="big")
    (row,) = partition(one, old)
    assert row["evidence"].startswith("2 nodes without a job since 2026-11-02, 7 days; billed ")
    assert partition(one, old | {"end": at(11, 3)}) == [], "one of them worked lately"
    assert partition(one, old | {"end": None}) == [], "or still does"
    (kept,) = partition(one, old, handed_back=True)
    assert kept["evidence"].startswith("2 nodes without a job since 2026-11-02, 7 days")
