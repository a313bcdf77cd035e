"""Labels of runs: what became of them, whether they were done before, evaluated, fast and rightly sized."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from label_shapes import Row, each, run
from label_world import Expected, World
from labels_bill import LOGS, of

Case = tuple[Row, dict[str, Any], Expected]
SUM = {"waste": {"october": "1.00"}, "near": {"october": "0.99"}}
"""Two days of a machine that nothing else used."""


def _when(hour: str, **row: str) -> list[Case]:
    """The last 31 days begin on 10 October: what ended then counts, a day before does not."""
    return [
        (row | {"start": "2026-10-07T00:00:00Z", "end": f"2026-10-10T{hour}:00:00Z"}, {}, "waste"),
        (row | {"start": "2026-10-06T00:00:00Z", "end": f"2026-10-09T{hour}:00:00Z"}, {}, "near"),
        (row, SUM["waste"], "waste"), (row, SUM["near"], "near"), (row, {"a_day": "500"}, "waste"),
    ]  # fmt: skip


def ended(w: World) -> None:
    """Runs that came to nothing, by their status."""
    for kind, words, others in (
        ("failed_run", ["failed", "out_of_memory", "node_fail", "preempted"], ["completed", "cancelled", "timeout"]),
        ("cancelled_run", ["cancelled", "CANCELLED by 1004"], ["completed", "failed", "timeout"]),
        ("timed_out_run", ["timeout", "TIMEOUT"], ["completed", "failed", "cancelled"]),
    ):
        cases: list[Case] = [({"status": word}, {}, "waste") for word in words]
        cases += [({"status": word}, {}, "near") for word in others]
        cases += [({"status": "running", "end": ""}, {}, "near"), ({"status": words[0], "end": ""}, {}, "missing")]
        cases += [({"status": ""}, {}, "missing"), *_when("12", status=words[0])]
        for row, machine, expected in cases:
            one = run(w, machine=machine, **row)
            for other in ("failed_run", "cancelled_run", "timed_out_run"):
                w.say(other, one, "allowed", "labelled by its own detector")
            each(w, kind, one, expected, (row, machine))


def twice(w: World) -> None:
    """The same work a second time; the window of 92 days begins on 10 August."""
    cases: list[tuple[Row, Row, dict[str, Any], Expected]] = [
        ({}, {}, {}, "waste"), ({}, {}, SUM["waste"], "waste"), ({}, {}, {"a_day": "700"}, "waste"),
        ({}, {"start": "2026-08-09T00:00:00Z", "end": "2026-08-10T12:00:00Z"}, {}, "waste"),
        ({}, {"end": "2026-10-10T12:00:00Z"}, {}, "waste"), ({}, {"config_hash": "other"}, {}, "near"),
        ({}, {"data_hash": "other"}, {}, "near"), ({"status": "failed"}, {}, {}, "near"),
        ({}, {"status": "failed"}, {}, "near"),
        ({}, {"start": "2026-08-08T00:00:00Z", "end": "2026-08-09T12:00:00Z"}, {}, "near"),
        ({}, {}, SUM["near"], "near"),
        ({"data_hash": ""}, {"data_hash": ""}, {}, "missing"),
    ]  # fmt: skip
    training: list[tuple[Row, Row, dict[str, Any], Expected]] = [
        ({}, {"experiment": "another"}, {}, "near"), ({"config_hash": ""}, {"config_hash": ""}, {}, "missing"),
        ({"stage": "tokenizer"}, {"stage": "tokenizer"}, {}, "near"), ({"stage": "sft"}, {"stage": "sft"}, {}, "waste"),
    ]  # fmt: skip
    data: list[tuple[Row, Row, dict[str, Any], Expected]] = [
        ({}, {"experiment": "another"}, {}, "waste"), ({"stage": "tokenizer"}, {"stage": "tokenizer"}, {}, "waste"),
        ({"stage": "data-acquisition"}, {"stage": "data-acquisition"}, {}, "waste"),
        ({"config_hash": "", "algorithm": "minhash"}, {"config_hash": "", "algorithm": "minhash"}, {}, "waste"),
        ({"config_hash": "", "algorithm": "minhash"}, {"config_hash": "", "algorithm": "exact"}, {}, "near"),
        ({"stage": "evaluation"}, {"stage": "evaluation"}, {}, "near"),
        ({"config_hash": ""}, {"config_hash": ""}, {}, "missing"),
    ]  # fmt: skip
    for kind, stage, more in (
        ("duplicate_run", "pretraining", training),
        ("data_work_repeated", "data-processing", data),
    ):
        for first, second, machine, expected in cases + more:
            same = {"stage": stage, "experiment": w.new("exp"), "config_hash": w.new("c"), "data_hash": w.new("d")}
            other = {"experiment": w.new("exp")} if "experiment" in second else {}
            start = {"start": "2026-08-02T00:00:00Z", "end": "2026-08-04T00:00:00Z"}
            early = run(w, **same | start | first)
            late = run(w, machine=machine, **same | second | other)
            for one in (early, late):
                for also in ("failed_run", "duplicate_run", "data_work_repeated"):
                    w.say(also, one, "near" if one == early and also == kind else "allowed", "the first of two")
            each(w, kind, late, expected, (kind, first, second, machine))


def unproved(w: World) -> None:
    """Experiments that ended 14 to 92 days ago and were never evaluated; each has a project of its own."""
    end, none = {"end": "2026-10-20T00:00:00Z", "start": "2026-10-18T00:00:00Z"}, {"metric_value": ""}
    after: Row = {"stage": "evaluation", "start": "2026-10-21T00:00:00Z", "end": "2026-10-22T00:00:00Z"}
    cases: list[tuple[list[Row], dict[str, Any], Expected]] = [
        ([{}], {}, "waste"), ([{"start": "2026-10-25T00:00:00Z", "end": "2026-10-27T00:00:00Z"}], {}, "waste"),
        ([{"start": "2026-08-09T00:00:00Z", "end": "2026-08-11T00:00:00Z"}], {}, "waste"),
        ([{}], SUM["waste"], "waste"),
        ([{"status": "failed"}, {}], {}, "waste"),
        ([{}, after | {"start": "2026-09-01T00:00:00Z", "end": "2026-09-02T00:00:00Z"}], {}, "waste"),
        ([{"start": "2026-10-25T00:00:00Z", "end": "2026-10-28T00:00:00Z"}], {}, "near"),
        ([{"start": "2026-08-08T00:00:00Z", "end": "2026-08-10T00:00:00Z"}], {}, "near"),
        ([{"metric_value": "2.2"}], {}, "near"), ([{}, {"metric_value": "2.2"}], {}, "near"), ([{}, after], {}, "near"),
        ([{}, {"end": "", "status": "running"}], {}, "near"), ([{"status": "failed"}], {}, "near"),
        ([{"checkpoint": "2.3"}], {}, "near"), ([{}], SUM["near"], "near"),
        ([{"end": ""}], {}, "undetermined"), ([{"status": ""}], {}, "missing"),
    ]  # fmt: skip
    for runs, machine, expected in cases:
        experiment, project = w.new("exp"), w.new("proj")
        for row in runs:
            apart = {"experiment": w.new("exp")} if row.get("stage") == "evaluation" else {"experiment": experiment}
            columns = {key: value for key, value in (end | none | row).items() if key != "checkpoint"}
            one = run(w, machine=machine, project=project, **apart | columns)
            w.say("failed_run", one, "allowed", "labelled by its own detector")
            if "experiment" in apart and row.get("stage") == "evaluation":
                w.say("experiment_without_evaluation", apart["experiment"], "allowed", "an evaluation itself")
            if "checkpoint" in row:
                w.put("checkpoints", uri=f"s3://x/{one}", experiment=experiment, run_id=one, step="9",
                 size_bytes="1000",
                      created_at="2026-10-19T00:00:00Z", metric_value=row["checkpoint"], resource_id="",
                       pinned="")  # fmt: skip
        w.say("tag_of_ended_project", f"project={project}", "allowed", "labelled with the inventory")
        each(w, "experiment_without_evaluation", experiment, expected, (runs, machine))


def long_runs(w: World) -> None:
    """Low MFU and debug logging: runs of a day or longer, going on or ended in 31 days."""
    for kind, bad, good, shared in (
        ("low_mfu", {"mfu": "0.29"}, [{"mfu": "0.30"}, {"mfu": "0.29", "stage": "evaluation"}, {"mfu": "0.41"}], "mfu"),
        ("debug_logging", {"log_level": "debug"}, [{"log_level": "info"}, {"log_level": "warning"},
         {"log_level": "error"}],
         "log_level"),
    ):  # fmt: skip
        more = [{"log_level": "trace"}, {"log_level": "verbose"},
         {"log_level": "DEBUG"}] if shared == "log_level" else [
            {"mfu": "0.299", "stage": stage} for stage in ("continued-pretraining", "sft", "distillation")]  # fmt: skip
        cases: list[Case] = [(bad | row, {}, "waste") for row in more] + [(row, {}, "near") for row in good]
        cases += [
            (bad, {}, "waste"), (bad | {"end": "", "status": "running"}, {}, "waste"), *_when("12", **bad),
            (bad | {"end": "2026-10-11T00:00:00Z"}, {}, "waste"), (bad | {"end": "2026-10-10T23:00:00Z"}, {}, "near"),
            ({shared: ""}, {}, "undetermined" if shared == "log_level" else "missing"),
            (bad | {"end": "", "status": "completed"}, {}, "missing"),
        ]  # fmt: skip
        for row, machine, expected in cases:
            own = row | {"experiment": w.new("exp")}
            if kind == "debug_logging":  # at stake is what the experiment pays for logs
                tags, paid = of("orion", experiment=own["experiment"]), machine or {"a_day": "2"}
                w.bill(w.new("log"), LOGS, tags=tags, **paid)
            each(w, kind, run(w, machine=machine, **own), expected, (row, machine))


def too_many(w: World) -> None:
    """Tokens an hour and GPU of a run on 16 GPUs, of the 1,000 that a run of its experiment saw on 8 in September."""
    october, september = "2026-10-11T00:00:00Z", "2026-09-11T00:00:00Z"
    sixteen: dict[str, Any] = {"gpus": "16"}
    cases: list[tuple[str, Row, Row, dict[str, Any], Expected]] = [
        ("749", {}, {}, {}, "waste"), ("300", {}, {}, {}, "waste"), ("749", {}, {}, {"a_day": "900"}, "waste"),
        ("749", {}, {}, sixteen | SUM["waste"], "waste"), ("500", {}, {"end": "2026-09-12T00:00:00Z"}, {}, "waste"),
        ("749", {"start": "2026-10-07T12:00:00Z", "end": "2026-10-10T12:00:00Z"}, {}, {}, "waste"),
        ("750", {}, {}, {}, "near"), ("1000", {}, {}, {}, "near"),
        ("749", {"end": "2026-10-10T23:00:00Z"}, {}, {}, "near"),
        ("749", {}, {"end": "2026-09-10T23:00:00Z"}, {}, "near"), ("749", {}, {"experiment": "another"}, {}, "near"),
        ("749", {}, {"gpus": "16"}, {}, "near"),
        ("749", {"start": "2026-10-06T12:00:00Z", "end": "2026-10-09T12:00:00Z"}, {}, {}, "near"),
        ("749", {}, {}, sixteen | SUM["near"], "near"), ("", {}, {}, {}, "undetermined"),
        ("749", {}, {"tokens": ""}, {}, "undetermined"), ("", {}, {"tokens": ""}, {}, "missing"),
        ("749", {"gpus": ""}, {}, {}, "undetermined"),
    ]  # fmt: skip
    for pace, row, other, machine, expected in cases:
        experiment = w.new("exp")
        big = {"start": "2026-10-10T00:00:00Z", "end": october} | row
        small = {"start": "2026-09-10T00:00:00Z", "end": september, "gpus": "8"} | other
        small |= {"experiment": w.new("exp") if "experiment" in other else experiment}
        run(w, **{"tokens": str(1000 * int(small["gpus"]) * _hours(small))} | small)
        tokens = str(int(pace) * 16 * _hours(big)) if pace else ""
        one = run(w, machine=machine, experiment=experiment, **{"gpus": "16", "tokens": tokens} | big)
        each(w, "oversized_cluster", one, expected, (pace, row, other, machine))


def _hours(row: Row) -> int:
    start, end = (datetime.fromisoformat(row[name]) for name in ("start", "end"))
    return int((end - start).total_seconds()) // 3600


GROUPS: tuple[Any, ...] = (ended, twice, unproved, long_runs, too_many)
