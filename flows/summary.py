"""What the nightly run says when it is done, and the frames that reports are made of; all read from the ledger."""

from __future__ import annotations

import polars as pl

from attribution.reports import frames as shapes
from attribution.reports.build import build_report
from attribution.reports.frames import ReportFrames
from attribution.reports.nightly import NightlySummary, Place, summary_of
from attribution.reports.period import Period, week_before
from attribution.reports.report import BillLine
from flows.arrival import Arrived
from flows.judging import watermarks
from flows.running import Run
from schemas.bills import HeldBack
from schemas.detection import GROWTH_COLUMNS
from schemas.money import COSTS


def summarize(run: Run, arrived: Arrived) -> NightlySummary:
    """The nightly summary of a run."""
    frames = report_frames(run)
    report = build_report(frames, week_of(run, frames))
    changed = bill_rows(run).filter(pl.col("state") != "unchanged")
    store = run.workspace.store
    return summary_of(
        report,
        tuple(BillLine(*row) for row in changed.iter_rows()),
        (Place("for SQL", str(store / "costs.duckdb")), Place("reports", str(store / "reports"))),
        nothing_new=not arrived.read,
    )


def week_of(run: Run, frames: ReportFrames) -> Period:
    """The last week before the run, or the last one that has data where bills are older than that."""
    complete = max((mark.last_day for mark in frames.watermarks.values()), default=None)
    last = week_before(run.today)
    return last if complete is None or complete >= last.first else week_before(run.today, complete)


def report_frames(run: Run) -> shapes.ReportFrames:
    """Everything reports show, of all owners; reports do the filtering."""
    daily = run.ledger.daily_costs()
    more = [name for name in ("team",) if name in daily.columns]
    held = run.ledger.frame("SELECT source, name, reason FROM main.held_back")
    return shapes.ReportFrames(
        as_of=run.as_of.astimezone(run.zone),
        daily=daily.select(*shapes.DAILY_COLUMNS, *more),
        findings=finding_rows(run),
        growth=growth_rows(run),
        watermarks=watermarks(run.ledger, run.workspace.timezone),
        bills=bill_rows(run),
        reconciled=reconciled_rows(run),
        held_back=tuple(HeldBack(*row) for row in held.iter_rows()),
        rejects=run.ledger.frame("SELECT count(*) AS n FROM main.rejects").item(),
        currency=run.workspace.currency,
    )


def restatement_rows(run: Run, owner: str | None) -> pl.DataFrame:
    """Changes of months that were reported before: by project in the report for all, in total in an owner's."""
    rows = run.ledger.frame(
        """
        SELECT billing_month AS month, BillingCurrency, value, before_EffectiveCost AS before,
            after_EffectiveCost AS after, CAST(as_of AS DATE) AS changed_on
        FROM main.restatements
        WHERE month_was_over AND dimension = ? AND (? IS NULL OR value = ?)
        """,
        ["project" if owner is None else "owner", owner, owner],
    )
    project, owned = (pl.col("value"), pl.lit("")) if owner is None else (pl.lit("all projects"), pl.col("value"))
    shaped = rows.with_columns(project.alias("project"), owned.alias("owner"))
    return shaped.select(pl.col(name).cast(dtype) for name, dtype in shapes.RESTATEMENT_COLUMNS.items())


def bill_rows(run: Run) -> pl.DataFrame:
    """Bills that count, one row a bill and currency, with what this run did to them."""
    before = run.ledger.frame("SELECT DISTINCT bill_no, posted_run FROM main.bills WHERE superseded_run IS NULL")
    key = ["source", "BillingAccountId", "billing_month"]
    replaced = run.ledger.frame(
        "SELECT DISTINCT source, BillingAccountId, billing_month, true AS again FROM bills WHERE superseded_run = ?",
        [run.number],
    )
    state = (
        pl.when(pl.col("posted_run") < run.number)
        .then(pl.lit("unchanged"))
        .when(pl.col("again"))
        .then(pl.lit("restated"))
        .otherwise(pl.lit("new"))
    )
    return (
        run.ledger.bill_sums()
        .join(before, on="bill_no", validate="m:1")
        .join(replaced, on=key, how="left", validate="m:1")
        .with_columns(state.alias("state"), pl.col("billing_month").alias("month"))
        .select(list(shapes.BILL_COLUMNS))
        .sort("source", "month", "BillingCurrency")
    )


def reconciled_rows(run: Run) -> pl.DataFrame:
    """Totals of all bills that count against all costs, by currency and cost column."""
    rows = run.ledger.frame(
        """
        SELECT BillingCurrency, cost_column AS "column", sum(lines) AS lines, sum(costs) AS costs
        FROM main.reconciliation GROUP BY ALL HAVING sum(lines) IS NOT NULL
        """
    )
    place = pl.col("column").replace_strict({name: place for place, name in enumerate(COSTS)})
    return rows.sort("BillingCurrency", place).select(list(shapes.RECONCILED_COLUMNS))


def growth_rows(run: Run) -> pl.DataFrame:
    """Every growth row the ledger keeps."""
    return run.ledger.frame("SELECT * FROM main.growth").select(list(GROWTH_COLUMNS))


def finding_rows(run: Run) -> pl.DataFrame:
    """Findings that stand."""
    rows = run.ledger.frame("SELECT * FROM main.findings WHERE state <> 'gone'")
    return rows.select(list(shapes.REPORT_FINDING_COLUMNS))
