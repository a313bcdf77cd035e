"""Proposals for bills that nobody described yet: dimensions, aliases, accounts, each with what speaks for it.

Money here is the size of EffectiveCost (of BilledCost where that is unknown), so that credits do not hide whom they
belong to; shares are of one currency, for currencies are never added.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from schemas.dimensions import DIMENSIONS, STAGES, fold
from schemas.money import sum_exactly

CHARGED_COLUMNS = (
    "ServiceProviderName", "SubAccountId", "SubAccountName", "ServiceName", "ChargeCategory",
    "BillingCurrency", "Tags", "EffectiveCost", "BilledCost",
)  # fmt: skip
"""Sums of charges by all of these that are no cost: what proposals are made of."""

_WORDS: dict[str, tuple[str, ...]] = {
    "project": ("project", "projectname", "projectid", "proj", "application", "app", "product", "workload", "项目"),
    "stage": ("stage", "phase", "step", "trainingstage", "pipelinestage", "阶段"),
    "experiment": ("experiment", "experimentid", "experimentname", "exp", "run", "runid", "runname", "实验"),
    "owner": ("owner", "contact", "createdby", "creator", "requester", "username", "负责人"),
    "environment": ("environment", "env", "环境"),
    "team": ("team", "squad", "department", "dept", "group", "团队", "部门"),
    "cost_center": ("costcenter", "costcentre", "成本中心"),
    "business_line": ("businessline", "businessunit", "业务线"),
}
"""Dimension -> what people call its tag, folded. The first four are there always, the others where a key is found."""
_HUNDRED = Decimal(100)
_TENTH = Decimal("0.1")
_MOST = Decimal(80)
_MOST_VALUES = 500  # so many projects, owners or teams there are not: such a key names each thing by itself
_ENDS = str.maketrans({":": " ", "/": " ", ".": " "})


@dataclass(frozen=True)
class TagKey:
    """One tag key in all its spellings. `share`: of the money, in percent. `values`: how many different ones."""

    key: str
    spellings: tuple[str, ...]
    share: Decimal
    values: int
    largest: tuple[str, ...]


@dataclass(frozen=True)
class Alias:
    """One value in several spellings; the first is the one with the most money."""

    spellings: tuple[str, ...]
    share: Decimal


@dataclass(frozen=True)
class ProposedDimension:
    """A dimension, the tag keys that seem to say it, and the values of theirs that are one.

    `strange`: stages that are none of those shipped.
    """

    name: str
    keys: tuple[TagKey, ...]
    aliases: tuple[Alias, ...]
    strange: tuple[str, ...] = ()


@dataclass(frozen=True)
class Untagged:
    """Money without any tag for a project. `mostly`: what most of the tagged money beside it says, where one does."""

    name: str
    amount: Decimal
    share: Decimal
    mostly: str | None = None
    mostly_share: Decimal | None = None


@dataclass(frozen=True)
class Proposals:
    """All of them. `others`: tag keys that no dimension asks. `currency`: the one that shares speak of."""

    currency: str
    total: Decimal
    dimensions: tuple[ProposedDimension, ...]
    others: tuple[TagKey, ...]
    accounts: tuple[Untagged, ...]
    services: tuple[Untagged, ...]
    owners: tuple[str, ...]


def propose(charged: pl.DataFrame, at_most: int = 5) -> Proposals | None:
    """Proposals for a company's charges; None where there is no money.

    Args:
        charged: CHARGED_COLUMNS, one row a combination.
        at_most: how many accounts and services without tags are named.
    """
    sized = charged.with_columns(pl.coalesce("EffectiveCost", "BilledCost").abs().alias("size"))
    currencies = sized.group_by("BillingCurrency").agg(pl.col("size").sum()).sort("size", descending=True)
    if currencies.is_empty() or not currencies.item(0, "size"):
        return None
    currency = currencies.item(0, "BillingCurrency")
    rows = sized.filter(pl.col("BillingCurrency") == currency).with_row_index("row")
    total = sum_exactly(rows.get_column("size"))
    tags = _tags(rows)
    keys = {folded: _key(folded, mine, total) for (folded,), mine in tags.partition_by("folded", as_dict=True).items()}
    dimensions = tuple(_dimension(name, keys, tags, total) for name in _WORDS)
    kept = tuple(one for one in dimensions if one.name in DIMENSIONS or one.keys)
    asked = {fold(key.key) for one in kept for key in one.keys}
    others = sorted((key for folded, key in keys.items() if folded not in asked), key=lambda key: -key.share)
    project = _said(tags, next(one for one in kept if one.name == "project"))
    owners = _said(tags, next(one for one in kept if one.name == "owner"))
    return Proposals(
        currency,
        total,
        kept,
        tuple(others),
        _untagged(rows, project, "SubAccountId", total, at_most),
        _untagged(rows, project, "ServiceName", total, at_most),
        tuple(owners.get_column("value").unique().sort().to_list()),
    )


def _tags(rows: pl.DataFrame) -> pl.DataFrame:
    """One row a row and tag: (row, key, folded, value, value_folded, size); blank values are none."""
    sets = rows.select("Tags").drop_nulls().unique()
    found = [
        (text, key, fold(key), value.strip(), fold(value))
        for text in sets.to_series()
        for key, value in json.loads(text).items()
        if value.strip()
    ]
    schema = dict.fromkeys(("Tags", "key", "folded", "value", "value_folded"), pl.String())
    return pl.DataFrame(found, schema=schema, orient="row").join(rows.select("row", "Tags", "size"), on="Tags")


def _key(folded: str, mine: pl.DataFrame, total: Decimal) -> TagKey:
    spellings = _by_size(mine, "key")
    largest = _by_size(mine, "value")
    covered = sum_exactly(mine.unique("row").get_column("size"))
    return TagKey(
        spellings[0] if spellings else folded,
        tuple(spellings),
        _share(covered, total),
        mine.get_column("value_folded").n_unique(),
        tuple(largest[:3]),
    )


def _dimension(name: str, keys: dict[str, TagKey], tags: pl.DataFrame, total: Decimal) -> ProposedDimension:
    """The keys that say a dimension: those of its very name first, then by the money they cover."""
    words = _WORDS[name]
    most = math.inf if name == "experiment" else _MOST_VALUES  # experiments there may be any number of
    mine = [key for folded, key in keys.items() if _says(folded, key.key, words) and key.values <= most]
    mine.sort(key=lambda key: (fold(key.key) != fold(name), -key.share, key.key))
    said = tags.filter(pl.col("folded").is_in([fold(key.key) for key in mine]))
    aliases = []
    for values in said.partition_by("value_folded"):
        spellings = _by_size(values, "value")
        if len(spellings) > 1:
            aliases.append(Alias(tuple(spellings), _share(sum_exactly(values.unique("row").get_column("size")), total)))
    aliases.sort(key=lambda alias: (-alias.share, alias.spellings))
    strange: Iterable[str] = ()
    if name == "stage":
        known = {fold(word) for stage, words in STAGES.items() for word in (stage, *words)}
        strange = _by_size(said.filter(~pl.col("value_folded").is_in(list(known))), "value")
    return ProposedDimension(name, tuple(mine), tuple(aliases), tuple(strange))


def _says(folded: str, key: str, words: tuple[str, ...]) -> bool:
    """Whether a key is one of the words, alone or behind a prefix such as `user:` or `example.com/`."""
    last = key.translate(_ENDS).split()
    return folded in words or (len(last) > 1 and fold(last[-1]) in words)


def _said(tags: pl.DataFrame, dimension: ProposedDimension) -> pl.DataFrame:
    return tags.filter(pl.col("folded").is_in([fold(key.key) for key in dimension.keys]))


def _untagged(
    rows: pl.DataFrame, project: pl.DataFrame, column: str, total: Decimal, at_most: int
) -> tuple[Untagged, ...]:
    """The largest accounts or services by money that no tag gives a project."""
    bare = rows.join(project.select("row").unique(), on="row", how="anti").drop_nulls(column)
    largest = bare.group_by(column).agg(pl.col("size").sum()).filter(pl.col("size") > 0)
    largest = largest.sort("size", column, descending=[True, False]).head(at_most)
    tagged = rows.select("row", column).join(project, on="row").group_by(column, "value").agg(pl.col("size").sum())
    found = []
    for name, amount in largest.iter_rows():
        if _share(amount, total) < _TENTH:
            break
        beside = tagged.filter(pl.col(column) == name).sort("size", "value", descending=[True, False])
        all_beside = sum_exactly(beside.get_column("size"))
        share = _share(beside.item(0, "size"), all_beside) if all_beside else Decimal(0)
        mostly = (beside.item(0, "value"), share) if share >= _MOST else (None, None)
        found.append(Untagged(name, amount, _share(amount, total), *mostly))
    return tuple(found)


def _by_size(rows: pl.DataFrame, column: str) -> list[str]:
    """Distinct texts, the one with the most money first."""
    sizes = rows.group_by(column).agg(pl.col("size").sum()).sort("size", column, descending=[True, False])
    return sizes.get_column(column).to_list()


def _share(part: Decimal, whole: Decimal) -> Decimal:
    """Percent with one place, cut and not rounded, so that 100.0 means all."""
    return (part * _HUNDRED / whole).quantize(_TENTH, rounding="ROUND_DOWN") if whole else Decimal(0)
