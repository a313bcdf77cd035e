"""One run: the workspace, the open ledger, the run's clock, and somebody who is told how far it is.

The wall clock is read here and nowhere below; everything else is given `as_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from importlib.metadata import version
from zoneinfo import ZoneInfo

from attribution.ledger import Ledger, RollUp, open_ledger
from schemas.workspace import Workspace

Watch = Callable[[str, int, int], None]
"""Told what is being done, how many of how many are done; of none, it is a message for the operator."""


def quiet(_what: str, _done: int, _of: int) -> None:
    """Watch nothing."""


def now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


@dataclass
class Run:
    """A run in progress. `counts` is what it will say of itself in `runs`."""

    workspace: Workspace
    ledger: Ledger
    number: int
    as_of: datetime
    watch: Watch
    counts: dict[str, int] = field(default_factory=dict)

    def end(self) -> None:
        """Note that the run is done."""
        self.ledger.end_run(self.number, "done", ended_at=now(), counts=self.counts)

    @property
    def zone(self) -> ZoneInfo:
        """The workspace's time zone."""
        return ZoneInfo(self.workspace.timezone)

    @property
    def today(self) -> date:
        """The run's date in the workspace's time zone."""
        return self.as_of.astimezone(self.zone).date()


def rollup_of(workspace: Workspace, columns: Sequence[str] = ()) -> RollUp:
    """How a workspace's charges become lines.

    Args:
        workspace: for its days, and the zones its sources write in.
        columns: charge columns that rules name beyond those every line has.
    """
    return RollUp(workspace.timezone, tuple(columns), tuple((one.name, one.timezone) for one in workspace.sources))


@contextmanager
def running(
    workspace: Workspace, command: str, as_of: datetime | None = None, watch: Watch = quiet, rules: str = ""
) -> Iterator[Run]:
    """Open the ledger and note the run, whatever becomes of it.

    Args:
        workspace: whose store.
        command: what is run.
        as_of: the run's clock; now unless given.
        watch: told how far it is.
        rules: version of the rule set, where the run uses one.

    Raises:
        InputError: the store cannot be opened for writing.
    """
    with (
        open_ledger(workspace.store, on_wait=lambda message: watch(message, 0, 0)) as ledger,
        noting(ledger, workspace, command, as_of, watch=watch, rules=rules) as run,
    ):
        yield run


@contextmanager
def noting(
    ledger: Ledger,
    workspace: Workspace,
    command: str,
    as_of: datetime | None = None,
    *,
    watch: Watch = quiet,
    rules: str = "",
) -> Iterator[Run]:
    """Note a run in a ledger that is open already; see `running`."""
    started = now()
    versions = {"rules": rules} | {name: version(name) for name in ("cost-attribution", "polars", "duckdb")}
    number = ledger.start_run(command, as_of=as_of or started, started_at=started, versions=versions)
    run = Run(workspace, ledger, number, as_of or started, watch)
    try:
        yield run
    except BaseException as error:
        ledger.end_run(number, "failed", ended_at=now(), counts=run.counts, message=str(error) or repr(error))
        raise
    run.end()
