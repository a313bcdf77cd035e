"""The inventory: what exists, of what type, in what state, attached to what. One row a resource."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Read, read_sheet
from attribution.inputs.rows import (
    collapse,
    finish,
    read_days,
    read_instants,
    read_numbers,
    refuse_unfit,
    start,
)
from schemas.inputs import RESOURCE_COLUMNS, WAS_ATTACHED, Resources

WHAT = "resources"
_IDS = ("resource_id", "attached_to", "account_id", "source_id", "image_id")
_INSTANTS = ("created_at", "last_used_at", "deleted_at")
_SPAN = ("valid_from", "valid_to")
_NUMBERS = ("size_gb", "gpus", "targets", "used_gb")


def read_resources(paths: Sequence[Path], root: Path, timezone: str = "UTC") -> Read:
    """Resources of all files together, extra columns kept as text after those of the contract.

    Rows may hold for a time, [valid_from, valid_to). What a resource is, its latest row says; on what it hung, each row
    says for its days, in the column `was_attached`, which is there where any file has days.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.
        timezone: the zone of instants that name none.

    Raises:
        InputError: a file without `resource_id` or `resource_type`.
    """
    columns = list(RESOURCE_COLUMNS)
    known = [*columns, *_SPAN]
    sheets = [read_sheet(path, root, WHAT, known, ("resource_id", "resource_type")) for path in paths]
    rows = start(WHAT, sheets, known, _IDS)
    rows.need("resource_id", "resource_type")
    for column in _INSTANTS:
        read_instants(rows, column, timezone)
    for column in _NUMBERS:
        read_numbers(rows, column, required=False)
    for column in _SPAN:
        read_days(rows, column)
    rows.refuse(pl.col("valid_to") <= pl.col("valid_from"), "valid_to", "a day after valid_from")
    extra = rows.beyond(known)
    once = "one row a resource and valid_from; an earlier row says otherwise"
    refuse_unfit(rows, Resources)
    collapse(rows, ("valid_from", "resource_id"), [*known, *extra], once)
    if any(rows.frame.get_column(name).null_count() < rows.frame.height for name in _SPAN):
        rows.frame = _latest(rows.frame)
        extra.append(WAS_ATTACHED)
    return finish(rows, Resources, [*columns, *extra])


def _latest(rows: pl.DataFrame) -> pl.DataFrame:
    """The latest row of each resource, with the attachments of all its rows."""
    ordered = rows.sort("valid_from", nulls_last=False, maintain_order=True)
    was = ordered.group_by("resource_id", maintain_order=True).agg(pl.struct("attached_to", *_SPAN).alias(WAS_ATTACHED))
    latest = ordered.unique("resource_id", keep="last", maintain_order=True)
    return latest.join(was, on="resource_id", how="left", maintain_order="left")
