"""runs.csv and checkpoints.csv: words of trackers, numbers, instants, and what is refused with its place."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from attribution.inputs import Read, read_checkpoints, read_inputs, read_runs
from schemas.bills import Rejects
from schemas.check import verify
from schemas.faults import InputError
from schemas.inputs import RUN_STATUSES
from schemas.workspace import Inputs


def given(root: Path, *lines: str) -> list[Path]:
    (root / "input.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [root / "input.csv"]


def why(read: Read) -> list[tuple[int, str, str | None, str]]:
    verify(read.rejects, Rejects, "rejects")
    return sorted(read.rejects.select("line", "column", "value", "outcome").rows())


RUN = "run_id,experiment,status,started_at,ended_at,gpus,steps,tokens,mfu,metric,metric_value"


def test_a_run_is_read_with_its_zone_and_extra_columns(tmp_path: Path) -> None:
    read = read_runs(
        given(
            tmp_path,
            f"{RUN},Seed",
            " r-1 ,e-1,Finished,2026-10-01 08:00,2026-10-03T00:00:00Z,96,1200.0,12000000000,0.41,loss,-0.5,7",
            "r-2,e-1,running,2026-10-04,,,,,,,,",
        ),
        tmp_path,
        "Asia/Shanghai",
    )
    assert why(read) == []
    first, second = read.frame.rows(named=True)
    assert first["run_id"] == "r-1"
    assert first["status"] == "completed"
    assert first["started_at"] == dt.datetime(2026, 10, 1, 0, tzinfo=dt.UTC)
    assert (first["steps"], first["tokens"], first["metric_value"]) == (1200, 12_000_000_000, -0.5)
    assert first["Seed"] == "7"
    assert (second["ended_at"], second["steps"], second["project"]) == (None, None, None)


@pytest.mark.parametrize("status", RUN_STATUSES)
def test_every_status_is_read_in_the_spellings_of_schedulers(status: str, tmp_path: Path) -> None:
    told = (status, status.upper(), status.replace("_", "-"), f"{status.upper()} by 1004")
    lines = [f"r-{number},e-1,{word},2026-10-01,,,,,,," for number, word in enumerate(told)]
    read = read_runs(given(tmp_path, RUN, *lines), tmp_path)
    assert why(read) == []
    assert read.frame.get_column("status").to_list() == [status] * len(told)


def test_bad_runs_are_refused_and_unknown_words_are_unknown(tmp_path: Path) -> None:
    read = read_runs(
        given(
            tmp_path,
            RUN,
            "r-1,e-1,resting,2026-10-01,,,,,,,",
            "r-2,e-1,failed,soon,,,,,,,",
            "r-3,e-1,failed,2026-10-02,2026-10-01,,,,,,",
            "r-4,,failed,2026-10-02,,,,,,,",
            "r-5,e-1,failed,2026-10-02,,-8,,,,,",
            "r-6,e-1,failed,2026-10-02,,eight,1.5,,,,",
            "r-1,e-2,failed,2026-10-02,,,,,,,",
            "r-7,e-1,,2026-10-02,,,,,,,",
        ),
        tmp_path,
    )
    assert why(read) == [
        (2, "status", "resting", "value unknown"),
        (3, "started_at", "soon", "row refused"),
        (4, "ended_at", "2026-10-01 00:00:00.000000+00:00", "row refused"),
        (5, "experiment", None, "row refused"),
        (6, "gpus", "-8.0", "row refused"),
        (7, "gpus", "eight", "value unknown"),
        (7, "steps", "1.5", "value unknown"),
        (8, "run_id", "r-1", "row refused"),
    ]
    assert read.frame.get_column("run_id").to_list() == ["r-1", "r-6", "r-7"]
    with pytest.raises(InputError, match='column "status" is missing'):
        read_runs(given(tmp_path, "run_id,experiment,started_at"), tmp_path)


CHECKPOINT = "uri,experiment,run_id,step,size_bytes,created_at,metric_value,resource_id,pinned"


def test_checkpoints_are_read_and_bad_ones_refused(tmp_path: Path) -> None:
    read = read_checkpoints(
        given(
            tmp_path,
            CHECKPOINT,
            "s3://b/1,e-1,r-1,100,60000000000,2026-10-01T00:00:00Z,2.1,b,Yes",
            "s3://b/2,e-1,,200,60000000000,2026-10-02T00:00:00Z,,,",
            "s3://b/3,e-1,,300,60000000000,2026-10-03T00:00:00Z,,,maybe",
            "s3://b/1,e-1,r-1,100,70000000000,2026-10-01T00:00:00Z,2.1,b,Yes",
            "s3://b/4,e-1,,,1,2026-10-03T00:00:00Z,,,",
            "s3://b/5,e-1,,x,1,2026-10-03T00:00:00Z,,,",
        ),
        tmp_path,
    )
    assert why(read) == [
        (4, "pinned", "maybe", "value unknown"),
        (5, "uri", "s3://b/1", "row refused"),
        (6, "step", None, "row refused"),
        (7, "step", "x", "row refused"),
    ]
    assert read.frame.select("uri", "step", "pinned").rows() == [
        ("s3://b/1", 100, True),
        ("s3://b/2", 200, None),
        ("s3://b/3", 300, None),
    ]


def test_both_are_inputs_of_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(f"{RUN}\nr-1,e-1,done,2026-10-01,,,,,,,\n", encoding="utf-8")
    frames = read_inputs(Inputs(runs="runs.csv"), tmp_path, "UTC")
    assert frames.runs.height == 1
    assert frames.checkpoints.is_empty()
    assert "step" in frames.checkpoints.columns
