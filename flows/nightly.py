"""The nightly flow: bills in, costs and findings out. The order is that of `flows/steps.py`, each step a task."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from attribution.reports.nightly import nightly_summary
from flows import steps
from flows.arrival import complain
from flows.orchestration import as_task, flow, keep_summary, run_flow
from flows.settings import load_workspace
from flows.terminal import terminal, watching


@flow(name="nightly", flow_run_name="nightly {as_of}")
def nightly(workspace: str = ".", as_of: datetime | None = None) -> None:
    """Run the night over a workspace; the summary becomes an artifact of the run.

    Args:
        workspace: the folder that holds attribution.toml.
        as_of: the run's clock; its start unless given.

    Raises:
        UnfinishedError: all is done and published, but a delivery was held back; the run shows as failed.
    """
    with watching() as watch:
        summary = steps.nightly(load_workspace(Path(workspace)), as_of, watch, do=as_task)
    shown = nightly_summary(summary)
    keep_summary("nightly", shown)
    terminal.print(shown)
    complain(summary.held_back)


if __name__ == "__main__":
    run_flow(nightly, "Bills in, costs and findings out.")
