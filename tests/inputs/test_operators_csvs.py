"""Tags, inventory and utilization as operators hand them in: good rows go on, bad ones are told."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from attribution.inputs import InputFrames, read_inputs
from schemas.bills import Rejects
from schemas.check import verify
from schemas.faults import InputError
from schemas.inputs import RESOURCE_COLUMNS, TAG_COLUMNS, UTILIZATION_COLUMNS, Resources, Tags, Utilization
from schemas.workspace import Inputs


def hand_in(root: Path, **files: str | bytes) -> InputFrames:
    """Read inputs given as `tags=...`, `resources=...`, `utilization=...`."""
    for name, content in files.items():
        (root / name).mkdir(exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        (root / name / "a.csv").write_bytes(data)
    read = read_inputs(Inputs(**{name: f"{name}/*.csv" for name in files}), root)
    verify(read.rejects, Rejects, "rejects")
    verify(read.tags, Tags, "tags")
    verify(read.resources, Resources, "resources")
    verify(read.utilization, Utilization, "utilization")
    return read


def why(read: InputFrames) -> list[tuple[object, ...]]:
    return read.rejects.select("line", "column", "value", "outcome").sort("line", "column").rows()


def pairs(read: InputFrames) -> list[tuple[object, ...]]:
    return read.tags.select("resource_id", "key", "value").rows()


def test_inputs_that_are_not_configured_are_empty_frames(tmp_path: Path) -> None:
    read = read_inputs(Inputs(), tmp_path)
    assert dict(read.tags.schema) == TAG_COLUMNS
    assert dict(read.resources.schema) == RESOURCE_COLUMNS
    assert dict(read.utilization.schema) == UTILIZATION_COLUMNS
    assert not read.rejects.height


def test_globs_that_match_nothing_are_all_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        read_inputs(Inputs(tags="tags/*.csv", resources="inventory/*.csv"), tmp_path)
    assert [fault.where for fault in refusal.value.faults] == ["[inputs] tags", "[inputs] resources"]


def test_long_and_wide_tags_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "long").mkdir()
    (tmp_path / "wide").mkdir()
    long = hand_in(
        tmp_path / "long", tags="value,resource_id,key\nkestrel,vm-1,project\nmira,vm-1,owner\nosprey,vm-2,project\n"
    )
    wide = hand_in(tmp_path / "wide", tags="project,resource_id,owner\nkestrel,vm-1,mira\nosprey,vm-2,\n")
    assert sorted(pairs(long)) == sorted(pairs(wide))
    assert len(pairs(wide)) == 3  # a blank value is no tag


def test_wide_tags_keep_keys_that_differ_by_case(tmp_path: Path) -> None:
    read = hand_in(tmp_path, tags="resource_id,Project,project\nvm-1,kestrel,\nvm-2,,osprey\nvm-3,kestrel,osprey\n")
    assert pairs(read) == [
        ("vm-1", "Project", "kestrel"),
        ("vm-2", "project", "osprey"),
        ("vm-3", "Project", "kestrel"),
        ("vm-3", "project", "osprey"),
    ]


@pytest.mark.parametrize(
    "header", ["resource_id,key,value,valid_from,valid_to", "resource_id,project,valid_from,valid_to"]
)
def test_tags_may_be_dated_and_contradict_each_other(tmp_path: Path, header: str) -> None:
    key = "project," if "key" in header else ""
    lines = [
        header,
        f"vm-1,{key}kestrel,2026-09-01,2026-10-12",
        f"vm-1,{key}osprey,2026-10-12T00:00:00Z,",
        f"vm-1,{key}heron,2026-10-12,",
    ]
    read = hand_in(tmp_path, tags="\n".join(lines))
    assert read.tags.select("value", "valid_from", "valid_to").rows() == [
        ("kestrel", dt.date(2026, 9, 1), dt.date(2026, 10, 12)),
        ("osprey", dt.date(2026, 10, 12), None),
        ("heron", dt.date(2026, 10, 12), None),
    ]


def test_identical_tag_rows_count_once(tmp_path: Path) -> None:
    read = hand_in(
        tmp_path, tags="resource_id,key,value\nvm-1,project,kestrel\nvm-1,project,kestrel\nvm-1,project,osprey\n"
    )
    assert len(pairs(read)) == 2


def test_bad_tag_rows_are_told_and_the_others_go_on(tmp_path: Path) -> None:
    lines = [
        "resource_id,key,value,valid_from,valid_to,remark",
        'vm-1,project,kestrel,,,"two',
        'lines"',
        ",project,osprey,,,",
        "vm-2,,osprey,,,",
        "vm-3,project,osprey,12.10.2026,,",
        "vm-4,project,osprey,2026-10-12,2026-10-01,",
        "1.00701E+18,project,osprey,,,",
        "vm-5,project,osprey",
        "vm-6,project,heron,,,",
    ]
    read = hand_in(tmp_path, tags="\n".join(lines))
    assert pairs(read) == [("vm-1", "project", "kestrel"), ("vm-6", "project", "heron")]
    assert why(read) == [
        (4, "resource_id", None, "row refused"),
        (5, "key", None, "row refused"),
        (6, "valid_from", "12.10.2026", "row refused"),
        (7, "valid_to", "2026-10-01", "row refused"),
        (8, "resource_id", "1.00701E+18", "row refused"),
        (9, "(row)", "vm-5,project,osprey", "row refused"),
    ]


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("resource,key,value", 'column "resource_id" is missing'),
        ("resource_id,key", "stands without its other half"),
        ("resource_id,project,project", 'column "project" stands twice'),
    ],
)
def test_a_header_that_cannot_be_tags_is_a_message(tmp_path: Path, header: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        hand_in(tmp_path, tags=f"{header}\n")


def test_headers_match_in_any_spelling_and_a_byte_order_mark_is_no_part_of_them(tmp_path: Path) -> None:
    read = hand_in(tmp_path, tags="\ufeffResource ID;Key;Value\r\nvm-1;project;训练\r\n")
    assert pairs(read) == [("vm-1", "project", "训练")]


def test_azure_ids_compare_without_case_and_others_with_it(tmp_path: Path) -> None:
    read = hand_in(
        tmp_path, tags="resource_id,owner\n/subscriptions/A/VM,mira\n/SUBSCRIPTIONS/a/vm,mira\nBucket-A,chen\n"
    )
    assert pairs(read) == [("/subscriptions/a/vm", "owner", "mira"), ("Bucket-A", "owner", "chen")]


def test_the_inventory_keeps_extra_columns_and_text_ids(tmp_path: Path) -> None:
    lines = [
        "resource_id,resource_type,account_id,size_gb,created_at,deleted_at,rack",
        "vol-1,volume,000731,1.5e3,2026-09-01,2026-10-02T08:00:00+02:00,7",
        "vol-2,volume,000731,,,,",
    ]
    read = hand_in(tmp_path, resources="\n".join(lines))
    first = read.resources.row(0, named=True)
    assert first["account_id"] == "000731"
    assert first["size_gb"] == 1500
    assert first["created_at"] == dt.datetime(2026, 9, 1, tzinfo=dt.UTC)
    assert first["deleted_at"] == dt.datetime(2026, 10, 2, 6, tzinfo=dt.UTC)
    assert read.resources.get_column("rack").to_list() == ["7", None]
    assert list(read.resources.columns) == [*RESOURCE_COLUMNS, "rack"]


def test_bad_inventory_cells_are_unknown_and_rows_without_a_type_are_refused(tmp_path: Path) -> None:
    lines = [
        "resource_id,resource_type,size_gb,last_used_at,gpus",
        "vol-1,volume,big,yesterday,8",
        "vol-2,,1,,",
        "vol-3,volume,NaN,,-1",
        "vol-4,volume,1,,",
        "vol-4,volume,2,,",
        "vol-4,volume,1,,",
    ]
    read = hand_in(tmp_path, resources="\n".join(lines))
    assert read.resources.select("resource_id", "size_gb").rows() == [("vol-1", None), ("vol-4", 1.0)]
    assert why(read) == [
        (2, "last_used_at", "yesterday", "value unknown"),
        (2, "size_gb", "big", "value unknown"),
        (3, "resource_type", None, "row refused"),
        (4, "gpus", "-1.0", "row refused"),
        (4, "size_gb", "NaN", "value unknown"),
        (6, "resource_id", "vol-4", "row refused"),
    ]


def test_utilization_is_one_row_a_resource_day_and_metric(tmp_path: Path) -> None:
    lines = [
        "resource_id,date,metric,average,maximum,samples",
        "vm-1,2026-10-01,gpu_percent,0,4.5,288",
        "vm-1,2026-10-01,gpu_percent,0,4.5,288",
        "vm-1,2026-10-01,gpu_percent,80,90,288",
        "vm-1,2026-10-02,gpu_percent,1E1,,12.0",
        "vm-1,2026-10-03,gpu_percent,,,",
        "vm-1,2026-10-03,disk_writes,1,,",
        "vm-1,2026-10-03T07:00:00Z,cpu_percent,1,,",
        "vm-1,2026-10-04,cpu_percent,-1,,",
        "vm-1,2026-10-05,cpu_percent,inf,,",
        "vm-1,2026-10-06,cpu_percent,5,many,1.5",
    ]
    read = hand_in(tmp_path, utilization="\n".join(lines))
    assert read.utilization.select("date", "average", "maximum", "samples").rows() == [
        (dt.date(2026, 10, 1), 0.0, 4.5, 288),
        (dt.date(2026, 10, 2), 10.0, None, 12),
        (dt.date(2026, 10, 6), 5.0, None, None),
    ]
    assert [(line, column) for line, column, *_ in why(read)] == [
        (4, "metric"),
        (6, "average"),
        (7, "metric"),
        (8, "date"),
        (9, "average"),
        (10, "average"),
        (11, "maximum"),
        (11, "samples"),
    ]


def test_the_order_of_rows_changes_nothing_but_the_order(tmp_path: Path) -> None:
    lines = [f"vm-{number % 7},k{number % 3},v{number % 2}" for number in range(40)]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = hand_in(tmp_path / "a", tags="\n".join(["resource_id,key,value", *lines]))
    two = hand_in(tmp_path / "b", tags="\n".join(["resource_id,key,value", *reversed(lines)]))
    assert one.tags.sort(pl.all()).equals(two.tags.sort(pl.all()))


def test_an_inventory_with_days_keeps_the_latest_row_and_every_attachment(tmp_path: Path) -> None:
    text = """resource_id,resource_type,attached_to,size_gb,valid_from,valid_to
