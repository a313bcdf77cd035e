"""Counts as people say them. No library is loaded, since every command says some."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 row`, `2,000 rows`; `1 delivery`, `2 deliveries` where the plural is told."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
