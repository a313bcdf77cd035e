"""How AWS exports are delivered: parts, versions, manifests of both generations, and what is not whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from aws_layouts import cur2_line, write_athena, write_cur2, write_cur2_lines
from bills_kit import CUR_ROW, csv_text, focus_text, look, put, read_delivery

from schemas.bills import BillKey, Found

EXPORT = "bills/quill"
PERIOD = "BILLING_PERIOD=2026-09"
OLD, NEW = "2026-09-03T06:11:02.120Z-0c7d", "2026-09-04T06:10:41.004Z-91aa"
ARN = "arn:aws:bcm-data-exports:us-east-1:004418230975:export/quill-1f"
Writer = Callable[[Path], None]


def cur2_part(path: Path) -> None:
    write_cur2(path, [dict(CUR_ROW) | {"product/ProductName": "Amazon Elastic Compute Cloud"}])


def focus_part(path: Path) -> None:
    put(path.parent, path.name, focus_text({}))


READERS = pytest.mark.parametrize(
    ("write", "reader", "suffix"),
    [(cur2_part, "aws-cur", ".snappy.parquet"), (cur2_part, "aws-cur", ".csv.gz"), (focus_part, "focus", ".csv.gz")],
    ids=["cur2-parquet", "cur2-csv", "focus"],
)


def export_manifest(root: Path, folder: str, execution: str, files: list[str]) -> None:
    text = {
        "executionId": execution,
        "exportArn": ARN,
        "columns": [{"name": "line_item_unblended_cost"}],
        "dataFiles": [f"s3://some-bucket/some-prefix/quill/{file}" for file in files],
    }
    put(root, f"{EXPORT}/metadata/{folder}/quill-Manifest.json", json.dumps(text))


def put_parts(root: Path, write: Writer, folder: str, suffix: str, count: int = 2) -> list[str]:
    parts = [f"data/{folder}/quill-{number:05}{suffix}" for number in range(1, count + 1)]
    for part in parts:
        write(root / EXPORT / part)
    return parts


def shape(found: Found) -> list[tuple[str, int, bool | None]]:
    return [(one.files[0].path.parent.name, len(one.files), one.current) for one in found.deliveries]


@READERS
def test_the_parts_of_an_export_are_one_delivery(tmp_path: Path, write: Writer, reader: str, suffix: str) -> None:
    parts = put_parts(tmp_path, write, PERIOD, suffix)
    export_manifest(tmp_path, PERIOD, "91aa", parts)
    found = look(tmp_path)
    assert shape(found) == [(PERIOD, 2, True)]
    assert not found.held_back
    (delivery,) = found.deliveries
    assert (delivery.reader, delivery.mode) == (reader, "snapshot")
    assert delivery.empty_keys == (BillKey("cloud", "004418230975", date(2026, 9, 1)),)
    assert read_delivery(delivery).rows == 2


def put_executions(root: Path, write: Writer, suffix: str) -> list[str]:
    """Two executions of one period, whose manifest names the later one; the parts of that."""
    for folder in (OLD, NEW):
        parts = put_parts(root, write, f"{PERIOD}/{folder}", suffix)
        export_manifest(root, f"{PERIOD}/{folder}", folder, parts)
        export_manifest(root, PERIOD, folder, parts)
    return parts


@READERS
def test_the_periods_manifest_says_which_execution_counts(
    tmp_path: Path, write: Writer, reader: str, suffix: str
) -> None:
    put_executions(tmp_path, write, suffix)
    found = look(tmp_path)
    assert shape(found) == [(OLD, 2, False), (NEW, 2, True)]
    assert {one.reader for one in found.deliveries} == {reader}
    assert not found.held_back


@READERS
def test_a_part_that_is_not_there_holds_its_execution_back(
    tmp_path: Path, write: Writer, reader: str, suffix: str
) -> None:
    parts = put_executions(tmp_path, write, suffix)
    (tmp_path / EXPORT / parts[1]).unlink()
    found = look(tmp_path)
    assert shape(found) == [(OLD, 2, None)]
    assert found.deliveries[0].reader == reader
    (held,) = found.held_back
    assert held.reason == f"incomplete: quill-Manifest.json names quill-00002{suffix}, which is not there"


@READERS
def test_without_the_periods_manifest_executions_are_ordered_by_their_time(
    tmp_path: Path, write: Writer, reader: str, suffix: str
) -> None:
    for folder in (NEW, OLD):
        put_parts(tmp_path, write, f"{PERIOD}/{folder}", suffix)
    deliveries = look(tmp_path).deliveries
    assert [(len(one.files), one.current, one.order_key) for one in deliveries] == [
        (2, None, "20260903061102120"),
        (2, None, "20260904061041004"),
    ]
    assert {one.reader for one in deliveries} == {reader}


def test_chunks_that_an_overwritten_export_no_longer_has_are_held_back(tmp_path: Path) -> None:
    put_parts(tmp_path, cur2_part, PERIOD, ".snappy.parquet", count=3)
    export_manifest(tmp_path, PERIOD, "91aa", [f"data/{PERIOD}/quill-00001.snappy.parquet"])
    found = look(tmp_path)
    assert shape(found) == [(PERIOD, 1, True)]
    assert [held.reason for held in found.held_back] == ["quill-Manifest.json does not name it"] * 2


def test_an_export_that_changes_from_overwriting_to_new_files_counts_once(tmp_path: Path) -> None:
    put_parts(tmp_path, cur2_part, PERIOD, ".snappy.parquet")
    parts = put_parts(tmp_path, cur2_part, f"{PERIOD}/{NEW}", ".snappy.parquet")
    export_manifest(tmp_path, PERIOD, NEW, parts)
    assert sorted(shape(look(tmp_path))) == [(NEW, 2, True), (PERIOD, 2, False)]


def test_a_manifest_without_an_execution_is_known_by_its_files(tmp_path: Path) -> None:
    parts = put_parts(tmp_path, cur2_part, f"{PERIOD}/{NEW}", ".csv.gz")
    text = json.dumps({"dataFiles": [f"s3://b/{part}" for part in parts]})
    for folder in (PERIOD, f"{PERIOD}/{NEW}"):
        put(tmp_path, f"{EXPORT}/metadata/{folder}/quill-Manifest.json", text)
    put_parts(tmp_path, cur2_part, f"{PERIOD}/{OLD}", ".csv.gz")
    assert shape(look(tmp_path)) == [(OLD, 2, False), (NEW, 2, True)]


def test_the_partition_may_be_written_small_and_its_exports_lie_apart(tmp_path: Path) -> None:
    for export in ("a", "b"):
        focus_part(tmp_path / export / "data" / "billing_period=2026-09" / "x-00001.csv.gz")
    assert [len(one.files) for one in look(tmp_path).deliveries] == [1, 1]


def test_an_export_without_a_row_is_an_empty_bill(tmp_path: Path) -> None:
    line = cur2_line(dict(CUR_ROW))
    header = ",".join(line) + "\n"
    put(tmp_path, f"{EXPORT}/data/{PERIOD}/quill-00001.csv.gz", header)
    export_manifest(tmp_path, PERIOD, "91aa", [f"data/{PERIOD}/quill-00001.csv.gz"])
    (delivery,) = look(tmp_path).deliveries
    assert delivery.empty_keys == (BillKey("cloud", "004418230975", date(2026, 9, 1)),)
    assert read_delivery(delivery).rows == 0


def test_other_folders_of_focus_files_stay_one_delivery_a_file(tmp_path: Path) -> None:
    for part in (1, 2):
        put(tmp_path, f"20260901-20261001/run=7/part-{part}.csv", focus_text({"InvoiceId": str(part)}))
    assert [(len(one.files), one.mode) for one in look(tmp_path).deliveries] == [(1, None), (1, None)]


@pytest.mark.parametrize("place", ["cur/20260901-20261001", "cur/cur/20260901-20261001"])
def test_the_parquet_for_athena_has_its_manifest_in_the_period_folder(tmp_path: Path, place: str) -> None:
    parts = [f"cur/cur/year=2026/month=9/cur-0000{part}.snappy.parquet" for part in (1, 2)]
    for part in parts:
        write_athena(tmp_path / part, [dict(CUR_ROW)])
    status = tmp_path / "cur" / "cur" / "cost_and_usage_data_status" / "cost_and_usage_data_status.parquet"
    write_cur2_lines(status, [{"status": "READY"}])
    keys = [f"some-prefix/{part}" for part in parts]
    put(tmp_path, f"{place}/cur-Manifest.json", json.dumps({"assemblyId": "a1", "account": "7", "reportKeys": keys}))
    found = look(tmp_path)
    assert not found.held_back
    assert [(len(one.files), one.current, one.reader) for one in found.deliveries] == [(2, True, "aws-cur")]
    assert found.deliveries[0].empty_keys == (BillKey("cloud", "7", date(2026, 9, 1)),)
    (tmp_path / parts[1]).unlink()
    assert look(tmp_path).held_back[0].reason.startswith("incomplete: cur-Manifest.json names cur-00002")


def test_assemblies_named_by_their_time_are_ordered_without_a_manifest(tmp_path: Path) -> None:
    for assembly in ("20260904T061041Z", "20260903T061102Z", "20260905-0000-4000-8000-5b0d7f3a6e81"):
        put(tmp_path, f"cur/20260901-20261001/{assembly}/cur-1.csv", csv_text([CUR_ROW | {"bill/InvoiceId": assembly}]))
    keys = {one.files[0].path.parent.name: one.order_key for one in look(tmp_path).deliveries}
    assert keys == {
        "20260903T061102Z": "20260903061102",
        "20260904T061041Z": "20260904061041",
        "20260905-0000-4000-8000-5b0d7f3a6e81": None,
    }
