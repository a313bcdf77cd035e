"""Labels of jobs and their nodes. The list of jobs ends on 8 November, 00:00, with the job of `the_end`."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from label_shapes import Row, each, job, measure, node, run
from labels_bill import SEPTEMBER_END

if TYPE_CHECKING:
    from label_world import Expected, World

TWO_DAYS: dict[str, Any] = {"first": date(2026, 10, 10), "last": date(2026, 10, 11)}
START, END = "2026-10-10T00:00:00Z", "2026-10-12T00:00:00Z"


def the_end(w: World) -> None:
    """The last thing that the list of jobs tells."""
    one = node(w)
    job(w, one, "2026-08-01T00:00:00Z", "2026-11-08T00:00:00Z")


def failed(w: World) -> None:
    """Jobs that came to nothing, alone on a node that is billed for two days."""
    cases: list[tuple[str, Row, dict[str, Any], Expected]] = [
        *((state, {}, {}, "waste") for state in
          ("FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "CANCELLED", "PREEMPTED")),
        ("FAILED", {"start": "2026-10-07T00:00:00Z", "end": "2026-10-10T12:00:00Z"}, {"first": date(2026, 10, 7)},
         "waste"),
        ("FAILED", {}, {"october": "1.00"}, "waste"), ("COMPLETED", {}, {}, "near"),
        ("RUNNING", {"end": ""}, {}, "near"),
        ("FAILED", {"gpus": "0"}, {}, "near"), ("FAILED", {}, {"october": "0.99"}, "near"),
        ("FAILED", {"start": "2026-10-06T00:00:00Z", "end": "2026-10-09T12:00:00Z"}, {"first": date(2026, 10, 6)},
         "near"),
        ("FAILED", {"run": "failed"}, {}, "near"),
        ("FAILED", {"run": "failed", "began": "2026-10-20T00:00:00Z", "ended": "2026-10-22T00:00:00Z"}, {}, "near"),
        ("FAILED", {"end": ""}, {}, "missing"), ("", {}, {}, "missing"),
    ]  # fmt: skip
    for state, row, how, expected in cases:
        on, experiment = node(w, **TWO_DAYS | how), w.new("exp")
        start, end = row.get("start", START), row.get("end", END)
        more = {key: value for key, value in row.items() if key == "gpus"}
        one = job(w, on, start, end, state, experiment=experiment, **more)
        if "run" in row:
            told = run(w, start=row.get("began", START), end=row.get("ended", END), experiment=experiment,
                       status=row["run"])  # fmt: skip
            w.say("failed_run", told, "allowed", "it tells of the job")
        each(w, "failed_job", one, expected, (state, row, how))


def loops(w: World) -> None:
    """Jobs of one name that fail soon and start again, half an hour each unless told otherwise."""
    three = [("20T00:00", "20T00:30"), ("20T12:00", "20T12:30"), ("20T23:29", "20T23:59")]
    four = [*three[:2], ("20T14:00", "20T14:30"), three[2]]
    cases: list[tuple[list[tuple[str, str]], Row, str, Expected]] = [
        (three, {}, "80", "waste"), ([("20T00:00", "20T00:59"), *three[1:]], {}, "80", "waste"),
        ([*three, ("21T08:00", "21T08:30")], {}, "80", "waste"), (three, {"state": "TIMEOUT"}, "80", "waste"),
        ([("20T01:00", "20T01:01"), ("20T01:02", "20T01:03"), ("20T01:04", "20T01:50")],
                                        {}, "900", "waste"),
        (three[:2], {}, "80", "near"), ([("20T00:00", "20T01:00"), *three[1:]], {}, "80", "near"),
        ([*three[:2], ("21T00:31", "21T01:01")], {}, "80", "near"), (three, {"name": "two"}, "80", "near"),
        (three, {"owner": "two"}, "80", "near"), (three, {"state": "COMPLETED"}, "80", "near"),
        (four, {}, "11.88", "near"),
        (three, {"month": "2026-09"}, "80", "near"), (four, {}, "12.00", "waste"),
        (three, {"name": ""}, "80", "missing"),
    ]  # fmt: skip
    for times, row, a_day, expected in cases:
        on = node(w, a_day=a_day, last=date(2026, 10, 22))
        name, owner = w.new("name"), w.new("person")
        for n, (start, end) in enumerate(times):
            month = row.get("month", "2026-10")
            other = {"name": "" if row.get("name") == "" else f"{name}b" if n == 1 and "name" in row else name,
                     "owner": f"{owner}b" if n == 1 and "owner" in row else owner}  # fmt: skip
            job(w, on, f"{month}-{start}:00Z", f"{month}-{end}:00Z", row.get("state", "FAILED"), **other)
        each(w, "restart_loop", name, expected, (times, row, a_day))


def idle_nodes(w: World) -> None:
    """Nodes and partitions without a job for the last seven days of the list."""
    cases: list[tuple[list[tuple[str, str]], dict[str, Any], Expected]] = [
        ([("", "2026-11-01T00:00:00Z")], {}, "waste"), ([("", "2026-10-12T00:00:00Z")], {}, "waste"),
        ([("", "2026-10-12T00:00:00Z"), ("", "2026-10-31T00:00:00Z")], {}, "waste"),
        ([("", "2026-10-20T00:00:00Z")], {"october": "1.00"}, "waste"),
        ([("", "2026-10-20T00:00:00Z")], {"a_day": "700"}, "waste"),
        ([("", "2026-11-01T01:00:00Z")], {}, "near"), ([("", "2026-11-07T00:00:00Z")], {}, "near"),
        ([("", "2026-10-12T00:00:00Z"), ("RUNNING", "")], {}, "near"),
        ([("", "2026-10-20T00:00:00Z")], {"october": "0.99"}, "near"),
        ([("", "2026-09-20T00:00:00Z")], {"last": SEPTEMBER_END}, "near"), ([("", "")], {}, "missing"),
    ]  # fmt: skip
    for kind in ("node_idle_after_last_job", "empty_partition"):
        for jobs, how, expected in cases:
            on, partition = node(w, **how), w.new("part")
            for state, end in jobs:
                job(w, on, "2026-09-02T00:00:00Z" if end else "2026-10-14T00:00:00Z", end, state or "COMPLETED",
                    partition=partition)  # fmt: skip
            w.say("empty_partition", f"partition={partition}", "allowed", "labelled by its own")
            each(w, kind, on if kind.startswith("node") else f"partition={partition}", expected, (jobs, how))
    partition, both = w.new("part"), [node(w), node(w)]
    job(w, both[0], START, END, partition=partition)
    job(w, both[1], START, "2026-11-03T00:00:00Z", partition=w.new("part"))
    job(w, both[1], "2026-09-02T00:00:00Z", "2026-09-04T00:00:00Z", partition=partition)
    each(w, "empty_partition", f"partition={partition}", "near", "one of its nodes works for another partition")
    never = node(w)
    each(w, "node_idle_after_last_job", never, "missing", "no job was ever told of it")
    without = w.new("part")
    job(w, node(w), START, END, partition="")
    each(w, "empty_partition", f"partition={without}", "missing", "nobody says which partition")


def unused(w: World) -> None:
    """Jobs of ten whole days whose nodes' GPUs do nothing; 10 October is 31 days before the night."""
    low, full = {"gpu_percent": ("4.9", "4.9")}, range(21, 32)
    start, end = "2026-10-10T00:00:00Z", "2026-10-20T00:00:00Z"
    cases: list[tuple[Row, dict[str, Any], dict[str, Any], Expected]] = [
        ({}, {}, {}, "waste"), ({}, {"skip": (25, 28)}, {}, "waste"),
        ({}, {"odd": {21: {"gpu_percent": ("9", "9")}}}, {}, "waste"),
        ({"start": "2026-10-09T12:00:00Z"}, {"days": range(21, 33), "odd": {32: {"gpu_percent": ("9", "9")}}}, {},
         "waste"),
        ({"end": "", "state": "RUNNING"}, {"days": range(1, 32)}, {}, "waste"), ({}, {}, {"october": "1.00"}, "waste"),
        ({}, {"odd": {25: {"gpu_percent": ("5.0", "5.0")}}}, {}, "near"),
        ({}, {"odd": {22: {"gpu_percent": ("1", "5.0")}}}, {}, "near"),
        ({}, {"odd": {31: {"gpu_percent": ("50", "80")}}}, {}, "near"), ({"gpus": "0"}, {}, {}, "near"),
        ({"start": "2026-10-01T00:00:00Z", "end": "2026-10-09T12:00:00Z"}, {"days": range(31, 41)}, {}, "near"),
        ({}, {}, {"october": "0.99"}, "near"), ({}, {"skip": (23, 25, 28)}, {}, "missing"),
        ({}, {"days": range(1)}, {}, "missing"),
        ({"start": "2026-10-12T02:00:00Z", "end": "2026-10-12T22:00:00Z"}, {}, {}, "missing"),
    ]  # fmt: skip
    for row, measured, how, expected in cases:
        last = date(2026, 10, 19) if how else date(2026, 11, 8)
        on = node(w, **{"first": date(2026, 10, 10) if how else date(2026, 10, 1), "last": last, "a_day": "80"} | how)
        measure(w, on, low, **{"days": full} | measured)
        one = job(
            w,
            on,
            row.get("start", start),
            row.get("end", end),
            row.get("state", "COMPLETED"),
            gpus=row.get("gpus", "8"),
        )
        each(w, "job_without_use", one, expected, (row, measured, how))


