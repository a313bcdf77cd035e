"""The plain bytes of a delivered file, block by block: gzip, zip of one CSV, zstd, or as it lies there.

The bytes say how a file is packed, never its name. A gzip may have many members and a zstd many frames.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from schemas.faults import Fault, InputError

_GZIP, _ZIP, _EMPTY_ZIP = b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06"
_ZSTD = b"\x28\xb5\x2f\xfd"
# A zstd file may start with a frame to be skipped; its first byte counts from 0x50 to 0x5f.
_SKIPPED = b"\x2a\x4d\x18"
_PACKED_READ = 1 << 17
_READ = 1 << 20
_ENCRYPTED = 1
_TEXTS = (".csv", ".tsv", ".txt")
_NAMED = 8


class UnfinishedFileError(InputError):
    """The file stops before its end: an export still running or cut short. It replaces nothing."""


class PackedFileError(InputError):
    """The file is packed so that it cannot be told which table is meant, or not be opened."""


def unpacked(path: Path, where: str) -> Iterator[bytes]:
    """The plain bytes of a file, in blocks.

    Args:
        path: the delivered file.
        where: what messages call it.

    Raises:
        UnfinishedFileError: what is packed stops before its end or is damaged.
        PackedFileError: a zip that does not hold exactly one CSV, or needs a password.
    """
    with path.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start[:2] == _GZIP:
            yield from _gzip(file, where)
        elif start in (_ZIP, _EMPTY_ZIP):
            yield from _zip(file, where)
        elif start == _ZSTD or (start[1:] == _SKIPPED and start[0] >> 4 == 5):  # noqa: PLR2004 - see _SKIPPED
            yield from _zstd(path, where)
        else:
            yield from iter(lambda: file.read(_READ), b"")


def _gzip(file: BinaryIO, where: str) -> Iterator[bytes]:
    # A third of the time of the standard library's; few commands unpack.
    from isal import isal_zlib  # noqa: PLC0415
    from isal.igzip_lib import IsalError  # noqa: PLC0415

    packed = file.read(_PACKED_READ)
    try:
        while packed:
            member = isal_zlib.decompressobj(zlib.MAX_WBITS | 16)
            while not member.eof:
                if not packed:
                    raise _cut(where, "gzip")
                yield member.decompress(packed)
                packed = member.unused_data or file.read(_PACKED_READ)
            # Members may be followed by zeros that fill a tape's or a disk's block.
            while packed and not (packed := packed.lstrip(b"\0")):
                packed = file.read(_PACKED_READ)
    except IsalError as error:  # type: ignore[misc]  # its stubs take the class for an error
        raise _damaged(where, "gzip", error) from error


def _zip(file: BinaryIO, where: str) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(file) as packed, packed.open(_only_table(packed, where)) as table:
            yield from iter(lambda: table.read(_READ), b"")
    except (EOFError, zipfile.BadZipFile) as error:
        if "not a zip" in str(error):  # its table of contents, which comes last, is not there
            raise _cut(where, "zip") from error
        raise _damaged(where, "zip", error) from error
    except zlib.error as error:
        raise _damaged(where, "zip", error) from error
    except NotImplementedError as error:
        hint = "Pack it with the usual method, deflate."
        raise PackedFileError(Fault(where, f"the zip cannot be opened: {error}", hint=hint)) from error


def _only_table(packed: zipfile.ZipFile, where: str) -> zipfile.ZipInfo:
    inside = [one for one in packed.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
    tables = [one for one in inside if one.filename.lower().endswith(_TEXTS)]
    if len(tables) != 1:
        more = f" and {len(inside) - _NAMED} more" if len(inside) > _NAMED else ""
        names = ", ".join(one.filename for one in inside[:_NAMED]) + more
        what = f"the zip holds {len(tables)} CSV files and must hold one; inside: {names or '(nothing)'}"
        raise PackedFileError(Fault(where, what, hint="Unpack it, or pack each CSV by itself."))
    if tables[0].flag_bits & _ENCRYPTED:
        raise PackedFileError(Fault(where, "the zip needs a password", hint="Deliver it without."))
    return tables[0]


def _zstd(path: Path, where: str) -> Iterator[bytes]:
    import pyarrow as pa  # noqa: PLC0415 - takes long to import, and few files need it

    try:
        with pa.CompressedInputStream(pa.OSFile(str(path)), "zstd") as file:
            yield from iter(lambda: file.read(_READ), b"")
    except OSError as error:
        if "Truncated" in str(error):
            raise _cut(where, "zstd") from error
        raise _damaged(where, "zstd", error) from error


def _cut(where: str, kind: str) -> UnfinishedFileError:
    return UnfinishedFileError(Fault(where, f"the {kind} stops before its end, so the file was not wholly delivered"))


def _damaged(where: str, kind: str, error: Exception) -> UnfinishedFileError:
    return UnfinishedFileError(Fault(where, f"the {kind} is damaged ({error})", hint="Deliver the file again."))
