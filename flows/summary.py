"""What the nightly run says when it is done, and the frames that reports are made of; all read from the ledger."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl

from attribution.reports import frames as shapes
from attribution.reports.nightly import NightlySummary, Place, ProjectCost
from attribution.reports.pieces import findings, growth
from attribution.reports.report import BillLine, Coverage, Reconciled
from flows.arrival import Arrived
from flows.judging import watermarks
from flows.running import Run
from schemas.money import COSTS

GROWTH_KINDS = ("growth", "new")
"""Kinds of findings that growth tells; reports show them as growth rows, not as waste."""


def summarize(run: Run, arrived: Arrived) -> NightlySummary:
    """The nightly summary of a run."""
    this_month = run.today.replace(day=1)
    last_month = (this_month - timedelta(days=1)).replace(day=1)
    changed = bill_rows(run).filter(pl.col("state") != "unchanged")
    reconciled = reconciled_rows(run).iter_rows()
    return NightlySummary(
        as_of=run.today,
        month=this_month,
        last_month=last_month,
        bills=tuple(BillLine(*row) for row in changed.iter_rows()),
        rejects=run.counts.get("rejects", 0),
        reconciled=tuple(Reconciled(*row) for row in reconciled),
        projects=_projects(run, this_month, last_month),
        growth=growth(growth_rows(run)),
        findings=findings(finding_rows(run), run.today),
        coverage=_coverage(run, last_month),
        held_back=arrived.settled.held_back,
        places=(
            Place("for SQL", str(run.workspace.store / "costs.duckdb")),
            Place("reports", str(run.workspace.store / "reports")),
        ),
        nothing_new=not arrived.read,
    )


def report_frames(run: Run) -> shapes.ReportFrames:
    """Everything reports show, of all owners; reports do the filtering."""
    daily = run.ledger.daily_costs()
    more = [name for name in ("team",) if name in daily.columns]
    return shapes.ReportFrames(
        as_of=run.as_of.astimezone(run.zone),
        daily=daily.select(*shapes.DAILY_COLUMNS, *more),
        findings=finding_rows(run),
        growth=growth_rows(run),
        watermarks=_watermark_rows(run),
        bills=bill_rows(run),
        reconciled=reconciled_rows(run),
        held_back=(),
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
    before = run.ledger.frame("SELECT bill_no, posted_run FROM main.bills WHERE superseded_run IS NULL")
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
    """Growth that somebody must hear of, and what vanished, of the last complete month and the running one."""
    months = [run.today.replace(day=1), (run.today.replace(day=1) - timedelta(days=1)).replace(day=1)]
    rows = run.ledger.frame(
        """
        SELECT replace(subject, ' ', ' x ') AS subject, CASE WHEN owner <> 'shared' THEN owner END AS owner,
            BillingCurrency, month, CASE status WHEN 'vanished' THEN 'gone' ELSE status END AS status,
            cost, previous, change, CAST(percent / 100 AS DECIMAL(38,12)) AS fraction,
            verdict IS NOT DISTINCT FROM 'finding' AS fired
        FROM main.growth
        WHERE month IN (?, ?) AND (verdict = 'finding' OR (status = 'vanished' AND previous >= ?))
        """,
        [*months, run.workspace.growth.minimum],
    )
    return rows.select(list(shapes.GROWTH_COLUMNS))


def finding_rows(run: Run) -> pl.DataFrame:
    """Findings that stand, without those of growth."""
    rows = run.ledger.frame("SELECT * FROM main.findings WHERE state <> 'gone'")
    return rows.filter(~pl.col("kind").is_in(GROWTH_KINDS)).select(list(shapes.REPORT_FINDING_COLUMNS))


def _watermark_rows(run: Run) -> pl.DataFrame:
    marks = watermarks(run.ledger, run.workspace.timezone)
    rows = {"source": list(marks), "complete_until": [mark.last_day for mark in marks.values()]}
    return pl.DataFrame(rows, schema=shapes.WATERMARK_COLUMNS)


def _projects(run: Run, this_month: date, last_month: date) -> tuple[ProjectCost, ...]:
    rows = run.ledger.frame(
        """
        SELECT BillingCurrency, project,
            sum(EffectiveCost) FILTER (usage_date < ?) AS last_month,
            sum(EffectiveCost) FILTER (usage_date >= ?) AS running
        FROM main.costs WHERE usage_date >= ? GROUP BY ALL
        HAVING sum(EffectiveCost) FILTER (usage_date < ?) <> 0 OR sum(EffectiveCost) FILTER (usage_date >= ?) <> 0
        ORDER BY BillingCurrency, sum(EffectiveCost) DESC, project
        """,
        [this_month, this_month, last_month, this_month, this_month],
    )
    columns = rows.select("BillingCurrency", "project", "last_month", "running")
    return tuple(ProjectCost(*row) for row in columns.iter_rows())


def _coverage(run: Run, month: date) -> tuple[tuple[str, Coverage], ...]:
    rows = run.ledger.frame(
        """
        SELECT BillingCurrency, dimension, known_EffectiveCost, EffectiveCost FROM main.coverage
        WHERE billing_month = ? AND EffectiveCost > 0 ORDER BY BillingCurrency, dimension
        """,
        [month],
    )
    return tuple((code, Coverage(dimension, known, whole)) for code, dimension, known, whole in rows.iter_rows())
