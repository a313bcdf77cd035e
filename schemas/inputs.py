"""What operators hand in beside the bills: tags, resources, utilization, jobs, runs. Grain in each schema's name."""

from __future__ import annotations

import polars as pl

from schemas.cell_checks import above_zero, currency_code, in_order, not_blank, not_negative, one_of
from schemas.check import pa
from schemas.instants import INSTANT
from schemas.money import MONEY

TAG_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "key": pl.String(),
    "value": pl.String(),
    "valid_from": pl.Date(),  # null: since ever
    "valid_to": pl.Date(),  # exclusive; null: until further notice
}
RESOURCE_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "resource_type": pl.String(),
    "state": pl.String(),
    "attached_to": pl.String(),
    "created_at": INSTANT,
    "last_used_at": INSTANT,
    "deleted_at": INSTANT,
    "size_gb": pl.Float64(),
    "gpus": pl.Float64(),
    **dict.fromkeys(("region", "account_id", "name"), pl.String()),
    # For detectors of waste; docs/detectors.md says what each holds.
    **dict.fromkeys(("source_id", "image_id", "managed_by", "lifecycle_policy", "storage_class"), pl.String()),
    **dict.fromkeys(("targets", "used_gb"), pl.Float64()),
}
WAS_ATTACHED = "was_attached"
"""Column of an inventory with days: of each resource a list of (attached_to, valid_from, valid_to), null is open."""
METRICS = (
    "cpu_percent", "gpu_percent", "gpu_memory_percent", "network_bytes", "disk_ops", "connections", "requests",
)  # fmt: skip
UTILIZATION_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "date": pl.Date(),
    "metric": pl.String(),
    "average": pl.Float64(),
    "maximum": pl.Float64(),
    "samples": pl.Int64(),
}
JOB_COLUMNS: dict[str, pl.DataType] = {
    "job_id": pl.String(),
    "resource_id": pl.String(),  # the node; a job on several nodes has a row on each
    "submit": INSTANT,
    "start": INSTANT,
    "end": INSTANT,  # exclusive; null: it still runs
    "gpus": pl.Float64(),  # on this node; a fraction where GPUs are shared
    "state": pl.String(),  # as Slurm writes it: COMPLETED, FAILED, TIMEOUT ...
    "project": pl.String(),
    "stage": pl.String(),
    "experiment": pl.String(),
    "owner": pl.String(),
    "user": pl.String(),
    "account": pl.String(),
    "partition": pl.String(),
    "name": pl.String(),
}
NODE_STATES = ("DOWN", "DRAINED", "RESERVED")
NODE_STATE_COLUMNS: dict[str, pl.DataType] = {
    "resource_id": pl.String(),
    "start": INSTANT,
    "end": INSTANT,  # exclusive; null: until further notice
    "state": pl.String(),  # one of NODE_STATES
    "reservation": pl.String(),  # null: none, or nobody says which
    "user": pl.String(),  # for whom it is reserved; null: for several, or nobody says
    "account": pl.String(),
}
"""Why a node was not used for a time; the time that jobs had is theirs all the same."""
POD_COLUMNS: dict[str, pl.DataType] = {
    **JOB_COLUMNS,
    "namespace": pl.String(),
    "labels": pl.String(),  # canonical JSON
    "gpu_seconds": MONEY,  # no money, but as exact
}
"""A pod's GPUs for a time: a job whose labels say whose it is."""
RUNNING_STATES = ("RUNNING", "SUSPENDED", "COMPLETING", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING")
"""States of a job that has started and not ended."""
INVOICE_COLUMNS: dict[str, pl.DataType] = {
    "source": pl.String(),
    "billing_account": pl.String(),
    "billing_month": pl.Date(),  # first day of the month
    "invoice_id": pl.String(),
    "currency": pl.String(),
    "amount": MONEY,
}
PEOPLE_COLUMNS: dict[str, pl.DataType] = {
    "owner": pl.String(),
    "team": pl.String(),
    "lead": pl.String(),  # an owner
    "email": pl.String(),
    "valid_from": pl.Date(),  # null: since ever
    "valid_to": pl.Date(),  # exclusive; null: until further notice
}
RUN_STATUSES = (
    "queued", "running", "completed", "failed", "cancelled", "timeout", "node_fail", "out_of_memory", "preempted",
)  # fmt: skip
RUN_COLUMNS: dict[str, pl.DataType] = {
    "run_id": pl.String(),
    "experiment": pl.String(),
    "project": pl.String(),
    "stage": pl.String(),
    "owner": pl.String(),
    "algorithm": pl.String(),
    "status": pl.String(),  # one of RUN_STATUSES; null: said in a word that none of them means
    "started_at": INSTANT,
    "ended_at": INSTANT,  # null: unknown, or it still runs
    "gpus": pl.Float64(),
    "steps": pl.Int64(),  # optimizer steps done so far
    "tokens": pl.Int64(),  # tokens seen so far
    "mfu": pl.Float64(),  # model FLOPs utilization, a fraction
    "config_hash": pl.String(),
    "data_hash": pl.String(),
    "metric": pl.String(),  # name of what metric_value measures
    "metric_value": pl.Float64(),
}
"""One run of an experiment."""
CHECKPOINT_COLUMNS: dict[str, pl.DataType] = {
    "uri": pl.String(),
    "experiment": pl.String(),
    "run_id": pl.String(),  # null: unknown
    "step": pl.Int64(),
    "size_bytes": pl.Int64(),
    "created_at": INSTANT,
    "metric_value": pl.Float64(),  # of the metric that its run names
    "resource_id": pl.String(),  # the bucket or volume it lies in
    "pinned": pl.Boolean(),  # must be kept; null: not said, or in a word that is none of ours
}
"""One checkpoint on disk."""

USAGE_IDLE = "__idle__"
"""The namespace under which OpenCost and Kubecost tell what nobody used."""
USAGE_MEASURES = ("gpu_hours", "cpu_core_hours", "memory_gib_hours", "storage_gib_hours")
USAGE_COLUMNS: dict[str, pl.DataType] = {
    "usage_date": pl.Date(),
    "resource_id": pl.String(),
    "node": pl.String(),  # name in the cluster; null where only the provider's id is told
    "namespace": pl.String(),
    "pod": pl.String(),
    "labels": pl.String(),  # canonical JSON
    "measure": pl.String(),
    "quantity": MONEY,  # no money, but as exact
}


Tags = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[not_blank()]),
        "key": pa.Column(pl.String(), checks=[not_blank()]),
        "value": pa.Column(pl.String()),
        "valid_from": pa.Column(pl.Date(), nullable=True),
        "valid_to": pa.Column(pl.Date(), nullable=True),
    },
    checks=[in_order("valid_from", "valid_to", "a day after valid_from", strict=True)],
    strict=True,
    name="Tags",
)
Resources = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[not_blank()]),
        "resource_type": pa.Column(pl.String(), checks=[not_blank()]),
        **{
            name: pa.Column(dtype, nullable=True, checks=[not_negative()] if dtype == pl.Float64() else [])
            for name, dtype in RESOURCE_COLUMNS.items()
            if name not in ("resource_id", "resource_type")
        },
    },
    strict=False,
    name="Resources",
)
Utilization = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[not_blank()]),
        "date": pa.Column(pl.Date()),
        "metric": pa.Column(pl.String(), checks=[one_of(METRICS)]),
        "average": pa.Column(pl.Float64(), checks=[not_negative()]),
        "maximum": pa.Column(pl.Float64(), nullable=True, checks=[not_negative()]),
        "samples": pa.Column(pl.Int64(), nullable=True, checks=[not_negative()]),
    },
    strict=True,
    name="Utilization",
)
Jobs = pa.DataFrameSchema(
    {
        **{name: pa.Column(dtype, nullable=True) for name, dtype in JOB_COLUMNS.items()},
        "job_id": pa.Column(pl.String(), checks=[not_blank()]),
        "resource_id": pa.Column(pl.String(), checks=[not_blank()]),
        "start": pa.Column(INSTANT),
        "gpus": pa.Column(pl.Float64(), checks=[not_negative()]),
        "state": pa.Column(pl.String(), checks=[not_blank()]),
    },
    strict=False,
    name="Jobs",
)
NodeStates = pa.DataFrameSchema(
    {
        "resource_id": pa.Column(pl.String(), checks=[not_blank()]),
        "start": pa.Column(INSTANT),
        "end": pa.Column(INSTANT, nullable=True),
        "state": pa.Column(pl.String(), checks=[one_of(NODE_STATES)]),
        **{name: pa.Column(pl.String(), nullable=True) for name in ("reservation", "user", "account")},
    },
    strict=True,
    name="NodeStates",
)
Measures = pa.DataFrameSchema(
    {"date": pa.Column(pl.Date()), "weight": pa.Column(MONEY, checks=[not_negative()])},
    strict=False,
    name="Measures",
)
Invoices = pa.DataFrameSchema(
    {
        name: pa.Column(
            dtype,
            nullable=name == "invoice_id",
            checks=[currency_code()] if name == "currency" else [],
        )
        for name, dtype in INVOICE_COLUMNS.items()
    },
    strict=True,
    name="Invoices",
)
People = pa.DataFrameSchema(
    {name: pa.Column(dtype, nullable=name != "owner") for name, dtype in PEOPLE_COLUMNS.items()},
    checks=[in_order("valid_from", "valid_to", "a day after valid_from", strict=True)],
    strict=True,
    name="People",
)
Usage = pa.DataFrameSchema(
    {
        **{name: pa.Column(dtype, nullable=True) for name, dtype in USAGE_COLUMNS.items()},
        "usage_date": pa.Column(pl.Date()),
        "resource_id": pa.Column(pl.String(), checks=[not_blank()]),
        "measure": pa.Column(pl.String(), checks=[one_of(USAGE_MEASURES)]),
        "quantity": pa.Column(
            MONEY,
            checks=[above_zero()],
        ),
    },
    strict=True,
    name="Usage",
)


