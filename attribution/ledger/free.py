"""Deliveries of usage whose every cost is zero, from accounts that cost something: more often a failed export."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from schemas.workspace import Source

if TYPE_CHECKING:
    import duckdb

_FREE = """
SELECT delivery_digest, any_value(source), sum(rows)
FROM book.parts
WHERE list_contains($sources, source)
    AND delivery_digest NOT IN (SELECT delivery_digest FROM book.counting)
    AND delivery_digest NOT IN (SELECT delivery_digest FROM book.accepted_deliveries)
GROUP BY delivery_digest
HAVING bool_and(free) AND bool_or((source, BillingAccountId) IN (
    SELECT (p.source, p.BillingAccountId) FROM book.parts AS p JOIN book.part_sums AS s USING (part_no)
    WHERE s.BilledCost > 0 OR s.EffectiveCost > 0
))
"""


def free_usage(con: duckdb.DuckDBPyConnection, sources: Iterable[Source]) -> dict[str, str]:
    """Deliveries not counted yet in which nothing costs anything, and why that is doubted.

    A single free row is no reason, nor is an account that never cost anything, nor a source that allows any fall.
    """
    asked = sorted({one.name for one in sources if one.shrink < 1})
    return {
        digest: (
            f"each of its {rows:,} rows costs zero although usage stands there, and the account had costs before; "
            "nothing of it counts. If that is right: "
            f"`attribution ingest --accept-shrink {source}`, or the same with `run`. If not: have it delivered again."
        )
        for digest, source, rows in con.execute(_FREE, {"sources": asked}).fetchall()
    }
