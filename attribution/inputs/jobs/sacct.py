"""`sacct --parsable2` as it comes: a row a job and node, with its GPUs divided evenly over its nodes.

The surprise: sacct quotes nothing, tells steps (`17.batch`) beside their job, and counts MIG slices as whole GPUs.
Source: Slurm's manual pages of sacct (fields, states) and of gres.conf (types of GPUs).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path

import polars as pl

from attribution.inputs.csv_file import PLACE, Sheet, read_sheet, reject
from attribution.inputs.jobs.hosts import hosts
from schemas.bills import VALUE_UNKNOWN
from schemas.dimensions import fold
from schemas.faults import Fault, InputError

_NAMES = {
    "jobid": "job_id", "jobname": "name", "user": "user", "account": "account", "partition": "partition",
    "state": "state", "submit": "submit", "start": "start", "end": "end", "comment": "comment", "wckey": "wckey",
    "nodelist": "nodelist", "alloctres": "alloctres",
}  # fmt: skip
_MARKS = {"nodelist", "alloctres", "jobname", "exitcode", "alloccpus"}
_REQUIRED = ("JobID", "State", "Start", "End", "AllocTRES", "NodeList")
_COMMAND = (
    "sacct --allusers --duplicates --parsable2 "
    "--format=JobID,JobName,User,Account,Partition,State,Submit,Start,End,AllocTRES,NodeList,Comment,WCKey"
)
_NEVER = ("unknown", "none", "n/a", "")
_NOWHERE = ("none assigned", "(null)", "none", "")
_GPU = re.compile(r"gres/gpu(?::([^=,]+))?=(\d+)")
_MIG = re.compile(r"(?:^|[^0-9a-z])(\d)g\.(\d+)gb")
_SLICES = 7  # of A100 and all later ones; an A30 has four, of 6 GB each
_A30 = {("1", "6"), ("2", "12"), ("4", "24")}


def is_sacct(columns: Sequence[str]) -> bool:
    """Whether a header is sacct's; the plain list of jobs has a resource_id."""
    names = {fold(name) for name in columns}
    return "jobid" in names and bool(names & _MARKS) and fold("resource_id") not in names


def sacct_sheet(path: Path, root: Path, what: str) -> Sheet:
    """Rows of the plain list of jobs; those of jobs that never started are left out.

    Raises:
        InputError: a column is missing.
    """
    sheet = read_sheet(path, root, what, (), (), quoted=False)
    frame = sheet.frame.rename({name: _NAMES.get(fold(name), name) for name in sheet.frame.columns})
    missing = [name for name in _REQUIRED if _NAMES[fold(name)] not in frame.columns]
    if missing:
        known = ", ".join(name for name in sheet.frame.columns if name not in PLACE)
        raise InputError(
            Fault(sheet.name, f"a list of sacct without {', '.join(missing)}", known, f"Export it with: {_COMMAND}")
        )
    whole = pl.col("job_id").is_not_null() & ~pl.col("job_id").str.contains(".", literal=True)
    frame = frame.filter(whole, pl.col("job_id") != "JobID")
    started = ~pl.col("start").fill_null("").str.strip_chars().str.to_lowercase().is_in(_NEVER)
    placed = ~pl.col("nodelist").fill_null("").str.strip_chars().str.to_lowercase().is_in(_NOWHERE)
    frame = frame.filter(started, placed)
    names = [hosts(text.strip()) for text in frame.get_column("nodelist")]
    gpus = [gpus_of(text or "") for text in frame.get_column("alloctres")]
    per_node = [str(Decimal(many) / len(nodes)) if nodes else None for many, nodes in zip(gpus, names, strict=True)]
    frame = frame.with_columns(
        pl.Series("resource_id", [list(one) if one else None for one in names], dtype=pl.List(pl.String)),
        pl.Series("gpus", per_node, dtype=pl.String),
    )
    lost = frame.filter(pl.col("resource_id").is_null())
    bad = reject(lost, what, "nodelist", "names of nodes, such as gpu[001-004,007]")
    shards = frame.filter(pl.col("alloctres").fill_null("").str.contains(r"gres/(?:shard|mps)[:=]"))
    unsure = reject(shards, what, "alloctres", "GPUs; how much of one a shard is does not stand here", VALUE_UNKNOWN)
    rows = frame.filter(pl.col("resource_id").is_not_null()).explode("resource_id").drop("nodelist")
    return Sheet(sheet.name, rows, pl.concat([sheet.rejects, bad, unsure]))


@cache
def gpus_of(tres: str) -> Decimal:
    """GPUs of `billing=64,cpu=64,gres/gpu=8,gres/gpu:a100=8`; a MIG slice is its part of a GPU."""
    found = _GPU.findall(tres)
    typed = [(kind, int(many)) for kind, many in found if kind]
    if typed and (any(_MIG.search(kind) for kind, _ in typed) or all(kind for kind, _ in found)):
        return sum((_part(kind) * many for kind, many in typed), Decimal(0))
    return sum((Decimal(many) for kind, many in found if not kind), Decimal(0))


def _part(kind: str) -> Decimal:
    profile = _MIG.search(kind)
    if not profile:
        return Decimal(1)
    slices = 4 if "a30" in kind or profile.groups() in _A30 else _SLICES
    return Decimal(profile.group(1)) / slices
