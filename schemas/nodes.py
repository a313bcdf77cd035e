"""What jobs and pods leave once they divided nodes: who had which hours, and what it cost."""

from __future__ import annotations

import polars as pl

from schemas.instants import INSTANT
from schemas.money import COSTS, MONEY

KINDS = ("job", "idle", "down", "drained", "reserved")
"""What a GPU-hour of a node was: used by a job, or not, and then why as far as anybody said."""

RUN_JOB_COLUMNS: dict[str, pl.DataType] = {
    "job_id": pl.String(),
    "run_id": pl.String(),
    "resource_id": pl.String(),
    "submit": INSTANT,
    "start": INSTANT,
    "end": INSTANT,
    "gpus": pl.Float64(),
    "job_state": pl.String(),
    "job_user": pl.String(),
    "job_account": pl.String(),
    "job_partition": pl.String(),
    "job_name": pl.String(),
}
"""One job, node and start as handed in, with the run it belongs to where one is known."""

JOB_SHARE_COLUMNS: dict[str, pl.DataType] = {
    "split": pl.String(),
    "job_id": pl.String(),  # null: nobody's
    "kind": pl.String(),
    "subject_id": pl.Int64(),  # the node's
    "usage_date": pl.Date(),
    "allocation_id": pl.Int32(),
    **dict.fromkeys(COSTS, MONEY),
    "gpu_hours": pl.Float64(),  # of a node that several lines bill, they stand at the dearest line
}
"""What one job (or nobody) got of one node's line on one day, and the GPU-hours it had."""
