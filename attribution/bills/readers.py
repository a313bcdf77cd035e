"""The table of readers, and what every caller asks: what is there, what does it say, what does it sum to."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from attribution.bills import generic_csv, oci, own_costs
from attribution.bills.aws import reader as aws
from attribution.bills.azure import reader as azure
from attribution.bills.china import alibaba, baidu, huawei, tencent, volcengine
from attribution.bills.china.detail import DetailBill
from attribution.bills.databricks import reader as databricks
from attribution.bills.focus import periods as focus_periods
from attribution.bills.focus import reader as focus
from attribution.bills.gcp import reader as gcp
from attribution.bills.listing import Head, bill_file, list_files, read_head
from schemas.bills import Batch, BillFile, Delivery, Found, HeldBack, PeriodState, Stated
from schemas.faults import Fault, InputError, in_one_line, suggest
from schemas.packed import PackedFileError, UnfinishedFileError
from schemas.paths import relative_name
from schemas.plain_copies import PlainCopies
from schemas.workspace import Source


class Reader(Protocol):
    """The same five names in every reader, which is a module or a `DetailBill`."""

    NAME: str

    def identify(self, head: Head) -> bool:
        """Whether this reader knows the file by its columns."""

    def deliveries(self, source: Source, files: Sequence[BillFile]) -> tuple[list[Delivery], list[HeldBack]]:
        """Group a source's files to what must be read together."""

    def read(self, delivery: Delivery) -> Iterator[Batch]:
        """Charges of a delivery."""

    def stated(self, delivery: Delivery) -> Stated:
        """Rows and sums of a delivery's files, apart from `read`."""


def _reader(found: ModuleType | DetailBill) -> Reader:
    return cast("Reader", found)


_UTC = "UTC"
_READERS: tuple[ModuleType | DetailBill, ...] = (
    focus,
    aws,
    oci,
    gcp,
    azure,
    databricks,
    alibaba.READER,
    tencent.READER,
    huawei.READER,
    volcengine.READER,
    baidu.READER,
    generic_csv,
    own_costs,
)
READERS: dict[str, Reader] = {reader.NAME: reader for reader in map(_reader, _READERS)}
FORMATS = tuple(name for name in READERS if name != own_costs.NAME)
"""Formats that a `[[source]]` may state; own costs are an input, and their source is made from it."""
_CLOCKS: dict[str, str] = {name: getattr(reader, "TIMEZONE", _UTC) for name, reader in READERS.items()}


def clock_of(format: str) -> str:  # noqa: A002 - as the setting is called
    """The time zone of a format's instants that are written without one; UTC for `auto`."""
    return _CLOCKS.get(format, _UTC)


@dataclass(frozen=True)
class _Claim:
    reader: str
    file: BillFile


def find(source: Source, root: Path, store: Path | None = None) -> Found:
    """What a source has now.

    Args:
        source: its glob and statements.
        root: the workspace.
        store: where the ledger lies; its own files are no bills, however wide the glob is.

    Returns:
        Deliveries in order of their names, files or deliveries that were held back, with the reason, and what is said
        of billing periods.

    Raises:
        InputError: the glob matches nothing, `format` is unknown, or no file of the source is a known bill.
    """
    if source.format != "auto" and source.format not in READERS:
        hint = suggest(source.format, READERS)
        raise InputError(Fault(f'source "{source.name}"', f'unknown format "{source.format}"', _formats(), hint))
    paths, held = list_files(source, root, store)
    claims: list[_Claim] = []
    periods: list[PeriodState] = []
    faults: list[Fault] = []
    for path in paths:
        try:
            head = read_head(BillFile(path, relative_name(path, root), "", path.stat().st_size), source)
            if source.format in ("auto", focus.NAME) and focus_periods.identify(head):
                periods.extend(focus_periods.read_periods(head, source))
            else:
                claims.append(_claim(head, source, root))
        except (PackedFileError, UnfinishedFileError) as error:
            held.append(_held(source, path, root, error.faults[0].sentence))
        except InputError as error:
            faults.extend(error.faults)
            held.append(_held(source, path, root, in_one_line(error.faults)))
    if faults and not claims and not periods:
        raise InputError(faults)
    found: list[Delivery] = []
    for name in sorted({claim.reader for claim in claims}):
        files = [claim.file for claim in claims if claim.reader == name]
        try:
            deliveries, more = READERS[name].deliveries(source, files)
        except InputError as error:  # what lies beside the files cannot be read, so how they belong together is unknown
            held.append(_held(source, files[0].path, root, in_one_line(error.faults)))
            continue
        found.extend(deliveries)
        held.extend(more)
    return Found(tuple(sorted(found, key=lambda delivery: delivery.name)), tuple(held), tuple(periods))


def read(delivery: Delivery) -> Iterator[Batch]:
    """Charges of a delivery in batches of about a quarter of a million rows.

    A later file may turn out to be unreadable when batches of earlier ones were given already.

    Raises:
        UnfinishedFileError: a file was cut short, or a manifest says that there are other rows; nothing of the
            delivery may be kept.
        InputError: a file cannot be read at all.
    """
    rows = 0
    for batch in READERS[delivery.reader].read(delivery):
        rows += batch.rows
        yield batch
    if delivery.rows is not None and delivery.rows != rows:
        what = f"it holds {rows} rows of {delivery.rows} that its manifest names, so it was not wholly delivered"
        raise UnfinishedFileError(Fault(delivery.name, what))


@contextmanager
def unpacked_once(delivery: Delivery) -> Iterator[Delivery]:
    """The delivery with a place for its plain text, so that `read` and `stated` of it unpack each file once."""
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        copies = PlainCopies(Path(scratch))
        yield replace(delivery, files=tuple(replace(file, copies=copies) for file in delivery.files))


def stated(delivery: Delivery) -> Stated:
    """Rows and exact sums of a delivery's raw files, by other means than `read`."""
    return READERS[delivery.reader].stated(delivery)


def _claim(head: Head, source: Source, root: Path) -> _Claim:
    file = head.file
    names = [source.format] if source.format != "auto" else [n for n, one in READERS.items() if one.identify(head)]
    if len(names) == 1:
        if source.format == "auto" and source.timezone != clock_of(names[0]) != _UTC:
            what = f"a bill of format {names[0]}, whose clock is {clock_of(names[0])} and stands nowhere in the file"
            hint = f'Give such files a source of their own with `format = "{names[0]}"`.'
            raise InputError(Fault(file.name, what, hint=hint))
        return _Claim(names[0], bill_file(file.path, root))
    columns = ", ".join(head.columns[:12]) + (", ..." if len(head.columns) > len(head.columns[:12]) else "")
    what = f"{' and '.join(names)} both claim it" if names else "no reader knows this bill"
    hint = f'State `format = "{(names or FORMATS)[0]}"` (or another) in source "{source.name}".'
    if not names:
        hint += f' Columns of any other CSV can be mapped, with `format = "{generic_csv.NAME}"`.'
    raise InputError(Fault(file.name, f"{what}; its columns are: {columns or '(none)'}", _formats(), hint))


def _formats() -> str:
    return ", ".join(FORMATS)


def _held(source: Source, path: Path, root: Path, reason: str) -> HeldBack:
    return HeldBack(source.name, relative_name(path, root), reason)
