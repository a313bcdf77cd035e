"""Explain: for one resource, everything that was said of each dimension, who won, and where its money went.

It asks the same evidence as `resolve`, and computes every share anew from the weights that were kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import polars as pl

from attribution.allocation.created import created
from attribution.allocation.evidence import ACCOUNT, Evidence, gather_evidence
from attribution.allocation.inherit import ancestry, attachments
from attribution.allocation.resolve import decide
from attribution.allocation.shares import recompute
from attribution.allocation.split import Divided
from attribution.rules import Rule, RuleBook
from schemas.money import COSTS, add, known_sum, shortest


@dataclass(frozen=True)
class Said:
    """One answer to one dimension: who (method and rule) said what, and whether it won."""

    method: str
    rule: str | None
    value: str
    won: bool


@dataclass(frozen=True)
class Passage:
    """Days of one resource on which all answers were the same. Costs are of all its subjects together."""

    first_day: date
    last_day: date
    ServiceName: str | None
    SkuMeter: str | None
    ChargeCategory: str
    BillingCurrency: str
    costs: dict[str, Decimal | None]
    dimensions: dict[str, tuple[Said, ...]]

    def follows(self, earlier: Passage) -> bool:
        """Whether nothing but days and money changed since an earlier passage."""
        return replace(self, first_day=earlier.first_day, last_day=earlier.last_day, costs=earlier.costs) == earlier

    def after(self, earlier: Passage) -> Passage:
        """Both as one passage."""
        costs = {
            name: before if amount is None else amount if before is None else add(before, amount)
            for (name, amount), before in zip(self.costs.items(), earlier.costs.values(), strict=True)
        }
        last = max(self.last_day, earlier.last_day)
        return replace(self, first_day=earlier.first_day, last_day=last, costs=costs)


@dataclass(frozen=True)
class Share:
    """What a receiver got of the pools that this resource's money went into: `weight` of `total_weight`."""

    split: str
    receiver: dict[str, str]
    weight: str
    total_weight: str
    BillingCurrency: str
    pool: Decimal | None  # EffectiveCost of the whole pool
    share: Decimal | None  # EffectiveCost of the share


