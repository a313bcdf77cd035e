"""Whose money, said a second time: DESIGN section 6 in plain Python, row by row, with nothing of the product.

`resolved` gives every charge its dimensions, `divided` moves what is shared; both keep money as whole units of 1e-12.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Context
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from laws_worlds import COSTS, Charge, Rule, Split, World

DIMENSIONS = ("project", "stage", "experiment", "owner")
NOBODY = {"unallocated", "shared", "idle", "(tag conflict)"}
KEYS = {"project": ("project", "proj"), "stage": ("stage",), "experiment": ("experiment",), "owner": ("owner",)}
SPELLINGS = {
    "project": {"atlas7b": "atlas-7b", "borealis": "borealis", "北极光": "borealis"},
    "stage": {"pretrain": "pretraining", "预训练": "pretraining"},
    "experiment": {"run1": "run-1"},
    "owner": {"mira": "mira"},
}

Said = tuple[str, str, str]  # value, method, and who gave it
Units = tuple[int | None, ...]  # the four costs


def fold(text: str) -> str:
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")


def canonical(dimension: str, text: str, day: date | None = None, world: World | None = None) -> str:
    """The value of a spelling; of a world also by the aliases that hold on a day."""
    for name, spelling, value, since, until in world.aliases if world and day else ():
        if (name, fold(spelling)) == (dimension, fold(text)) and (since or day) <= day and (not until or day < until):
            return value
    return SPELLINGS.get(dimension, {}).get(fold(text), text.strip())


class Pool(NamedTuple):
    """What a cost keeps through every split."""

    source: str
    account: str
    month: date
    currency: str
    service: str
    category: str
    day: date


@dataclass
class Cost:
    pool: Pool
    said: tuple[Said, ...]
    units: Units
    row: Charge | None  # None for shares
    live: bool = True

    def value(self, dimension: str) -> str:
        return self.said[DIMENSIONS.index(dimension)][0]


def add(amounts: Iterable[Units]) -> Units:
    """Sum by column; what nobody knows stays unknown."""
    columns = [[one for one in column if one is not None] for column in zip(*amounts, strict=True)]
    return tuple(sum(column) if column else None for column in columns)


# --- resolve -------------------------------------------------------------------------------------------------------


class Tags:
    """Every source of tags of a world, by resource and day."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.billed: dict[str, dict[date, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
        for _, one in world.charges():
            if one.resource:
                self.billed[one.resource][one.day] += one.tags

    def of_csv(self, resource: str | None, day: date) -> list[tuple[str, str]]:
        return [
            (key, value)
            for name, key, value, since, until in self.world.tags
            if name == resource and (since is None or since <= day) and (until is None or day < until)
        ]

    def heard(
        self, pairs: Iterable[tuple[str, str]], keys: Iterable[str], dimension: str, day: date
    ) -> tuple[str, str] | None:
        """The first key, in order of trust, that has a value; two different values of one key are a conflict."""
        pairs = list(pairs)
        for key in keys:
            said = [value for name, value in pairs if fold(name) == fold(key) and value.strip()]
            values = {canonical(dimension, value, day, self.world) for value in said}
            if values:
                return (values.pop() if len(values) == 1 else "(tag conflict)"), key
        return None

    def own(self, one: Charge, keys: Iterable[str], dimension: str = "") -> tuple[str, str, str] | None:
        csv = self.heard(self.of_csv(one.resource, one.day), keys, dimension, one.day)
        bill = self.heard(dict(one.tags).items(), keys, dimension, one.day)
        both = [(csv, "tag"), (bill, "bill-tag")]
        first = (self.world.owner_first if dimension == "owner" else "") or self.world.first
        for found, method in both if first == "csv" else both[::-1]:
            if found:
                return (*found, method)
        return None

    def parent(self, one: Charge, dimension: str) -> Said | None:
        above = dict(self.world.parents)
        here, path = one.resource, [one.resource]
        while here in above and above[here] not in path:
            here = above[here]
            path.append(here)
            csv = self.heard(self.of_csv(here, one.day), KEYS[dimension], dimension, one.day)
            days = sorted((day for day in self.billed[here] if day <= one.day), reverse=True)
            bills = (self.heard(self.billed[here][day], KEYS[dimension], dimension, one.day) for day in days)
            bill = next((found for found in bills if found), None)
            for found, kind in ((csv, ""), (bill, "bill-")):
                if found:
                    return found[0], "parent", f"{path[1:]} {kind}{found[1]}"
        return None


