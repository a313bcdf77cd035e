"""The laws of the house (DESIGN section 9) over generated companies, each run through the real night.

Every sum is made here, from the files as written and from the published file alone. All laws see the same worlds,
for they are drawn from one seed: a night is run once and looked at by each.
"""

from __future__ import annotations

import csv
import gzip
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from laws_kit import EXACT, MONEY, Nights, columns, pick, published, rows, run_night, sums, total, totals
from laws_oracle import DIMENSIONS, divided, shares
from laws_worlds import COSTS, NO_NUMBER, NO_VALUE, RAGGED, TOO_LARGE, Bill, World, restated, worlds, write

from attribution.allocation import explain, resolve, split
from attribution.inputs import read_inputs
from attribution.ledger import RollUp, open_ledger
from attribution.rules import read_rules
from flows.settings import load_workspace

# Two cores hold these in about a minute; LAWS_WORLDS and LAWS_SEED look further.
WORLDS = int(os.environ.get("LAWS_WORLDS", "10"))
SEED = int(os.environ.get("LAWS_SEED", "20261130"))
# The same examples everywhere: a law that breaks breaks for everybody who runs the tests.
_SETTINGS: dict[str, Any] = {
    "max_examples": WORLDS,
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
    # Making a failing world small takes minutes: ask for it where one fails.
    "phases": (Phase.generate, Phase.shrink) if "LAWS_SHRINK" in os.environ else (Phase.generate,),
}


Law = Callable[[Nights, World], None]


def over_worlds(first: int = WORLDS, delivery: str = "parts") -> Callable[[Law], Law]:
    """Hold a law against the worlds, the same ones for every law, or against the first few where it is costly."""

    def wrap(law: Law) -> Law:
        @seed(SEED)
        @settings(**_SETTINGS)
        @given(world=worlds(delivery))
        @wraps(law)
        def held(nights: Nights, world: World) -> None:
            if nights.number(world) < first:
                law(nights, world)

        return held

    return wrap


def seeded(number: int) -> random.Random:
    """Chance that is the same every time."""
    return random.Random(number)  # noqa: S311 - no secret


@pytest.fixture(scope="module")
def nights() -> Iterator[Nights]:
    found = Nights()
    yield found
    found.close()


# --- 1. conservation -----------------------------------------------------------------------------------------------


@over_worlds()
def test_costs_sum_to_charges_by_bill_currency_and_cost_column(nights: Nights, world: World) -> None:
    store = nights.of(world)
    key = "bill_id, billing_month, BillingCurrency"
    charged = sums(store, key, "charges")
    assert charged
    assert sums(store, key, "costs") == charged
    by_month = totals([(month, currency, *amounts) for (_, month, currency), amounts in charged.items()], 2)
    assert sums(store, "billing_month, BillingCurrency", "monthly_costs") == by_month


@over_worlds()
def test_a_files_own_total_is_stored_residual_and_rejected(nights: Nights, world: World) -> None:
    store = nights.of(world)
    kept = sums(store, "source, file", "charges")
    told: dict[tuple[str, str], tuple[str | None, ...]] = {
        (name, column): amounts
        for name, column, *amounts in rows(
            store, "SELECT name, cost_column, stated, stored, residual, rejected, netted FROM bill_deliveries"
        )
    }
    for bill in world.bills:
        name = f"bills/{bill.name}"
        raw = raw_sums(store.parent / name)
        stored = kept.get((bill.source, name), (None,) * len(COSTS))
        for at, cost in enumerate(COSTS):
            stated, said, residual, rejected, netted = (Decimal(one or 0) for one in told[name, cost])
            assert stated == raw[cost], (name, cost)
            assert said == (stored[at] or 0)
            assert total((stored[at], residual, rejected, netted)) == raw[cost], (name, cost)
            # and so it is with each of them: what must be kept is kept, what was refused is what the world broke
            good = [one for one in bill.charges if one.fault is None]
            assert stored[at] == total(one.amount(cost) for one in good), (name, cost)
            assert residual == raw_residual(bill, cost)


def raw_residual(bill: Bill, cost: str) -> Decimal | None:
    """What half-even rounding to 12 places cuts from the cells that are plain numbers and fit.

    A row of a wrong width is no row of cells: it is refused with all its digits.
    """
    cells = [(one.cells()[cost], one) for one in bill.charges if one.fault != RAGGED]
    kept = [Decimal(cell) for cell, one in cells if cell not in (*NO_VALUE, *NO_NUMBER, TOO_LARGE)]
    return total([Decimal(0), *(EXACT.subtract(one, one.quantize(Decimal("1e-12"))) for one in kept)])


