"""In which encoding a text is written: its byte-order mark, strict UTF-8, then what its source states.

GB18030 without a statement needs a header that says in Chinese what it is.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from schemas.byte_counts import count_of
from schemas.faults import Fault, InputError

BOM = codecs.BOM_UTF8
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What headers of Chinese bills speak of. Bytes of another encoding do not spell such a word by chance.
_CHINESE = (
    "账单", "账号", "账户", "费用", "金额", "产品", "资源", "实例", "计费", "付费", "消费", "订单", "应付", "用量",
    "地域", "标签", "时间", "日期", "币种", "厂商",
)  # fmt: skip


class UndecodableError(InputError):
    """A byte that is none of the encoding's."""


def codec_of(data: bytes, where: str, encoding: str | None) -> str:
    """Which codec reads a file that starts with its header as `data`.

    Raises:
        InputError: the header is in none, or the stated one is unknown.
    """
    if data.startswith(BOM):
        return "utf-8"
    if data[:2] in UTF16:
        return "utf-16"
    if encoding and b"\x00" in data:
        return known_codec(encoding, where)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError as error:
        if encoding is not None:
            return known_codec(encoding, where)
        if _is_chinese(data):
            return "gb18030"
        raise undecodable(where, "utf-8", error.object[error.start], 1) from error
    return "utf-8"


def _is_chinese(header: bytes) -> bool:
    try:
        text = header.decode("gb18030")
    except UnicodeDecodeError:
        return False
    return any(word in text for word in _CHINESE)


def known_codec(encoding: str, where: str) -> str:
    """Python's name of an encoding.

    Raises:
        InputError: there is none of that name.
    """
    try:
        return codecs.lookup(encoding).name
    except LookupError as error:
        hint = 'Python\'s names, for example "cp1252", "gb18030", "utf-16-le".'
        raise InputError(Fault(where, f'unknown encoding "{encoding}"', hint=hint)) from error


def proven(blocks: Iterator[bytes], where: str) -> Iterator[bytes]:
    """Blocks of whole lines, each of which is UTF-8."""
    lines = 0
    for block in blocks:
        try:
            if not block.isascii():
                block.decode()
        except UnicodeDecodeError as error:
            line = lines + block.count(b"\n", 0, error.start) + 1
            raise undecodable(where, "utf-8", block[error.start], line) from error
        lines += count_of(b"\n", block)
        yield block


def recoded(blocks: Iterator[bytes], where: str, codec: str) -> Iterator[bytes]:
    """Blocks of another encoding in UTF-8."""
    decoder = codecs.getincrementaldecoder(codec)()
    lines = 0
    try:
        for block in blocks:
            text = decoder.decode(block)
            lines += text.count("\n")
            yield text.encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        line = lines + error.object.count(b"\n", 0, error.start) + 1
        raise undecodable(where, codec, error.object[error.start], line) from error


def undecodable(where: str, encoding: str, byte: int, line: int) -> UndecodableError:
    """The error of a byte that is none of an encoding's."""
    hint = 'State the encoding of the source, for example `encoding = "cp1252"` or `encoding = "gb18030"`.'
    return UndecodableError(Fault(where, f"byte 0x{byte:02x} is not {encoding} (line {line})", hint=hint))
