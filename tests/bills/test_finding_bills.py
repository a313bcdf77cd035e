"""Which files are bills, who reads them, what belongs together, and what is held back."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import pytest
from azure_kit import ACTUAL as AZURE_ACTUAL
from bills_kit import cur_text, focus_text, look, manifest, put, read_delivery

from attribution.bills import READERS
from attribution.bills import read as read_batches
from schemas.bills import BillKey
from schemas.faults import InputError
from schemas.packed import UnfinishedFileError

PERIOD = "bills/20260901-20261001"


def test_every_reader_has_the_same_five_names() -> None:
    for name, reader in READERS.items():
        assert name == reader.NAME
        assert all(callable(getattr(reader, verb)) for verb in ("identify", "deliveries", "read", "stated"))


def test_a_file_is_claimed_by_its_columns(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", focus_text({}))
    put(tmp_path, "b.csv.gz", cur_text({}))
    put(tmp_path, "notes.md", "# not a bill")
    put(tmp_path, "_SUCCESS.csv", "")
    found = look(tmp_path)
    assert [delivery.reader for delivery in found.deliveries] == ["focus", "aws-cur"]
    assert not found.held_back


def test_a_folder_of_more_than_a_thousand_files_is_listed_to_its_end(tmp_path: Path) -> None:
    """Kind of case 36: listings that stop at 1,000 objects lose the months after."""
    for number in range(1_100):
        put(tmp_path, f"bills/part-{number:04}.csv", focus_text({"InvoiceId": str(number)}))
    found = look(tmp_path, "bills/*.csv")
    assert len(found.deliveries) == 1_100
    assert found.deliveries[-1].name == "bills/part-1099.csv"


def test_a_glob_that_matches_nothing_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'source "cloud": no file matches "bills/\*\*/\*\.csv"'):
        look(tmp_path, "bills/**/*.csv")


def test_a_bill_that_nobody_knows_is_told_with_its_columns_and_what_to_state(tmp_path: Path) -> None:
    put(tmp_path, "odd.csv", "datum;kosten\n1;2\n")
    with pytest.raises(InputError) as refusal:
        look(tmp_path)
    assert "datum, kosten" in str(refusal.value)
    assert "Known: focus, aws-cur" in str(refusal.value)
    assert 'State `format = "focus"`' in str(refusal.value)
    put(tmp_path, "good.csv", focus_text({}))
    found = look(tmp_path)
    assert [held.name for held in found.held_back] == ["odd.csv"]
    assert len(found.deliveries) == 1


def test_a_bill_that_two_readers_claim_needs_a_stated_format(tmp_path: Path) -> None:
    put(tmp_path, "both.csv", focus_text({"lineItem/LineItemType": "Usage"}))
    with pytest.raises(InputError, match="focus and aws-cur both claim it"):
        look(tmp_path)
    (delivery,) = look(tmp_path, format="focus").deliveries
    assert delivery.reader == "focus"
    with pytest.raises(InputError, match='Did you mean "focus"'):
        look(tmp_path, format="fokus")


def test_a_file_of_no_bytes_is_an_unfinished_export_and_a_header_alone_is_an_empty_bill(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", b"")
    put(tmp_path, "b.csv", focus_text({}).splitlines()[0] + "\n")
    found = look(tmp_path)
    assert [(held.name, "0 bytes" in held.reason) for held in found.held_back] == [("a.csv", True)]
    bill = read_delivery(found.deliveries[0])
    assert bill.charges.height == bill.rows == 0
    assert bill.charges.schema["BilledCost"].is_decimal()


def test_a_packed_file_that_cannot_be_read_is_held_back(tmp_path: Path) -> None:
    put(tmp_path, "a.7z", b"7z")
    put(tmp_path, "a.csv", focus_text({}))
    assert [held.name for held in look(tmp_path).held_back] == ["a.7z"]


def test_a_gzip_cut_short_is_unfinished(tmp_path: Path) -> None:
    whole = gzip.compress(focus_text(*({"ResourceId": f"r-{one * 7919 % 10007}"} for one in range(4000))).encode())
    put(tmp_path, "cut.csv", whole[: len(whole) // 2])
    with pytest.raises(UnfinishedFileError, match="stops before its end"):
        list(read_batches(look(tmp_path).deliveries[0]))
    put(tmp_path, "cut.csv", whole[:12])
    assert "stops before its end" in look(tmp_path).held_back[0].reason


def test_a_csv_cut_short_is_unfinished(tmp_path: Path) -> None:
    put(tmp_path, "cut.csv", focus_text({}, {}, {})[:-30])
    with pytest.raises(UnfinishedFileError, match="the file was cut"):
        list(read_batches(look(tmp_path).deliveries[0]))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("bills/2026-10-03/part.csv", "20261003"),
        ("bills/20261003/part.csv", "20261003"),
        ("bills/run=41/part.csv", "41"),
        ("bills/run=20261003T060000Z/part.csv", "20261003060000"),
        ("bills/costs_20261003.csv", "20261003"),
        ("bills/costs-2026-10-03.csv.gz", "20261003"),
        ("bills/meridian-2026-10.csv", None),
        ("bills/costs.csv", None),
        ("bills/eu/costs.csv", None),
    ],
)
def test_a_run_or_date_in_the_path_orders_snapshots(tmp_path: Path, name: str, key: str | None) -> None:
    put(tmp_path, name, focus_text({}))
    assert look(tmp_path, "bills/**/*").deliveries[0].order_key == key


def test_the_fixed_part_of_a_glob_orders_nothing(tmp_path: Path) -> None:
    put(tmp_path, "2026-10-03/bills/costs.csv", focus_text({}))
    assert look(tmp_path, "2026-10-03/bills/*.csv").deliveries[0].order_key is None


def test_the_parts_of_a_manifest_are_one_delivery_and_its_keys_may_carry_a_lost_prefix(tmp_path: Path) -> None:
    parts = [f"20260901-20261001/new/cur-{part}.csv.gz" for part in (1, 2)]
    for part in parts:
        put(tmp_path, f"bills/{part}", cur_text({}))
    put(tmp_path, f"{PERIOD}/old/cur-1.csv.gz", cur_text({}, {}))
    manifest(tmp_path, PERIOD, "new", parts)
    manifest(tmp_path, f"{PERIOD}/old", "old", ["20260901-20261001/old/cur-1.csv.gz"])
    found = look(tmp_path)
    assert not found.held_back
    assert [(len(one.files), one.current) for one in found.deliveries] == [(2, True), (1, False)]
    assert found.deliveries[0].empty_keys == (BillKey("cloud", "004418230975", date(2026, 9, 1)),)


def test_a_missing_part_holds_the_assembly_back_and_the_older_one_may_count(tmp_path: Path) -> None:
    put(tmp_path, f"{PERIOD}/new/cur-1.csv", cur_text({}))
    put(tmp_path, f"{PERIOD}/new/cur-2.csv", b"")
    put(tmp_path, f"{PERIOD}/old/cur-1.csv", cur_text({}))
    manifest(tmp_path, PERIOD, "new", ["20260901-20261001/new/cur-1.csv", "20260901-20261001/new/cur-2.csv"])
    manifest(tmp_path, f"{PERIOD}/old", "old", ["20260901-20261001/old/cur-1.csv"])
    found = look(tmp_path)
    assert [one.current for one in found.deliveries] == [None]
    assert any("incomplete: cur-Manifest.json names cur-2.csv" in held.reason for held in found.held_back)


def test_a_manifest_whose_assembly_never_came_is_told(tmp_path: Path) -> None:
    put(tmp_path, f"{PERIOD}/old/cur-1.csv", cur_text({}))
    manifest(tmp_path, PERIOD, "new", ["20260901-20261001/new/cur-1.csv"])
    found = look(tmp_path)
    assert [one.current for one in found.deliveries] == [None]
    assert [held.name for held in found.held_back] == ["new"]


def test_a_file_beside_the_parts_of_a_manifest_is_held_back(tmp_path: Path) -> None:
    put(tmp_path, f"{PERIOD}/new/cur-1.csv", cur_text({}))
    put(tmp_path, f"{PERIOD}/new/copy of cur-1.csv", cur_text({}))
    manifest(tmp_path, PERIOD, "new", ["20260901-20261001/new/cur-1.csv"])
    found = look(tmp_path)
    assert [len(one.files) for one in found.deliveries] == [1]
    assert [held.reason for held in found.held_back] == ["cur-Manifest.json does not name it"]


def test_without_a_manifest_an_assembly_folder_is_one_delivery(tmp_path: Path) -> None:
    for part in (1, 2):
        put(tmp_path, f"{PERIOD}/a1/cur-{part}.csv", cur_text({}))
    put(tmp_path, "loose/cur-a.csv", cur_text({}))
    put(tmp_path, "loose/cur-b.csv", cur_text({}))
    put(tmp_path, "loose/notes.json", json.dumps(["no manifest"]))
    found = look(tmp_path)
    assert sorted((len(one.files), one.current) for one in found.deliveries) == [(1, None), (1, None), (2, None)]


def test_reports_that_are_overwritten_in_place_lie_beside_their_manifest(tmp_path: Path) -> None:
    put(tmp_path, f"{PERIOD}/cur-1.csv", cur_text({}))
    manifest(tmp_path, PERIOD, "any", ["20260901-20261001/cur-1.csv"])
    found = look(tmp_path)
    assert [one.current for one in found.deliveries] == [True]
    assert not found.held_back


@pytest.mark.parametrize("cut", ["", "{", "[]", "null", '{"blobs": ['])
@pytest.mark.parametrize(
    ("bill", "beside", "text"),
    [
        ("actual/20260901-20260930/r1/part_0_0001.csv", "actual/20260901-20260930/r1/_manifest.json", AZURE_ACTUAL),
        ("20260901-20261001/a1/cur-00001.csv", "20260901-20261001/cur-Manifest.json", cur_text({})),
    ],
)
def test_a_manifest_that_cannot_be_read_holds_its_files_back(
    tmp_path: Path, bill: str, beside: str, text: str, cut: str
) -> None:
    put(tmp_path, bill, text)
    put(tmp_path, beside, cut)
    found = look(tmp_path)
    assert not found.deliveries
    (held,) = found.held_back
    assert held.name == bill
    assert "holds no JSON object" in held.reason
    assert Path(beside).name in held.reason


def test_json_that_speaks_of_something_else_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "20260901-20261001/a1/cur-00001.csv", cur_text({}))
    put(tmp_path, "20260901-20261001/cur-RedshiftManifest.json", '{"entries": []}')
    put(tmp_path, "20260901-20261001/notes.json", "{")
    assert len(look(tmp_path, "**/*.csv").deliveries) == 1
