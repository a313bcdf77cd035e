"""Provenance: from the published file alone, without rules and without a line of the product, every share anew.

Weights, pools and rows are read with DuckDB; all else is plain Python with fractions.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from flows import steps
from flows.settings import load_workspace

HOUSE = Path(__file__).parents[1]
COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")
UNIT = Fraction(1, 10**12)
Key = tuple[Any, ...]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    """The sample company's published file, moved to where no rules lie."""
    folder = tmp_path_factory.mktemp("provenance")
    root = folder / "company"
    shutil.copytree(HOUSE / "sample_bills", root, ignore=shutil.ignore_patterns("ledger", "__pycache__"))
    steps.nightly(load_workspace(root), datetime(2026, 11, 5, 6, tzinfo=UTC))
    shutil.move(root / "ledger" / "costs.duckdb", folder / "costs.duckdb")
    shutil.rmtree(root)
    return duckdb.connect(str(folder / "costs.duckdb"), read_only=True)


def table(con: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    found = con.execute(sql)
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def units(amount: Decimal | None) -> int | None:
    return None if amount is None else int(Fraction(amount) / UNIT)


def shared(whole: int, weights: list[Fraction]) -> list[int]:
    """Whole units by weight; what is left over goes one each to the largest remainders, the earlier first."""
    sign = -1 if whole < 0 else 1
    exact = [abs(whole) * weight / sum(weights) for weight in weights]
    given = [int(one) for one in exact]
    order = sorted(range(len(weights)), key=lambda at: (given[at] - exact[at], at))
    for at in order[: abs(whole) - sum(given)]:
        given[at] += 1
    return [sign * one for one in given]


def add(into: dict[Key, list[int | None]], key: Key, amounts: list[int | None]) -> None:
    """Add by column; unknown and unknown stay unknown."""
    old = into.get(key, [None] * len(COSTS))
    into[key] = [b if a is None else a if b is None else a + b for a, b in zip(old, amounts, strict=True)]


def pools_of(con: duckdb.DuckDBPyConnection) -> dict[Key, list[dict[str, Any]]]:
    """Lineage by pool, receivers in their order."""
    rows = table(con, "SELECT * FROM split_lineage ORDER BY position")
    pools: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        pools[row["split"], row["subject_id"], row["usage_date"], row["pool_allocation_id"], row["hour"]].append(row)
    return pools


def test_every_split_row_is_what_weights_and_pools_say(stored: duckdb.DuckDBPyConnection) -> None:
    made: dict[Key, list[int | None]] = {}
    splits = set()
    for (split, subject, day, *_), receivers in pools_of(stored).items():
        splits.add(split)
        first = receivers[0]
        assert len({tuple(one[cost] for cost in COSTS) for one in receivers}) == 1
        weights = [Fraction(one["weight"]) for one in receivers]
        assert sum(weights) == Fraction(first["total_weight"]), split
        whole = [units(first[cost]) for cost in COSTS]
        columns = [[None] * len(weights) if one is None else shared(one, weights) for one in whole]
        for one, amounts in zip(receivers, zip(*columns, strict=True), strict=True):
            if any(amounts):
                add(made, (subject, day, one["receiver_allocation_id"]), list(amounts))
        negation = [None if one is None else -one for one in whole]
        add(made, (subject, day, first["negation_allocation_id"]), negation)
    rows = table(
        stored,
        f"""
        SELECT f.subject_id, f.usage_date, f.allocation_id, {", ".join(f"sum({c}) AS {c}" for c in COSTS)}
        FROM book.cost_facts AS f JOIN book.allocations AS a USING (allocation_id)
        WHERE EXISTS (SELECT 1 FROM split_lineage AS l WHERE l.subject_id = f.subject_id AND l.usage_date = f.usage_date
            AND f.allocation_id IN (l.receiver_allocation_id, l.negation_allocation_id))
        GROUP BY ALL
        """,  # noqa: S608 - names of our own
    )
    kept = {
        (row["subject_id"], row["usage_date"], row["allocation_id"]): [units(row[c]) for c in COSTS] for row in rows
    }
    assert len(splits) > 3
    assert kept == made


def test_every_pool_is_the_sum_of_the_rows_that_it_names(stored: duckdb.DuckDBPyConnection) -> None:
    facts = {
        (row["subject_id"], row["usage_date"], row["allocation_id"]): [units(row[cost]) for cost in COSTS]
        for row in table(stored, "SELECT * FROM book.cost_facts")
    }
    summed: dict[Key, list[int | None]] = {}
    members = table(stored, "SELECT * FROM split_pools")
    for row in members:
        amounts = facts[row["subject_id"], row["usage_date"], row["allocation_id"]]
        add(summed, (row["split"], row["pool_subject_id"], row["usage_date"], row["allocation_id"]), amounts)
    stated: dict[Key, list[int | None]] = {}
    for (split, subject, day, allocation, _), receivers in pools_of(stored).items():
        add(stated, (split, subject, day, allocation), [units(receivers[0][cost]) for cost in COSTS])
    assert len(summed) > 100
    # nodes that jobs divided are pools of their own, and are not summed from others
    assert {key: stated[key] for key in summed} == summed


def test_every_row_that_no_split_made_is_of_its_bill(stored: duckdb.DuckDBPyConnection) -> None:
    """What rules and tags gave sums to the bills, before any split; and so do all rows after them."""
    for where in ("true", "project_method NOT IN ('split', 'job', 'idle') OR rule = 'unused commitments are idle'"):
        for cost in COSTS:
            apart = stored.execute(
                f"""
                SELECT bill_id, sum(costs), sum(bills) FROM (
                    SELECT bill_id, sum({cost}) AS costs, NULL AS bills FROM costs WHERE {where} GROUP BY ALL
                    UNION ALL SELECT bill_id, NULL, stored_{cost} FROM bills WHERE superseded_run IS NULL
                ) GROUP BY ALL HAVING sum(costs) IS DISTINCT FROM sum(bills)
                """  # noqa: S608 - names of our own
            ).fetchall()
            assert apart == [], (where, cost)
