"""Deliveries of which too much was refused, by what their sources allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from schemas.money import EXACT, grouped
from schemas.workspace import Source

if TYPE_CHECKING:
    import duckdb

_REFUSED = """
SELECT d.delivery_digest, d.source, d.rows, r.rows, r.faults, t.stated, t.rejected
FROM book.deliveries_read AS d
JOIN (
    SELECT delivery_digest, count(DISTINCT (file, line)) AS rows,
        list_sort(list(DISTINCT ("column", "check"))) AS faults
    FROM book.rejects WHERE outcome = 'row refused' GROUP BY ALL
) AS r USING (delivery_digest)
JOIN book.delivery_totals AS t ON t.delivery_digest = d.delivery_digest AND t.cost_column = 'BilledCost'
WHERE list_contains($sources, d.source)
    AND d.delivery_digest NOT IN (SELECT delivery_digest FROM book.counting)
"""
_SHOWN = 4


def too_much_refused(con: duckdb.DuckDBPyConnection, sources: Iterable[Source]) -> dict[str, str]:
    """Deliveries not counted yet of which more rows or money were refused than their source allows, and why.

    Money is BilledCost as far as it could be read; a refused row with no readable amount is in the rows alone.
    """
    limits: Mapping[str, Source] = {
        one.name: one for one in sources if not (one.reject_rows is None and one.reject_money is None)
    }
    if not limits:
        return {}
    told: dict[str, str] = {}
    for digest, source, rows, refused, faults, stated, rejected in con.execute(
        _REFUSED, {"sources": sorted(limits)}
    ).fetchall():
        above = []
        if _above(Decimal(refused), Decimal(rows), limits[source].reject_rows):
            above.append(f"{refused:,} of {rows:,} rows were refused, more than {_percent(limits[source].reject_rows)}")
        if _above(Decimal(rejected or 0), Decimal(stated or 0), limits[source].reject_money):
            what = f"BilledCost {grouped(Decimal(rejected))} of {grouped(Decimal(stated))}"
            above.append(f"{what} was refused, more than {_percent(limits[source].reject_money)}")
        if above:
            why = "; ".join(f"{column}: {check}" for column, check in faults[:_SHOWN])
            more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
            told[digest] = (
                f"{' and '.join(above)} ({why}{more}); what counted before goes on counting. To see them: "
                f"`attribution rejects --held-back --each --source {source}`. Have it mended, or state a larger "
                "reject_rows or reject_money."
            )
    return told


def _above(part: Decimal, whole: Decimal, limit: Decimal | None) -> bool:
    return limit is not None and abs(part) > EXACT.multiply(abs(whole), limit)


def _percent(share: Decimal | None) -> str:
    return f"{grouped((share or Decimal(0)) * 100)} %"
