"""A charge's tags as one canonical JSON text: an object of text values, keys sorted, no blanks added, raw keys kept.

Two rows with the same tags have the same text, so that tags are parsed once a distinct set, never once a row.
"""

from __future__ import annotations

import json
from typing import Any

# Made once: `json.dumps` would make an encoder for every call.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def canonical(pairs: dict[str, Any] | list[tuple[str, Any]]) -> str | None:
    """Tags as canonical JSON text; None where no key has a value.

    Raises:
        ValueError: half of a character, which JSON can name and no text can hold.
    """
    kept: dict[str, str] = {}
    for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        kept[key] = text
    if not kept:
        return None
    text = _ENCODE(dict(sorted(kept.items())))
    text.encode()
    return text
