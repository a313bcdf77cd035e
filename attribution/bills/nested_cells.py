"""Lists and objects inside one cell: JSON, or the single-quoted form in which some programs print them.

Numbers come out as the text they were written in, so that no digit of an amount is lost.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""\s+|[\[\]{},:]
    |Decimal\((?P<decimal>'[^'\\]*'|"[^"\\]*")\)
    |(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>None|True|False|null|true|false)\b""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"None": "null", "True": "true", "False": "false"}


def read_nested(text: str) -> Any:  # noqa: ANN401
    """What a cell holds; numbers as text.

    Raises:
        ValueError: it is neither form, or an object names a key twice.
    """
    try:
        return DECODER.decode(text.strip())
    except json.JSONDecodeError:
        return DECODER.decode(_as_json(text))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        message = "a key stands twice in one object"
        raise ValueError(message)
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=str, parse_int=str, parse_constant=str)


def _as_json(text: str) -> str:
    """The single-quoted form as JSON, token by token."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            message = f"neither JSON nor single-quoted: {text[at : at + 20]}"
            raise ValueError(message)
        parts.append(_token(token))
        at = token.end()
    return "".join(parts).strip()


def _token(token: re.Match[str]) -> str:
    kind = token.lastgroup
    if kind is None:
        return token.group()
    written = token.group(kind)
    if kind == "word":
        return _WORDS.get(written, written)
    if kind == "number":
        return json.dumps(written)
    try:
        return json.dumps(ast.literal_eval(written))
    except SyntaxError as error:
        message = f"no text: {written[:20]}"
        raise ValueError(message) from error
