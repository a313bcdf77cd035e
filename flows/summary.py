"""What the nightly run says when it is done, and the frames that reports are made of.

All is asked of the analysts' views, so the ledger that a run holds open and the published file answer alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from attribution.reports import frames as shapes
from attribution.reports.build import build_report
from attribution.reports.frames import ReportFrames
from attribution.reports.held import ClosedMonth, Pending
from attribution.reports.nightly import NightlySummary, Place, summary_of
from attribution.reports.period import Period, week_before
from attribution.reports.report import BillLine
from flows.arrival import Arrived
from flows.judging import Kept, watermarks
from flows.running import Run
from schemas.bills import HeldBack
from schemas.detection import GROWTH_COLUMNS, INVOICE_CHECK_COLUMNS
from schemas.money import COSTS
from schemas.plans import RATE_COLUMNS
from schemas.workspace import OWN_COSTS, Workspace


def summarize(run: Run, arrived: Arrived) -> NightlySummary:
    """The nightly summary of a run."""
    frames = report_frames(run.ledger, run.workspace, run.as_of, run.number, warned=False)
    report = build_report(frames, week_of(frames))
    changed = frames.bills.filter(pl.col("state") != "unchanged")
    store = run.workspace.store
    return summary_of(
        report,
        tuple(BillLine(*row) for row in changed.iter_rows()),
        (Place("for SQL", str(store / "costs.duckdb")), Place("reports", str(store / "reports"))),
        pending=pending(run),
        closed=closed(run),
        nothing_new=not arrived.read,
        grace_days=run.workspace.waste.plan.grace_days,
    )


def pending(run: Run) -> tuple[Pending, ...]:
    """What closed months hold back, by project; of a month whose projects stay, by the dimensions that do not.

    Bills alone can differ without moving EffectiveCost.
    """
    rows = run.ledger.frame(
        """
        SELECT billing_month, BillingCurrency, dimension, value, reported_EffectiveCost, computed_EffectiveCost, cause
        FROM main.pending_restatements
        WHERE dimension = 'project' OR billing_month NOT IN (
            SELECT billing_month FROM main.pending_restatements WHERE dimension = 'project')
        ORDER BY abs(computed_EffectiveCost - reported_EffectiveCost) DESC NULLS LAST, billing_month, dimension, value
        """
    )
    return tuple(Pending(*row) for row in rows.iter_rows())


def closed(run: Run) -> tuple[ClosedMonth, ...]:
    """Of closed months that hold something back, what was reported and what is charged now."""
    rows = run.ledger.frame(
        """
        SELECT billing_month, BillingCurrency, cost_column, sum(closed), sum(charged)
        FROM main.closed_months
        WHERE billing_month IN (SELECT billing_month FROM main.pending_restatements)
            AND cost_column IN ('BilledCost', 'EffectiveCost')
        GROUP BY ALL ORDER BY ALL
        """
    )
    return tuple(ClosedMonth(*row) for row in rows.iter_rows())


def week_of(frames: ReportFrames) -> Period:
    """The last week before the run, or the last one that has data where bills are older than that."""
    today = frames.as_of.date()
    complete = max((mark.last_day for mark in frames.watermarks.values()), default=None)
    last = week_before(today)
    return last if complete is None or complete >= last.first else week_before(today, complete)


_FINDINGS = """
SELECT f.* REPLACE (
    concat_ws(' ', CASE WHEN ? THEN w.warning END, f.evidence) AS evidence,
    coalesce(f.saving, f.cost_at_stake) AS cost_at_stake
)
FROM main.findings AS f LEFT JOIN main.waste_path AS w USING (fingerprint)
WHERE f.state IN ('open', 'reopened', 'acknowledged')
"""
"""Standing findings; of waste, what is going to happen comes first, so that no face cuts it off, and the amount is
what ends with it, which may be a part of what the subject costs."""


def report_frames(
    kept: Kept, workspace: Workspace, as_of: datetime, run: int | None = None, *, warned: bool = True
) -> ReportFrames:
    """Everything reports show, of all owners; reports do the filtering.

    Args:
        kept: the open ledger or the published file.
        workspace: for its currency and time zone.
        as_of: the clock of the report.
        run: the run that bills are called new or restated by; None calls them all unchanged.
        warned: evidence of waste begins with what is going to happen, as its owner must be told.
    """
    held = kept.frame("SELECT source, name, reason FROM main.held_back")
    marks = watermarks(kept, workspace.timezone, as_of)
    return ReportFrames(
        as_of=as_of.astimezone(ZoneInfo(workspace.timezone)),
        daily=_daily(kept),
        findings=kept.frame(_FINDINGS, [warned]).select(list(shapes.REPORT_FINDING_COLUMNS)),
        growth=kept.frame("SELECT * FROM main.growth").select(list(GROWTH_COLUMNS)),
        # Own costs come a month at a time: no day waits for them.
        watermarks={name: mark for name, mark in marks.items() if name != OWN_COSTS},
        bills=_bill_rows(kept, run),
        reconciled=_reconciled_rows(kept),
        invoices=kept.frame("SELECT * FROM main.invoice_checks").select(
            pl.col(name).cast(dtype) for name, dtype in INVOICE_CHECK_COLUMNS.items()
        ),
        held_back=tuple(HeldBack(*row) for row in held.iter_rows()),
        rejects=_refused_rows(kept),
        currency=workspace.currency,
        budgets=_rows_if_told(kept, "budgets", shapes.REPORT_BUDGET_COLUMNS),
        rates=_rows_if_told(kept, "rates", RATE_COLUMNS),
        locale=workspace.locale,
        font=workspace.font,
    )


def _rows_if_told(kept: Kept, view: str, columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Rows of a view; none where the store was published before there was such a view."""
    if kept.frame("SELECT view_name FROM duckdb_views() WHERE view_name = ? AND NOT internal", [view]).is_empty():
        return pl.DataFrame(schema=columns)
    rows = kept.frame(f"SELECT * FROM main.{view}")  # noqa: S608 - a view of our own
    return rows.select(pl.col(name).cast(dtype) for name, dtype in columns.items())


