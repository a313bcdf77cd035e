"""How splits follow each other: whether another order would lose nothing, and where shares grow many."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from attribution.allocation.split import Divided
from attribution.rules.records import RuleBook, Split
from schemas.dimensions import NOBODY

MANY_SHARES = 100_000
_MANY_VALUES = 20
_OPEN = ("even", "cost", "usage")  # whose receivers are whoever is there

Told = tuple[str, str, str, str]  # kind, where, what, hint
Values = dict[str, set[tuple[str, str]]]  # split -> (dimension, value)
Order = dict[str, set[str]]  # split -> those that come before it


def chain_remarks(book: RuleBook, divided: Divided) -> Iterator[Told]:
    """Remarks on splits as a chain.

    A pool that is split takes nothing from the splits after it. Where one of those gives to whoever has cost, the
    pool's own part of it is lost to those whom the pool serves. Unless the pool's money itself comes to that later
    split, there is an order in which nothing is lost.
    """
    pools = _values(book, divided, "pool_allocation_id")
    gets = _values(book, divided, "receiver_allocation_id")
    names = [one.name for one in book.splits]
    before: Order = {name: set() for name in names}
    for at, name in enumerate(names):
        before[name] |= {giver for giver in names[:at] if gets[giver] & pools[name]}
    passed = {
        (later.name, earlier.name): values
        for at, later in enumerate(book.splits)
        for earlier in book.splits[:at]
        if (values := _passed_over(later, pools[later.name], pools[earlier.name]))
    }
    whole: Order = {name: before[name] | {later for later, earlier in passed if earlier == name} for name in names}
    mended = {pair: values for pair, values in passed.items() if pair[1] not in _all_before(pair[0], whole)}
    for later, earlier in mended:
        before[earlier].add(later)
    order = ", ".join(f'"{name}"' for name in _sorted(names, before))
    for one in book.splits:
        mine = {value for (later, _), values in mended.items() if later == one.name for value in values}
        if mine:
            what = f"it passes over {', '.join(map(_quoted, sorted(mine)))}, whose money an earlier split moved away."
            hint = f"In the order {order} nothing is passed over."
            yield "order", f'{one.file}: split "{one.name}"', what, hint
    yield from _many(book, divided)


def _quoted(text: str) -> str:
    return f'"{text}"'


def _passed_over(later: Split, own: set[tuple[str, str]], emptied: set[tuple[str, str]]) -> set[str]:
    """The values of an earlier pool that a split with open receivers would have given to."""
    if not own or later.to is not None or later.by not in _OPEN or len(later.across) != 1:
        return set()
    mine = {value for dimension, value in emptied if dimension == later.across[0]}
    return mine - {value for _, value in own} - set(NOBODY)


def _all_before(name: str, before: Order) -> set[str]:
    """All splits whose money can come to a split, at once or through others."""
    seen: set[str] = set()
    ahead = [name]
    while ahead:
        for one in before[ahead.pop()] - seen:
            seen.add(one)
            ahead.append(one)
    return seen


def _sorted(names: list[str], before: Order) -> list[str]:
    """The splits so that each stands after those before it, else as they were."""
    left, order = list(names), list[str]()
    while left:
        name = next((one for one in left if before[one] <= set(order)), left[0])
        left.remove(name)
        order.append(name)
    return order


def _values(book: RuleBook, divided: Divided, side: str) -> Values:
    """The values of each split's `across` dimensions on one side of what it moved."""
    found: Values = {one.name: set() for one in book.splits}
    moved = divided.lineage.select("split", pl.col(side).alias("allocation_id")).unique()
    rows = moved.join(divided.allocations, on="allocation_id")
    for one in book.splits:
        mine = rows.filter(pl.col("split") == one.name)
        for dimension in one.across:
            found[one.name] |= {(dimension, value) for value in mine.get_column(dimension).unique()}
    return found


def _many(book: RuleBook, divided: Divided) -> Iterator[Told]:
    shares = dict(divided.lineage.group_by("split").len().iter_rows())
    for one in book.splits:
        if shares.get(one.name, 0) < MANY_SHARES:
            continue
        ids = divided.lineage.filter(pl.col("split") == one.name).select(allocation_id="pool_allocation_id").unique()
        kept = divided.allocations.join(ids, on="allocation_id", how="semi")
        for dimension in (name for name in book.names if name not in one.across):
            values = kept.get_column(dimension).n_unique()
            if values >= _MANY_VALUES:
                what = f"it makes {shares[one.name]:,} shares: its pools keep {values:,} values of {dimension}."
                hint = f'Let a rule give the pool one {dimension}, as in assign = {{ {dimension} = "shared" }}.'
                yield "many_shares", f'{one.file}: split "{one.name}"', what, hint
