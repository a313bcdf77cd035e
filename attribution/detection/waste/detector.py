"""What a detector is: a record that says all about itself, and one function from what is known to judgements.

The surprise: a threshold is an expression, not a number, for a workspace may set another one for a project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

import polars as pl

from attribution.detection.waste.estate import Estate
from attribution.detection.waste.telling import begun
from schemas.money import MONEY
from schemas.workspace import Waste

YES, NO, UNKNOWN = pl.lit(value=True), pl.lit(value=False), pl.lit(None, pl.Boolean)
"""Verdicts by name: waste, at work, undetermined."""
Tier = Literal["bill", "inventory", "utilization", "training"]
COMMON = {"minimum": Decimal(1)}
"""Thresholds of every detector: the least cost of the last complete month that is worth a word."""


class Thresholds(Mapping[str, pl.Expr]):
    """A detector's thresholds in one workspace, each as a number by row: of the first override that fits, else for all.

    Rows must have every dimension as a column; see `Estate.with_dimensions`.
    """

    def __init__(self, detector: Detector, waste: Waste) -> None:
        """Resolve them: override of the detector, general override, the detector's table, `[waste]`, its default."""
        general = {"min_age_days": Decimal(waste.min_age_days), "coverage": waste.coverage, "minimum": waste.minimum}
        own = {**COMMON, **detector.thresholds}
        stated = waste.detectors.get(detector.name, {})
        self._for_all = {name: stated.get(name, general.get(name, value)) for name, value in own.items()}
        self._overrides = [
            (one.dimensions, {**one.general, **one.detectors.get(detector.name, {})}) for one in waste.overrides
        ]

    def __getitem__(self, name: str) -> pl.Expr:
        """The threshold as a float."""
        return self._by_row(name, lambda value: pl.lit(float(value), pl.Float64))

    def money(self, name: str) -> pl.Expr:
        """The threshold as an exact amount."""
        return self._by_row(name, lambda value: pl.lit(value, MONEY))

    def sole(self, name: str) -> Decimal | None:
        """The one value that every row has; None where an override gives some another."""
        return None if any(name in values for _, values in self._overrides) else self._for_all[name]

    def most(self, name: str) -> Decimal:
        """The greatest value that any row may have, for windows that are cut before rows are joined."""
        return max(self._for_all[name], *(values.get(name, Decimal(0)) for _, values in self._overrides), Decimal(0))

    def _by_row(self, name: str, literal: Callable[[Decimal], pl.Expr]) -> pl.Expr:
        value = literal(self._for_all[name])
        for dimensions, values in reversed(self._overrides):
            if name in values:
                here = pl.all_horizontal(pl.col(dimension) == wanted for dimension, wanted in dimensions.items())
                value = pl.when(here).then(literal(values[name])).otherwise(value)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._for_all)

    def __len__(self) -> int:
        return len(self._for_all)


@dataclass(frozen=True)
class Detector:
    """One kind of waste.

    Attributes:
        name: the kind of its findings.
        title: what it finds, in a few words.
        tier: what its evidence is taken from.
        needs: `input.column` without any value of which it cannot judge anything.
        uses: further columns that make its judgement better.
        thresholds: name -> default.
        meaning: when it fires, in words.
        source: whose definition this is.
        action: what to do.
        risk: what may go wrong in doing so.
        rollback: how to undo it, or how to do it so that it can be undone.
        judge: known things and thresholds -> `judged` rows.
        wasted: the money buys nothing; False: a remark that wants a look, without any saving.
    """

    name: str
    title: str
    tier: Tier
    needs: tuple[str, ...]
    meaning: str
    source: str
    action: str
    risk: str
    rollback: str
    judge: Callable[[Estate, Thresholds], pl.DataFrame]
    uses: tuple[str, ...] = ()
    thresholds: Mapping[str, Decimal] = field(default_factory=dict)
    wasted: bool = True

    def lacks(self, estate: Estate) -> tuple[str, ...]:
        """Which of its needs this workspace does not meet."""
        return tuple(need for need in self.needs if not estate.has(need))


def judged(
    rows: pl.LazyFrame,
    at: Thresholds,
    *,
    waste: pl.Expr,
    evidence: pl.Expr,
    confidence: pl.Expr | str = "high",
    saving: pl.Expr | None = None,
    doubt: pl.Expr | None = None,
) -> pl.DataFrame:
    """Judgements of one detector over rows that stand for one subject x currency each.

    Args:
        rows: with key, subject, BillingCurrency, stake, owner, project, month, as `Estate` gives them, and every
            dimension. Where there is a column `recent`, rows that cost nothing any more are left out.
        at: the detector's thresholds; rows that cost less than its `minimum` are left out.
        waste: true is waste, false is at work, null (which missing data gives) is undetermined.
        evidence: one sentence with its figures, without its full stop.
        confidence: high, medium or low; what is undetermined has low.
        saving: part of the stake that ends with the waste; all of it where not given.
        doubt: why it is undetermined, added to the evidence of such rows.

    Returns:
        JUDGED_COLUMNS but for `kind`.
    """
    dear = pl.col("stake").is_null() | (pl.col("stake") >= at.money("minimum"))
    if "recent" in rows.collect_schema():
        dear &= pl.col("recent").fill_null(value=True)
    result = pl.when(waste.is_null()).then(pl.lit("undetermined")).when(waste).then(pl.lit("waste"))
    known = rows.filter(dear).with_columns(result.otherwise(pl.lit("active")).alias("result")).collect()
    sure = pl.lit(confidence) if isinstance(confidence, str) else confidence
    unsure = pl.col("result") == "undetermined"
    said = pl.lit("data is missing") if doubt is None else doubt.fill_null("data is missing")
    evidence = begun(evidence)
    doubtful = pl.format("{}. Undetermined: {}.", evidence, said)
    named = ("key", "subject", "BillingCurrency", "result", "owner", "project", "month")
    return pl.concat(
        [
            known.filter(result="active").select(*named, pl.col("stake").alias("cost_at_stake")),
            known.filter(pl.col("result") != "active").select(
                *(*named, *(name for name in ("within", "made_of") if name in known.columns)),
                pl.col("stake").alias("cost_at_stake"),
                pl.when(unsure).then(pl.lit("low")).otherwise(sure).alias("confidence"),
                pl.when(~unsure).then(_saved(saving)).alias("saving"),
                pl.when(unsure).then(doubtful).otherwise(pl.format("{}.", evidence)).alias("evidence"),
            ),
        ],
        how="diagonal_relaxed",
    )


def _saved(saving: pl.Expr | None) -> pl.Expr:
    """At most the stake and never below zero; unknown where the part that ends with the waste is."""
    if saving is None:
        return pl.col("stake").clip(lower_bound=0)
    part = saving.cast(MONEY)
    return pl.when(part.is_not_null()).then(pl.min_horizontal(part, "stake").clip(lower_bound=0))
