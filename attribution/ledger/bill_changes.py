"""Bills that differ from what a run before counted: in what they say, never in how or how often it was delivered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from attribution.ledger.disk import charge_files

if TYPE_CHECKING:
    import duckdb

LATE_BILL = "late bill"
READ_ANEW = "reading of bills"
_PLACES = {"file_id", "row_number", "filename"}  # where a charge stood, which is nothing that it says


def bill_changes(con: duckdb.DuckDBPyConnection, store: Path, since: int, run: int) -> dict[date, set[str]]:
    """What happened to the bills of each billing month after one run and up to another.

    A month without a change is not there. `late bill`: a bill is new, gone, or says something else. `reading of
    bills`: the same bytes are read as other charges, by a newer reader or another setting of the source.

    Args:
        con: the ledger.
        store: its folder, with the charges.
        since: number of the run whose bills are compared with.
        run: number of the run now.
    """
    pairs = con.execute(
        """
        SELECT billing_month, t.bill_no, n.bill_no
        FROM (SELECT * FROM book.bills WHERE posted_run <= $since AND coalesce(superseded_run > $since, true)) AS t
        FULL JOIN (SELECT * FROM book.bills WHERE posted_run <= $run AND coalesce(superseded_run > $run, true)) AS n
            USING (source, BillingAccountId, billing_month)
        WHERE t.bill_no IS DISTINCT FROM n.bill_no
        ORDER BY ALL
        """,
        {"since": since, "run": run},
    ).fetchall()
    found: dict[date, set[str]] = {}
    for month, then, now in pairs:
        if not _say_the_same(con, store, then, now):
            same_bytes = _contents(con, then) == _contents(con, now)
            found.setdefault(month, set()).add(READ_ANEW if same_bytes else LATE_BILL)
    return found


def _say_the_same(con: duckdb.DuckDBPyConnection, store: Path, then: int | None, now: int | None) -> bool:
    """Whether two revisions hold the same charges in any order. Only where their sums agree are charges read."""
    if _sums(con, then) != _sums(con, now):
        return False
    before, after = _files(con, store, then), _files(con, store, now)
    if before is None or after is None:  # pruned, so that nobody can say
        return False
    return not before or _same_charges(con, before, after)


def _sums(con: duckdb.DuckDBPyConnection, bill: int | None) -> list[tuple[object, ...]]:
    return con.execute(
        """
        SELECT BillingCurrency, sum(rows), sum(BilledCost), sum(EffectiveCost), sum(ListCost), sum(ContractedCost)
        FROM book.bill_parts JOIN book.part_sums USING (part_no) WHERE bill_no = ? GROUP BY ALL ORDER BY ALL
        """,
        [bill],
    ).fetchall()


def _contents(con: duckdb.DuckDBPyConnection, bill: int | None) -> list[tuple[object, ...]]:
    """Digests of the bytes that a revision was read from."""
    return con.execute(
        """
        SELECT content_digest
        FROM book.bill_parts JOIN book.parts USING (part_no) JOIN book.deliveries_read USING (delivery_digest)
        WHERE bill_no = ? ORDER BY ALL
        """,
        [bill],
    ).fetchall()


def _files(con: duckdb.DuckDBPyConnection, store: Path, bill: int | None) -> list[str] | None:
    """Files of the charges of a revision; None where some were pruned."""
    rows = con.execute(
        """
        SELECT part_id, charge_files, pruned_run IS NOT NULL
        FROM book.bill_parts JOIN book.parts USING (part_no) WHERE bill_no = ? ORDER BY ALL
        """,
        [bill],
    ).fetchall()
    if any(pruned for _, _, pruned in rows):
        return None
    return [str(file) for file in charge_files(store, ((part, files) for part, files, _ in rows))]


def _same_charges(con: duckdb.DuckDBPyConnection, before: Sequence[str], after: Sequence[str]) -> bool:
    """Compare sums of the rows' hashes, which no order of rows or files changes. A column not there is all null."""
    files = sorted({*before, *after})
    read = "FROM read_parquet($files, union_by_name = true, filename = true)"
    columns = con.execute(f"SELECT * {read} LIMIT 0", {"files": files}).description or []
    quoted = (str(name).replace('"', '""') for name, *_ in columns if name not in _PLACES)
    said = ", ".join(f'"{name}"' for name in quoted)
    hashes = "coalesce(sum(hash({said})) FILTER (list_contains({side}, filename)), 0)"
    ((same,),) = con.execute(
        f"SELECT {hashes.format(said=said, side='$before')} = {hashes.format(said=said, side='$after')} {read}",
        {"files": files, "before": list(before), "after": list(after)},
    ).fetchall()
    return bool(same)
