"""Reading ahead changes when an item is made, and nothing else."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from schemas.reading_ahead import ahead


def numbers(made: list[str], last: int, *, fails: bool = False) -> Generator[int]:
    try:
        for number in range(last):
            made.append(str(number))
            yield number
        if fails:
            raise OSError(5, "the disk is gone")
    finally:
        made.append("closed")


def test_items_come_in_order_and_the_reader_is_closed() -> None:
    made: list[str] = []
    assert list(ahead(numbers(made, 5))) == [0, 1, 2, 3, 4]
    assert made == ["0", "1", "2", "3", "4", "closed"]


def test_no_more_than_one_item_waits_and_stopping_early_closes_the_reader() -> None:
    made: list[str] = []
    items = ahead(numbers(made, 100))
    assert next(items) == 0
    del items
    assert made[-1] == "closed"
    assert len(made) <= 3


def test_an_error_comes_after_the_items_before_it() -> None:
    got: list[int] = []
    made: list[str] = []
    with pytest.raises(OSError, match="gone"):
        got.extend(ahead(numbers(made, 3, fails=True)))
    assert got == [0, 1, 2]
    assert made[-1] == "closed"
