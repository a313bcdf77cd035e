"""How files are packed: gzip, zip of one CSV, zstd; what is cut, damaged or not one table replaces nothing."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from bills_kit import focus_text, look, put, read_only

from attribution.bills import read as read_batches
from schemas.packed import UnfinishedFileError, unpacked

ROWS = focus_text(*({"ResourceId": f"r-{one * 7919 % 10007}"} for one in range(4000)))
DATA = ROWS.encode()
HALF = len(DATA) // 2


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return packed.getvalue()


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


SKIPPED_FRAME = b"\x50\x2a\x4d\x18\x04\x00\x00\x00note"
WHOLE = {
    "one gzip": gzip.compress(DATA),
    "two gzip members": gzip.compress(DATA[:HALF]) + gzip.compress(DATA[HALF:]),
    "a gzip member of nothing": gzip.compress(DATA) + gzip.compress(b""),
    "a gzip filled up with zeros": gzip.compress(DATA) + bytes(300_000),
    "zip": zipped({"bill.csv": DATA}),
    "zip stored": zipped({"bill.csv": DATA}, zipfile.ZIP_STORED),
    "zip in a folder, with notes": zipped({"bills/": b"", "bills/bill.csv": DATA, "bills/notes.md": b"# notes"}),
    "zip of a Macintosh": zipped({"bill.csv": DATA, "__MACOSX/._bill.csv": b"\0\5\x16\7"}),
    "zstd": zstd(DATA),
    "two zstd frames": zstd(DATA[:HALF]) + zstd(DATA[HALF:]),
    "zstd after a frame to skip": SKIPPED_FRAME + zstd(DATA),
}


@pytest.mark.parametrize("name", ["bill.csv", "bill.csv.gzip.txt"])
@pytest.mark.parametrize("packing", WHOLE)
def test_the_bytes_say_how_a_bill_is_packed(tmp_path: Path, packing: str, name: str) -> None:
    put(tmp_path, name, WHOLE[packing])
    bill = read_only(tmp_path)
    assert (bill.rows, bill.total("BilledCost")) == (4000, 4000)
    assert bill.charges.get_column("ResourceId").n_unique() == 4000


@pytest.mark.parametrize("name", ["bill.csv.zst", "bill.zip", "bill.csv.zip", "BILL.ZIP", "bill.tsv.gz"])
def test_packed_bills_are_listed_by_their_names(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(WHOLE["zstd" if "zst" in name else "zip"])
    assert read_only(tmp_path).rows == 4000


CUT = {
    "second gzip member": WHOLE["two gzip members"][:-20],
    "header of the second gzip member": gzip.compress(DATA) + gzip.compress(DATA)[:5],
    "gzip before its check sum": gzip.compress(DATA)[:-4],
    "zip": WHOLE["zip"][:-30],
    "half a zip": WHOLE["zip"][: len(WHOLE["zip"]) // 2],
    "zstd": WHOLE["zstd"][:-3],
    "second zstd frame": WHOLE["two zstd frames"][:-3],
}


@pytest.mark.parametrize("packing", CUT)
def test_what_is_cut_short_is_unfinished(tmp_path: Path, packing: str) -> None:
    path = put(tmp_path, "cut.csv", CUT[packing])
    with pytest.raises(UnfinishedFileError, match="stops before its end"):
        list(unpacked(path, "cut.csv"))
    found = look(tmp_path)
    for delivery in found.deliveries:
        with pytest.raises(UnfinishedFileError, match="stops before its end"):
            list(read_batches(delivery))
    assert found.deliveries or "stops before its end" in found.held_back[0].reason


def test_a_damaged_byte_is_met_by_the_check_sum(tmp_path: Path) -> None:
    for packing in ("one gzip", "zip stored"):
        damaged = bytearray(WHOLE[packing])
        damaged[len(damaged) // 2] ^= 0x20
        path = put(tmp_path, "damaged.csv", bytes(damaged))
        with pytest.raises(UnfinishedFileError, match="is damaged"):
            list(unpacked(path, "damaged.csv"))


def test_what_follows_a_gzip_and_is_none_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, "bill.csv", gzip.compress(DATA) + b"<html>502 Bad Gateway")
    with pytest.raises(UnfinishedFileError, match="the gzip is damaged"):
        list(unpacked(path, "bill.csv"))


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (zipped({"a.csv": DATA, "b.csv": DATA}), "holds 2 CSV files and must hold one; inside: a.csv, b.csv"),
        (
            zipped({"a.parquet": b"PAR1", "notes.md": b"x"}),
            "holds 0 CSV files and must hold one; inside: a.parquet, notes.md",
        ),
        (zipped({"a.csv.gz": gzip.compress(DATA)}), "holds 0 CSV files and must hold one; inside: a.csv.gz"),
        (zipped({}), "inside: (nothing)"),
        (zipped({f"m{one}.csv": b"a" for one in range(20)}), "m7.csv and 12 more"),
    ],
    ids=["two", "none", "packed twice", "empty", "many"],
)
def test_a_zip_that_is_not_one_bill_is_held_back_and_says_what_is_inside(
    tmp_path: Path, packed: bytes, said: str
) -> None:
    put(tmp_path, "bills.zip", packed)
    found = look(tmp_path)
    assert not found.deliveries
    (held,) = found.held_back
    assert said in held.reason
    assert "pack each CSV by itself" in held.reason


def test_a_zip_with_a_password_is_held_back(tmp_path: Path) -> None:
    locked = bytearray(zipped({"bill.csv": DATA}))
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(signature) + at] |= 1
    put(tmp_path, "bills.zip", bytes(locked))
    assert [held.reason for held in look(tmp_path).held_back] == ["the zip needs a password. Deliver it without."]


@pytest.mark.parametrize(
    "packed", [gzip.compress(b""), zipped({"bill.csv": b""}), zstd(b"")], ids=["gzip", "zip", "zstd"]
)
def test_a_file_of_no_bytes_is_unfinished_however_it_is_packed(tmp_path: Path, packed: bytes) -> None:
    put(tmp_path, "bill.csv", packed)
    assert [held.reason[:22] for held in look(tmp_path).held_back] == ["the file has 0 bytes, "]


@pytest.mark.parametrize("packing", ["gzip", "zip", "zstd"])
def test_a_header_alone_is_an_empty_bill_however_it_is_packed(tmp_path: Path, packing: str) -> None:
    header = DATA.split(b"\n", 1)[0] + b"\n"
    put(
        tmp_path,
        "bill.csv",
        {"gzip": gzip.compress, "zip": lambda one: zipped({"a.csv": one}), "zstd": zstd}[packing](header),
    )
    bill = read_only(tmp_path)
    assert bill.charges.height == bill.rows == 0
    assert bill.charges.schema["BilledCost"].is_decimal()