@dataclass(frozen=True)
class Explanation:
    """All that is known of one resource in one month (all months where `month` is None)."""

    resource_id: str
    month: date | None
    passages: tuple[Passage, ...]
    shares: tuple[Share, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data; money as text, so that no reader of JSON makes floats of it."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    def as_lines(self, because: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """Plain text, a line a fact; `because` says of rules and splits why they are as they are."""
        lines = [f"{self.resource_id}{f' in {self.month:%Y-%m}' if self.month else ''}"]
        if not self.passages:
            lines.append("  no cost here")
        for one in self.passages:
            what = ", ".join(word for word in (one.ServiceName, one.SkuMeter, one.ChargeCategory) if word)
            cost = _plain(one.costs["EffectiveCost"])
            lines.append(f"  {one.first_day} to {one.last_day}: {what}: EffectiveCost {cost} {one.BillingCurrency}")
            for dimension, answers in one.dimensions.items():
                for said in answers:
                    who = said.rule if said.rule and said.method != "rule" else f'rule "{said.rule}"'
                    who = who if said.rule else "nobody said anything"
                    mark = "=" if said.won else " "
                    why = f"; because {because[said.rule]}" if said.rule is not None and said.rule in because else ""
                    lines.append(f"    {mark} {dimension} = {said.value}  ({said.method}: {who}{why})")
        for share in self.shares:
            to = ", ".join(f"{name}={value}" for name, value in share.receiver.items())
            money = f"{_plain(share.share)} of {_plain(share.pool)} {share.BillingCurrency}"
            lines.append(f'  split "{share.split}": {to} got {share.weight} of {share.total_weight}: {money}')
            if share.split in because:
                lines[-1] += f"; because {because[share.split]}"
        return lines


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON has no type of its own
    if isinstance(value, Decimal):
        return shortest(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def explain(
    resource_id: str,
    month: date | None = None,
    *,
    subjects: pl.DataFrame,
    lines: pl.DataFrame,
    tags: pl.DataFrame,
    resources: pl.DataFrame,
    rules: RuleBook,
    divided: Divided | None = None,
) -> Explanation:
    """Tell why a resource's money is whose it is.

    Args:
        resource_id: as billed.
        month: first day of a month of usage; None for all.
        subjects: as for `resolve`; those of the resource and of what it is attached to suffice.
        lines: of these subjects.
        tags: the tag CSV.
        resources: the inventory.
        rules: the rule book.
        divided: what `split` gave, to show where money went on.
    """
    subjects = subjects.filter(pl.col("ResourceId").is_in(related(resource_id, subjects, resources)))
    lines = lines.filter(pl.col("subject_id").is_in(subjects.get_column("subject_id").implode()))
    evidence = gather_evidence(subjects, lines, tags, resources, rules)
    own = evidence.subjects.filter(pl.col("ResourceId") == resource_id).get_column("subject_id")
    wanted = pl.col("subject_id").is_in(own.implode())
    if month is not None:
        wanted &= pl.col("usage_date").dt.truncate("1mo") == month.replace(day=1)
    mine = lines.with_columns(evidence.of_line.alias("context")).filter(wanted)
    shares = _shares(mine, divided, rules) if divided is not None else ()
    return Explanation(resource_id, month, _passages(mine, evidence), shares)


def related(resource_id: str, subjects: pl.DataFrame, resources: pl.DataFrame) -> list[str]:
    """A resource and all that it may inherit from."""
    attached = attachments(resources, created(subjects, resources))
    return [resource_id, *ancestry(attached, pl.Series([resource_id])).chain.get_column("ancestor").unique()]


def _passages(mine: pl.DataFrame, evidence: Evidence) -> tuple[Passage, ...]:
    facts = ("ServiceName", "SkuMeter", "ChargeCategory", "BillingCurrency")
    by_context = (
        mine.join(evidence.subjects.select("subject_id", *facts), on="subject_id", how="left", validate="m:1")
        .group_by("context", *facts)
        .agg(
            pl.col("usage_date").min().alias("first_day"),
            pl.col("usage_date").max().alias("last_day"),
            *(known_sum(column) for column in COSTS),
        )
        .sort(*facts, "first_day", "context")
    )
    said = _Saying(evidence)
    passages: list[Passage] = []
    for row in by_context.iter_rows(named=True):
        dates = {name: row[name] for name in ("first_day", "last_day", *facts)}
        one = Passage(**dates, costs={name: row[name] for name in COSTS}, dimensions=said(row["context"]))
        if passages and one.follows(passages[-1]):
            passages[-1] = one.after(passages[-1])
        else:
            passages.append(one)
    return tuple(sorted(passages, key=lambda one: one.first_day))


class _Saying:
    """Looks up what was said in a context."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.ruled: list[tuple[Rule, str, pl.Series]] = []
        self.won = decide(evidence, lambda *one: self.ruled.append(one))

    def __call__(self, context: int) -> dict[str, tuple[Said, ...]]:
        return {dimension: self._of(dimension, context) for dimension in self.evidence.book.dimensions}

    def _of(self, dimension: str, context: int) -> tuple[Said, ...]:
        sources = (*self.evidence.book.first_of(dimension), "parent", ACCOUNT)
        heard = [said for rule, name, said in self.ruled if name == dimension and not rule.default]
        heard += [self.evidence.heard(source, dimension) for source in sources]
        heard += [said for rule, name, said in self.ruled if name == dimension and rule.default]
        answers = [said[context] for said in heard if said[context] is not None]
        if not answers:
            answers = [self.won.get_column(dimension)[context]]
        found = [self._told(answer, dimension) for answer in answers]
        return tuple(Said(method, rule, value, place == 0) for place, (method, rule, value) in enumerate(found))

    def _told(self, answer: int, dimension: str) -> tuple[str, str | None, str]:
        value, method, rule = self.evidence.answers.told(pl.Series([answer]), dimension)
        return str(method[0]), rule[0], str(value[0])


def _shares(mine: pl.DataFrame, divided: Divided, rules: RuleBook) -> tuple[Share, ...]:
    """Where the pools of this resource's money went; a pool may hold the money of others too."""
    pool = ["split", "subject_id", "usage_date", "pool_allocation_id"]
    days = mine.select("subject_id", "usage_date").unique()
    pools = (
        divided.pooled.join(days, on=["subject_id", "usage_date"], how="semi")
        .select("split", "usage_date", subject_id="pool_subject_id", pool_allocation_id="allocation_id")
        .unique()
    )
    rows = divided.lineage.join(pools, on=pool, how="semi").sort(*pool, "hour", "position")
    rows = pl.concat([rows, recompute(rows, "EffectiveCost").alias("share").to_frame()], how="horizontal")
    who = divided.allocations.select(pl.col("allocation_id").alias("receiver_allocation_id"), *rules.names)
    rows = rows.join(who, on="receiver_allocation_id", how="left", validate="m:1")
    currency = divided.subjects.select("subject_id", "BillingCurrency")
    key = ["split", "BillingCurrency", *rules.names, "weight", "total_weight"]
    summed = (
        rows.join(currency, on="subject_id", how="left", validate="m:1")
        .group_by(key)
        .agg(known_sum("EffectiveCost"), known_sum("share"))
        .sort(key)
    )
    across = {one.name: one.across for one in rules.splits}
    return tuple(
        Share(
            row["split"],
            {name: row[name] for name in across.get(row["split"], rules.names)},
            row["weight"],
            row["total_weight"],
            row["BillingCurrency"],
            row["EffectiveCost"],
            row["share"],
        )
        for row in summed.iter_rows(named=True)
    )
