"""The weekly flow: one report for each owner and one for all, and everybody's own mail."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from flows import steps
from flows.mailing import Asked, complain, weekly_table
from flows.orchestration import as_task, flow, keep_summary, run_flow
from flows.settings import load_workspace
from flows.terminal import terminal, watching


@flow(name="weekly", flow_run_name="weekly {as_of}")
def weekly(workspace: str = ".", as_of: datetime | None = None, *, approve: bool = False) -> None:
    """Write and send the reports of the last complete week.

    Args:
        workspace: the folder that holds attribution.toml.
        as_of: the day the week is counted back from; the start of the run unless given.
        approve: the recipients were looked at and are right; without it, mails to changed ones wait.

    Raises:
        UnfinishedError: the reports are written, but a mail was not sent, may not have arrived or awaits approval.
    """
    with watching() as watch:
        done = steps.weekly(load_workspace(Path(workspace)), as_of, watch, as_task, Asked(approve=approve))
    shown = weekly_table(done)
    keep_summary("weekly", shown)
    terminal.print(shown)
    complain(done)


if __name__ == "__main__":
    run_flow(weekly, "One report for each owner and one for all.")
