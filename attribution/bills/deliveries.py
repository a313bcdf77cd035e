"""How the files of most sources make deliveries: each is one, ordered by a date or run id in its path if it has one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from attribution.bills.listing import delivery_digest
from schemas.bills import BillFile, Delivery
from schemas.paths import fixed_parts
from schemas.workspace import Mode, Source

_RUN = re.compile(r"(?:run(?:[_-]?id)?[=_-])?(\d{4}-?\d{2}-?\d{2}(?:[T_-]?\d{2}:?\d{2}(?::?\d{2})?Z?)?)$")
_RUN_NAMED = re.compile(r"^run(?:[_-]?id)?[=_-](.+)$", re.IGNORECASE)


def one_by_one(
    source: Source, files: Sequence[BillFile], reader: str, version: int, mode: Mode | None = None
) -> list[Delivery]:
    """Each file is a delivery; a date or run id in its path orders deliveries of one bill.

    Args:
        source: whose files.
        files: all of one layout.
        reader: the reader's name.
        version: the reader's version.
        mode: how deliveries of one bill belong together, where the provider's layout says so.
    """
    fixed = len(fixed_parts(source.path))
    return [
        Delivery(
            source,
            reader,
            (file,),
            delivery_digest(reader, version, source, [file]),
            order_key(file.name, fixed),
            mode=mode,
        )
        for file in files
    ]


def order_key(name: str, fixed: int) -> str | None:
    """A run id or date from the folders below the glob's fixed part, else from the end of the file's name.

    Args:
        name: the file's, relative to the workspace.
        fixed: how many of its folders the source's path names without a wildcard.
    """
    folders = Path(name).parts[fixed:-1]
    stem = Path(name).name.split(".", 1)[0]
    keys = [key for key in map(_key, folders) if key]
    if keys:
        return "/".join(keys)
    tail = re.search(r"(?:^|[_.-])((?:run(?:[_-]?id)?[=_-])?\d{4}-?\d{2}-?\d{2}[T\dZ:_-]*)$", stem)
    return _key(tail.group(1)) if tail else None


def _key(part: str) -> str | None:
    """A date or run id as text that sorts by time: digits alone where it is a date."""
    dated = _RUN.fullmatch(part)
    if dated:
        return re.sub(r"\D", "", dated.group(1))
    named = _RUN_NAMED.match(part)
    return named.group(1) if named else None
