"""Any delivered text file as plain UTF-8: unpacked, without byte-order marks, with single line ends, without footer.

The surprise: nothing is guessed. A byte-order mark decides, then strict UTF-8, then what the source states; GB18030
without a statement needs a header that says in Chinese what it is. A byte that fits none is refused with its line,
never replaced.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from schemas.byte_counts import count_of
from schemas.encodings import BOM, UTF16, UndecodableError, codec_of, known_codec, proven, recoded, undecodable
from schemas.faults import Fault, InputError
from schemas.packed import UnfinishedFileError, unpacked

_BLOCK = 1 << 24
_HEAD = 1 << 16
_FOOTER_KEPT = 20
# A footer of a bill explains in a column or two; a longer line is a row that must not vanish as one.
_FEW_FIELDS = 4
_BLANK = re.compile(rb"\n(?=\r?\n)")
# Tags of one row may be longer than the standard library's 128 KiB.
csv.field_size_limit(1 << 26)


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


def head_line(path: Path, where: str, encoding: str | None = None) -> str:
    """The header line of a text file, decoded; empty where the first line is.

    Raises:
        UnfinishedFileError: zero bytes, or packed and cut within its first line.
        InputError: undecodable, or packed so that it cannot be read.
    """
    data = _start(path, where)
    codec = codec_of(data, where, encoding)
    try:
        text = codecs.getincrementaldecoder(codec)().decode(data)
    except UnicodeDecodeError as error:
        raise undecodable(where, codec, error.object[error.start], 1) from error
    return text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r")


def plain_text(path: Path, where: str, target: Path, encoding: str | None = None) -> PlainText:
    """Write a plain UTF-8 copy of a file to `target`.

    Args:
        path: the delivered file, packed or not.
        where: what messages call it.
        target: the copy; the caller removes it.
        encoding: what the source states, used where the bytes are not UTF-8.

    Raises:
        UnfinishedFileError: zero bytes, or what is packed was cut short.
        InputError: a byte that cannot be decoded, rows after a blank line, or packed so that it cannot be read.
    """
    start = _start(path, where)
    codec = codec_of(start, where, encoding)
    try:
        return _copy(path, where, target, codec)
    except UndecodableError:
        if codec != "utf-8" or encoding is None or start.startswith(BOM):
            raise
    return _copy(path, where, target, known_codec(encoding, where))


def plain_blocks(path: Path, where: str, encoding: str | None = None, size: int = _BLOCK) -> Generator[bytes] | None:
    """The same text block by block, without a copy, its footer where it stands; the blocks are whole lines.

    Args:
        path: the delivered file, packed or not.
        where: what messages call it.
        encoding: what the source states.
        size: bytes of a block at least, but for the last.

    Returns:
        None where only the whole file tells its encoding: one is stated, and the header could be UTF-8 too.

    Raises:
        UnfinishedFileError: what is packed was cut short; also between blocks.
        InputError: a byte that cannot be decoded; also between blocks.
    """
    start = _start(path, where)
    codec = codec_of(start, where, encoding)
    if codec == "utf-8" and not start.startswith(BOM) and encoding and known_codec(encoding, where) != codec:
        return None
    return _plain_blocks(path, where, codec, size)


def without_header(blocks: Iterator[bytes]) -> Generator[bytes]:
    """Blocks that start with a header line, without it; none of them empty."""
    first = next(blocks, b"")
    yield from filter(None, chain((first[first.find(b"\n") + 1 or len(first) :],), blocks))


def delimiter_of(header: str) -> str:
    """The separator of a header line: of comma, semicolon, tab and bar the one that makes most columns."""
    counts = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in (",", ";", "\t", "|")}
    return max(counts, key=lambda mark: counts[mark])


def header_columns(header: str) -> tuple[str, ...]:
    """Column names of a header line, stripped of blanks around them."""
    return tuple(name.strip() for name in next(csv.reader([header], delimiter=delimiter_of(header)), []))


def _start(path: Path, where: str) -> bytes:
    """The first line as it is written; more of it where characters are of 16 bits, so that no byte is a line end."""
    data = b""
    with closing(unpacked(path, where)) as blocks:  # type: ignore[type-var]  # a generator
        for block in blocks:
            data += block
            if len(data) >= _HEAD and (b"\n" in data or len(data) >= _BLOCK):
                break
    if not data:
        raise UnfinishedFileError(Fault(where, "the file has 0 bytes, so its export failed or still runs"))
    if data[:2] in UTF16 or b"\x00" in data[:_HEAD]:
        return data[:_HEAD]
    return data[: data.find(b"\n") + 1 or None]


def _copy(path: Path, where: str, target: Path, codec: str) -> PlainText:
    with target.open("wb") as file:
        copy = _Copy(where, file)
        for block in _plain_blocks(path, where, codec, _BLOCK):
            copy.add(block)
    return copy.done(target)


def _plain_blocks(path: Path, where: str, codec: str, size: int) -> Generator[bytes]:
    """Whole lines in UTF-8, without byte-order marks and with single line ends, some megabytes at a time."""
    raw = unpacked(path, where)
    blocks = whole_lines(raw if codec == "utf-8" else recoded(raw, where, codec), size)
    yield from map(_tidy, proven(blocks, where) if codec == "utf-8" else blocks)


def whole_lines(blocks: Iterator[bytes], at_least: int = _BLOCK) -> Iterator[bytes]:
    """Blocks of some megabytes that end with a line end, but for the last."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        size += len(block)
        end = block.rfind(b"\n") + 1 if size >= at_least else 0
        if not end:
            held.append(block)
            continue
        yield b"".join((*held, memoryview(block)[:end]))
        held = [block[end:]]
        size = len(held[0])
    yield b"".join(held)


