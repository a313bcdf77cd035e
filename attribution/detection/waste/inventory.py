"""How inventories word things: kinds of resources and their states, by the providers' own names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from schemas.dimensions import fold
from schemas.resource_ids import fold_azure_id

if TYPE_CHECKING:
    import polars as pl

VOLUMES = frozenset(
    "volume disk ebsvolume manageddisk persistentdisk blockvolume clouddisk blockstorage".split(),
)
MACHINES = frozenset(
    "instance node vm machine server virtualmachine computeinstance ec2instance gpunode gpuinstance baremetal".split(),
)
DETACHED = frozenset("available unattached detached unused".split())
ATTACHED = frozenset("inuse attached reserved".split())
STOPPED = frozenset("stopped stopping deallocated deallocating suspended paused hibernated off poweredoff".split())
DELETED = frozenset("deleted deleting terminated terminating shuttingdown removed".split())

Row = dict[str, Any]


def of_kind(resources: pl.DataFrame, kinds: Iterable[str]) -> list[Row]:
    """Rows whose `resource_type` is one of `kinds`, one a resource (the last one given), in order of id."""
    wanted = set(kinds)
    rows = {
        fold_azure_id(row["resource_id"]): row
        for row in resources.iter_rows(named=True)
        if fold(row["resource_type"]) in wanted
    }
    return [rows[key] for key in sorted(rows)]


def state(row: Row) -> str:
    """The state as it is compared; empty where unknown."""
    return fold(row.get("state") or "")


def gone(row: Row, as_of: datetime) -> bool:
    """Deleted at the time of the run."""
    deleted_at = row.get("deleted_at")
    return state(row) in DELETED or (deleted_at is not None and deleted_at <= as_of)
