"""The backfill flow: a range of months, as the nights of then would have seen them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from attribution.reports.nightly import nightly_summary
from flows import steps
from flows.orchestration import as_task, flow, keep_summary
from flows.settings import load_workspace
from flows.terminal import leaving, read_month, terminal, watching
from schemas.words import counted


@flow(name="backfill", flow_run_name="backfill {first} to {last}")
def backfill(first: str, last: str, workspace: str = ".") -> int:
    """Look back over a range of months.

    Args:
        first: first month, as 2026-08.
        last: last month, as 2026-10.
        workspace: the folder that holds attribution.toml.

    Returns:
        The exit code, 0.
    """
    with watching() as watch:
        nights = steps.backfill(load_workspace(Path(workspace)), read_month(first), read_month(last), watch, do=as_task)
    for night in nights:
        keep_summary(f"backfill-{night.last_month:%Y-%m}", nightly_summary(night))
    terminal.print(f"{counted(len(nights), 'month')} looked back over; the last of them:\n")
    terminal.print(nightly_summary(nights[-1]))
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What the nights of a range of months would have found.")
    parser.add_argument("first", help="first month, for example 2026-08")
    parser.add_argument("last", help="last month, for example 2026-10")
    parser.add_argument("--workspace", default=".", help="the folder that holds attribution.toml")
    stated = parser.parse_args()
    with leaving():
        sys.exit(backfill(stated.first, stated.last, stated.workspace))
