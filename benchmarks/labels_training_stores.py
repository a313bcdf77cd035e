"""Labels of what training leaves behind: checkpoints, data nobody reads, endpoints of former models."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from label_shapes import DATASET, How, Row, ago, each, run, thing
from labels_bill import BUCKET, REQUESTS, SEPTEMBER_END, VOLUME, of
from labels_inventory import SERVING

if TYPE_CHECKING:
    from label_world import Expected, World

KINDS = ("checkpoints_beyond_retention", "checkpoints_of_superseded_run")
COLD = DATASET.replace("StorageHot", "StorageArchive")


def _bucket(w: World, how: How) -> str:
    one = w.new("bkt")
    w.bill(one, BUCKET, **{"a_day": "30", "tags": of("orion")} | (how or {}))
    w.bill(one, REQUESTS, "0", "5", tags=of("orion"))
    return one


def _keep(w: World, of_run: tuple[str, str], bucket: str, step: int, **columns: str) -> None:
    one, experiment = of_run
    w.put(
        "checkpoints",
        uri=f"s3://{bucket}/{one}/{step}",
        experiment=experiment,
        run_id=one,
        step=str(step),
        resource_id=bucket,
        **{"size_bytes": "1000", "created_at": ago(40), "metric_value": "", "pinned": ""} | columns,
    )


def retention(w: World) -> None:
    """Values by step; the last three, the best and the pinned stay, so that one of five is too many."""
    cases: list[tuple[list[str], Row, Row, How, Expected]] = [
        (["1", "5", "4", "3", "2"], {}, {}, {}, "waste"), (["5", "4", "3", "2"], {}, {}, {}, "waste"),
        (["1", "2", "9", "4", "3", "2"], {"metric": "reward"}, {"pinned": "0"}, {}, "waste"),
        (["1", "5", "4", "3", "2"], {}, {"created_at": ago(14)}, {}, "waste"),
        (["1", "5", "4", "3", "2"], {}, {}, {"october": "5.00"}, "waste"),
        (["9", "8", "7", "6", "5", "4"], {}, {}, {}, "waste"),
        (["1", "4", "3", "2"], {}, {}, {}, "near"), (["3", "2", "1"], {}, {}, {}, "near"),
        (["9", "2", "3", "4"], {"metric": "reward"}, {}, {}, "near"),
        (["1", "5", "4", "3", "2"], {}, {"pinned": "1"}, {}, "near"),
        (["1", "5", "4", "3", "2"], {}, {"created_at": ago(13)}, {}, "near"),
        (["1", "5", "4", "3", "2"], {}, {}, {"october": "4.95"}, "near"),
        (["1", "5", "4", "3", "2"], {}, {}, {"last": SEPTEMBER_END}, "near"),
        (["1", "5", "4", "3", "2"], {}, {"created_at": ""}, {}, "missing"),
    ]  # fmt: skip
    for values, columns, second, how, expected in cases:
        experiment, bucket = w.new("exp"), _bucket(w, how)
        one = run(w, experiment=experiment, **columns)
        for n, value in enumerate(values):
            more = {"pinned": "true" if second["pinned"] == str(n) else ""} if "pinned" in second else second
            _keep(w, (one, experiment), bucket, n, metric_value=value, **more)
        each(w, KINDS[0], one, expected, (values, columns, second, how))


def superseded(w: World) -> None:
    """A run with two checkpoints that retention keeps, and a later one beside it. 27 October is fourteen days ago."""
    later: Row = {"start": "2026-10-28T00:00:00Z", "end": "2026-10-30T00:00:00Z"}
    cases: list[tuple[Row, Row | None, Row, How, Expected]] = [
        ({"status": "failed"}, {}, {}, {}, "waste"), ({"status": "cancelled"}, {}, {}, {}, "waste"),
        ({"status": "timeout"}, {}, {}, {}, "waste"), ({}, {"metric_value": "2.0"}, {}, {}, "waste"),
        ({}, {"metric_value": "2.1"}, {}, {}, "waste"),
        ({"metric": "reward"}, {"metric": "reward", "metric_value": "2.2"}, {}, {}, "waste"),
        ({"status": "failed"}, {}, {}, {"october": "2.00"}, "waste"),
        ({"status": "failed", "start": "2026-10-25T00:00:00Z", "end": "2026-10-27T00:00:00Z"}, {}, {}, {}, "waste"),
        ({"status": "failed", "start": "2026-10-25T00:00:00Z", "end": "2026-10-28T00:00:00Z"}, {}, {}, {}, "near"),
        ({"status": "failed"}, {"none": "yes"}, {}, {}, "near"), ({"status": "failed"}, None, {}, {}, "near"),
        ({}, {"metric_value": "2.2"}, {}, {}, "near"),
        ({}, {"status": "running", "end": "", "metric_value": "1.0"}, {}, {}, "near"),
        ({"status": "failed"}, {}, {"pinned": "true"}, {}, "near"),
        ({"status": "failed"}, {}, {}, {"october": "1.98"}, "near"),
        ({"metric_value": ""}, {"metric_value": "2.0"}, {}, {}, "undetermined"),
        ({}, {"metric_value": ""}, {}, {}, "undetermined"),
        ({"metric_value": ""}, {"metric_value": ""}, {}, {}, "missing"),
        ({"status": "failed", "end": ""}, {}, {}, {}, "undetermined"),
    ]  # fmt: skip
    for row, other, second, how, expected in cases:
        experiment, bucket = w.new("exp"), _bucket(w, how)
        one = run(w, experiment=experiment, **row)
        for n in range(2):
            _keep(w, (one, experiment), bucket, n, metric_value=str(3 - n), **second)
        if other is not None:
            columns = {key: value for key, value in (later | other).items() if key != "none"}
            new = run(w, experiment=experiment, **columns)
            if "none" not in other:
                for n in range(2):
                    _keep(w, (new, experiment), bucket, n, metric_value=str(3 - n))
        for kind in ("failed_run", "cancelled_run", "timed_out_run"):
            w.say(kind, one, "allowed", "labelled by its own detector")
        each(w, KINDS[1], one, expected, (row, other, second, how))


def data(w: World) -> None:
    """Data last read 30 and 90 days ago: on 11 October, and on 12 August."""
    hot, cold = {"storage_class": "hot"}, {"storage_class": "archive"}
    for n in range(2):
        thing(w, "ds", "dataset", COLD, cold | {"state": "available", "created_at": ago(200), "last_used_at": ago(3),
                                                "size_gb": "5000"}, {"a_day": f"0.{n + 1}"})  # fmt: skip
    cases: list[tuple[str, str, str, Row, How, Expected]] = [
        ("unread_data", "dataset", ago(90), cold, {}, "waste"), ("unread_data", "dataset", ago(91), hot, {}, "waste"),
        ("unread_data", "intermediate", ago(120), cold, {}, "waste"),
        ("unread_data", "bucket", ago(190), hot, {}, "waste"),
        ("unread_data", "dataset", ago(150), hot, {"october": "1.00"}, "waste"),
        ("unread_data", "dataset", ago(150), hot, {"a_day": "400"}, "waste"),
        ("unread_data", "dataset", ago(89), cold, {}, "near"), ("unread_data", "dataset", ago(1), hot, {}, "near"),
        ("unread_data", "dataset", ago(150), hot, {"october": "0.99"}, "near"),
        ("unread_data", "volume", ago(150), hot, {}, "near"),
        ("unread_data", "dataset", ago(150), hot, {"last": SEPTEMBER_END}, "near"),
        ("unread_data", "dataset", "", hot, {}, "missing"),
        ("cold_data", "dataset", ago(30), hot, {}, "waste"), ("cold_data", "dataset", ago(89), hot, {}, "waste"),
        ("cold_data", "bucket", ago(60), hot, {}, "waste"),
        ("cold_data", "dataset", ago(50), hot, {"october": "1.00"}, "waste"),
        ("cold_data", "dataset", ago(45), {"storage_class": "STANDARD"}, {"a_day": "80"}, "waste"),
        ("cold_data", "dataset", ago(29), hot, {}, "near"), ("cold_data", "dataset", ago(90), hot, {}, "near"),
        ("cold_data", "dataset", ago(50), cold, {}, "near"),
        ("cold_data", "dataset", ago(50), {"storage_class": "cool"}, {}, "near"),
        ("cold_data", "dataset", ago(50), hot, {"october": "0.99"}, "near"),
        ("cold_data", "dataset", "", hot, {}, "missing"),
        ("cold_data", "dataset", ago(50), {"storage_class": ""}, {}, "undetermined"),
        ("cold_data", "dataset", ago(3), {"storage_class": ""}, {}, "near"),
    ]  # fmt: skip
    for kind, resource_type, read, row, how, expected in cases:
        attached = (
            {"attached_to": "i-elsewhere", "state": "in-use"} if resource_type == "volume" else {"state": "available"}
        )
        listed = row | attached | {"created_at": ago(200), "last_used_at": read, "size_gb": "500"}
        meter = {"volume": VOLUME, "bucket": BUCKET}.get(resource_type, DATASET)
        one = thing(w, "ds", resource_type, meter, listed, how, use=REQUESTS if resource_type == "bucket" else "")
        for other in ("unread_data", "cold_data"):
            w.say(other, one, "allowed", "labelled by its own detector")
        each(w, kind, one, expected, (resource_type, read, row, how))


def endpoints(w: World) -> None:
    """The endpoint of a former run, and one of a later run that has been there for fourteen days."""
    cases: list[tuple[Row, Row, How, Expected]] = [
        ({}, {}, {}, "waste"), ({}, {"created_at": ago(14)}, {}, "waste"), ({}, {"created_at": ago(90)}, {}, "waste"),
        ({}, {}, {"october": "1.00"}, "waste"), ({}, {}, {"a_day": "90"}, "waste"),
        ({}, {"created_at": ago(13)}, {}, "near"), ({}, {"project": "other"}, {}, "near"),
        ({}, {"stage": "evaluation"}, {}, "near"),
        ({}, {"source": "same"}, {}, "near"), ({}, {}, {"october": "0.99"}, "near"),
        ({}, {}, {"last": SEPTEMBER_END}, "near"),
        ({"source": ""}, {}, {}, "missing"), ({"source": "unknown"}, {}, {}, "missing"),
        ({}, {"source": ""}, {}, "missing"),
    ]  # fmt: skip
    for older, newer, how, expected in cases:
        project = w.new("proj")
        runs = [
            run(w, start=f"2026-08-{day}T00:00:00Z", end=f"2026-08-{day + 2}T00:00:00Z", project=project)
            for day in (10, 20)
        ]
        sources = {"same": runs[0], "": "", "unknown": "run-unknown"}
        born = {"state": "running", "created_at": ago(60)}
        old = thing(w, "ep", "endpoint", SERVING, born | {"source_id": sources.get(older.get("source", "-"), runs[0])},
                    {"tags": of(project, stage="serving")} | (how or {}))  # fmt: skip
        of_newer = of(w.new("proj") if "project" in newer else project, stage=newer.get("stage", "serving"))
        new = thing(w, "ep", "endpoint", SERVING, born | {"created_at": newer.get("created_at", ago(30)),
                    "source_id": sources.get(newer.get("source", "-"), runs[1])},
                    {"tags": of_newer, "first": date(2026, 9, 1)})  # fmt: skip
        w.say("superseded_endpoint", new, "near", "the later of the two")
        w.say("tag_of_ended_project", f"project={project}", "allowed", "labelled with the inventory")
        each(w, "superseded_endpoint", old, expected, (older, newer, how))


GROUPS: tuple[Any, ...] = (retention, superseded, data, endpoints)