@dataclass
class _Copy:
    """A copy being written, and what was met on the way."""

    where: str
    file: BinaryIO
    quotes: int = 0
    lines: int = 0
    last: bytes = b"\n"
    width: int = 0
    footer_line: int | None = None
    footer: bytes = field(default=b"")

    def add(self, block: bytes) -> None:
        """Write a block up to the first blank line outside of quotes; keep the start of what follows it."""
        if self.footer_line is not None:
            self.footer += block[: max(0, _HEAD - len(self.footer))]
            return
        if not self.lines:
            self.width = len(header_columns(block.split(b"\n", 1)[0].decode()))
        blank = _blank_line(block, self.quotes, after_newline=self.lines > 0 and self.last == b"\n")
        if blank is not None:
            self.footer_line = self.lines + block.count(b"\n", 0, blank) + 1
            self.footer = block[blank : blank + _HEAD]
            block = block[:blank]
        self.file.write(block)
        self.quotes += count_of(b'"', block)
        self.lines += count_of(b"\n", block)
        self.last = block[-1:] or self.last

    def done(self, path: Path) -> PlainText:
        """What was copied; rows in the footer are refused."""
        texts = tuple(line.strip() for line in self.footer.decode(errors="ignore").splitlines() if line.strip())
        for text in texts:
            if self.width >= _FEW_FIELDS and len(header_columns(text)) == self.width:
                what = (
                    f"line {self.footer_line} is blank and rows follow it, "
                    "so it cannot be told whether they are part of the bill"
                )
                raise InputError(Fault(self.where, what, hint="Remove the blank line, or the rows after it."))
        footer_line = self.footer_line if texts else None
        return PlainText(path, self.quotes > 0, self.last == b"\n", footer_line, texts[:_FOOTER_KEPT])


def _tidy(block: bytes) -> bytes:
    # One-byte searches are many times faster than longer ones, and mostly they settle it.
    if b"\xef" in block:
        while block.startswith(BOM):
            block = block.removeprefix(BOM)
        while b"\n" + BOM in block:  # as many as there are, or it would matter where a block begins
            block = block.replace(b"\n" + BOM, b"\n")
    if b"\r" in block:
        while b"\r\r\n" in block:
            block = block.replace(b"\r\r\n", b"\r\n")
    return block


def _blank_line(block: bytes, quotes: int, *, after_newline: bool) -> int | None:
    """Where the first blank line outside quotes starts in the block."""
    candidates = [0] if after_newline and block.startswith((b"\n", b"\r\n")) else []
    candidates += [found.end() for found in _BLANK.finditer(block)]
    counted = 0
    for at in candidates:
        quotes += block.count(b'"', counted, at)
        counted = at
        if quotes % 2 == 0:
            return at
    return None
