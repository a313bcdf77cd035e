"""Bills settled: from all that was ever posted and all that lies on disk now, the revision that counts.

One transaction for everything: who reads the ledger sees the old bills or the new ones, never a mixture.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import polars as pl

from attribution.ledger.connection import append, registered, transaction
from attribution.ledger.free import free_usage
from attribution.ledger.retention import ask_for_pruned
from attribution.ledger.revisions import Candidate, Choice, choose
from attribution.ledger.shrinkage import Guard, Measure
from attribution.ledger.tolerance import too_much_refused
from schemas.bills import BillKey, Delivery, HeldBack

if TYPE_CHECKING:
    import duckdb

_HELD_BACK = {**dict.fromkeys(("source", "name", "reason", "kind"), pl.String()), "run": pl.Int32()}
_FOUND = {
    "source": pl.String(),
    "names": pl.List(pl.String()),
    "delivery_digest": pl.String(),
    "order_key": pl.String(),
    "is_current": pl.Boolean(),
    "mode": pl.String(),
}


@dataclass(frozen=True)
class Settled:
    """`revised`: bills that have a new revision. `held_back`: all that is held back now, with the reasons."""

    revised: tuple[BillKey, ...]
    held_back: tuple[HeldBack, ...]


def settle(
    con: duckdb.DuckDBPyConnection,
    found: Sequence[Delivery],
    held_back: Sequence[HeldBack],
    run: int,
    accept_shrink: Collection[str] = (),
) -> Settled:
    """Decide which parts count for each bill, and write the revisions that changed.

    Args:
        con: the ledger.
        found: every delivery found in this run, also those read long ago; one not posted is passed over.
            What is no longer found keeps counting, unless another file took its place.
        held_back: what was not read at all, to be shown with the rest.
        run: number of the run.
        accept_shrink: sources whose deliveries are right although a bill falls.

    Raises:
        PrunedError: charges that would count were pruned; nothing was settled.
    """
    with transaction(con):
        _remember(con, found, run)
        candidates = _candidates(con)
        choice = choose(candidates, _guard(con, found, accept_shrink))
        ask_for_pruned(con, choice.counting)
        revised = _revise(con, choice, run)
        held = [
            HeldBack(one.source, one.name, choice.held[one.digest], choice.kinds.get(one.digest))
            for one in candidates
            if one.digest in choice.held
        ]
        everything = tuple(sorted([*held_back, *held], key=lambda one: (one.source, one.name)))
        _keep_held_back(con, everything, choice, run)
    return Settled(tuple(revised), everything)


def _remember(con: duckdb.DuckDBPyConnection, found: Sequence[Delivery], run: int) -> None:
    """Note where each delivery lies now and what manifest, path and configuration say of it now."""
    rows = [
        (
            one.source.name,
            sorted(file.name for file in one.files),
            one.digest,
            one.order_key,
            one.current,
            one.source.delivery or one.mode,
        )
        for one in found
    ]
    with registered(con, found_now=pl.DataFrame(rows, schema=_FOUND, orient="row")):
        con.execute(
            """
            UPDATE book.deliveries_read AS d
            SET order_key = f.order_key, is_current = f.is_current, mode = f.mode, seen_run = $run
            FROM (SELECT DISTINCT ON (delivery_digest) * FROM found_now ORDER BY names) AS f
            WHERE f.delivery_digest = d.delivery_digest
            """,
            {"run": run},
        )
        con.execute(
            """
            CREATE OR REPLACE TEMP TABLE posted AS
            SELECT * FROM found_now SEMI JOIN book.deliveries_read USING (delivery_digest)
            """
        )
    # A file that is part of what was found now is no longer part of what was found there before. What counts keeps
    # the taken place noted, for the one that took it may be held back; nothing else comes back from there.
    con.execute(
        """
        CREATE OR REPLACE TEMP TABLE named AS SELECT DISTINCT source, unnest(names) AS name FROM posted;
        DELETE FROM book.places AS p WHERE (p.source, p.names, p.delivery_digest) IN (
            SELECT (source, names, delivery_digest) FROM posted
        );
        UPDATE book.places AS p SET taken = true WHERE EXISTS (
            SELECT 1 FROM named WHERE named.source = p.source AND list_contains(p.names, named.name)
        );
        DELETE FROM book.places WHERE taken AND delivery_digest NOT IN (SELECT delivery_digest FROM book.counting)
        """
    )
    con.execute("INSERT INTO book.places SELECT source, names, delivery_digest, $run, false FROM posted", {"run": run})
    con.execute("UPDATE book.deliveries_read SET settled_run = $run WHERE settled_run IS NULL", {"run": run})


def _candidates(con: duckdb.DuckDBPyConnection) -> list[Candidate]:
    """Deliveries that stand: some place on disk still is theirs, as far as anybody knows.

    What was pruned and does not lie there now to be read again can speak of no bill.
    """
    keys: dict[str, set[BillKey]] = defaultdict(set)
    for digest, source, account, month in con.execute(
        """
        SELECT delivery_digest, source, BillingAccountId, billing_month FROM book.parts
        WHERE pruned_run IS NULL OR delivery_digest IN (SELECT delivery_digest FROM posted)
        UNION ALL
        SELECT delivery_digest, source, BillingAccountId, billing_month
        FROM book.empty_bills JOIN book.deliveries_read USING (delivery_digest)
        """
    ).fetchall():
        keys[digest].add(BillKey(source, account, month))
    replaced: dict[str, set[frozenset[str]]] = defaultdict(set)
    for digest, takers in con.execute(
        """
        SELECT p.delivery_digest, list(DISTINCT t.delivery_digest)
        FROM book.places AS p
        JOIN book.places AS t ON t.source = p.source AND NOT t.taken AND list_has_any(t.names, p.names)
        WHERE p.taken AND p.delivery_digest NOT IN (SELECT delivery_digest FROM book.places WHERE NOT taken)
        GROUP BY p.delivery_digest, p.names
        """
    ).fetchall():
        replaced[digest].add(frozenset(takers))
    rows = con.execute(
        """
        SELECT d.delivery_digest, d.source, p.name, d.content_digest, d.order_key, d.is_current, d.mode, d.settled_run,
            coalesce(d.seen_run, d.settled_run)
        FROM book.deliveries_read AS d
        JOIN (SELECT delivery_digest, min(names[1]) AS name FROM book.places GROUP BY ALL) AS p USING (delivery_digest)
        ORDER BY ALL
        """
    ).fetchall()
    return [Candidate(*(*row, frozenset(keys[row[0]]), tuple(replaced[row[0]]))) for row in rows]


def _guard(con: duckdb.DuckDBPyConnection, found: Sequence[Delivery], accept_shrink: Collection[str]) -> Guard:
    """What counts now, what each delivery holds, and what sources and operator say of a fall."""
    standing: dict[BillKey, set[str]] = defaultdict(set)
    for source, account, month, digest in con.execute(
        """
        SELECT source, BillingAccountId, billing_month, delivery_digest FROM book.counting
        """
    ).fetchall():
        standing[BillKey(source, account, month)].add(digest)
    measures: dict[tuple[str, BillKey], Measure] = {}
    for digest, source, account, month, rows, sums in con.execute(
        """
        SELECT p.delivery_digest, p.source, p.BillingAccountId, p.billing_month, p.rows,
            list((s.BillingCurrency, s.BilledCost, s.EffectiveCost))
        FROM book.parts AS p JOIN book.part_sums AS s USING (part_no) GROUP BY ALL
        """
    ).fetchall():
        money = {
            (column, currency): amount
            for currency, *amounts in sums
            for column, amount in zip(("BilledCost", "EffectiveCost"), amounts, strict=True)
            if amount is not None
        }
        measures[digest, BillKey(source, account, month)] = Measure(rows, money)
    accepted = con.execute("SELECT delivery_digest FROM book.accepted_deliveries").fetchall()
    return Guard(
        standing={key: frozenset(digests) for key, digests in standing.items()},
        measures=measures,
        shrink={one.source.name: one.source.shrink for one in found},
        accepted=frozenset(digest for (digest,) in accepted),
        refused=too_much_refused(con, {one.source.name: one.source for one in found}.values()),
        free=free_usage(con, [one.source for one in found]),
        accept=frozenset(accept_shrink),
    )


def _revise(con: duckdb.DuckDBPyConnection, choice: Choice, run: int) -> list[BillKey]:
    """Write a new revision of each bill whose parts changed; the one before is superseded."""
    parts: dict[tuple[str, BillKey], tuple[int, str]] = {}
    for part_no, part_id, digest, source, account, month in con.execute(
        "SELECT part_no, part_id, delivery_digest, source, BillingAccountId, billing_month FROM book.parts"
    ).fetchall():
        parts[digest, BillKey(source, account, month)] = (part_no, part_id)
    current: dict[BillKey, tuple[int, str]] = {}
    for bill_no, digest, source, account, month in con.execute(
        "SELECT bill_no, digest, source, BillingAccountId, billing_month FROM book.bills WHERE superseded_run IS NULL"
    ).fetchall():
        current[BillKey(source, account, month)] = (bill_no, digest)
    ((next_no, posted_at),) = con.execute(
        """
        SELECT (SELECT coalesce(max(bill_no), 0) + 1 FROM book.bills), (SELECT as_of FROM book.runs WHERE run = $run)
        """,
        {"run": run},
    ).fetchall()
    bills: list[tuple[object, ...]] = []
    bill_parts: list[tuple[int, int]] = []
    superseded: list[int] = []
    changed = []
    for key in sorted(current.keys() | choice.counting.keys()):
        mine = sorted(parts[digest, key] for digest in choice.counting.get(key, ()) if (digest, key) in parts)
        digest = revision_digest([part_id for _, part_id in mine])
        if key in choice.undecided or (key in current and current[key][1] == digest):
            continue
        if key in current:
            superseded.append(current[key][0])
        bill_no = next_no + len(bills)
        bills.append((bill_no, bill_id(key, digest), *astuple(key), digest, run, posted_at))
        bill_parts.extend((bill_no, part_no) for part_no, _ in mine)
        changed.append(key)
    _write(con, bills, bill_parts, superseded, run)
    return changed


def _write(
    con: duckdb.DuckDBPyConnection,
    bills: list[tuple[object, ...]],
    bill_parts: list[tuple[int, int]],
    superseded: list[int],
    run: int,
) -> None:
    if not bills:
        return
    con.execute(
        """
        UPDATE book.bills
        SET superseded_run = $run, superseded_at = (SELECT as_of FROM book.runs WHERE run = $run)
        WHERE list_contains($superseded, bill_no)
        """,
        {"run": run, "superseded": superseded},
    )
    columns = ["bill_no", "bill_id", "source", "BillingAccountId", "billing_month", "digest", "posted_run", "posted_at"]
    append(con, "bills", pl.DataFrame(bills, schema=columns, orient="row"))
    append(con, "bill_parts", pl.DataFrame(bill_parts, schema=["bill_no", "part_no"], orient="row"))


def revision_digest(part_ids: Sequence[str]) -> str:
    """Names a bill's content: the same parts, the same text, in any order."""
    return hashlib.sha256("\n".join(sorted(part_ids)).encode()).hexdigest()[:12] if part_ids else "empty"


