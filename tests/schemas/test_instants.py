"""Offsets of instants: any that some clock on earth has, and no other."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from schemas.instants import parse_instants


@pytest.mark.parametrize(
    ("offset", "hour"),
    [("+14:00", "2026-10-03T10:00"), ("-12:00", "2026-10-04T12:00"), ("+05:45", "2026-10-03T18:15")],
)
def test_an_offset_that_some_clock_has_is_taken(offset: str, hour: str) -> None:
    (found,) = parse_instants(pl.Series([f"2026-10-04T00:00:00{offset}"])).to_list()
    assert found == datetime.fromisoformat(hour).replace(tzinfo=UTC)


@pytest.mark.parametrize("offset", ["+14:01", "-15:00", "+99:00", "+00:99999"])
def test_an_offset_that_no_clock_has_is_damage(offset: str) -> None:
    assert parse_instants(pl.Series([f"2026-10-04T00:00:00{offset}"])).to_list() == [None]
