"""The weekly flow: one report for each owner and one for all, and everybody's own mail."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from flows import steps
from flows.mailing import weekly_table
from flows.orchestration import as_task, flow, keep_summary, run_flow
from flows.settings import load_workspace
from flows.terminal import MAILS_FAILED, terminal, watching


@flow(name="weekly", flow_run_name="weekly {as_of}")
def weekly(workspace: str = ".", as_of: datetime | None = None) -> int:
    """Write and send the reports of the last complete week.

    Args:
        workspace: the folder that holds attribution.toml.
        as_of: the day the week is counted back from; the start of the run unless given.

    Returns:
        The exit code: 0, or 2 where a mail could not be sent.
    """
    with watching() as watch:
        done = steps.weekly(load_workspace(Path(workspace)), as_of, watch, do=as_task)
    shown = weekly_table(done)
    keep_summary("weekly", shown)
    terminal.print(shown)
    return MAILS_FAILED if any(mail.outcome in ("failed", "doubtful") for mail in done.mails) else 0


if __name__ == "__main__":
    run_flow(weekly, "One report for each owner and one for all.")
