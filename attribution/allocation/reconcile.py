"""Reconcile: what came in against what is attributed, bill by bill, to the last decimal."""

from __future__ import annotations

import polars as pl

from schemas.money import COSTS, known_sum

_BILL = ("bill_no", "billing_month", "BillingCurrency")


def reconcile(
    subjects: pl.DataFrame, lines: pl.DataFrame, costs: pl.DataFrame, cost_subjects: pl.DataFrame
) -> pl.DataFrame:
    """Compare lines with costs.

    Args:
        subjects: the subjects of the lines.
        lines: what came in.
        costs: what is attributed, after splits.
        cost_subjects: the subjects of the costs, those of pools among them.

    Returns:
        One row a bill_no, billing_month, BillingCurrency and cost `column`: `before`, `after`, `difference`
        (after - before). A column that a bill does not have is null on both sides.
    """
    before, after = _sums(subjects, lines, "before"), _sums(cost_subjects, costs, "after")
    key = [*_BILL, "column"]
    both = before.join(after, on=key, how="full", nulls_equal=True, coalesce=True)
    return both.with_columns((pl.col("after") - pl.col("before")).alias("difference")).sort(key, nulls_last=True)


def broken(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows where conservation does not hold; also those where unknown became a number, or a number unknown."""
    return frame.filter(pl.col("before").ne_missing(pl.col("after")))


def _sums(subjects: pl.DataFrame, money: pl.DataFrame, name: str) -> pl.DataFrame:
    """Exact sums by bill and column; a row whose subject is missing shows as a bill without a number."""
    by_bill = subjects.lazy().select("subject_id", *_BILL)
    return (
        money.lazy()
        .select("subject_id", *COSTS)
        .join(by_bill, on="subject_id", how="left", validate="m:1")
        .group_by(_BILL)
        .agg(known_sum(column) for column in COSTS)
        .collect()
        .unpivot(on=COSTS, index=_BILL, variable_name="column", value_name=name)
    )
