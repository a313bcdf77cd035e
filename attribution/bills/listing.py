"""Which files a source has now, and what each says of itself in its header; nothing of their rows is read here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from attribution.bills.json_lines import first_keys, is_json
from schemas.bills import BillFile, HeldBack
from schemas.faults import Fault, InputError
from schemas.packed import UnfinishedFileError
from schemas.paths import matching, relative_name
from schemas.text_file import head_line, header_columns
from schemas.workspace import Source

_TABLES = (".csv", ".txt", ".tsv", ".jsonl", ".ndjson", ".json", ".gz", ".zip", ".zst", ".parquet")
_PACKED = (".xz", ".bz2", ".7z", ".tar", ".tgz", ".xlsx", ".xls")
_PACKED_REASON = (
    "it is packed in a way that is not read; unpack it, or deliver CSV (plain, gzip, zip or zstd) or Parquet"
)
# Files that speak of bills and are none.
_BESIDE = re.compile(r"^_|manifest[^/]*\.json$", re.IGNORECASE)
# AWS puts a table that says when a report was made beside the report, and calls its folder so.
_STATUS = "cost_and_usage_data_status"
_OPTIONS = ("encoding", "decimal", "thousands", "date_format", "timezone", "effective")


@dataclass(frozen=True)
class Head:
    """What a file says before its first row: its columns in order, and whether it is Parquet or JSON lines.

    Of JSON lines the columns are the keys of the first line; a key that is null there may be left out.
    """

    file: BillFile
    columns: tuple[str, ...]
    parquet: bool
    json: bool = False


def list_files(source: Source, root: Path, store: Path | None = None) -> tuple[list[Path], list[HeldBack]]:
    """Paths that may be bills, sorted by name, and packed files that cannot be read as they are.

    Raises:
        InputError: the glob matches nothing, or is none.
    """
    paths = matching(root, source.path, f'source "{source.name}"', store)
    tables = [path for path in paths if path.name.lower().endswith(_TABLES)]
    bills = [path for path in tables if not _BESIDE.search(path.name) and _STATUS not in path.parts]
    packed = [path for path in paths if path.name.lower().endswith(_PACKED)]
    return bills, [HeldBack(source.name, relative_name(path, root), _PACKED_REASON) for path in packed]


def bill_file(path: Path, root: Path) -> BillFile:
    """Name a file by its content; reads all its bytes once."""
    found = path.stat()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return BillFile(path, relative_name(path, root), digest, found.st_size, modified=found.st_mtime_ns)


def ask_unchanged(files: Iterable[BillFile]) -> None:
    """Make sure that files are still those that were named by their content.

    Raises:
        UnfinishedFileError: somebody wrote one since; what was read of it is neither the old nor the new.
    """
    for file in files:
        now = file.path.stat()
        if (now.st_size, now.st_mtime_ns) != (file.size, file.modified):
            what = "the file was written while it was read, so nothing of it was taken"
            raise UnfinishedFileError(Fault(file.name, what, hint="The next run reads it anew."))


def read_head(file: BillFile, source: Source) -> Head:
    """Columns of a file.

    Raises:
        UnfinishedFileError: zero bytes or cut short.
        InputError: undecodable, a damaged Parquet file, or JSON where a style of numbers is stated.
    """
    with file.path.open("rb") as opened:
        parquet = opened.read(4) == b"PAR1"
    if not parquet:
        line = head_line(file.path, file.name, source.encoding)
        if is_json(line):
            if source.decimal != "." or source.thousands:
                raise InputError(_styled(file))
            return Head(file, first_keys(line, file.name), parquet=False, json=True)
        return Head(file, header_columns(line), parquet=False)
    try:
        schema = pl.read_parquet_schema(file.path)
    except pl.exceptions.PolarsError as error:
        raise InputError(Fault(file.name, "the Parquet file is damaged or was not wholly delivered")) from error
    return Head(file, tuple(schema), parquet=True)


def _styled(file: BillFile) -> Fault:
    what = "the source states decimal or thousands, and numbers of JSON have a point and no such marks"
    return Fault(file.name, what, hint="Give JSON lines a source of their own, with amounts as numbers.")


def delivery_digest(reader: str, version: int, source: Source, files: Iterable[BillFile]) -> str:
    """SHA-256 of all that decides what a delivery reads as: reader, its version, the source's options, content."""
    options = "|".join(f"{name}={getattr(source, name)}" for name in _OPTIONS)
    if source.mapping:
        options += f"|{source.mapping}"
    content = ",".join(sorted(file.digest for file in files))
    return hashlib.sha256(f"{reader}|{version}|{options}|{content}".encode()).hexdigest()
