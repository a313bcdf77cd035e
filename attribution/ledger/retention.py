"""What stays in the store: charges that count, and those of older revisions for as long as something needs them.

A revision whose charges went is still a row of `bills`, with its sums. Its files go after the transaction that says
so; whatever a crash leaves of them, the next start removes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from attribution.ledger import costs as kept_costs
from attribution.ledger.closing import closed_months, remove_closed
from attribution.ledger.connection import transaction
from attribution.ledger.disk import remove_leftovers
from attribution.ledger.views import query_file
from schemas.bills import BillKey

if TYPE_CHECKING:
    from attribution.ledger.parts import Part


class PrunedError(Exception):
    """Deliveries that would count again and lie on disk, but whose charges were pruned: `digests`."""

    def __init__(self, digests: Collection[str]) -> None:
        super().__init__(f"{len(digests)} deliveries must be read again")
        self.digests = frozenset(digests)


def prune(con: duckdb.DuckDBPyConnection, published: Path, *, revisions: int, today: date, run: int) -> int:
    """Note as pruned the parts that nothing needs; the caller then sweeps.

    Kept are, of each bill, the revision that counts, the first, while its month is not over the last `revisions`, and
    each that counted when reports were made or its month was closed; also what the published file counts, which
    somebody may be reading.

    Args:
        con: the ledger.
        published: the published file; while there is none, nothing goes.
        revisions: how many of an open month stay, the one that counts among them.
        today: the run's date in the workspace's time zone.
        run: number of the run.

    Returns:
        How many parts went.
    """
    values = {"published": _last_run(published), "revisions": revisions, "today": today, "run": run}
    with transaction(con):
        con.execute(query_file("prune", ()), values)
        ((pruned,),) = con.execute("SELECT count(*) FROM book.parts WHERE pruned_run = ?", [run]).fetchall()
    return int(pruned)


def _last_run(published: Path) -> int:
    """The last run that a published file knows; 0 where there is none that can be read."""
    if not published.is_file():
        return 0
    try:
        con = duckdb.connect(str(published), read_only=True)
    except duckdb.Error:
        return 0
    try:
        ((run,),) = con.execute("SELECT coalesce(max(run), 0) FROM main.runs").fetchall()
    except duckdb.Error:
        return 0
    finally:
        con.close()
    return int(run)


def stored_parts(con: duckdb.DuckDBPyConnection, digest: str) -> set[str]:
    """Names of the parts of a delivery whose charges lie in the store."""
    rows = con.execute("SELECT part_id FROM book.parts WHERE delivery_digest = ? AND pruned_run IS NULL", [digest])
    return {part for (part,) in rows.fetchall()}


def ask_for_pruned(con: duckdb.DuckDBPyConnection, counting: Mapping[BillKey, Collection[str]]) -> None:
    """Make sure that the charges of all that is to count are stored.

    Args:
        con: the ledger.
        counting: bill -> digests of the deliveries that make it.

    Raises:
        PrunedError: some were pruned.
    """
    gone = con.execute(
        "SELECT delivery_digest, source, BillingAccountId, billing_month FROM book.parts WHERE pruned_run IS NOT NULL"
    ).fetchall()
    again = {digest for digest, *key in gone if digest in counting.get(BillKey(*key), ())}
    if again:
        raise PrunedError(again)


def restore(con: duckdb.DuckDBPyConnection, parts: Sequence[Part]) -> None:
    """Have pruned parts that were read again count as stored; the others are as they were."""
    with transaction(con):
        for part in parts:
            con.execute(
                """
                UPDATE book.parts SET pruned_run = NULL, pruned_at = NULL, charge_files = ?, rollup = ?
                WHERE part_id = ? AND pruned_run IS NOT NULL
                """,
                [part.files, part.rollup.folder, part.part_id],
            )


def sweep(con: duckdb.DuckDBPyConnection, store: Path) -> None:
    """Remove files of the store that no transaction registered, and those of pruned parts."""
    rows = con.execute("SELECT part_id, rollup FROM book.parts WHERE pruned_run IS NULL").fetchall()
    remove_leftovers(store, {part for part, _ in rows}, rows)
    kept = kept_costs.kept_subjects(con, store)
    for file in store.glob(kept_costs.SUBJECTS_FILES):
        if file != kept:
            file.unlink()
    remove_closed(store, closed_months(con).values())
