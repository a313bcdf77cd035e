"""Why a month is no longer what it was: what differed between the run that made it and the run that makes it anew."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING

from attribution.ledger.closing import made_by

if TYPE_CHECKING:
    import duckdb

LATE_BILL = "late bill"
OTHER_BILLS = "bills of other months"
UNKNOWN = "unknown"
_PROGRAMS = ("cost-attribution", "polars")


def causes(
    con: duckdb.DuckDBPyConnection, months: Collection[date], run: int, inputs: Mapping[str, str]
) -> dict[date, str]:
    """What changed since the costs of some months were made, as words with commas between them.

    A month's own bill comes first; then the rules and the inputs that attribution reads, by name; `program` where
    another version of it counted, and then inputs are not told apart. Only where none of these changed, bills of
    other months are named, for they can move shares of a split, and tags that a parent had.

    Args:
        con: the ledger, with the run that is being kept not yet among the costs kept.
        months: billing months.
        run: number of the run.
        inputs: its inputs' digests by name.
    """
    now = _versions(con, run) | dict(inputs)
    return {month: _of(con, month, run, now) for month in months}


def _of(con: duckdb.DuckDBPyConnection, month: date, run: int, after: dict[str, str]) -> str:
    since = made_by(con, month)
    own, others = _bills(con, month, since, run)
    found = [LATE_BILL] if own else []
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


def _bills(con: duckdb.DuckDBPyConnection, month: date, since: int, run: int) -> tuple[bool, bool]:
    """Whether bills of this month, and of others, came or were replaced after one run and up to another."""
    rows = con.execute(
        """
        SELECT coalesce(bool_or(billing_month = $month), false), coalesce(bool_or(billing_month <> $month), false)
        FROM book.bills
        WHERE posted_run > $since AND posted_run <= $run OR superseded_run > $since AND superseded_run <= $run
        """,
        {"month": month, "since": since, "run": run},
    ).fetchall()
    return bool(rows[0][0]), bool(rows[0][1])


def _versions(con: duckdb.DuckDBPyConnection, run: int) -> dict[str, str]:
    """The rules' and the program's versions in a run."""
    ((text,),) = con.execute("SELECT versions FROM book.runs WHERE run = ?", [run]).fetchall()
    return {name: json.loads(text).get(name, "") for name in ("rules", *_PROGRAMS)}
