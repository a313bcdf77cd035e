"""Closed months: what was reported of a billing month stays as it was, row by row, until the month is opened again.

The attributed rows of a month that is closed are copied into a folder of their own, with numbers below zero that no
later run gives. Each run puts them in the place of what it computed for that month, and keeps the difference apart.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.connection import RESTORE, append, frame, transaction
from attribution.ledger.disk import WRITING, put_folder, write_rows
from schemas.costs import POOLED_COLUMNS
from schemas.faults import Fault, InputError
from schemas.money import COSTS, known_sum
from schemas.nodes import JOB_SHARE_COLUMNS

if TYPE_CHECKING:
    import duckdb

    from attribution.ledger.ledger import Ledger

FOLDER = "closed"
NO_POOLS = pl.DataFrame(schema=POOLED_COLUMNS)
NO_SHARES = pl.DataFrame(schema=JOB_SHARE_COLUMNS)
NO_INPUTS: Mapping[str, str] = MappingProxyType({})
# Numbers of one closing's subjects; a closing has fewer.
_SUBJECTS = 1 << 32
_ALLOCATION_IDS = ("allocation_id", "pool_allocation_id", "negation_allocation_id", "receiver_allocation_id")
_SUBJECT_IDS = ("subject_id", "pool_subject_id")


@dataclass(frozen=True)
class Star:
    """All that is kept of costs.

    `costs`: COST_COLUMNS. `subjects`: COST_SUBJECT_COLUMNS and any columns beyond. `allocations`: allocation_columns of
    the dimensions. `lineage`: one row a pool and receiver of a split: weights and the pool's amounts. `pooled`: which
    cost rows each pool was summed from. `job_shares`: JOB_SHARE_COLUMNS.
    """

    costs: pl.DataFrame
    subjects: pl.DataFrame
    allocations: pl.DataFrame
    lineage: pl.DataFrame
    pooled: pl.DataFrame
    job_shares: pl.DataFrame


def closed_months(con: duckdb.DuckDBPyConnection) -> dict[date, int]:
    """Billing months that are closed now -> the number of their closing."""
    rows = con.execute(
        "SELECT billing_month, closing FROM book.closings WHERE reopened_run IS NULL ORDER BY closing"
    ).fetchall()
    return dict(rows)


def close_month(ledger: Ledger, month: date, run: int) -> None:
    """Keep a billing month as its costs are now.

    Args:
        ledger: the open ledger.
        month: first day of the billing month.
        run: number of the run.

    Raises:
        InputError: nothing is kept of the month, it is not over, or it is closed already.
    """
    con = ledger.con
    _may_close(con, month)
    closing, base = _next_numbers(con)
    star = _kept(con, month)
    subjects = star.subjects.get_column("subject_id").sort()
    used = pl.concat([star.costs.get_column("allocation_id"),
                      *(star.lineage.get_column(name) for name in _ALLOCATION_IDS[1:])]).unique().sort()  # fmt: skip
    star = _renumbered(star, subjects, -closing * _SUBJECTS, used, base)
    folder = ledger.store / FOLDER / str(closing)
    _write(star, folder)
    with transaction(con):
        con.execute(
            """
            INSERT INTO book.closings
            SELECT $closing, $month, run, as_of, $kept, $allocations, NULL, NULL FROM book.runs WHERE run = $run
            """,
            {"closing": closing, "month": month, "kept": made_by(con, month), "allocations": used.len(), "run": run},
        )
        append(con, "closed_sums", sums_by_bill(star).with_columns(pl.lit(closing, pl.Int32).alias("closing")))


def _may_close(con: duckdb.DuckDBPyConnection, month: date) -> None:
    what = f"{month:%Y-%m}"
    over = con.execute("SELECT max(as_of) >= $month + INTERVAL 1 MONTH FROM book.costs_kept", {"month": month})
    rows = over.fetchall()
    months = [one for (one,) in con.execute(
        "SELECT DISTINCT s.billing_month FROM book.cost_facts JOIN book.subjects AS s USING (subject_id) ORDER BY 1"
    ).fetchall()]  # fmt: skip
    if month not in months:
        known = ", ".join(f"{one:%Y-%m}" for one in months)
        raise InputError(Fault("close", f"no costs of billing month {what}", known, "Run `attribution run` first."))
    if month in closed_months(con):
        hint = f"`attribution reopen {what}` opens it again."
        raise InputError(Fault("close", f"{what} is closed already", hint=hint))
    if not rows[0][0]:
        hint = "Close it once a run was made after its last day."
        raise InputError(Fault("close", f"{what} was not over when its costs were made", hint=hint))


def _next_numbers(con: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """The number of a new closing, and the allocation number below which its own begin."""
    ((closing, allocations),) = con.execute(
        "SELECT coalesce(max(closing), 0) + 1, coalesce(sum(allocations), 0) FROM book.closings"
    ).fetchall()
    return int(closing), -int(allocations)


def _kept(con: duckdb.DuckDBPyConnection, month: date) -> Star:
    """What is kept of one billing month now."""
    its = "SELECT subject_id FROM book.subjects WHERE billing_month = ?"
    return Star(
        frame(con, f"SELECT * FROM book.cost_facts WHERE subject_id IN ({its})", [month]),  # noqa: S608 - our own names
        frame(con, "SELECT * FROM book.subjects WHERE billing_month = ?", [month]),
        frame(con, "SELECT * FROM book.allocations"),
        frame(con, f"SELECT * FROM book.split_lineage WHERE subject_id IN ({its})", [month]),  # noqa: S608
        frame(con, f"SELECT * FROM book.split_pools WHERE subject_id IN ({its})", [month]),  # noqa: S608
        frame(con, f"SELECT * FROM book.job_shares WHERE subject_id IN ({its})", [month]),  # noqa: S608
    )


def _renumbered(star: Star, subjects: pl.Series, subject_base: int, used: pl.Series, base: int) -> Star:
    """The same rows under numbers below the bases: every number of a subject or an allocation, wherever it stands."""
    of_subject = pl.int_range(-1, -subjects.len() - 1, -1, dtype=pl.Int64, eager=True) + subject_base
    of_allocation = (pl.int_range(-1, -used.len() - 1, -1, dtype=pl.Int64, eager=True) + base).cast(pl.Int32)

    def renumber(rows: pl.DataFrame) -> pl.DataFrame:
        at = [(name, subjects, of_subject) for name in _SUBJECT_IDS if name in rows.columns]
        at += [(name, used, of_allocation) for name in _ALLOCATION_IDS if name in rows.columns]
        return rows.with_columns(
            new.gather(old.search_sorted(rows.get_column(name))).alias(name) for name, old, new in at
        )

    allocations = star.allocations.filter(pl.col("allocation_id").is_in(used.implode()))
    frames = replace(star, allocations=allocations)
    return Star(**{one.name: renumber(getattr(frames, one.name)) for one in fields(Star)})


def _write(star: Star, folder: Path) -> None:
    folder.parent.mkdir(exist_ok=True)
    unfinished = folder.with_name(f"{folder.name}{WRITING}")
    unfinished.mkdir(exist_ok=True)
    for one in fields(Star):
        write_rows(getattr(star, one.name), unfinished / f"{one.name}.parquet")
    put_folder(unfinished, folder)


def read_rows(folder: Path) -> Star:
    """The rows of a closing.

    Raises:
        InputError: they are gone or damaged.
    """
    try:
        return Star(**{one.name: pl.read_parquet(folder / f"{one.name}.parquet") for one in fields(Star)})
    except (OSError, pl.exceptions.PolarsError) as error:
        what = "the rows of a closed month are gone or damaged"
        raise InputError(Fault(str(folder), what, hint=RESTORE)) from error


def sums_by_bill(star: Star) -> pl.DataFrame:
    """Costs by bill and currency."""
    its = star.subjects.select("subject_id", "bill_no", "BillingCurrency")
    return (
        star.costs.join(its, on="subject_id", validate="m:1")
        .group_by("bill_no", "BillingCurrency")
        .agg(known_sum(column) for column in COSTS)
        .sort("bill_no", "BillingCurrency")
    )


def reopen_month(ledger: Ledger, month: date, run: int) -> None:
    """Let the next run restate a closed month; until then it stays as it is.

    Raises:
        InputError: it is not closed.
    """
    closed = closed_months(ledger.con)
    if month not in closed:
        known = ", ".join(f"{one:%Y-%m}" for one in sorted(closed)) or "no month"
        raise InputError(Fault("reopen", f"{month:%Y-%m} is not closed", known))
    ledger.con.execute(
        """
        UPDATE book.closings SET reopened_run = $run, reopened_at = (SELECT as_of FROM book.runs WHERE run = $run)
        WHERE closing = $closing
        """,
        {"run": run, "closing": closed[month]},
    )
    ledger.sweep()


def remove_closed(store: Path, closings: Collection[int]) -> None:
    """Remove rows of months that are no longer closed, and what a crash left unfinished."""
    for folder in (store / FOLDER).glob("*"):
        if folder.name not in {str(closing) for closing in closings}:
            shutil.rmtree(folder)


def made_by(con: duckdb.DuckDBPyConnection, month: date) -> int:
    """The run that computed what is kept of a month now: an older one where the month was closed at the last run."""
    rows = con.execute(
        """
        SELECT coalesce(max(c.kept_run), max(k.run)) FROM (SELECT max(run) AS run FROM book.costs_kept) AS k
        LEFT JOIN book.closings AS c
            ON c.billing_month = $month AND c.closed_run < k.run AND coalesce(c.reopened_run > k.run, true)
        """,
        {"month": month},
    ).fetchall()
    return int(rows[0][0] or 0)