def raw_sums(path: Path) -> dict[str, Decimal]:
    """Sums of the cost columns of a file, from its cells, numbers too large to keep among them."""
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        cells = {cost: [None if one is None else str(one) for one in frame.get_column(cost)] for cost in COSTS}
    else:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        cells = {cost: [line[cost] for line in lines] for cost in COSTS}
    found = {}
    for cost, texts in cells.items():
        numbers = [Decimal(text) for text in texts if text and text not in ("NULL", *NO_NUMBER)]
        found[cost] = total(numbers) or Decimal(0)
    return found


# --- 2. nothing lost -----------------------------------------------------------------------------------------------


@over_worlds()
def test_every_row_is_a_charge_or_a_refusal(nights: Nights, world: World) -> None:
    store = nights.of(world)
    charged = rows(store, "SELECT file, row_number FROM charges")
    refused = rows(store, "SELECT DISTINCT file, line FROM rejects WHERE outcome = 'row refused'")
    for bill in world.bills:
        name = f"bills/{bill.name}"
        first = 0 if name.endswith("parquet") else 1  # the line of a Parquet file's row is the row itself
        all_rows = set(range(1, len(bill.charges) + 1))
        kept = [number for file, number in charged if file == name]
        gone = {line - first for file, line in refused if file == name}
        assert sorted(kept) == sorted(set(kept))
        assert set(kept) | gone == all_rows
        assert set(kept) & gone == set()
        assert gone == {number for number, one in enumerate(bill.charges, 1) if one.fault}


@over_worlds()
def test_a_value_that_could_not_be_read_is_told_and_unknown(nights: Nights, world: World) -> None:
    told = rows(nights.of(world), "SELECT \"column\", value FROM rejects WHERE outcome = 'value unknown'")
    bad = [
        (cost, one.cells()[cost])
        for bill in world.bills
        for one in bill.charges
        for cost in COSTS[1:]
        if one.fault != RAGGED and one.amount(cost) is None and one.cells()[cost] not in NO_VALUE
    ]
    assert sorted(told) == sorted(bad)


# --- 3. idempotence and order --------------------------------------------------------------------------------------


@over_worlds(3)
def test_the_same_again_changes_nothing(nights: Nights, world: World) -> None:
    root = nights.again(world)
    before = everything(root / "ledger")
    run_night(root)
    after = everything(root / "ledger")
    assert len(after.pop("book.runs")) == len(before.pop("book.runs")) + 1
    same(after, before)


def same(found: dict[str, list[Any]], wanted: dict[str, list[Any]]) -> None:
    """Compare table by table, so that a failure names the table and its first difference."""
    assert found.keys() == wanted.keys()
    for name, lines in wanted.items():
        assert found[name] == lines, name