def restatement_rows(kept: Kept, whose: tuple[str, str] | None) -> pl.DataFrame:
    """Changes of months that were reported before: by project in the report for all, in total in an owner's or team's.

    Args:
        kept: the open ledger or the published file.
        whose: dimension and value; None for all.
    """
    dimension, value = whose or ("project", None)
    rows = kept.frame(
        """
        SELECT billing_month AS month, BillingCurrency, value, before_EffectiveCost AS before,
            after_EffectiveCost AS after, CAST(as_of AS DATE) AS changed_on, coalesce(reported, false) AS reported
        FROM main.restatements
        WHERE month_was_over AND dimension = ? AND (? IS NULL OR value = ?)
        """,
        [dimension, value, value],
    )
    project, owned = (pl.col("value"), pl.lit("")) if whose is None else (pl.lit(""), pl.col("value"))
    shaped = rows.with_columns(project.alias("project"), owned.alias("owner"))
    return shaped.select(pl.col(name).cast(dtype) for name, dtype in shapes.RESTATEMENT_COLUMNS.items())


def resource_rows(kept: Kept, period: Period, as_of: datetime) -> pl.DataFrame:
    """Costs of a period and the one before it by resource, in the columns of `RESOURCE_COLUMNS`, with `team` if there.

    Args:
        kept: the open ledger or the published file.
        period: the days the report is about.
        as_of: the clock of the report in the workspace's time zone; later days are not shown.
    """
    before = period.before().first
    return kept.frame(
        f"""
        SELECT CASE WHEN usage_date < ? THEN CAST(? AS DATE) ELSE CAST(? AS DATE) END AS usage_date,
            BillingCurrency, project, stage, experiment, owner{_team(kept)}, ServiceName, ResourceId,
            max(ResourceName) AS ResourceName, EffectiveCost IS NULL AS unknown, source = '{OWN_COSTS}' AS monthly,
            sum(EffectiveCost) AS EffectiveCost
        FROM main.costs WHERE usage_date BETWEEN ? AND ? GROUP BY ALL
        """,  # noqa: S608 - a column of our own
        [period.first, before, period.first, before, min(period.last, as_of.date())],
    )


def _team(kept: Kept) -> str:
    names = kept.frame("SELECT column_name FROM (DESCRIBE main.costs)").to_series().to_list()
    return ", team" if "team" in names else ""


def _daily(kept: Kept) -> pl.DataFrame:
    return kept.frame(
        f"""
        SELECT usage_date, BillingCurrency, project, stage, experiment, owner{_team(kept)}, ServiceName, cost_element,
            EffectiveCost IS NULL AS unknown,  -- stays a row of its own, to be told
            source = '{OWN_COSTS}' AS monthly,
            sum(EffectiveCost) AS EffectiveCost, sum(BilledCost) AS BilledCost
        FROM main.costs GROUP BY ALL
        """  # noqa: S608 - a column of our own
    )


def _refused_rows(kept: Kept) -> int:
    """Rows of bills that count which were refused, so that their money is in no figure."""
    count: int = kept.frame(
        """
        SELECT count(DISTINCT (r.source, r.file, r.line)) FROM main.rejects AS r
        WHERE r.outcome = 'row refused' AND r.source IN (SELECT source FROM main.bills)
        """
    ).item()
    return count


def _bill_rows(kept: Kept, run: int | None) -> pl.DataFrame:
    """Bills that count, one row a bill and currency (an empty bill has none), with what this run did to them."""
    bills = kept.frame(
        """
        SELECT b.source, b.BillingAccountId, b.billing_month AS month, b.rows, b.BillingCurrency,
            b.stored_BilledCost AS BilledCost,
            CASE WHEN ? IS NULL OR b.posted_run < ? THEN 'unchanged'
                WHEN EXISTS (
                    SELECT 1 FROM main.bills AS old WHERE old.superseded_run = b.posted_run AND old.source = b.source
                    AND old.BillingAccountId = b.BillingAccountId AND old.billing_month = b.billing_month
                ) THEN 'restated' ELSE 'new' END AS state
        FROM main.bills AS b
        WHERE b.superseded_run IS NULL
        ORDER BY ALL
        """,
        [run, run],
    )
    return bills.select(list(shapes.BILL_COLUMNS))


def _reconciled_rows(kept: Kept) -> pl.DataFrame:
    """Totals of all bills that count against all costs, by currency and cost column, and what closed months hold."""
    rows = kept.frame(
        """
        SELECT r.BillingCurrency, r.cost_column AS "column", sum(r.lines) AS lines, sum(r.costs) AS costs,
            coalesce(any_value(c.pending), 0) AS pending
        FROM main.reconciliation AS r
        LEFT JOIN (
            SELECT BillingCurrency, cost_column, sum(pending) AS pending FROM main.closed_months GROUP BY ALL
        ) AS c USING (BillingCurrency, cost_column)
        GROUP BY ALL HAVING sum(r.lines) IS NOT NULL
        """
    )
    place = pl.col("column").replace_strict({name: place for place, name in enumerate(COSTS)}, return_dtype=pl.Int8)
    return rows.sort("BillingCurrency", place).select(
        pl.col(name).cast(dtype) for name, dtype in shapes.RECONCILED_COLUMNS.items()
    )
