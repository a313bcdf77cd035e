"""A night that is killed: `python laws_crash.py WORKSPACE N` runs the steps and dies at the Nth boundary, by SIGKILL.

Boundaries are the moments just before and just after each rename of a file or folder, each removal of a folder, each
commit and each checkpoint. With N = 0 nobody dies, and the number of boundaries is printed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

passed = 0
deadly = 0


def boundary() -> None:
    """One step further; the last one there is where this process ends."""
    global passed  # noqa: PLW0603 - the count of one process
    passed += 1
    if passed == deadly:
        os.kill(os.getpid(), signal.SIGKILL)


def between(act: Callable[..., Any]) -> Callable[..., Any]:
    """An act with a boundary on either side."""

    def acted(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the act takes
        boundary()
        result = act(*arguments, **named)
        boundary()
        return result

    return acted


class Watched:
    """A DuckDB connection whose commits and checkpoints are boundaries."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self.commit = between(con.commit)

    def execute(self, sql: str, *more: Any) -> Any:  # noqa: ANN401 - as DuckDB has it
        settles = "COMMIT" in sql or sql.startswith(("CHECKPOINT", "DETACH"))
        return (between(self._con.execute) if settles else self._con.execute)(sql, *more)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all else is the connection's
        return getattr(self._con, name)


def main() -> None:
    """Run the night of a workspace to its end, or to the boundary that was asked for."""
    global deadly  # noqa: PLW0603 - said once
    from laws_kit import run_night  # noqa: PLC0415 - what follows must be patched first

    deadly = int(sys.argv[2])
    os.rename, os.replace, os.rmdir = between(os.rename), between(os.replace), between(os.rmdir)
    connect = duckdb.connect
    duckdb.connect = lambda *args, **named: Watched(connect(*args, **named))
    run_night(Path(sys.argv[1]))
    print(passed)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
