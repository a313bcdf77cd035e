"""Reconcile: what came in against what is attributed, bill by bill, to the last decimal."""

from __future__ import annotations

import polars as pl

from schemas.money import COSTS, known_sum

_AT_ONCE = 1 << 20
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
    # Subjects of a bill stand together; the same bill met again is added up at the end.
    numbered = subjects.select("subject_id", *_BILL, pl.struct(_BILL).rle_id().alias("bill"))
    by_subject = numbered.select("subject_id", "bill")
    bills = numbered.filter(pl.col("bill").is_first_distinct()).drop("subject_id")
    totals = [known_sum(column) for column in COSTS]
    return (
        pl.concat(
            # Only numbers of subjects are joined: to carry the money along takes longer than to sum it.
            rows.select(_bill_of(rows, by_subject), *COSTS).group_by("bill").agg(totals)
            for rows in (money.slice(start, _AT_ONCE) for start in range(0, max(money.height, 1), _AT_ONCE))
        )
        .join(bills, on="bill", how="left")
        .group_by(_BILL)
        .agg(totals)
        .unpivot(on=COSTS, index=_BILL, variable_name="column", value_name=name)
    )


def _bill_of(rows: pl.DataFrame, by_subject: pl.DataFrame) -> pl.Series:
    ids = rows.select("subject_id")
    return ids.join(by_subject, on="subject_id", how="left", maintain_order="left", validate="m:1").get_column("bill")
