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
        ValueError: it is neither form, or an object names a key twice, or what `decoded` refuses.
    """
    try:
        return decoded(text)
    except json.JSONDecodeError:
        return decoded(_as_json(text))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        message = "a key stands twice in one object"
        raise ValueError(message)
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=str, parse_int=str, parse_constant=str)


def decoded(text: str, decoder: json.JSONDecoder = DECODER) -> Any:  # noqa: ANN401
    """What JSON says; numbers as text.

    Raises:
        ValueError: no JSON, a key twice in one object, half of a character, or brackets within brackets by the
            thousand.
    """
    try:
        found = decoder.decode(text.strip())
        if "\\ud" in text or "\\uD" in text:
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        message = "text with half a character"
        raise ValueError(message) from error
    except RecursionError as error:
        message = "JSON that is nested too deep"
        raise ValueError(message) from error
    return found


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