def _numbers_not_negative(columns: dict[str, pl.DataType], *signed: str) -> dict[str, pa.Column]:
    """Columns of a frame, all nullable; numbers but the signed ones are zero or more."""
    return {
        name: pa.Column(
            dtype, nullable=True, checks=[not_negative()] if dtype.is_numeric() and name not in signed else []
        )
        for name, dtype in columns.items()
    }


Runs = pa.DataFrameSchema(
    {
        **_numbers_not_negative(RUN_COLUMNS, "metric_value"),
        "run_id": pa.Column(pl.String(), checks=[not_blank()]),
        "experiment": pa.Column(pl.String(), checks=[not_blank()]),
        "status": pa.Column(pl.String(), nullable=True, checks=[one_of(RUN_STATUSES)]),
        "started_at": pa.Column(INSTANT),
    },
    checks=[in_order("started_at", "ended_at", "not before started_at")],
    strict=False,
    name="Runs",
)
Checkpoints = pa.DataFrameSchema(
    {
        **_numbers_not_negative(CHECKPOINT_COLUMNS, "metric_value"),
        "uri": pa.Column(pl.String(), checks=[not_blank()]),
        "experiment": pa.Column(pl.String(), checks=[not_blank()]),
        "step": pa.Column(pl.Int64(), checks=[not_negative()]),
        "size_bytes": pa.Column(pl.Int64(), checks=[not_negative()]),
        "created_at": pa.Column(INSTANT),
    },
    strict=False,
    name="Checkpoints",
)