def waiting(w: World) -> None:
    """A node between two jobs, the second of which had been submitted. 24 hours cost what the node costs a day."""
    free, sent, again = "2026-10-20T00:00:00Z", "2026-10-19T00:00:00Z", "2026-10-21T00:00:00Z"
    cases: list[tuple[str, str, str, str, Expected]] = [
        (free, sent, again, "8", "waste"), (free, "2026-10-20T00:00:00Z", again, "8", "waste"),
        (free, sent, "2026-10-24T00:00:00Z", "8", "waste"), (free, sent, again, "1.00", "waste"),
        ("2026-10-11T00:00:00Z", "2026-10-01T00:00:00Z", "2026-10-12T00:00:00Z", "8", "waste"),
        (free, sent, again, "600", "waste"),
        (free, sent, "2026-10-20T23:59:00Z", "8", "near"), (free, again, again, "8", "near"),
        (free, "2026-10-21T06:01:00Z", "2026-10-22T06:00:00Z", "8", "near"),
        (free, "2026-10-21T06:00:00Z", "2026-10-22T06:00:00Z", "8", "waste"), (free, sent, again, "0.99", "near"),
        ("2026-09-20T00:00:00Z", "2026-09-19T00:00:00Z", "2026-09-25T00:00:00Z", "8", "near"),
        (free, sent, free, "8", "near"),
        (free, "", again, "8", "missing"),
    ]  # fmt: skip
    for ends, submit, begins, a_day, expected in cases:
        on = node(w, a_day=a_day)
        job(w, on, "2026-09-02T00:00:00Z", ends)
        job(w, on, begins, "2026-11-07T00:00:00Z", submit=submit)
        each(w, "waiting_queue", on, expected, (ends, submit, begins, a_day))


GROUPS: tuple[Any, ...] = (the_end, failed, loops, idle_nodes, unused, waiting)
