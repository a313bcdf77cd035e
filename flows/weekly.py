"""The weekly flow: one report for each owner and one for all, and everybody's own mail."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from flows import steps
from flows.mailing import Asked, complain, weekly_table, without_addresses
from flows.orchestration import (
    day_of_run,
    discreet,
    flow,
    keep_links,
    keep_summary,
    keep_table,
    run_flow,
    slot,
    tasks_of,
)
from flows.settings import load_workspace
from flows.terminal import terminal, watching


@flow(name="weekly", flow_run_name=day_of_run)
def weekly(workspace: str = ".", as_of: datetime | None = None, *, approve: bool = False) -> None:
    """Write and send the reports of the last complete week.

    Args:
        workspace: the folder that holds attribution.toml.
        as_of: the day the week is counted back from; when the run was due unless given.
        approve: the recipients were looked at and are right; without it, mails to changed ones wait.

    Raises:
        UnfinishedError: the reports are written, but a mail was not sent, may not have arrived or awaits approval.
    """
    with discreet(), watching() as watch:
        tasks, asked = tasks_of("weekly", 3), Asked(approve=approve)
        done = steps.weekly(load_workspace(Path(workspace)), as_of or slot(), watch, tasks, asked)
    shown = without_addresses(done)
    keep_summary("weekly", weekly_table(shown))
    keep_table("weekly-mails", shown.mails, f"Mails of {done.period.first} to {done.period.last}")
    keep_links("weekly-page", ((f"Report for {whose}", page) for whose, page in done.pages[:1]))
    terminal.print(weekly_table(shown))
    complain(shown)


if __name__ == "__main__":
    run_flow(weekly, "One report for each owner and one for all.")