def everything(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every table of the published file, whole; where files were last seen is no statement about money."""
    tables = [name for (name,) in rows(store, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'book'")]
    found = {}
    for table in tables:
        names = [name for name in columns(store, f"book.{table}") if name != "seen_run"]
        kept = ", ".join(f'"{name}"' for name in names)
        found[f"book.{table}"] = sorted(pick(store, kept, f"book.{table}"), key=repr)
    return found


@over_worlds(3)
def test_the_order_of_files_and_rows_changes_nothing(nights: Nights, world: World) -> None:
    shuffled = seeded(7)
    bills = []
    for bill in world.bills:
        name = bill.name.replace("/", f"/{'zyx'[len(bills)]}-")
        mixed = shuffled.sample(bill.charges, len(bill.charges))
        bills.append(replace(bill, name=name, charges=tuple(mixed)))
    tags = tuple(shuffled.sample(world.tags, len(world.tags)))
    parents = tuple(shuffled.sample(world.parents, len(world.parents)))
    other = replace(world, bills=tuple(bills), tags=tags, parents=parents)
    names = {"bill_id", "digest", "files", "file", "file_id", "row_number", "line", "name", "delivery_digest"}
    here = published(nights.of(world), without=names)
    there = published(nights.of(other), without=names)
    for one in (here, there):  # what readers remark names the file it is about
        one["notices"] = [row[:2] for row in one["notices"]]
        one["findings"] = [row for row in one["findings"] if "bills/" not in str(row)]
    same(there, here)


# --- 4. restatement ------------------------------------------------------------------------------------------------


@over_worlds(2)
def test_a_file_overwritten_is_as_if_the_new_one_had_been_alone(nights: Nights, world: World) -> None:
    root = nights.again(restated(world, seeded(11).randrange))
    write(world, root)
    same(published(run_night(root)), published(nights.of(world)))


@over_worlds(WORLDS + 2, "snapshot")
def test_a_newer_snapshot_is_as_if_it_had_been_alone(nights: Nights, world: World) -> None:
    old, new = (
        replace(one, bills=tuple(replace(b, name=b.name.replace(".csv", f"-{day}.csv")) for b in one.bills))
        for one, day in ((restated(world, seeded(5).randrange), "2026-11-03"), (world, "2026-11-04"))
    )
    # a month of which the newer snapshot says nothing stays, so both speak of the same months
    good = {(s, one.account, one.month) for s, one in new.charges()}
    assert good == {(s, one.account, one.month) for s, one in old.charges()}
    root = nights.again(old)
    write(new, root)
    same(published(run_night(root)), published(nights.of(new)))


# --- 5. provenance -------------------------------------------------------------------------------------------------


@over_worlds()
def test_whose_money_it_is_agrees_with_a_plain_reading_of_the_contract(nights: Nights, world: World) -> None:
    said = ", ".join(f"{name}, {name}_method" for name in DIMENSIONS)
    key = f"source, BillingAccountId, billing_month, BillingCurrency, ServiceName, ChargeCategory, usage_date, {said}"
    found = sums(nights.of(world), key, "costs")
    wanted = []
    for cost in divided(world):
        amounts = (None if unit is None else Decimal(unit).scaleb(-12) for unit in cost.units)
        wanted.append((*cost.pool, *(word for one in cost.said for word in one[:2]), *amounts))
    assert found == totals(wanted, 15)


class Share(NamedTuple):
    """A line of lineage with its share, computed here; costs of pool and share are EffectiveCost."""

    pool: tuple[Any, ...]
    negation: int
    receiver: int
    weight: str
    total_weight: str
    currency: str
    pool_costs: tuple[Decimal | None, ...]
    shares: tuple[Decimal | None, ...]

    @property
    def split(self) -> str:
        return str(self.pool[0])


POOL = "split, subject_id, usage_date, pool_allocation_id"


def recomputed(store: Path) -> list[Share]:
    """Every share anew, from the weights and pools that the published file keeps."""
    pools: dict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    names = f"{POOL}, position, negation_allocation_id, receiver_allocation_id, weight, total_weight, BillingCurrency"
    for row in sorted(pick(store, f"{names}, {MONEY}", "split_lineage JOIN book.subjects USING (subject_id)")):
        pools[row[:4]].append(row[5:])
    found = []
    for pool, members in pools.items():
        weights = [Decimal(weight) for _, _, weight, *_ in members]
        assert total(weights) == Decimal(members[0][3])
        units = [int(weight.scaleb(12)) for weight in weights]
        amounts = members[0][5:]
        columns_of_shares = [
            [None] * len(units) if one is None else [Decimal(u).scaleb(-12) for u in shares(int(one.scaleb(12)), units)]
            for one in amounts
        ]
        for member, share in zip(members, zip(*columns_of_shares, strict=True), strict=True):
            found.append(Share(pool, *member[:5], amounts, share))
    return found


@over_worlds()
def test_every_share_can_be_computed_again_from_the_published_file_alone(nights: Nights, world: World) -> None:
    store = nights.of(world)
    again = recomputed(store)
    made = [(*one.pool[1:3], one.receiver, *one.shares) for one in again if any(one.shares)]
    negations = {one.pool: (one.negation, one.pool_costs) for one in again}
    for (_, subject, day, _), (negation, amounts) in negations.items():
        made.append((subject, day, negation, *(None if one is None else -one for one in amounts)))
    of_pools = "subject_id IN (SELECT pool_subject_id FROM split_pools)"
    assert sums(store, "subject_id, usage_date, allocation_id", "book.cost_facts", of_pools) == totals(made, 3)


@over_worlds()
def test_a_pool_is_what_was_taken(nights: Nights, world: World) -> None:
    store = nights.of(world)
    pools = sums(store, f"DISTINCT {POOL}", "split_lineage")
    members = "split_pools JOIN book.cost_facts USING (subject_id, usage_date, allocation_id)"
    taken = sums(store, "split, pool_subject_id, usage_date, allocation_id", members)
    assert {at: amounts for at, amounts in taken.items() if any(amounts)} == pools


@over_worlds()
def test_every_cost_names_its_method_and_every_share_its_split(nights: Nights, world: World) -> None:
    methods = {"rule", "tag", "bill-tag", "parent", "account", "split", "unallocated"}
    names = {rule.name for rule in world.rules} | {one.name for one in world.splits}
    for dimension in DIMENSIONS:
        told = f"DISTINCT {dimension}, {dimension}_method, {dimension}_rule"
        for value, method, rule in pick(nights.of(world), told, "costs"):
            assert value
            assert method in methods
            assert (rule is None) == (method == "unallocated")
            assert method != "unallocated" or value == "unallocated"
            assert method not in ("rule", "split") or rule in names


@over_worlds()
def test_a_cost_has_a_name_of_its_own(nights: Nights, world: World) -> None:
    named = pick(nights.of(world), "cost_id", "costs")
    assert len(set(named)) == len(named)


@over_worlds(8)
def test_explain_says_what_the_costs_say(nights: Nights, world: World) -> None:
    store = nights.of(world)
    workspace = load_workspace(store.parent)
    book = read_rules(workspace.rules)
    inputs = read_inputs(workspace.inputs, workspace.root)
    with open_ledger(store) as ledger:
        rollup = RollUp(columns=book.columns)
        subjects, lines = ledger.subjects(rollup), ledger.lines(rollup).collect()
    frames: dict[str, Any] = {"subjects": subjects, "lines": lines, "tags": inputs.tags, "resources": inputs.resources}
    whole = split(resolve(**frames, rules=book), book)
    again = recomputed(store)
    for (resource,) in rows(store, "SELECT DISTINCT ResourceId FROM costs WHERE ResourceId IS NOT NULL"):
        told = explain(resource, **frames, rules=book, divided=whole)
        said = ", ".join(f"{name}, {name}_method, {name}_rule" for name in DIMENSIONS)
        key = f"usage_date, ServiceName, ChargeCategory, BillingCurrency, {said}"
        by_day = sums(store, key, "costs", f"ResourceId = '{resource}'")
        by_passage: dict[Any, list[Any]] = defaultdict(list)
        for one in told.passages:
            won = tuple(
                word
                for dimension in DIMENSIONS
                for answer in one.dimensions[dimension]
                if answer.won
                for word in (answer.value, answer.method, answer.rule)
            )
            by_passage[one.ServiceName, one.ChargeCategory, one.BillingCurrency, won].append(one)
        shown = {
            at: tuple(total(one.costs[cost] for one in passages) for cost in COSTS)
            for at, passages in by_passage.items()
        }
        summed: dict[Any, list[Any]] = defaultdict(list)
        for row, amounts in by_day.items():
            summed[*row[1:4], row[4:]].append(amounts)
        assert shown == {at: tuple(map(total, zip(*amounts, strict=True))) for at, amounts in summed.items()}
        of_resource = "split_pools JOIN book.subjects USING (subject_id)"
        mine = pick(
            store, "split, pool_subject_id, usage_date, allocation_id", of_resource, f"ResourceId = '{resource}'"
        )
        weighed = [
            (one.split, one.currency, one.weight, one.total_weight, one.pool_costs[1], one.shares[1])
            for one in again
            if one.pool in mine
        ]
        shown_shares = [
            (one.split, one.BillingCurrency, one.weight, one.total_weight, one.pool, one.share) for one in told.shares
        ]
        assert totals(shown_shares, 4) == totals(weighed, 4)


# --- 7. currencies never mix, money is never a float, unknown is never zero ------------------------------------------

# Measures, ratios and prices; a column of money that became one of these would fail the test.
NO_MONEY = {
    "CommitmentDiscountQuantity", "ConsumedQuantity", "ContractedUnitPrice", "ListUnitPrice",
    "PricingCurrencyContractedUnitPrice", "PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice",
    "PricingQuantity", "share_known", "gpus", "gpu_hours", "gpu_hours_of_jobs", "commitment_coverage", "utilization",
    "effective_savings_rate",
}  # fmt: skip


@over_worlds(1)
def test_money_is_never_a_float(nights: Nights, world: World) -> None:
    typed = rows(
        nights.of(world), "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = current_database()"
    )
    floats = {name for name, kind in typed if re.search("DOUBLE|FLOAT|REAL", kind)}
    assert floats <= NO_MONEY
    costs = {kind for name, kind in typed if name in COSTS}
    assert costs == {"DECIMAL(38,12)"}


@over_worlds()
def test_currencies_never_mix(nights: Nights, world: World) -> None:
    store = nights.of(world)
    billed = {one.currency for _, one in world.charges()}
    for view in VIEWS_OF_MONEY:
        assert "BillingCurrency" in columns(store, view), view
    assert {currency for (currency,) in rows(store, "SELECT DISTINCT BillingCurrency FROM costs")} == billed
    for currency in billed:
        own = [one.amount("BilledCost") for _, one in world.charges() if one.currency == currency]
        ((seen,),) = pick(store, "sum(BilledCost)", "monthly_costs", f"BillingCurrency = '{currency}'")
        assert seen == total(own)
    pools = rows(
        store,
        """SELECT DISTINCT p.BillingCurrency, s.BillingCurrency FROM split_pools AS t
           JOIN book.subjects AS s USING (subject_id) JOIN book.subjects AS p ON p.subject_id = t.pool_subject_id""",
    )
    assert all(pool == member for pool, member in pools)


VIEWS_OF_MONEY = ("charges", "costs", "monthly_costs", "growth", "findings", "coverage", "bills", "restatements")


@over_worlds()
def test_unknown_is_never_zero(nights: Nights, world: World) -> None:
    """By day, account, currency and service: a cost is known where some charge's is, and unknown where none is."""
    store = nights.of(world)
    key = "usage_date, BillingAccountId, billing_month, BillingCurrency, ServiceName, source"
    seen = sums(store, key, "costs")
    told = [
        (one.day, one.account, one.month, one.currency, one.service, source, *map(one.amount, COSTS))
        for source, one in world.charges()
    ]
    assert seen == totals(told, 6)


# --- 10. crash anywhere, run again ---------------------------------------------------------------------------------

CRASHES = 2


def killed(root: Path, boundary: int) -> subprocess.Popen[str]:
    """A night in a process of its own that dies at a boundary; 0: that lives, and counts them."""
    command = [sys.executable, str(Path(__file__).with_name("laws_crash.py")), str(root), str(boundary)]
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths})