vol-1,volume,i-1,10,,2026-10-05
vol-1,volume,i-2,20,2026-10-09,
vol-1,volume,i-3,20,2026-10-09,
vol-2,volume,i-1,30,2026-10-09,2026-10-09
vol-3,volume,i-1,40,yesterday,
i-1,instance,,,,
"""
    read = hand_in(tmp_path, resources=text)
    rows = {row["resource_id"]: row for row in read.resources.to_dicts()}
    assert rows.keys() == {"vol-1", "i-1"}
    assert (rows["vol-1"]["attached_to"], rows["vol-1"]["size_gb"]) == ("i-2", 20)
    assert rows["vol-1"]["was_attached"] == [
        {"attached_to": "i-1", "valid_from": None, "valid_to": dt.date(2026, 10, 5)},
        {"attached_to": "i-2", "valid_from": dt.date(2026, 10, 9), "valid_to": None},
    ]
    assert [row[1] for row in why(read)] == ["resource_id", "valid_to", "valid_from"]


@pytest.mark.parametrize(
    ("name", "header", "wrong", "right"),
    [
        ("resources", "resource_id,resource_type,gpus", "i-1,vm,-8", "i-1,vm,8"),
        ("utilization", "resource_id,date,metric,average", "i,2026-10-01,cpu_percent,-4", "i,2026-10-01,cpu_percent,4"),
        ("runs", "run_id,experiment,status,started_at,gpus", "r,e,running,2026-10-01,-8", "r,e,running,2026-10-01,8"),
        ("checkpoints", "uri,experiment,step,size_bytes,created_at", "b/1,e,-5,9,2026-10-01", "b/1,e,5,9,2026-10-01"),
        ("invoices", "source,billing_account,billing_month,currency,amount", "a,1,2026-10,usd,5", "a,1,2026-10,usd,6"),
        ("rates", "month,from,to,rate", "2026-10,EUR,USD,0", "2026-10,EUR,USD,1.1"),
        ("people", "owner,team,valid_from,valid_to", "mira,a,2026-10-01,2026-09-01", "mira,b,2026-08-01,2026-12-01"),
    ],
)  # fmt: skip
def test_a_wrong_row_takes_no_right_rows_place(tmp_path: Path, name: str, header: str, wrong: str, right: str) -> None:
    read = hand_in(tmp_path, **{name: f"{header}\n{wrong}\n{right}\n"})
    told = read.rejects.select("line", "check").rows()
    assert [line for line, _ in told] == ([2] if name != "invoices" else [2, 3])
    assert not any("earlier row" in check for _, check in told)
    assert getattr(read, name).height == (name != "invoices")
