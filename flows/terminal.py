"""The terminal: progress, messages, exit codes. 0 done, 1 a gate was crossed, 2 the input is wrong, 3 a law broke."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from schemas.faults import Fault, InputError, LawBrokenError

if TYPE_CHECKING:
    from flows.running import Watch

# A pipe has no width of its own; tables are made for 100 columns.
terminal = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
wide = Console(highlight=False, width=None if sys.stdout.isatty() else 240)
messages = Console(stderr=True, highlight=False)

INPUT_WRONG = 2
MAILS_FAILED = 2
LAW_BROKEN = 3


@contextmanager
def watching() -> Iterator[Watch]:
    """A progress bar on a terminal; where the output is piped, nothing but a line when waiting."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=messages, transient=True, disable=not messages.is_terminal) as bar:
        current = bar.add_task("starting", total=None)

        def watch(what: str, done: int, of: int) -> None:
            if of == 0:
                messages.print(Text(what))
            bar.update(current, description=what[-60:], completed=done, total=of or None)

        yield watch


@contextmanager
def leaving() -> Iterator[None]:
    """Say what is wrong in plain words and leave with its exit code."""
    try:
        yield
    except InputError as error:
        messages.print(Text(str(error), style="red"))
        sys.exit(INPUT_WRONG)
    except LawBrokenError as error:
        ours = "A law of the ledger broke; this is our mistake, and nothing was published."
        messages.print(Text(f"{ours}\n{error}", style="red"))
        sys.exit(LAW_BROKEN)


def read_instant(text: str | None) -> datetime | None:
    """`--as-of`: an ISO instant; without a zone it is UTC.

    Raises:
        InputError: it is none.
    """
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            Fault("--as-of", f'"{text}" is no instant', hint="Write it as 2026-11-10T06:00:00Z.")
        ) from error
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def read_month(text: str) -> date:
    """A month written as 2026-09; its first day.

    Raises:
        InputError: it is none.
    """
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError as error:
        raise InputError(Fault("month", f'"{text}" is no month', hint="Write it as 2026-09.")) from error