def bill_id(key: BillKey, digest: str) -> str:
    """A bill revision's name, the same in every ledger that read the same."""
    return f"{key.source}/{key.billing_account}/{key.billing_month:%Y-%m}/{digest}"


def _keep_held_back(con: duckdb.DuckDBPyConnection, held_back: Sequence[HeldBack], choice: Choice, run: int) -> None:
    con.execute("DELETE FROM book.held_back")
    rows = [(one.source, one.name, one.reason, one.kind, run) for one in held_back]
    append(con, "held_back", pl.DataFrame(rows, schema=_HELD_BACK, orient="row"))
    accepted = [(digest, run) for digest in sorted(choice.accepted)]
    append(con, "accepted_deliveries", pl.DataFrame(accepted, schema=["delivery_digest", "run"], orient="row"))
    con.execute(
        """
        UPDATE book.deliveries_read AS d SET state = CASE
            WHEN list_contains($held, delivery_digest) THEN 'held back'
            WHEN delivery_digest IN (SELECT delivery_digest FROM book.counting) THEN 'counts'
            WHEN delivery_digest NOT IN (SELECT delivery_digest FROM book.places WHERE NOT taken) THEN 'superseded'
            WHEN delivery_digest NOT IN (SELECT delivery_digest FROM book.parts) THEN 'counts'
            ELSE 'superseded' END
        """,
        {"held": sorted(choice.held)},
    )
