"""Reservations of nodes, as `scontrol show reservation` and `sacctmgr show reservation --parsable2` tell them.

The surprise: only scontrol says for whom a reservation is, and only while it stands; sacctmgr remembers those that
ended, and names associations by number. Both may be handed in: of times that overlap each moment counts once.
Source: Slurm's manual pages of scontrol and sacctmgr, and what the two print.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import Sheet, reject
from attribution.inputs.jobs.hosts import hosts
from schemas.bills import no_rejects
from schemas.dimensions import fold
from schemas.paths import relative_name
from schemas.text_file import plain_text

_BEGINS = "ReservationName="
_NONE = "No reservations in the system"
_PAIR = re.compile(r"(\w+)=(\S*)")
_NOTHING = ("", "(null)", "N/A", "none")
_FIELDS = {
    "ReservationName": "reservation", "StartTime": "start", "EndTime": "end", "Nodes": "nodes", "Users": "user",
    "Accounts": "account", "CoreIDs": "cores",
}  # fmt: skip
_LISTED = {"name": "reservation", "timestart": "start", "timeend": "end", "nodename": "nodes", "nodenames": "nodes"}


def is_scontrol(first_line: str) -> bool:
    """Whether a file holds what scontrol says of reservations."""
    return first_line.startswith((_BEGINS, _NONE))


def listed_names(columns: Sequence[str]) -> dict[str, str]:
    """Names of sacctmgr's header -> ours; empty where it is no list of reservations."""
    found = {name: _LISTED[fold(name)] for name in columns if fold(name) in _LISTED}
    told = set(found.values()) == {"reservation", "start", "end", "nodes"}
    return found if told and not {"state", "jobid"} & {fold(name) for name in columns} else {}


def scontrol_sheet(path: Path, root: Path, what: str) -> Sheet:
    """States of nodes from scontrol, a reservation on one line (`-o`) or on several."""
    name = relative_name(path, root)
    with tempfile.TemporaryDirectory(prefix="attribution-") as scratch:
        text = plain_text(path, name, Path(scratch) / "input.txt")
        records = list(_records(text.path.read_text(encoding="utf-8").splitlines()))
    columns = [*_FIELDS.values(), "__file", "__line"]
    rows = [
        {ours: pairs.get(theirs) for theirs, ours in _FIELDS.items()} | {"__file": name, "__line": line}
        for line, pairs in records
    ]
    schema = dict.fromkeys(columns, pl.String()) | {"__line": pl.Int64()}
    return placed_reservations(Sheet(name, pl.DataFrame(rows, schema=schema), no_rejects()), what)


def _records(lines: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """The line that a reservation begins on, and its fields; what says nothing is left out."""
    at, text = 0, ""
    for number, line in enumerate([*lines, _BEGINS], start=1):
        if line.lstrip().startswith(_BEGINS):
            if text:
                yield at, {key: value for key, value in _PAIR.findall(text) if value not in _NOTHING}
            at, text = number, line
        elif text:
            text += f" {line.strip()}"


def placed_reservations(sheet: Sheet, what: str) -> Sheet:
    """Reservations as states of nodes, a row a node; those of licences alone, which have no node, are left out."""
    told = sheet.frame.with_columns(
        pl.lit("RESERVED").alias("state"),
        *(pl.lit(None, pl.String).alias(one) for one in ("user", "account", "cores") if one not in sheet.frame.columns),
    ).filter(pl.col("nodes").is_not_null())
    in_part = told.filter(pl.col("cores").is_not_null())
    told = told.filter(pl.col("cores").is_null())
    nodes = [hosts(one.strip()) for one in told.get_column("nodes")]
    told = told.with_columns(
        pl.Series("resource_id", [list(one) if one else None for one in nodes], dtype=pl.List(pl.String)),
        *(_only(one) for one in ("user", "account")),
    )
    unread = reject(told.filter(pl.col("resource_id").is_null()), what, "nodes", "names of nodes, such as gpu[001-004]")
    parts = reject(in_part, what, "cores", "whole nodes; what a reservation of cores leaves to others is not told")
    rows = told.filter(pl.col("resource_id").is_not_null()).explode("resource_id").drop("nodes", "cores")
    return Sheet(sheet.name, rows, pl.concat([sheet.rejects, unread, parts]))


def _only(column: str) -> pl.Expr:
    """The one user or account; of several, or of all but some, nothing says who it is."""
    return pl.when(pl.col(column).str.contains(r"^[^,-][^,]*$")).then(column).alias(column)
