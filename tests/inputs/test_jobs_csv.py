"""The plain list of jobs: what is read, what is refused, and jobs that are told of twice."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from attribution.inputs import Read, read_inputs, read_jobs
from schemas.bills import Rejects
from schemas.check import verify
from schemas.faults import InputError
from schemas.inputs import JOB_COLUMNS, Jobs
from schemas.workspace import Inputs

HEADER = "job_id,resource_id,start,end,gpus,state,project"
OCTOBER = dt.datetime(2026, 10, 1, tzinfo=dt.UTC)


def hand_in(root: Path, *files: str, timezone: str = "UTC") -> Read:
    """Read lists of jobs, each of which starts with its header."""
    paths = [root / f"{number}.csv" for number in range(len(files))]
    for path, text in zip(paths, files, strict=True):
        path.write_text(text, encoding="utf-8")
    read = read_jobs(paths, root, timezone)
    verify(read.rejects, Rejects, "rejects")
    verify(read.frame, Jobs, "jobs")
    return read


def test_a_list_of_jobs_is_read_with_what_it_has_beyond(tmp_path: Path) -> None:
    text = (
        "Job ID;Resource-Id;Start;End;GPUs;State;Queue\n"
        "7;node-1;2026-10-01T00:00:00Z;2026-10-01 10:30;0.5;cancelled by 1000;q\n"
        "8;node-1;2026-10-01T00:00:00+02:00;Unknown;8;RUNNING;\n"
    )
    (tmp_path / "jobs.csv").write_text(text, encoding="utf-8")
    read = read_inputs(Inputs(jobs="jobs.csv"), tmp_path, "Asia/Shanghai")
    assert read.jobs.columns == [*JOB_COLUMNS, "Queue"]
    first = read.jobs.filter(job_id="7").select("end", "gpus", "state", "project", "Queue").row(0)
    assert first == (OCTOBER + dt.timedelta(hours=2.5), 0.5, "CANCELLED", None, "q")
    assert read.jobs.filter(job_id="8").select("start", "end").row(0) == (OCTOBER - dt.timedelta(hours=2), None)


def test_bad_rows_are_refused_with_their_place(tmp_path: Path) -> None:
    read = hand_in(
        tmp_path,
        f"{HEADER}\n"
        "1,n,2026-10-02,2026-10-01,8,COMPLETED,a\n"  # ends before it starts
        "2,n,2026-10-01,,8,COMPLETED,a\n"  # ended, and nobody knows when
        "3,n,2026-10-01,2026-10-02,-1,COMPLETED,a\n"
        "4,n,2026-10-01,2026-10-02,NaN,COMPLETED,a\n"
        "5,n,soon,2026-10-02,1,COMPLETED,a\n"
        "6,,2026-10-01,2026-10-02,1,COMPLETED,a\n"
        "7,n,2026-10-01,2026-10-01,1,FAILED,a\n",  # ended at once
    )
    assert read.frame.get_column("job_id").to_list() == ["7"]
    assert read.rejects.select("line", "column").sort("line").rows() == [
        (2, "end"), (3, "end"), (4, "gpus"), (5, "gpus"), (6, "start"), (7, "resource_id"),
    ]  # fmt: skip
    assert read.rejects.sort("line").get_column("check").to_list()[0] == "not before the start"


def test_a_job_told_again_once_it_ended_counts_once(tmp_path: Path) -> None:
    read = hand_in(
        tmp_path,
        f"{HEADER}\n1,n,2026-10-01,Unknown,8,RUNNING,a\n2,n,2026-10-01,Unknown,8,RUNNING,a\n",
        f"{HEADER}\n1,n,2026-10-01,2026-10-03,8,COMPLETED,a\n1,n,2026-10-03,2026-10-04,8,COMPLETED,a\n"
        "1,m,2026-10-01,2026-10-03,8,COMPLETED,a\n",
        f"{HEADER}\n1,n,2026-10-01,2026-10-05,8,COMPLETED,a\n1,n,2026-10-01,2026-10-03,8,COMPLETED,a\n",
    )
    assert sorted(read.frame.select("job_id", "resource_id", "state").rows()) == [
        ("1", "m", "COMPLETED"), ("1", "n", "COMPLETED"), ("1", "n", "COMPLETED"), ("2", "n", "RUNNING"),
    ]  # fmt: skip
    assert read.rejects.select("file", "line", "column").rows() == [("2.csv", 2, "start")]


def test_a_list_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gpus"):
        hand_in(tmp_path, "job_id,resource_id,start,end,state\n")
