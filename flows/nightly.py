"""The nightly flow: bills in, costs and findings out. The order is that of `flows/steps.py`, each step a task."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from attribution.reports.nightly import nightly_summary
from flows import steps
from flows.arrival import complain
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


@flow(name="nightly", flow_run_name=day_of_run)
def nightly(workspace: str = ".", as_of: datetime | None = None) -> None:
    """Run the night over a workspace; the summary becomes an artifact of the run.

    Args:
        workspace: the folder that holds attribution.toml.
        as_of: the run's clock; when it was due unless given.

    Raises:
        UnfinishedError: all is done and published, but a delivery was held back; the run shows as failed.
    """
    with discreet(), watching() as watch:
        tasks = tasks_of("nightly", 8)
        summary = steps.nightly(load_workspace(Path(workspace)), as_of or slot(), watch, do=tasks)
    shown = nightly_summary(summary)
    keep_summary("nightly", shown)
    keep_table("nightly-projects", summary.projects, "EffectiveCost by project: the last whole month and this one")
    keep_table("nightly-reconciliation", summary.reconciled, "What came in against what came out")
    keep_links("nightly-file", ((place.what, Path(place.path)) for place in summary.places))
    terminal.print(shown)
    with discreet():
        complain(summary.held_back)


if __name__ == "__main__":
    run_flow(nightly, "Bills in, costs and findings out.")
