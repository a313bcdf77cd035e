"""Any delivered text file as plain UTF-8: unpacked, without byte-order marks, with single line ends, without footer.

The surprise: nothing is guessed. A file is UTF-8 (or UTF-16 by its mark), or the source states its encoding;
a byte that fits neither is refused with its line, never replaced.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from schemas.faults import Fault, InputError

GZIP_MAGIC = b"\x1f\x8b"
_BLOCK = 1 << 22
_BOM = codecs.BOM_UTF8
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HEAD = 1 << 16
_FOOTER_KEPT = 20
# A footer of a bill explains in a column or two; a longer line is a row that must not vanish as one.
_FEW_FIELDS = 4
# Tags of one row may be longer than the standard library's 128 KiB.
csv.field_size_limit(1 << 26)


class UnfinishedFileError(InputError):
    """The file stops before its end: an export still running or cut short. It replaces nothing."""


@dataclass(frozen=True)
class PlainText:
    """A plain UTF-8 copy of a delivered file up to its footer, which is kept apart.

    Without `quoted` cells a row is a line; with them only a walk through the file can tell.
    """

    path: Path
    quoted: bool
    ends_with_newline: bool
    footer_line: int | None = None
    footer: tuple[str, ...] = ()


def is_gzip(path: Path) -> bool:
    """Whether the bytes say gzip, whatever the name says."""
    with path.open("rb") as file:
        return file.read(2) == GZIP_MAGIC


def head_line(path: Path, where: str, encoding: str | None = None) -> str:
    """The header line of a text file, decoded; empty where the first line is.

    Raises:
        UnfinishedFileError: zero bytes, or a gzip that stops within its first line.
        InputError: undecodable, or no line end in the first 64 KiB of a longer file.
    """
    if path.stat().st_size == 0:
        raise UnfinishedFileError(Fault(where, "the file has 0 bytes, so its export failed or still runs"))
    with _raw(path) as file:
        try:
            data = file.readline(_HEAD) if not _sixteen(file) else file.read(_HEAD)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise _cut(where) from error
    codec = _codec(data[: _HEAD - _HEAD % 2], where, encoding)
    text = codecs.getincrementaldecoder(codec)().decode(data)
    return text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r")


def plain_text(path: Path, where: str, target: Path, encoding: str | None = None) -> PlainText:
    """Write a plain UTF-8 copy of a file to `target`.

    Args:
        path: the delivered file, gzip or not.
        where: what messages call it.
        target: the copy; the caller removes it.
        encoding: what the source states, used where the bytes are not UTF-8.

    Raises:
        UnfinishedFileError: zero bytes or a truncated gzip.
        InputError: a byte that cannot be decoded, or rows after a blank line.
    """
    if path.stat().st_size == 0:
        raise UnfinishedFileError(Fault(where, "the file has 0 bytes, so its export failed or still runs"))
    try:
        return _copy(path, where, target, "utf-8", encoding)
    except UnicodeDecodeError as error:
        if encoding is None:
            raise _undecodable(where, "utf-8", error, path) from error
    try:
        return _copy(path, where, target, _known(encoding, where), encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(where, encoding, error, path) from error


def delimiter_of(header: str) -> str:
    """The separator of a header line: of comma, semicolon, tab and bar the one that makes most columns."""
    counts = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in (",", ";", "\t", "|")}
    return max(counts, key=lambda mark: counts[mark])


def header_columns(header: str) -> tuple[str, ...]:
    """Column names of a header line, stripped of blanks around them."""
    return tuple(name.strip() for name in next(csv.reader([header], delimiter=delimiter_of(header)), []))


def physical_lines(copy: Path, rows: set[int]) -> dict[int, int]:
    """The line on which each data row (from 1) starts; a quoted field may hold line ends, so rows are not lines."""
    found: dict[int, int] = {}
    row, inside = -1, False
    with copy.open("rb") as file:
        for line, text in enumerate(file, 1):
            if not inside:
                row += 1
                if row in rows:
                    found[row] = line
                    if len(found) == len(rows):
                        break
            # A quote within a quoted field is doubled, so only the count being odd or even matters.
            inside ^= text.count(b'"') % 2 == 1
    return found


def _raw(path: Path) -> BinaryIO:
    return gzip.open(path, "rb") if is_gzip(path) else path.open("rb")  # type: ignore[return-value]


def _sixteen(file: BinaryIO) -> bool:
    start = file.read(2)
    file.seek(0)
    return start in _UTF16


def _codec(data: bytes, where: str, encoding: str | None) -> str:
    if data[:2] in _UTF16:
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError as error:
        if encoding is None:
            raise _undecodable(where, "utf-8", error) from error
        return _known(encoding, where)
    return _known(encoding, where) if encoding and b"\x00" in data else "utf-8"


def _known(encoding: str, where: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        hint = 'Python\'s names, for example "cp1252", "gb18030", "utf-16-le".'
        raise InputError(Fault(where, f'unknown encoding "{encoding}"', hint=hint)) from error


def _blocks(file: BinaryIO, codec: str) -> Iterator[bytes]:
    """UTF-8 blocks that end with a line, but for the last."""
    if codec == "utf-8":
        decoder = codecs.getincrementaldecoder("utf-8")()
        while block := file.read(_BLOCK):
            whole = block + file.readline()
            if not whole.isascii():
                decoder.decode(whole)  # strict: raises at the first byte that is none
            yield whole
        decoder.decode(b"", final=True)
        return
    reader = codecs.getincrementaldecoder(codec)()
    rest = ""
    while block := file.read(_BLOCK):
        text = rest + reader.decode(block)
        end = text.rfind("\n") + 1
        rest = text[end:]
        yield text[:end].encode()
    yield (rest + reader.decode(b"", final=True)).encode()


def _copy(path: Path, where: str, target: Path, codec: str, stated: str | None) -> PlainText:
    quotes = lines = 0
    last = b"\n"
    footer = b""
    footer_line: int | None = None
    width = 0
    with _raw(path) as file, target.open("wb") as copy:
        if codec == "utf-8":
            if _sixteen(file):
                codec = "utf-16"
            elif stated and b"\x00" in file.read(_HEAD):
                codec = _known(stated, where)
            file.seek(0)
        try:
            for raw in _blocks(file, codec):
                block = _tidy(raw)
                if footer_line is not None:
                    footer += block[: max(0, _HEAD - len(footer))]
                    continue
                if not lines:
                    width = len(header_columns(block.split(b"\n", 1)[0].decode()))
                blank = _blank_line(block, quotes, after_newline=lines > 0 and last == b"\n")
                if blank is not None:
                    footer_line = lines + block.count(b"\n", 0, blank) + 1
                    footer = block[blank:]
                    block = block[:blank]
                copy.write(block)
                quotes += block.count(b'"')
                lines += block.count(b"\n")
                last = block[-1:] or last
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise _cut(where) from error
    texts = tuple(line.strip() for line in footer.decode(errors="ignore").splitlines() if line.strip())
    _refuse_rows_in_footer(where, texts, width, footer_line)
    return PlainText(target, quotes > 0, last == b"\n", footer_line if texts else None, texts[:_FOOTER_KEPT])


def _tidy(block: bytes) -> bytes:
    # One-byte searches are many times faster than longer ones, and mostly they settle it.
    if b"\xef" in block:
        block = block.removeprefix(_BOM).replace(b"\n" + _BOM, b"\n").removeprefix(_BOM)
    if b"\r" in block:
        while b"\r\r\n" in block:
            block = block.replace(b"\r\r\n", b"\r\n")
    return block


def _blank_line(block: bytes, quotes: int, *, after_newline: bool) -> int | None:
    """Where the first blank line outside quotes starts in the block."""
    candidates = [0] if after_newline and block.startswith((b"\n", b"\r\n")) else []
    for mark in (b"\n\n", b"\n\r\n") if b"\r" in block else (b"\n\n",):
        at = block.find(mark)
        while at >= 0:
            candidates.append(at + 1)
            at = block.find(mark, at + 1)
    counted = 0
    for at in sorted(candidates):
        quotes += block.count(b'"', counted, at)
        counted = at
        if quotes % 2 == 0:
            return at
    return None


def _refuse_rows_in_footer(where: str, texts: tuple[str, ...], width: int, line: int | None) -> None:
    for text in texts:
        if width >= _FEW_FIELDS and len(header_columns(text)) == width:
            what = f"line {line} is blank and rows follow it, so it cannot be told whether they are part of the bill"
            raise InputError(Fault(where, what, hint="Remove the blank line, or the rows after it."))


def _cut(where: str) -> UnfinishedFileError:
    return UnfinishedFileError(Fault(where, "the gzip stops before its end, so the file was not wholly delivered"))


def _undecodable(where: str, encoding: str, error: UnicodeDecodeError, path: Path | None = None) -> InputError:
    byte = error.object[error.start : error.start + 1]
    line = _line_holding(path, error.object, error.start) if path else None
    what = f"byte 0x{byte.hex()} is not {encoding}" + (f" (line {line})" if line else "")
    hint = 'State the encoding of the source, for example `encoding = "cp1252"` or `encoding = "gb18030"`.'
    return InputError(Fault(where, what, hint=hint))


def _line_holding(path: Path, block: bytes, at: int) -> int | None:
    """The line of a byte, by the line it stands in; None where that line is not in the file as it is."""
    start = block.rfind(b"\n", 0, at) + 1
    end = block.find(b"\n", at)
    wanted = block[start : end if end >= 0 else None]
    with _raw(path) as file:
        for number, line in enumerate(file, 1):
            if line.rstrip(b"\n") == wanted:
                return number
    return None
