"""Proposals: for the largest sources of `unallocated` a rule each, which catches that money and no other.

They are asked last (`default = true`), so that pasting one takes nothing from anybody. The value is taken from what
is there where something points at it; where nothing does, the text says that it waits for a name.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches

import polars as pl

from attribution.allocation.review.caught import Caught, largest_first
from attribution.rules.records import RuleBook
from schemas.dimensions import SHARED, UNKNOWN, fold
from schemas.money import known_sum, sum_exactly

NAME_ME = "name-me"
_SOURCE = ("source", "SubAccountId", "BillingAccountId", "ServiceName")
_ALIKE = 0.8  # of two keys, by difflib's ratio
_MOST = Decimal("0.8")  # of an account's money that has a value
_HALF = 2
_FEW = 3


@dataclass(frozen=True)
class Proposal:
    """One source of money without a value: how much, and a rule for it with the reason for its value."""

    dimension: str
    source: dict[str, str | None]
    EffectiveCost: dict[str, Decimal]  # by currency
    share: Decimal | None  # of all that nobody has in this dimension; None where credits make that no part of it
    resources: tuple[str, ...]  # those with the most money
    because: str
    toml: str


def propose(found: Caught, tags: pl.DataFrame, dimension: str, most: int) -> list[Proposal]:
    """The largest sources of money that nobody gave a value, each with a rule.

    Args:
        found: what every rule caught.
        tags: the tag CSV, TAG_COLUMNS.
        dimension: which one.
        most: how many.
    """
    evidence = found.evidence
    value, method, _ = evidence.answers.told(found.won.get_column(dimension), dimension)
    about = evidence.subjects.select(*_SOURCE, "ResourceId", "Tags")
    rows = (
        found.money.join(
            about[evidence.contexts.get_column("subject_row")]
            .with_columns(value.alias("value"), method.alias("method"))
            .with_row_index("context")
            .with_columns(pl.col("context").cast(found.money.schema["context"])),
            on="context",
            how="left",
            validate="m:1",
        )
    )  # fmt: skip
    nobody = rows.filter(pl.col("method") == "unallocated")
    cost = known_sum("EffectiveCost")
    sums = nobody.group_by(*_SOURCE, "BillingCurrency").agg(cost).filter(pl.col("EffectiveCost") != 0)
    largest = [dict(zip(_SOURCE, one, strict=True)) for one in largest_first(sums, *_SOURCE)]
    names = {rule.name for rule in evidence.book.rules} | {split.name for split in evidence.book.splits}
    made: list[Proposal] = []
    for source in largest[:most]:
        same = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(source[name], pl.String)) for name in _SOURCE)
        here = nobody.filter(same)
        assigned, because = _value(here, rows, tags, dimension, evidence.book)
        name = _name(dimension, source, names)
        text = _toml(name, _asked(source, evidence.subjects), dimension, assigned, because)
        amounts = dict(sums.filter(same).select("BillingCurrency", "EffectiveCost").sort("BillingCurrency").iter_rows())
        made.append(Proposal(dimension, source, amounts, _share(amounts, nobody), _resources(here), because, text))
    return made


def _share(amounts: dict[str, Decimal], nobody: pl.DataFrame) -> Decimal | None:
    """The part of what nobody has, in the first currency of a source."""
    currency, amount = next(iter(amounts.items()))
    total = sum_exactly(nobody.filter(pl.col("BillingCurrency") == currency).get_column("EffectiveCost"))
    return (amount / total).quantize(Decimal("0.0001")) if total and 0 <= amount / total <= 1 else None


def _value(
    here: pl.DataFrame, everything: pl.DataFrame, tags: pl.DataFrame, dimension: str, book: RuleBook
) -> tuple[str, str]:
    """What the rule assigns, as TOML, and why."""
    key = _near_key(here, tags, book.dimensions[dimension].tags, dimension)
    if key:
        return f"{{ take = {_text(f'tag:{key}')} }}", f'its tag "{key}" reads like {dimension}'
    account = "SubAccountId" if here.item(0, "SubAccountId") is not None else "BillingAccountId"
    number = here.item(0, account)
    known = everything.filter((pl.col(account) == number) & ~pl.col("value").is_in(list(UNKNOWN)))
    sums = known.group_by("value").agg(known_sum("EffectiveCost")).drop_nulls().sort("EffectiveCost", descending=True)
    amounts = [amount for amount in sums.get_column("EffectiveCost") if amount > 0]
    if amounts and amounts[0] >= _MOST * sum(amounts):
        part = amounts[0] / sum(amounts)
        return _text(
            sums.item(0, "value")
        ), f"{part:.0%} of the money of account {number} whose {dimension} is known is of it"
    handed_on = any(dimension in split.across for split in book.splits)
    if handed_on and here.get_column("ResourceId").null_count() == here.height:
        return _text(SHARED), "no resource stands behind it; a split can hand it on"
    return _text(NAME_ME), "nothing points at a value: write the right one"


def _resources(here: pl.DataFrame) -> tuple[str, ...]:
    """The resources with the most money here."""
    sums = here.drop_nulls(["ResourceId", "EffectiveCost"]).group_by("ResourceId").agg(pl.col("EffectiveCost").sum())
    largest = sums.sort(pl.col("EffectiveCost").abs(), "ResourceId", descending=[True, False]).head(_FEW)
    return tuple(largest.get_column("ResourceId"))


def _near_key(here: pl.DataFrame, tags: pl.DataFrame, asked: tuple[str, ...], dimension: str) -> str | None:
    """A tag key that reads like the dimension and that nobody asks, if half of the money here has it."""
    known = {fold(key) for key in asked}
    weight: dict[str, int] = defaultdict(int)
    keys_of = tags.group_by("resource_id").agg(pl.col("key").unique())
    rows = here.group_by("ResourceId", "Tags").len().join(
        keys_of, left_on="ResourceId", right_on="resource_id", how="left"
    )  # fmt: skip
    for _, text, many, keys in rows.iter_rows():
        for key in {*(json.loads(text) if text else ()), *(keys or ())}:
            weight[key] += many
    near = [
        key
        for key in weight
        if fold(key) not in known
        and (fold(dimension) in fold(key) or get_close_matches(fold(key), [*known, fold(dimension)], 1, _ALIKE))
    ]
    best = max(sorted(near), key=lambda key: weight[key], default=None)
    return best if best is not None and weight[best] * _HALF >= here.height else None


def _name(dimension: str, source: dict[str, str | None], names: set[str]) -> str:
    """A name that no section has yet."""
    account = source["SubAccountId"] or source["BillingAccountId"]
    name = f"{dimension} of {source['ServiceName']}, {source['source']} {account}"
    number = 2
    while name in names:
        name = f"{name.rsplit(' #', 1)[0]} #{number}"
        number += 1
    names.add(name)
    return name


def _asked(source: dict[str, str | None], subjects: pl.DataFrame) -> dict[str, str | None]:
    """What tells this source from others: an account that is the only one of its source need not be named."""
    mine = subjects.filter(pl.col("source") == source["source"])
    accounts = [name for name in ("SubAccountId", "BillingAccountId") if mine.get_column(name).n_unique() > 1]
    if source["SubAccountId"] is not None and "SubAccountId" in accounts:
        accounts = ["SubAccountId"]
    return {name: source[name] for name in ("source", *accounts, "ServiceName")}


def _toml(name: str, asked: dict[str, str | None], dimension: str, assigned: str, because: str) -> str:
    when = ", ".join(
        f"{column} = {'{ missing = true }' if value is None else _text(value)}" for column, value in asked.items()
    )
    return "\n".join(
        [
            "[[rule]]",
            f"name    = {_text(name)}",
            "default = true",
            f"when    = {{ {when} }}",
            f"assign  = {{ {dimension} = {assigned} }}",
            f"because = {_text(because)}",
        ]
    )


def _text(text: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
