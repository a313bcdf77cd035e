"""Detection over what the ledger keeps: growth, waste, silent sources, and what readers remarked."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

import polars as pl

from attribution.detection import (
    WasteInputs,
    detect_growth,
    detect_waste,
    growth,
    notice_findings,
    silent_sources,
    subjects_of,
    together,
)
from attribution.inputs import InputFrames
from attribution.ledger import Ledger
from attribution.rules import RuleBook
from flows.running import Run
from schemas.detection import NOTICE_COLUMNS, RESOURCES_COST_COLUMNS, Watermark, daily_columns


def detect(run: Run, rules: RuleBook, inputs: InputFrames) -> pl.DataFrame:
    """Find what grew and what is wasted; keep the growth rows and the findings.

    Returns:
        The findings of this run.
    """
    run.watch("detecting", 0, 2)
    workspace, ledger = run.workspace, run.ledger
    marks = watermarks(ledger, workspace.timezone)
    daily = ledger.daily_costs().select(list(daily_columns(rules.names)))
    grown = growth(daily, marks, workspace.growth, subjects_of(rules.names))
    run.watch("detecting", 1, 2)
    stated = workspace.inputs
    waste = detect_waste(
        WasteInputs(
            as_of=run.as_of,
            watermarks=marks,
            resources_cost=ledger.resource_costs().select(list(RESOURCES_COST_COLUMNS)),
            tags=inputs.tags if stated.tags else None,
            resources=inputs.resources if stated.resources else None,
            utilization=inputs.utilization if stated.utilization else None,
        ),
        workspace.waste,
    )
    notices = ledger.frame("SELECT kind, subject, sentence, amount, BillingCurrency FROM main.notices")
    found = together(
        detect_growth(grown),
        waste,
        silent_sources(marks, run.as_of),
        notice_findings(notices.select(pl.col(name).cast(dtype) for name, dtype in NOTICE_COLUMNS.items())),
    )
    ledger.keep_growth(grown)
    ledger.keep_findings(found, run.today)
    run.counts["findings"] = found.height
    run.watch("detected", 2, 2)
    return found


def watermarks(ledger: Ledger, timezone: str) -> dict[str, Watermark]:
    """Each source's first day and last complete day, in the workspace's time zone."""
    marks: dict[str, Watermark] = {}
    for row in ledger.watermarks().iter_rows(named=True):
        if row["first_usage_date"] is None:
            continue
        end = row["watermark"]
        # An hour that ended at midnight completes the day before; without short charges the days are all there is.
        last = end.astimezone(ZoneInfo(timezone)).date() - timedelta(days=1) if end else row["last_usage_date"]
        marks[row["source"]] = Watermark(row["first_usage_date"], max(last, row["first_usage_date"]))
    return marks
