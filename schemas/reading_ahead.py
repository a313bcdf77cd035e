"""Reading ahead: the next item is made in a thread while the one before it is used, so that two cores have work."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def ahead(items: Generator[T]) -> Generator[T]:
    """The same items in the same order, at most one of them waiting; an error comes where its item would have.

    Args:
        items: none of them None; made in one thread, and closed once it has ended, also where the caller stops early.
    """
    with ThreadPoolExecutor(1, "reading ahead") as beside:
        try:
            coming = beside.submit(next, items, None)
            while (item := coming.result()) is not None:
                coming = beside.submit(next, items, None)
                yield item
        finally:
            beside.shutdown()  # not by a last task: where all this is garbage already, nobody would do it
            items.close()
