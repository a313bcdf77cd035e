"""People in time: who receives whose report on a day, and who left. Frames are PEOPLE_COLUMNS of schemas/inputs.py."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import polars as pl

ADDRESS = r"^[!-+\--:=?A-~]+@[!-+\--:=?A-~]+$"
"""One plain mail address, for regular expressions of Python and of polars: no name beside it, no list."""


def recipients_on(day: date, people: pl.DataFrame, stated: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Owner (or `all`) -> addresses.

    Args:
        day: the report's.
        people: PEOPLE_COLUMNS.
        stated: `[report.recipients]`; where both name an owner it wins, but not for one who left.
    """
    held = (pl.col("valid_from").is_null() | (pl.col("valid_from") <= day)) & (
        pl.col("valid_to").is_null() | (pl.col("valid_to") > day)
    )
    here = people.filter(held, pl.col("email").is_not_null()).select("owner", "email").unique().sort("owner", "email")
    found: dict[str, tuple[str, ...]] = {}
    for owner, email in here.iter_rows():
        found[owner] = (*found.get(owner, ()), email)
    gone = left(day, people)
    return {owner: addresses for owner, addresses in {**found, **stated}.items() if owner not in gone}


def left(day: date, people: pl.DataFrame) -> dict[str, tuple[date, str | None]]:
    """Owners of whom every row has ended by a day -> the day after their last, and who was their lead then."""
    last = people.sort("valid_to", nulls_last=True).group_by("owner", maintain_order=True).last()
    ended = last.filter(pl.col("valid_to") <= day)
    return {owner: (until, lead) for owner, until, lead in ended.select("owner", "valid_to", "lead").iter_rows()}
