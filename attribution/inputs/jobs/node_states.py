"""When nodes were down, drained or reserved: a plain list, `sacctmgr show event --parsable2`, or reservations.

Source: Slurm's manual page of sacctmgr (fields of events) and its states of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from attribution.inputs.csv_file import Read, Sheet, empty_sheet
from attribution.inputs.rows import finish, read_instants, start
from schemas.dimensions import fold
from schemas.inputs import NODE_STATE_COLUMNS, NODE_STATES, NodeStates

_EVENTS = {"nodename": "resource_id", "timestart": "start", "timeend": "end", "state": "state"}
_PLAIN = {"resourceid": "resource_id", "start": "start", "end": "end", "state": "state"}
_FOR_WHOM = {name: name for name in ("reservation", "user", "account")}
# The first word found decides: a node that is down and drained is down.
_WORDS = (
    ("DOWN", "DOWN"), ("FAIL", "DOWN"), ("NO_RESPOND", "DOWN"), ("ERROR", "DOWN"), ("POWER", "DOWN"),
    ("DRAIN", "DRAINED"), ("DRNG", "DRAINED"), ("MAINT", "RESERVED"), ("RES", "RESERVED"),
)  # fmt: skip


def state_names(columns: Sequence[str]) -> dict[str, str]:
    """Names of a header -> ours; empty where it is no list of states."""
    names = {fold(name): name for name in columns}
    for known in (_EVENTS, _PLAIN):
        if set(known) <= names.keys() and "jobid" not in names:
            told = known if known is _EVENTS else known | _FOR_WHOM  # who wrote an event is nobody it is for
            return {names[one]: told[one] for one in told if one in names}
    return {}


def read_states(sheets: Sequence[Sheet], what: str, timezone: str) -> Read:
    """States of all files together; events of the whole cluster, which name no node, are left out."""
    columns = list(NODE_STATE_COLUMNS)
    rows = start(what, sheets or [empty_sheet(columns)], columns, ("resource_id",))
    rows.frame = rows.frame.filter(pl.col("resource_id").is_not_null()).with_columns(
        pl.when(pl.col("end").str.to_lowercase() != "unknown").then("end").alias("end")
    )
    said = pl.col("state").str.to_uppercase()
    known = pl.coalesce(*(pl.when(said.str.contains(word, literal=True)).then(pl.lit(ours)) for word, ours in _WORDS))
    rows.need("start", "state")
    rows.read("state", rows.frame.select(known.alias("state")).to_series(), ", ".join(NODE_STATES), required=True)
    read_instants(rows, "start", timezone, required=True)
    read_instants(rows, "end", timezone, required=True)
    rows.refuse(pl.col("end") < pl.col("start"), "end", "not before the start")
    return finish(rows, NodeStates, columns)