def meets(when: Iterable[tuple[str, Any]], ask: Callable[[str], str | None]) -> bool:
    """Whether all that stands side by side in a table is true."""
    return all(
        any(meets(group.items(), ask) for group in wanted) if column == "any" else is_so(ask(column), wanted)
        for column, wanted in when
    )


def is_so(value: str | None, wanted: Any) -> bool:  # noqa: ANN401 - a table of the rules' language
    if not isinstance(wanted, dict):
        return value == wanted
    ((word, argument),) = wanted.items()
    there = bool(value and value.strip())
    words: dict[str, Callable[[], bool]] = {
        "glob": lambda: value is not None and fnmatchcase(value, argument),
        "any_of": lambda: value in argument,
        "missing": lambda: there is not argument,
        "not": lambda: value != argument,
    }
    return words[word]()


def taken(value: Any, ask: Callable[[str], str | None]) -> str | None:  # noqa: ANN401 - what a rule assigns
    """A text, or a part of a column; of a list the first that is there. A conflict has no parts."""
    if isinstance(value, list):
        return next((found for one in value if (found := taken(one, ask))), None)
    if isinstance(value, str):
        return value
    text = ask(value["take"])
    if text is None or text == "(tag conflict)":
        return text
    pieces = text.split(value["split"]) if "split" in value else [text]
    at = value.get("part", 1)
    if not -len(pieces) <= at <= len(pieces):
        return None
    piece = pieces[at - 1 if at > 0 else at].strip()
    return (piece.lower() if value.get("lower") else piece) or None


def ruled(rules: Iterable[Rule], source: str, one: Charge, tags: Tags, won: dict[str, Said]) -> None:
    """Fill in what rules say of dimensions that nobody has set yet."""

    def ask(column: str) -> str | None:
        if column.startswith("tag:"):
            found = tags.own(one, (column.removeprefix("tag:"),))
            return found[0] if found else None
        if column in DIMENSIONS:
            return won[column][0] if column in won else None
        known = {
            "source": source,
            "ResourceId": one.resource,
            "ServiceName": one.service,
            "ChargeCategory": one.category,
            "SubAccountId": one.sub_account or None,
        }
        return known[column]

    for rule in rules:
        if (rule.since and one.day < rule.since) or (rule.until and one.day >= rule.until) or not meets(rule.when, ask):
            continue
        said = {dimension: taken(value, ask) for dimension, value in rule.assign}
        for dimension, text in said.items():
            if text is not None:
                day = None if isinstance(dict(rule.assign)[dimension], str) else one.day
                won.setdefault(dimension, (canonical(dimension, text, day, tags.world), "rule", rule.name))


