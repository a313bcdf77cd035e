"""The parts of a report that are lists of records rather than sums."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import polars as pl

from attribution.reports.figures import difference, total
from attribution.reports.frames import BILL_COLUMNS, RECONCILED_COLUMNS, ReportFrames
from attribution.reports.period import Period, Spans
from attribution.reports.report import (
    Amount,
    BillLine,
    BudgetLine,
    Comparison,
    Coverage,
    Finding,
    Growth,
    InvoiceLine,
    Reconciled,
    Restatement,
    Whole,
    Whose,
)
from attribution.reports.sums import known_sum, rows_by, within
from schemas.detection import EFFECTS
from schemas.dimensions import DIMENSIONS, NOBODY, UNALLOCATED, UNKNOWN

_GROWTH_KINDS = ("growth", "new")  # told by the growth rows
_TOLD_BY = ("experiment", "project x stage", "project", "service", "owner")
_TELLING = 7  # days after which a running month says something
_A_CENT = Decimal("0.01")
_INVOICE = ("source", "BillingAccountId", "billing_month", "InvoiceId", "BillingCurrency", "BilledCost", "paid",
            "difference", "status", "refused_rows")  # fmt: skip
_UNMOVED = ("first", "steady", "no_cost", "unknown")


def findings(frame: pl.DataFrame, as_of: date) -> tuple[Finding, ...]:
    """Findings, most money first, unknown money last; age counts from the day one was first seen."""
    told = frame.filter(~pl.col("kind").is_in(_GROWTH_KINDS))
    ordered = told.sort("cost_at_stake", "subject", "kind", descending=[True, False, False], nulls_last=True)
    return tuple(
        Finding(
            kind=row["kind"],
            subject=row["subject"],
            verdict=row["verdict"],
            owner=row["owner"],
            project=row["project"],
            cost=row["cost_at_stake"],
            currency=row["BillingCurrency"],
            confidence=row["confidence"],
            evidence=row["evidence"],
            state=row["state"],
            first_seen=row["first_seen"],
            age=(as_of - row["first_seen"]).days,
            tier=row["tier"],
        )
        for row in ordered.iter_rows(named=True)
    )


def waste(standing: tuple[Finding, ...]) -> Amount:
    """Money at stake; a subject that several detectors found is counted once, by its largest amount."""
    subjects: dict[str, Amount] = {}
    for row in standing:
        known = [amount for amount in (subjects.get(row.subject), row.cost) if amount is not None]
        subjects[row.subject] = max(known, default=None)
    return total(subjects.values())


def growth(frame: pl.DataFrame, months: Collection[date]) -> tuple[Growth, ...]:
    """What moved in some months: first what is above the thresholds, then by size of the change."""
    moved = pl.col("month").is_in(list(months)) & ~pl.col("status").is_in(_UNMOVED)
    fired = (pl.col("verdict") == "finding").fill_null(value=False) & pl.col("explained_by").is_null()
    ordered = frame.filter(moved).sort(
        fired, pl.col("change").abs(), "month", "subject", descending=[True, True, True, False], nulls_last=True
    )
    columns = ("subject", "month", "BillingCurrency", "status", "cost", "previous", "change", "percent", "verdict",
               "note", "explained_by", "kind")  # fmt: skip
    effects = ordered.select(EFFECTS).rows()
    names = [name.removesuffix("_effect") for name in EFFECTS]
    return tuple(
        replace(Growth(*row), effects=tuple(zip(names, made, strict=True)))
        for row, made in zip(ordered.select(columns).rows(), effects, strict=True)
    )


def grown_most(rows: Iterable[Growth], month: Period, last_month: Period) -> tuple[Growth, ...]:
    """The three that grew most in the running month, or in the last one while the running one is young.

    Rows of one kind are different money; the kind that tells most is taken: experiments, else what lies above them.
    """
    told = (month if month.days >= _TELLING else last_month).first
    for kind in _TOLD_BY:
        up = [row for row in rows if row.kind == kind and row.month == told and row.change is not None]
        named = [row for row in up if row.change > 0 and row.subject.partition("=")[2] not in NOBODY]  # type: ignore[operator]
        if named:
            return tuple(sorted(named, key=lambda row: (-(row.change or 0), row.subject))[:3])
    return ()


def budgets(frame: pl.DataFrame, whose: Whose | None, day: date) -> tuple[BudgetLine, ...]:
    """Budgets in the period that a day lies in: of an owner's or team's own money; of everybody in the report for all.

    A budget is an owner's where its dimensions name them, or where it is theirs alone to answer for.
    """
    running = (pl.col("period_start") <= day) & (pl.col("period_end").is_null() | (pl.col("period_end") > day))
    rows = frame.filter(running)
    if whose is not None:
        named = pl.col("dimensions").str.split(" ").list.contains(f"{whose.dimension}={whose.name}")
        rows = rows.filter(named | ((pl.col("owner") == whose.name) & (whose.dimension == "owner")))
    loud = pl.col("status").replace_strict({"breached": 0, "at risk": 1, "may breach": 2, "warned": 3}, default=4)
    return tuple(
        BudgetLine(*row)
        for row in rows.sort(loud, "budget")
        .select("budget", "BillingCurrency", "amount", "spent", "forecast", "status", "breach_date")
        .rows()
    )


def restatements(frame: pl.DataFrame) -> tuple[Restatement, ...]:
    """Past-month changes of a cent or more, newest month first."""
    apart = pl.col("after").ne_missing(pl.col("before")) & (
        (pl.col("after") - pl.col("before")).abs().fill_null(_A_CENT) >= _A_CENT
    )
    ordered = frame.filter(apart).sort(
        "month", "project", "owner", "changed_on", descending=[True, False, False, False]
    )
    return tuple(
        Restatement(*row)
        for row in ordered.select("month", "project", "owner", "before", "after", "changed_on", "reported").rows()
    )


def whole(frames: ReportFrames, daily: pl.DataFrame, currency: str, times: Spans) -> Whole:
    """What the report for all holds beyond an owner's: money of nobody, coverage, bills, reconciliation."""
    nobody = daily.filter(pl.col("project") == UNALLOCATED)
    this, before = nobody.select(
        known_sum("EffectiveCost", within(times.period), "this"),
        known_sum("EffectiveCost", within(times.before), "before"),
    ).row(0)
    bills = frames.bills.filter(pl.col("BillingCurrency") == currency).sort("source", "BillingAccountId", "month")
    invoices = frames.invoices.filter(pl.col("BillingCurrency") == currency)
    totals = frames.reconciled.filter(pl.col("BillingCurrency") == currency)
    return Whole(
        unallocated=Comparison(this, before),
        unallocated_services=rows_by(nobody, "ServiceName", times),
        coverage=coverage(daily, times),
        reconciled=tuple(Reconciled(*row) for row in totals.select(list(RECONCILED_COLUMNS)).rows()),
        bills=tuple(BillLine(*row) for row in bills.select(list(BILL_COLUMNS)).rows()),
        invoices=tuple(InvoiceLine(*row) for row in invoices.select(_INVOICE).sort(_INVOICE[:4]).rows()),
    )


def coverage(daily: pl.DataFrame, times: Spans) -> tuple[Coverage, ...]:
    """Per dimension, how much of the period's EffectiveCost somebody could say something about."""
    rows = []
    for dimension in DIMENSIONS:
        known, every = daily.select(
            known_sum("EffectiveCost", within(times.period) & ~pl.col(dimension).is_in(UNKNOWN), "known"),
            known_sum("EffectiveCost", within(times.period), "total"),
        ).row(0)
        rows.append(Coverage(dimension, known, every))
    return tuple(rows)


def not_reconciled(rows: tuple[Reconciled, ...]) -> Decimal:
    """The largest difference between lines and costs; 0 is the only right answer."""
    apart = [difference(row.lines, row.costs) or Decimal(0) for row in rows]
    return max((amount.copy_abs() for amount in apart), default=Decimal(0))
