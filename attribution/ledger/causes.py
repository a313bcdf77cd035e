"""Why a month is no longer what it was: what differed between the run that made it and the run that makes it anew."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from attribution.ledger.bill_changes import LATE_BILL, READ_ANEW, bill_changes
from attribution.ledger.closing import made_by

if TYPE_CHECKING:
    import duckdb

OTHER_BILLS = "bills of other months"
UNKNOWN = "unknown"
_PROGRAMS = ("cost-attribution", "polars")


def causes(
    con: duckdb.DuckDBPyConnection, store: Path, months: Collection[date], run: int, inputs: Mapping[str, str]
) -> dict[date, str]:
    """What changed since the costs of some months were made, as words with commas between them.

    A month's own bill comes first, where it says something else than it did; then the rules and the inputs that
    attribution reads, by name; `program` where another version of it counted, and then inputs are not told apart. Only
    where none of these changed, bills of other months are named, for they can move shares of a split, and tags that a
    parent had.

    Args:
        con: the ledger, with the run that is being kept not yet among the costs kept.
        store: its folder.
        months: billing months.
        run: number of the run.
        inputs: its inputs' digests by name.
    """
    now = _versions(con, run) | dict(inputs)
    since = {month: made_by(con, month) for month in months}
    bills = {before: bill_changes(con, store, before, run) for before in set(since.values())}
    return {
        month: _of(con, before, bills[before].get(month, ()), bills[before], now) for month, before in since.items()
    }


def _of(
    con: duckdb.DuckDBPyConnection, since: int, mine: Collection[str], others: Collection[date], after: dict[str, str]
) -> str:
    found = [word for word in (LATE_BILL, READ_ANEW) if word in mine]
    noted = con.execute("SELECT inputs FROM book.costs_kept WHERE run = ? AND inputs IS NOT NULL", [since]).fetchall()
    if not noted:
        return ", ".join(found) or UNKNOWN
    before = _versions(con, since) | json.loads(noted[0][0])
    if any(before.get(name) != after.get(name) for name in _PROGRAMS):
        found += ["rules"] if before.get("rules") != after.get("rules") else []
        found.append("program")
    else:
        found += sorted(name for name in {*before, *after} - set(_PROGRAMS) if before.get(name) != after.get(name))
    if not found:
        found = [OTHER_BILLS if others else UNKNOWN]
    return ", ".join(found)


def _versions(con: duckdb.DuckDBPyConnection, run: int) -> dict[str, str]:
    """The rules' and the program's versions in a run."""
    ((text,),) = con.execute("SELECT versions FROM book.runs WHERE run = ?", [run]).fetchall()
    return {name: json.loads(text).get(name, "") for name in ("rules", *_PROGRAMS)}
