"""Counts as people say them."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 row`, `2,000 rows`; `1 delivery`, `2 deliveries` where the plural is told."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
