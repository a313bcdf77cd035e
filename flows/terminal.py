"""The terminal: progress, messages, exit codes. 0 done, 1 a gate was crossed, 2 the input is wrong, 3 a law broke."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NoReturn

from rich.console import Console, Group
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from attribution.reports.text import add_row, plain_table
from flows.mailing import Weekly
from flows.running import Watch
from schemas.faults import Fault, InputError, LawBrokenError

# A pipe has no width of its own; tables are made for 100 columns.
terminal = Console(highlight=False, width=None if sys.stdout.isatty() else 100)
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


def stop(error: InputError | LawBrokenError) -> NoReturn:
    """Say what is wrong and leave with its exit code."""
    if isinstance(error, InputError):
        messages.print(Text(str(error), style="red"))
        sys.exit(INPUT_WRONG)
    messages.print(
        Text(f"A law of the ledger broke; this is our mistake, nothing was published.\n{error}", style="red")
    )
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


def weekly_table(done: Weekly) -> Group:
    """Where the reports lie and what became of each mail."""
    pages = plain_table("Report", texts=1)
    for path in done.pages:
        add_row(pages, str(path))
    mails = plain_table("To", "report", "mail", "detail", texts=4)
    for mail in done.mails:
        add_row(mails, mail.recipient, mail.report, mail.outcome, mail.detail)
    head = Text(f"Reports of {done.period.first} to {done.period.last}", style="bold")
    return Group(head, Text(), pages, Text(), mails if done.mails else Text("No recipients: nothing to send."))
