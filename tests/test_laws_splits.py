"""Laws 1 and 6 over hundreds of worlds of splits: chains, credits, three currencies, against an oracle in fractions.

Where every project agrees on every day, service and category, so does every filter. `benchmarks/laws.py` does the same
over ten thousand worlds.
"""

from __future__ import annotations

import os
from collections import defaultdict
from decimal import Decimal

import polars as pl
import pytest
from laws_fractions import COSTS, Place, Row, Units, batch, expected, summed

from attribution.allocation import resolve, split
from attribution.rules import read_rules
from schemas.costs import LINE_COLUMNS, SUBJECT_COLUMNS
from schemas.inputs import RESOURCE_COLUMNS, TAG_COLUMNS
from schemas.money import from_units, to_units

BATCHES = int(os.environ.get("LAWS_BATCHES", "3"))


def product(rows: list[Row], rules: str) -> tuple[dict[Place, Units], pl.DataFrame]:
    """What the product makes of charges: the same sums as the oracle's, and all rows."""
    numbers = range(1, len(rows) + 1)
    subjects = pl.DataFrame(
        {
            "subject_id": numbers,
            "bill_no": [1] * len(rows),
            "source": ["cloud"] * len(rows),
            "billing_month": [row.day.replace(day=1) for row in rows],
            "BillingAccountId": ["1"] * len(rows),
            "BillingCurrency": [row.currency for row in rows],
            "ServiceName": [row.service for row in rows],
            "ChargeCategory": [row.category for row in rows],
            "Tags": [None if row.project == "unallocated" else f'{{"project": "{row.project}"}}' for row in rows],
        },
        schema_overrides={name: SUBJECT_COLUMNS[name] for name in ("subject_id", "bill_no")},
    )
    absent = [
        pl.lit(None, dtype).alias(name) for name, dtype in SUBJECT_COLUMNS.items() if name not in subjects.columns
    ]
    subjects = subjects.with_columns(absent).select(list(SUBJECT_COLUMNS))
    money = [from_units([row.units[at] for row in rows], name) for at, name in enumerate(COSTS)]
    days = pl.DataFrame({"subject_id": numbers, "usage_date": [row.day for row in rows]})
    lines = days.with_columns(*money, pl.lit(1.0).alias("ConsumedQuantity")).cast(LINE_COLUMNS)  # type: ignore[arg-type]
    book = read_rules(rules)
    nothing = pl.DataFrame(schema=TAG_COLUMNS), pl.DataFrame(schema=RESOURCE_COLUMNS)
    divided = split(resolve(subjects, lines, *nothing, book), book)
    told = divided.costs.join(divided.allocations, on="allocation_id").join(divided.subjects, on="subject_id")
    found: dict[Place, list[Units]] = defaultdict(list)
    names = ("usage_date", "BillingCurrency", "ServiceName", "ChargeCategory", "project", *COSTS)
    for row in told.select(names).iter_rows():
        found[row[:5]].append(tuple(None if one is None else to_units(one) for one in row[5:]))
    return {place: units for place, amounts in found.items() if any(units := summed(amounts))}, told


def hold(seed: int) -> int:
    """Hold the laws over one batch; how many worlds it had."""
    splits, rows = batch(seed)
    rules = "\n".join(one.toml() for one in splits)
    found, told = product(rows, rules)
    assert found == expected(splits, rows), f"batch {seed}:\n{rules}"
    for at, cost in enumerate(COSTS):
        before: dict[tuple[object, str], Decimal] = defaultdict(Decimal)
        for row in rows:
            before[row.day, row.currency] += row.units[at] or 0
        after: dict[tuple[object, str], int] = defaultdict(int)
        for day, currency, amount in told.select("usage_date", "BillingCurrency", cost).iter_rows():
            after[day, currency] += 0 if amount is None else to_units(amount)
        assert after == before, (seed, cost)
    return len({row.day.replace(day=1) for row in rows})


@pytest.mark.parametrize("seed", range(BATCHES))
def test_splits_agree_with_fractions_and_lose_nothing(seed: int) -> None:
    assert hold(seed) == 100
