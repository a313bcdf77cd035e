"""Slurm's lists as they come: steps, arrays, folded names of nodes, slices of GPUs, and states of nodes."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path

import pytest

from attribution.inputs import Read, read_inputs, read_jobs
from attribution.inputs.jobs.hosts import hosts
from attribution.inputs.jobs.sacct import gpus_of
from schemas.faults import InputError
from schemas.inputs import JOB_COLUMNS
from schemas.workspace import Inputs

WAITS = {"end": "Unknown", "tres": "", "nodes": "None assigned"}
HEADER = "JobID|JobIDRaw|JobName|User|Account|State|Submit|Start|End|AllocTRES|NodeList|Comment|WCKey"


def row(job: str, state: str = "COMPLETED", start: str = "2026-10-01T00:00:00", **cells: str) -> str:
    end, tres, nodes, name = (
        cells.get(key, usual)
        for key, usual in (
            ("end", "2026-10-01T02:00:00"),
            ("tres", "cpu=8,gres/gpu=8,node=1"),
            ("nodes", "gpu001"),
            ("name", "run"),
        )
    )
    return f"{job}|9{job}|{name}|ines|atlas|{state}|2026-09-30T00:00:00|{start}|{end}|{tres}|{nodes}|stage=sft|k"


def told(root: Path, *rows: str, header: str = HEADER, timezone: str = "UTC") -> Read:
    path = root / "sacct.txt"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return read_jobs([path], root, timezone)


def test_a_job_becomes_a_row_a_node_with_its_part_of_the_gpus(tmp_path: Path) -> None:
    read = told(
        tmp_path, row("17", tres="billing=96,cpu=96,gres/gpu=24,gres/gpu:h100=24,node=3", nodes="gpu[001-002,007]")
    )
    assert read.frame.select("job_id", "resource_id", "gpus", "account", "user", "name", "state").rows() == [
        ("17", node, 8.0, "atlas", "ines", "run", "COMPLETED") for node in ("gpu001", "gpu002", "gpu007")
    ]
    assert read.frame.columns[: len(JOB_COLUMNS)] == list(JOB_COLUMNS)
    assert read.frame.select("comment", "wckey").unique().rows() == [("stage=sft", "k")]
    assert not read.rejects.height


def test_steps_and_what_never_ran_are_not_counted(tmp_path: Path) -> None:
    read = told(
        tmp_path,
        row("17"), row("17.batch"), row("17.extern"), row("17.0"),
        row("18_1", "CANCELLED by 1004"), row("18_2", "CANCELLED+"), row("18_[3-9]", "PENDING", "Unknown", **WAITS),
        row("19", "CANCELLED", "None", **WAITS),
        row("20+0"), row("20+1", nodes="gpu002"),
        HEADER,  # lists put one behind the other
    )  # fmt: skip
    assert sorted(read.frame.select("job_id", "state").rows()) == [
        ("17", "COMPLETED"), ("18_1", "CANCELLED"), ("18_2", "CANCELLED"), ("20+0", "COMPLETED"), ("20+1", "COMPLETED"),
    ]  # fmt: skip
    assert not read.rejects.height


def test_requeued_jobs_count_each_time_and_running_ones_have_no_end(tmp_path: Path) -> None:
    read = told(
        tmp_path,
        row("17", "REQUEUED", end="2026-10-01T01:00:00"),
        row("17", "RUNNING", start="2026-10-01T01:05:00", end="Unknown"),
        row("18", "COMPLETED", end="Unknown"),  # it ended, and nobody says when
        row("19", end="2026-09-30T00:00:00"),
    )
    rows = read.frame.sort("start").select("job_id", "state", "end").rows()
    assert rows == [("17", "REQUEUED", dt.datetime(2026, 10, 1, 1, tzinfo=dt.UTC)), ("17", "RUNNING", None)]
    assert read.rejects.select("line", "column").sort("line").rows() == [(4, "end"), (5, "end")]


def test_times_are_in_the_workspaces_zone_and_names_may_hold_quotes(tmp_path: Path) -> None:
    read = told(tmp_path, row("17", name='"a" b'), row("18", name='"unclosed'), timezone="Asia/Shanghai")
    assert read.frame.get_column("name").to_list() == ['"a" b', '"unclosed']
    assert read.frame.get_column("start").to_list() == [dt.datetime(2026, 9, 30, 16, tzinfo=dt.UTC)] * 2


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    read = told(tmp_path, row("17", nodes="gpu[003-001]"), row("18", tres="cpu=1,gres/shard=4,node=1"))
    assert read.frame.select("job_id", "gpus").rows() == [("18", 0.0)]
    assert read.rejects.select("line", "column", "outcome").sort("line").rows() == [
        (2, "nodelist", "row refused"), (3, "alloctres", "value unknown"),
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"(?s)without AllocTRES, NodeList.*sacct --allusers"):
        told(tmp_path, header="JobID|JobName|State|Start|End|ExitCode")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu001", ("gpu001",)),
        ("gpu[001-003,007]", ("gpu001", "gpu002", "gpu003", "gpu007")),
        ("gpu[8-11],login1", ("gpu8", "gpu9", "gpu10", "gpu11", "login1")),
        ("rack[1-2]n[01-02]-ib", ("rack1n01-ib", "rack1n02-ib", "rack2n01-ib", "rack2n02-ib")),
        ("a,a", ("a",)),
        ("gpu[1-", None),
        ("gpu[1-x]", None),
        ("gpu[9-1]", None),
        ("gpu[0-999999999]", None),
        ("gpu[0-999]n[0-999]", None),
        ("", None),
    ],
)
def test_folded_names_of_nodes(text: str, names: tuple[str, ...] | None) -> None:
    assert hosts(text) == names


@pytest.mark.parametrize(
    ("tres", "gpus"),
    [
        ("cpu=4,mem=1G", Fraction(0)),
        ("gres/gpu=8", Fraction(8)),
        ("gres/gpu:a100=2", Fraction(2)),
        ("gres/gpu=8,gres/gpu:h100=8", Fraction(8)),
        ("gres/gpu=3,gres/gpu:1g.10gb=3", Fraction(3, 7)),
        ("gres/gpu=2,gres/gpu:a100_3g.20gb=1,gres/gpu:a100=1", Fraction(10, 7)),
        ("gres/gpu=2,gres/gpu:2g.12gb=2", Fraction(1)),  # an A30 has four slices
    ],
)
def test_slices_are_parts_of_a_gpu(tres: str, gpus: Fraction) -> None:
    assert abs(Fraction(gpus_of(tres)) - gpus) < Fraction(1, 10**20)


def test_states_of_nodes_and_names_of_the_inventory(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/events.txt").write_text(
        "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"
        "c||2026-10-01T00:00:00|Unknown||Cluster Registered TRES|slurm\n"
        "c|gpu001|2026-10-01T00:00:00|2026-10-02T00:00:00|DOWN*|failed|root\n"
        "c|gpu002|2026-10-01T00:00:00|Unknown|IDLE+DRAIN|bad disk|root\n"
        "c|gpu002|2026-10-01T00:00:00|Unknown|WHATEVER|?|root\n",
        encoding="utf-8",
    )
    (tmp_path / "jobs/b.csv").write_text(
        "job_id,resource_id,start,end,gpus,state\n1,gpu001,2026-10-01,2026-10-02,1,X\n"
    )
    (tmp_path / "inv.csv").write_text(
        "resource_id,resource_type,name\ni-1,node,gpu001\ni-2,node,gpu002\ni-3,node,twin\ni-4,node,twin\n"
    )
    read = read_inputs(Inputs(jobs="jobs/*", resources="inv.csv"), tmp_path)
    assert read.node_states.select("resource_id", "state").rows() == [("i-1", "DOWN"), ("i-2", "DRAINED")]
    assert read.node_states.get_column("end").null_count() == 1
    assert read.jobs.get_column("resource_id").to_list() == ["i-1"]
    assert read.rejects.select("line", "column", "value").rows() == [(5, "state", "WHATEVER")]


def reserved(root: Path, text: str, name: str = "jobs/reservations.txt") -> Read:
    (root / "jobs").mkdir(exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")
    return read_jobs([root / name], root)


SPRINT = (
    "ReservationName=sprint StartTime=2026-10-01T08:00:00 EndTime=2026-10-03T08:00:00 Duration=2-00:00:00{more} "
    "Nodes=gpu[001-002] NodeCnt=2 CoreCnt=256 Features=(null) PartitionName=gpu Flags=SPEC_NODES{more} "
    "TRES=cpu=256,gres/gpu=16 Users={users} Groups=(null) Accounts={accounts} Licenses=(null) State=ACTIVE\n"
)


@pytest.mark.parametrize("more", ["", "\n  "])  # on one line, and as it comes without `-o`
@pytest.mark.parametrize(
    ("written", "named"),
    [
        (("mira", "(null)"), ("mira", None)),
        (("(null)", "atlas"), (None, "atlas")),
        (("mira,ines", "atlas"), (None, "atlas")),
        (("-mira", "-atlas"), (None, None)),
        (("(null)", "(null)"), (None, None)),
    ],
)
def test_a_reservation_is_told_for_each_of_its_nodes(
    more: str, written: tuple[str, str], named: tuple[str | None, str | None], tmp_path: Path
) -> None:
    users, accounts = written
    text = SPRINT.format(more=more, users=users, accounts=accounts)
    read = reserved(tmp_path, text + text.replace("sprint", "next").replace("gpu[001-002]", "gpu007"))
    assert read.rejects.is_empty()
    states = read.more["node_states"]
    assert states.drop("start", "end").rows() == [
        ("gpu001", "RESERVED", "sprint", *named),
        ("gpu002", "RESERVED", "sprint", *named),
        ("gpu007", "RESERVED", "next", *named),
    ]
    assert states.get_column("start")[0] == dt.datetime(2026, 10, 1, 8, tzinfo=dt.UTC)
    assert states.get_column("end")[0] == dt.datetime(2026, 10, 3, 8, tzinfo=dt.UTC)


def test_what_is_no_reservation_of_whole_nodes_is_left_out_or_refused(tmp_path: Path) -> None:
    good = SPRINT.format(more="", users="mira", accounts="(null)")
    text = (
        good
        + good.replace("Nodes=gpu[001-002]", "Nodes=(null)")  # of licences
        + good.replace("Nodes=gpu[001-002]", "Nodes=gpu[9-1]")
        + good.replace("StartTime=2026-10-01T08:00:00", "StartTime=soon").replace("[001-002]", "003")
        + good.rstrip()
        + "\n   NodeName=gpu004 CoreIDs=0-15\n"
    )
    read = reserved(tmp_path, text)
    assert read.more["node_states"].height == 2
    assert sorted(read.rejects.select("line", "column", "value").rows()) == [
        (3, "nodes", "gpu[9-1]"), (4, "start", "soon"), (5, "cores", "0-15")]  # fmt: skip
    assert reserved(tmp_path, "No reservations in the system\n").more["node_states"].is_empty()


def test_reservations_that_ended_come_from_the_accounts_and_name_nobody(tmp_path: Path) -> None:
    text = (
        "Cluster|Name|Associations|NodeName|TimeStart|TimeEnd|Flags\n"
        "c|sprint|4,7|gpu[001-002]|2026-10-01T08:00:00|2026-10-02T08:00:00|SPEC_NODES\n"
    )
    states = reserved(tmp_path, text).more["node_states"]
    assert states.drop("start", "end").rows() == [
        ("gpu001", "RESERVED", "sprint", None, None), ("gpu002", "RESERVED", "sprint", None, None)]  # fmt: skip
    plain = "resource_id,start,end,state,account,reservation\ni-1,2026-10-01,2026-10-02,RESERVED,lyra,r\n"
    states = reserved(tmp_path, plain, "jobs/plain.csv").more["node_states"]
    assert states.drop("start", "end").rows() == [("i-1", "RESERVED", "r", None, "lyra")]
