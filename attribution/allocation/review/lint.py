"""Lint: what reads well in the rules and does nothing, does it twice, or does more than it seems to.

It judges rules by the charges that are there: each remark names its section, and what to do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from attribution.allocation.review.caught import Caught, largest_first
from attribution.allocation.review.chains import chain_remarks
from attribution.allocation.split import Divided
from attribution.rules.records import Rule, Split, Take
from schemas.dimensions import NOBODY, fold
from schemas.money import known_sum, shortest

KINDS = {
    "never_matches": "a rule whose condition no charge meets",
    "takes_nothing": "a rule whose column or tag is blank wherever its condition holds",
    "shadowed": "a rule that meets charges, and every dimension of them was set before",
    "overlap": "two rules that give the same money to different values; the first one wins",
    "two_spellings": "values that differ in case, `-`, `_` or spaces alone, and that no alias joins",
    "unknown_receiver": "a receiver of a split that has no cost anywhere",
    "idle_split": "a split that finds no money, or nobody to give it to",
    "unknown_column": "a column that no bill has",
    "order": "a split that comes after another one and would have given to its pool",
    "many_shares": "a split whose pools keep many values of a dimension, each with shares of its own",
    "circle": "a split that names a receiver which an earlier one emptied",
}
"""Every kind of remark, with what it says."""


@dataclass(frozen=True)
class Remark:
    """One thing to look at: the section it is about, what it is, what to do, and money where some is at stake."""

    kind: str
    where: str
    what: str
    hint: str = ""


def lint(found: Caught, divided: Divided | None) -> list[Remark]:
    """Look at every rule and split.

    Args:
        found: what each rule caught.
        divided: costs after all splits; None where they could not be carried out.
    """
    remarks = [*_rules(found), *_overlaps(found), *_spellings(found)]
    if divided is not None:
        book = found.evidence.book
        remarks += _splits(book.splits, divided)
        remarks += [Remark(*one) for one in chain_remarks(book, divided)]
    return remarks


def section(one: Rule | Split) -> str:
    """How messages name a rule or a split."""
    return f'{one.file}: {"rule" if isinstance(one, Rule) else "split"} "{one.name}"'


def _rules(found: Caught) -> Iterator[Remark]:
    for rule in found.evidence.book.rules:
        mine = [(dimension, said) for one, dimension, said in found.said if one.name == rule.name]
        if not mine:
            hint = "Nothing is wrong if such charges are still to come; else mend `when`, or take the rule out."
            yield Remark("never_matches", section(rule), "no charge meets its condition.", hint)
            continue
        there = [(dimension, said) for dimension, said in mine if said.null_count() < said.len()]
        for dimension in {dimension for dimension, _ in mine} - {dimension for dimension, _ in there}:
            columns = " and ".join(str(take) for take in rule.assign[dimension] if isinstance(take, Take))
            what = f"{columns} gives {dimension} no value wherever the rule holds."
            yield Remark("takes_nothing", section(rule), what, "See what the column holds, and which part is taken.")
        if there and not any(found.decided(dimension, said).any() for dimension, said in there):
            yield Remark("shadowed", section(rule), *_shadow(found, rule, there))


def _shadow(found: Caught, rule: Rule, there: list[tuple[str, pl.Series]]) -> tuple[str, str]:
    """Who was there before a rule, as text, and what to do."""
    names: dict[str, None] = {}
    for dimension, said in there:
        won = found.won.get_column(dimension).filter(said.is_not_null()).unique()
        _, methods, by = found.evidence.answers.told(won, dimension)
        names |= dict.fromkeys(f"{method} {who}" for method, who in zip(methods, by, strict=True))
    before = ", ".join(sorted(names)[:_FEW]) + (", ..." if len(names) > _FEW else "")
    late = "was set by earlier rules" if not rule.default else "was known already"
    hint = (
        "Take it out, or move it up."
        if not rule.default
        else "Take it out, or let it be: it waits for what is to come."
    )
    return f"all that it assigns {late}: {before}.", hint


_FEW = 5


def _overlaps(found: Caught) -> Iterator[Remark]:
    """Money for which a rule has another value than the one that counts, by the rule that was first."""
    for rule in found.evidence.book.rules:
        lost: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for one, dimension, said in found.said:
            if one.name == rule.name and not rule.default and found.decided(dimension, said).any():
                for winner, amounts in _beaten(found, dimension, said):
                    lost[winner][dimension] = amounts
        for winner, dimensions in lost.items():
            said_of = "; ".join(f"{name} of {', '.join(amounts)}" for name, amounts in dimensions.items())
            what = f'rule "{winner}" comes first and says otherwise: {said_of}.'
            yield Remark("overlap", section(rule), what, "If that is meant, narrow one of them, so that it shows.")


def _beaten(found: Caught, dimension: str, said: pl.Series) -> Iterator[tuple[str, list[str]]]:
    """The rules that beat an answer with another value, each with the money."""
    won = found.won.get_column(dimension)
    beaten = (said.is_not_null() & (said != won)).fill_null(value=False)
    pairs = pl.DataFrame({"said": said, "won": won}).filter(beaten).unique().sort("said", "won")
    if pairs.is_empty():
        return
    values = [found.evidence.answers.told(pairs.get_column(side), dimension) for side in ("said", "won")]
    told = pairs.with_columns(
        values[0][0].alias("mine"),
        values[1][0].alias("value"),
        values[1][1].alias("method"),
        values[1][2].alias("rule"),
    ).filter((pl.col("mine") != pl.col("value")) & (pl.col("method") == "rule"))
    for (rule,), rows in told.group_by("rule", maintain_order=True):
        where = won.is_in(rows.get_column("won").implode()) & said.is_in(rows.get_column("said").implode())
        amounts = found.amount((where & beaten).fill_null(value=False))
        texts = [f"{shortest(amount)} {currency}" for currency, amount in amounts.rows() if amount is not None]
        yield str(rule), texts or ["no known amount"]


def _spellings(found: Caught) -> Iterator[Remark]:
    """Values that may be one; the spelling that carries the most money leads."""
    for dimension in found.evidence.book.dimensions:
        value, _, _ = found.evidence.answers.told(found.won.get_column(dimension), dimension)
        spelled = found.money.with_columns(value.gather(found.money.get_column("context")).alias("value"))
        sums = spelled.group_by("value", "BillingCurrency").agg(known_sum("EffectiveCost"))
        groups: dict[str, list[str]] = defaultdict(list)
        for (one,) in largest_first(sums, "value"):
            groups[fold(str(one))].append(str(one))
        for several in sorted(sorted(group) for group in groups.values() if len(group) > 1):
            first, *others = groups[fold(several[0])]
            yield Remark(
                "two_spellings",
                f"[dimension.{dimension}]",
                f"{_quoted(several)} are counted as {len(several)} values.",
                f'If they are one: [dimension.{dimension}.values] "{first}" = [{_quoted(others)}].',
            )


def _quoted(values: list[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


def _splits(splits: tuple[Split, ...], divided: Divided) -> Iterator[Remark]:
    carried = divided.costs.group_by("allocation_id").agg(known_sum("EffectiveCost"))
    there = divided.allocations.join(carried, on="allocation_id", how="semi")
    for split in splits:
        named = [value for value in (*(split.to or ()), *split.weights) if value not in NOBODY]
        first = split.across[0]
        own = there.filter(pl.col(f"{first}_rule").ne_missing(split.name)).get_column(first).unique().to_list()
        for value in dict.fromkeys(named):
            if value not in own:
                what = f'{first} "{value}" has no cost of its own anywhere, only what this split gives it.'
                yield Remark("unknown_receiver", section(split), what, "Is it written as reports write it?")
    for notice in divided.notices:
        one = next((one for one in splits if notice.startswith(f'split "{one.name}"')), None)
        if one is not None and "which no bill has" not in notice:
            what = notice.removeprefix(f'split "{one.name}"').lstrip(": ")
            yield Remark("idle_split", section(one), f"{what}.")
        else:
            yield Remark("unknown_column", "", f"{notice}.")