def with_splits() -> World:
    """A world of several files and a split, so that there is much to break."""
    drawn: list[World] = []

    @seed(SEED)
    @settings(**_SETTINGS)
    @given(world=worlds())
    def draw(world: World) -> None:
        drawn.append(world)

    draw()
    return next(world for world in drawn if len(world.bills) > 1 and world.splits and world.refused())


def pruning(nights: Nights, world: World) -> Path:
    """A workspace whose next night prunes: older bills of months that are over, which nobody reads any more."""
    root = nights.again(restated(world, seeded(3).randrange))
    for number in (4, 5):
        run_night(write(restated(world, seeded(number).randrange), root))
    return root


@pytest.mark.parametrize("before", ["a new store", "an older bill", "bills to prune"])
def test_killed_anywhere_and_run_again_is_the_same_as_never_killed(nights: Nights, before: str) -> None:
    world = with_splits()
    if before == "a new store":
        counting, *roots = (write(world, nights.folder()) for _ in range(CRASHES + 1))
    else:
        older = restated(world, seeded(3).randrange)
        begun = nights.of(older).parent if before == "an older bill" else pruning(nights, world)
        counting, *roots = (write(world, Path(shutil.copytree(begun, nights.folder()))) for _ in range(CRASHES + 1))
    boundaries = int(killed(counting, 0).communicate()[0])
    at = sorted(random.sample(range(1, boundaries + 1), CRASHES))
    dying = [killed(*one) for one in zip(roots, at, strict=True)]
    assert [(one.communicate(), one.returncode)[1] for one in dying] == [-signal.SIGKILL] * CRASHES
    wanted = published(nights.of(world))
    for root, boundary in zip(roots, at, strict=True):
        print(f"killed at boundary {boundary} of {boundaries}")  # noqa: T201 - shown where it fails
        store = run_night(root)
        same(published(store), wanted)
        assert not [path for path in store.rglob("*") if "writing" in path.name]
        registered = {name for (name,) in pick(store, "part_id", "book.parts", "pruned_run IS NULL")}
        assert {path.name for path in (store / "charges").iterdir()} == registered
        pruned = pick(store, "part_id", "book.parts", "pruned_run IS NOT NULL")
        assert bool(pruned) == (before == "bills to prune")


def test_a_bill_that_comes_back_after_it_was_pruned_is_as_if_it_had_been_alone(nights: Nights) -> None:
    world = with_splits()
    root = pruning(nights, world)
    store = run_night(write(world, root))
    assert pick(store, "part_id", "book.parts", "pruned_run IS NOT NULL")
    back = restated(world, seeded(4).randrange)
    same(published(run_night(write(back, root))), published(nights.of(back)))