def resolved(world: World) -> list[Cost]:
    """Every charge with the first answer to each dimension."""
    tags = Tags(world)
    defaults = {account: dict(assign) for account, assign in world.accounts}
    costs = []
    for source, one in world.charges():
        won: dict[str, Said] = {}
        ruled((rule for rule in world.rules if not rule.default), source, one, tags, won)
        for dimension in DIMENSIONS:
            own = tags.own(one, KEYS[dimension], dimension)
            account = next((a for a in (one.sub_account, one.account) if dimension in defaults.get(a, {})), None)
            answers = (
                won.get(dimension),
                (own[0], own[2], own[1]) if own else None,
                tags.parent(one, dimension),
                (canonical(dimension, defaults[account][dimension]), "account", account) if account else None,
            )
            answer = next((answer for answer in answers if answer), None)
            if answer:
                won[dimension] = answer
        ruled((rule for rule in world.rules if rule.default), source, one, tags, won)
        said = [won.get(dimension, ("unallocated", "unallocated", "")) for dimension in DIMENSIONS]
        pool = Pool(source, one.account, one.month, one.currency, one.service, one.category, one.day)
        amounts = (one.amount(cost) for cost in COSTS)
        units = tuple(None if amount is None else int(amount.scaleb(12, Context(prec=60))) for amount in amounts)
        costs.append(Cost(pool, tuple(said), units, one))
    return costs


# --- split ---------------------------------------------------------------------------------------------------------


def shares(total: int, weights: list[int]) -> list[int]:
    """The largest remainder: floors first, what is left goes one unit each to the largest remainders."""
    whole = sum(weights)
    size, sign = abs(total), -1 if total < 0 else 1
    floors = [size * weight // whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda at: -(size * weights[at] % whole))
    for at in order[: size - sum(floors)]:
        floors[at] += 1
    return [sign * floor for floor in floors]


def divided(world: World) -> list[Cost]:
    """All costs after all splits: charges as they came, negations, shares."""
    costs = resolved(world)
    for split in world.splits:
        costs = one_split(split, costs)
    return costs


def one_split(split: Split, costs: list[Cost]) -> list[Cost]:  # noqa: C901 - read in one go beside the contract
    def window(cost: Cost) -> tuple[date, str]:
        day = cost.pool.day
        return day if split.within == "day" else day.replace(day=1), cost.pool.currency

    def across(cost: Cost) -> tuple[str, ...]:
        return tuple(cost.value(dimension) for dimension in split.across)

    column, value = split.when
    asked: Callable[[Cost], str] = (
        (lambda c: c.pool.service) if column == "ServiceName" else (lambda c: c.value(column))
    )
    taken = [cost for cost in costs if cost.live and asked(cost) == value]
    weights: dict[tuple[date, str], dict[tuple[str, ...], int]] = defaultdict(lambda: defaultdict(int))
    for cost in costs:
        who = across(cost)
        if cost.live and asked(cost) != value and not NOBODY & set(who) and (not split.to or who[0] in split.to):
            weights[window(cost)][who] += cost.units[1] or 0
    pools: dict[tuple[Pool, tuple[Said, ...]], list[Cost]] = defaultdict(list)
    for cost in taken:
        pools[cost.pool, cost.said].append(cost)
    new: dict[tuple[Pool, tuple[Said, ...], bool], list[Units]] = defaultdict(list)
    for (pool, said), members in pools.items():
        at, own = window(members[0]), across(members[0])
        known = dict(weights[at])
        if split.by == "even":
            known = dict.fromkeys(known, 1)
        if split.by == "fixed":
            known = {(name,): weight for name, weight in split.weights}
        who = sorted(name for name, weight in known.items() if weight > 0 and name != own)
        if not who:
            continue
        for member in members:
            member.live = False
        units = add(member.units for member in members)
        given = [shares(one, [known[name] for name in who]) if one is not None else [None] * len(who) for one in units]
        moved = [(own, tuple(None if one is None else -one for one in units), False)]
        moved += [(name, share, True) for name, share in zip(who, zip(*given, strict=True), strict=True)]
        for name, amounts, live in moved:
            if any(amounts):
                to = dict(zip(split.across, name, strict=True))
                there = tuple(
                    (to[d], "split", split.name) if d in to else one for d, one in zip(DIMENSIONS, said, strict=True)
                )
                new[pool, there, live].append(amounts)
    return costs + [Cost(pool, said, add(amounts), None, live) for (pool, said, live), amounts in new.items()]
