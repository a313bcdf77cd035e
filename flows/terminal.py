"""The terminal: progress, messages, exit codes. 0 done, 1 above the gate, 2 the input is wrong, 3 a law broke."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from schemas.faults import Fault, InputError, LawBrokenError

if TYPE_CHECKING:
    from flows.running import Watch

PIPE_CLOSED = 141


class _Output(Console):
    """Standard output; whoever read it may leave early, as `head` does."""

    def on_broken_pipe(self) -> NoReturn:
        # What is still buffered would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(PIPE_CLOSED)


# Some schedulers close them; then the next file opened would be number 1, and hear what is told.
sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for all the time it runs
sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123

# A pipe has no width of its own; tables are made for 100 columns.
terminal = _Output(highlight=False, emoji=False, width=None if sys.stdout.isatty() else 100)
wide = _Output(highlight=False, emoji=False, width=None if sys.stdout.isatty() else 240)
messages = Console(stderr=True, highlight=False, emoji=False)

ABOVE_GATE = 1
INPUT_WRONG = 2
LAW_BROKEN = 3
# Clouds send no bills of other years, and calendars end near theirs.
FIRST_YEAR, AFTER_YEAR = 2000, 2200
_ADDRESS = re.compile(r"[^\s@<>\"'(),;:]+@[^\s@<>\"'(),;:]+")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class UnfinishedError(Exception):
    """All else is done and published, but something could not be taken or sent; it was shown already."""


class Interrupted(SystemExit):
    """Somebody ended the program from outside; leaves with the exit code that shells expect of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.signal = signal.Signals(number).name

    def __str__(self) -> str:
        return f"ended by {self.signal}"


def unaddressed(text: str) -> str:
    """A text for logs, without the mail addresses in it."""
    return _ADDRESS.sub("(address)", text)


def print_plain(text: str) -> None:
    """Print text as it is, for scripts: no folding, no markup."""
    terminal.out(text, highlight=False)


@contextmanager
def watching() -> Iterator[Watch]:
    """A progress bar on a terminal; where the output is piped, nothing but a line when waiting."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=messages, transient=True, disable=not messages.file.isatty()) as bar:
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
        _say(str(error))
        sys.exit(INPUT_WRONG)
    except UnfinishedError:
        sys.exit(INPUT_WRONG)
    except LawBrokenError as error:
        _say(f"A law of the ledger broke; this is our mistake, and nothing was published.\n{error}")
        sys.exit(LAW_BROKEN)
    except Interrupted as error:
        _say(f"Cut short ({error}). What was finished is kept, nothing half done counts; run again to go on.")
        raise
    except OSError as error:
        where = str(error.filename or "a file or connection")
        _say(str(Fault(where, error.strerror or str(error), hint="The ledger stands as it was; run again.")))
        sys.exit(INPUT_WRONG)


def _say(what: str) -> None:
    with suppress(BrokenPipeError):
        messages.print(Text(what, style="red"), soft_wrap=True)


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Let Ctrl-C and a scheduler's SIGTERM unwind the program, so that the run is noted as ended."""
    received: list[int] = []

    def stop(number: int, _frame: object) -> None:
        received.append(number)
        raise Interrupted(number)

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    except Exception as error:
        # DuckDB makes an error of its own of what a signal raises while it works.
        if received:
            raise Interrupted(received[0]) from error
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
    if not FIRST_YEAR <= instant.year < AFTER_YEAR:
        raise InputError(Fault("--as-of", f'"{text}" is outside the years {FIRST_YEAR} to {AFTER_YEAR - 1}'))
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def read_month(text: str) -> date:
    """A month written as 2026-09; its first day.

    Raises:
        InputError: it is none.
    """
    try:
        month = date.fromisoformat(f"{text}-01")
    except ValueError as error:
        raise InputError(Fault("month", f'"{text}" is no month', hint="Write it as 2026-09.")) from error
    if not FIRST_YEAR <= month.year < AFTER_YEAR:
        raise InputError(Fault("month", f'"{text}" is outside the years {FIRST_YEAR} to {AFTER_YEAR - 1}'))
    return month
