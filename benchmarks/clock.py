"""Seconds of each step, taken from outside: the functions a step consists of are wrapped, the product is as it is."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

SEAMS = (
    # step, module, function or method
    ("rules and inputs", "flows.steps", "read_stated"),
    ("find and digest", "flows.arrival", "find_all"),
    ("read", "attribution.bills", "read"),
    ("check", "flows.arrival", "check"),
    ("check", "attribution.bills", "refuse"),
    ("write charges", "attribution.ledger.parts", "DeliveryWriter.write"),
    ("write charges", "attribution.ledger.parts", "DeliveryWriter.finish"),
    ("roll up", "attribution.ledger.rollup", "RollUpWriter.write"),
    ("roll up", "attribution.ledger.rollup", "RollUpWriter.finish"),
    ("read back", "attribution.ledger.parts", "same"),
    ("read back", "attribution.ledger.parts", "read_roll_up_back"),
    ("sync to disk", "attribution.ledger.parts", "put_folder"),
    ("wait for threads", "concurrent.futures", "Future.result"),
    ("post and settle", "attribution.ledger.ledger", "Ledger.post"),
    ("post and settle", "attribution.ledger.ledger", "Ledger.settle_bills"),
    ("load lines", "flows.steps", "attribute"),
    ("resolve", "flows.steps", "resolve"),
    ("split", "flows.steps", "split"),
    ("reconcile", "flows.steps", "reconcile"),
    ("reconcile", "flows.steps", "prove"),
    ("keep costs", "attribution.ledger.ledger", "Ledger.keep_costs"),
)
"""In the order of the way. A step's seconds are its own: what it calls of another step counts there.

Reading and checking run in a thread of their own, beside what is done with the batch before. What packs charges and
makes the control sum is in threads that are not watched: only what is waited for shows here.
"""


class Clock:
    """Own seconds of each step, added up over threads; `rest` is what belongs to none, in the first thread."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys((step for step, _, _ in SEAMS), 0.0) | {"rest": 0.0}
        self._here = threading.local()
        self._here.open = ["rest"]
        self._here.since = time.perf_counter()

    def watch_all(self) -> None:
        """Wrap every seam; one that is no longer there is an error, so that no step is lost silently."""
        for step, module, path in SEAMS:
            holder: Any = importlib.import_module(module)
            *owners, name = path.split(".")
            for owner in owners:
                holder = getattr(holder, owner)
            setattr(holder, name, self._watched(step, getattr(holder, name)))

    def stop(self) -> dict[str, float]:
        """The seconds so far."""
        self._turn()
        return dict(self.seconds)

    def _turn(self) -> None:
        now = time.perf_counter()
        if getattr(self._here, "open", None):
            self.seconds[self._here.open[-1]] += now - self._here.since
        self._here.since = now

    def _stack(self) -> list[str]:
        """The steps open in this thread; another than the first begins with none."""
        if not hasattr(self._here, "open"):
            self._here.open = []
        found: list[str] = self._here.open
        return found

    def _watched(self, step: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **named: Any) -> Any:  # noqa: ANN401 - it stands in for any function
            self._turn()
            self._stack().append(step)
            try:
                made = work(*args, **named)
            finally:
                self._turn()
                self._stack().pop()
            return self._turns(step, made) if isinstance(made, Iterator) else made

        return timed

    def _turns(self, step: str, rows: Iterator[Any]) -> Iterator[Any]:
        """Of a generator every turn counts."""
        following = self._watched(step, lambda: next(rows, None))
        while (row := following()) is not None:
            yield row
