"""The inventory: what exists, of what type, in what state, attached to what. One row a resource."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attribution.inputs.csv_file import PLACE, Read, read_sheet
from attribution.inputs.rows import collapse, finish, read_instants, read_numbers, start
from schemas.inputs import RESOURCE_COLUMNS, Resources

WHAT = "resources"
_IDS = ("resource_id", "attached_to", "account_id")
_INSTANTS = ("created_at", "last_used_at", "deleted_at")
_NUMBERS = ("size_gb", "gpus")


def read_resources(paths: Sequence[Path], root: Path, timezone: str = "UTC") -> Read:
    """Resources of all files together, extra columns kept as text after those of the contract.

    Args:
        paths: the files; of two rows that contradict each other the first stays and the other is rejected.
        root: the workspace.
        timezone: the zone of instants that name none.

    Raises:
        InputError: a file without `resource_id` or `resource_type`.
    """
    columns = list(RESOURCE_COLUMNS)
    sheets = [read_sheet(path, root, WHAT, columns, ("resource_id", "resource_type")) for path in paths]
    rows = start(WHAT, sheets, columns, _IDS)
    rows.need("resource_id", "resource_type")
    for column in _INSTANTS:
        read_instants(rows, column, timezone)
    for column in _NUMBERS:
        read_numbers(rows, column, required=False)
    extra = [name for name in rows.frame.columns if name not in columns and name not in PLACE]
    collapse(rows, ("resource_id",), [*columns, *extra], "one row a resource; an earlier row says otherwise")
    return finish(rows, Resources, [*columns, *extra])
