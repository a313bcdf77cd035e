"""Answers as plain data for scripts: JSON in which money is text, so that no reader makes floats of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl

from flows import terminal

if TYPE_CHECKING:
    from rich.console import RenderableType


def tell(data: object, said: RenderableType, *, as_json: bool) -> None:
    """Print an answer: for people as it is said, or the same as JSON for scripts."""
    if as_json:
        terminal.print_plain(as_json_text(data))
    else:
        terminal.terminal.print(said, markup=False)


def as_json_text(data: object) -> str:
    """An answer as JSON, in ASCII: nothing in it can steer a terminal."""
    return json.dumps(plain(data), indent=2)


def plain_rows(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain data, as their JSON has them."""
    return [{name: plain(value) for name, value in row.items()} for row in rows.to_dicts()]


def plain(value: object) -> Any:  # noqa: ANN401 - JSON has no type of its own
    """Anything that a command answers as what JSON can hold: a record by its fields, a frame as its rows."""
    if isinstance(value, pl.DataFrame):
        return plain_rows(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return _plain_cell(value)


def _plain_cell(value: object) -> bool | int | float | str | None:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124 - NaN is no JSON
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
