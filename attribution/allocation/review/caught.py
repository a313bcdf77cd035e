"""What each rule caught, in money: what its condition met, and what it decided because nobody came before."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from attribution.allocation.evidence import Evidence
from attribution.allocation.resolve import decide
from attribution.rules.records import Rule
from schemas.money import known_sum


@dataclass(frozen=True)
class Caught:
    """What the rules said of every context.

    `money`: (context, BillingCurrency, month, EffectiveCost). `said`: each rule that met anything, with a dimension it
    assigns and its answers by context. `won`: the winning answers, a column a dimension.
    """

    evidence: Evidence
    money: pl.DataFrame
    said: tuple[tuple[Rule, str, pl.Series], ...]
    won: pl.DataFrame

    def amount(self, contexts: pl.Series) -> pl.DataFrame:
        """EffectiveCost by currency of the contexts where a Boolean is true."""
        mine = self.money.filter(contexts.gather(self.money.get_column("context")))
        return mine.group_by("BillingCurrency").agg(known_sum("EffectiveCost")).sort("BillingCurrency")

    def decided(self, dimension: str, said: pl.Series) -> pl.Series:
        """Where an answer to a dimension is the one that counts."""
        return (said == self.won.get_column(dimension)).fill_null(value=False)

    def by_rule(self) -> pl.DataFrame:
        """One row a rule and currency: `met` and `decided` money, and the dimensions it decided somewhere.

        A rule that met nothing has one row without a currency.
        """
        rows: list[tuple[object, ...]] = []
        for rule in self.evidence.book.rules:
            mine = [(dimension, said) for one, dimension, said in self.said if one.name == rule.name]
            if not mine:
                rows.append((rule.name, rule.file, None, None, None, []))
                continue
            met, won = _nowhere(self.evidence), _nowhere(self.evidence)
            dimensions = []
            for dimension, said in mine:
                here = self.decided(dimension, said)
                dimensions += [dimension] if here.any() else []
                met |= said.is_not_null()
                won |= here
            amounts = self.amount(met).join(
                self.amount(won), on="BillingCurrency", how="left", suffix="_decided", maintain_order="left"
            )
            rows += [
                (rule.name, rule.file, currency, all_of, part, dimensions) for currency, all_of, part in amounts.rows()
            ]
        return pl.DataFrame(rows, schema=_BY_RULE, orient="row")


_BY_RULE: dict[str, pl.DataType] = {
    "rule": pl.String(),
    "file": pl.String(),
    "BillingCurrency": pl.String(),
    "met": pl.Decimal(38, 12),
    "decided": pl.Decimal(38, 12),
    "dimensions": pl.List(pl.String()),
}


def _nowhere(evidence: Evidence) -> pl.Series:
    return pl.zeros(evidence.contexts.height, pl.Boolean, eager=True)


def largest_first(sums: pl.DataFrame, *names: str) -> list[tuple[str | None, ...]]:
    """Each combination of some columns once, the one with the most money first, then in the alphabet's order.

    Currencies are never added, so each is set against its own: what counts is the greatest part that a combination has
    of the money of any currency, credits by their size.

    Args:
        sums: the columns, BillingCurrency and EffectiveCost, one row each.
        names: the columns.
    """
    totals = dict(sums.group_by("BillingCurrency").agg(pl.col("EffectiveCost").abs().sum()).iter_rows())
    best: dict[tuple[str | None, ...], Fraction] = {}
    for *who, currency, amount in sums.select(*names, "BillingCurrency", "EffectiveCost").iter_rows():
        part = Fraction(abs(amount)) / Fraction(totals[currency]) if amount else Fraction(0)
        best[tuple(who)] = max(part, best.get(tuple(who), part))
    return sorted(best, key=lambda who: (-best[who], [name or "" for name in who]))


def caught(evidence: Evidence, lines: pl.DataFrame, month: pl.Expr | None = None) -> Caught:
    """Ask every rule again and keep what it says.

    Args:
        evidence: what `resolve` gathered of the lines.
        lines: the lines, in the same order.
        month: which lines count in money; None for all.
    """
    said: list[tuple[Rule, str, pl.Series]] = []
    won = decide(evidence, lambda *one: said.append(one))
    placed = lines.lazy().with_columns(evidence.of_line.alias("context"))
    if month is not None:
        placed = placed.filter(month)
    currency = evidence.subjects.select("BillingCurrency")[evidence.contexts.get_column("subject_row")]
    of_context = currency.with_row_index("context").with_columns(pl.col("context").cast(evidence.of_line.dtype))
    money = (
        placed.group_by("context", pl.col("usage_date").dt.truncate("1mo").alias("month"))
        .agg(known_sum("EffectiveCost"))
        .join(of_context.lazy(), on="context", how="left", validate="m:1")
        .collect()
        .sort("context", "month")
    )
    return Caught(evidence, money, tuple(said), won)


def answered(found: Caught) -> pl.DataFrame:
    """Who answered: one row a dimension, method, what gave the answer, and currency, with EffectiveCost."""
    frames = []
    for dimension in found.evidence.book.dimensions:
        _, method, rule = found.evidence.answers.told(found.won.get_column(dimension), dimension)
        frames.append(
            found.money.with_columns(
                pl.lit(dimension).alias("dimension"),
                method.gather(found.money.get_column("context")).alias("method"),
                rule.gather(found.money.get_column("context")).alias("by"),
            )
            .group_by("dimension", "method", "by", "BillingCurrency", maintain_order=True)
            .agg(known_sum("EffectiveCost"))
            .sort(
                "BillingCurrency", pl.col("EffectiveCost").abs(), "method", "by", descending=[False, True, False, False]
            )
        )
    return pl.concat(frames)
