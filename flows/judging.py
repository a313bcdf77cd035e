"""Detection over what the ledger keeps: growth, waste, silent sources, and what readers remarked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import polars as pl

from attribution.detection import (
    WasteInputs,
    bills_in_two_sources,
    check_invoices,
    check_subjects,
    detect_waste,
    disputed_costs,
    finding_marks,
    invoice_findings,
    notice_findings,
    owners_who_left,
    owners_without_recipient,
    silent_sources,
    together,
    unknown_recipients,
    unnamed_sources,
)
from attribution.detection.exchange import rates_on
from attribution.detection.planned import plans_kept
from attribution.detection.windows import next_month
from attribution.inputs import InputFrames
from attribution.rules import RuleBook
from flows.foreseeing import foresee, stalled, stated_plans
from flows.growing import grow
from flows.odd_days import detect_days
from flows.people import as_owners, as_reported
from flows.running import Run
from schemas.detection import BILLED_COLUMNS, NOTICE_COLUMNS, Watermark, daily_columns
from schemas.exchange import convert
from schemas.people import left, recipients_on
from schemas.waste import meter_columns
from schemas.workspace import ALL, OWN_COSTS


class Kept(Protocol):
    """Whatever answers SQL over the analysts' views: the open ledger, or the published file."""

    def frame(self, sql: str, params: Sequence[Any] = ()) -> pl.DataFrame:
        """Rows of a query."""


def detect(run: Run, rules: RuleBook, inputs: InputFrames) -> pl.DataFrame:
    """Find what grew and what is wasted; keep the growth rows and the findings.

    Returns:
        The findings of this run.
    """
    run.watch("detecting", 0, 2)
    workspace, ledger = run.workspace, run.ledger
    marks = watermarks(ledger, workspace.timezone, run.as_of)
    daily = _daily(run, rules)
    plans = plans_kept(convert(daily, inputs.rates, workspace.currency).costs, stated_plans(inputs, rules))
    fired = grow(run, rules.names, daily, marks, inputs.rates, plans=plans)
    run.watch("detecting", 1, 2)
    waste = detect_waste(_waste_inputs(run, rules, inputs, marks), workspace.waste)
    checks = _invoice_checks(run, inputs.invoices)
    foreseen = foresee(run, rules, inputs, daily, marks)
    found = together(
        fired,
        detect_days(run, rules.names, daily, marks, fired, plans=plans),
        invoice_findings(checks),
        waste.findings,
        *_about_people(run, daily, as_owners(inputs.people, rules)),
        *foreseen.findings,
        stalled(run, rules, inputs, daily, marks),
        *_about_data(run, marks),
    )
    ledger.keep("detectors", waste.detectors)
    ledger.keep("waste_terms", pl.DataFrame({"grace_days": [workspace.waste.plan.grace_days]}))
    ledger.keep("invoice_checks", checks)
    ledger.keep("budgets", foreseen.rows)
    ledger.keep("rates", inputs.rates)
    _keep_findings(run, inputs, found)
    run.watch("detected", 2, 2)
    return found


def _daily(run: Run, rules: RuleBook) -> pl.DataFrame:
    """Daily costs with all that growth is judged by; a run that looks back sees no day after its own clock."""
    named = check_subjects(run.workspace.growth, rules.names)
    columns = dict.fromkeys((*daily_columns(rules.names), *named))
    return run.ledger.daily_costs(named).filter(pl.col("usage_date") <= run.today).select(list(columns))


def _waste_inputs(run: Run, rules: RuleBook, inputs: InputFrames, marks: dict[str, Watermark]) -> WasteInputs:
    """What waste is judged on; an input that the workspace does not have is None."""
    costs = run.ledger.metered_costs(run.today)
    names = ("tags", "resources", "utilization", "jobs", "runs", "checkpoints", "people")
    stated = {name: getattr(inputs, name) for name in names if getattr(run.workspace.inputs, name)}
    stated |= {name: as_reported(stated[name], rules) for name in ("jobs", "runs") if name in stated}
    return WasteInputs(
        as_of=run.as_of,
        watermarks=marks,
        costs=costs.select(pl.col(name).cast(dtype) for name, dtype in meter_columns(rules.names).items()),
        dimensions=rules.names,
        **stated,
    )


def _about_people(run: Run, daily: pl.DataFrame, people: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Findings about who hears of whose money, and what readers answered."""
    stated = run.workspace.mail.recipients
    teams = daily.get_column("team") if "team" in daily.columns else pl.Series(dtype=pl.String)
    names = sorted({*daily.get_column("owner").unique(), *teams.unique()})
    yield unknown_recipients(sorted(set(stated) - {ALL}), names)
    gone = left(run.today, people)
    yield owners_who_left(daily, gone)
    hearing = recipients_on(run.today, people, stated)
    if hearing:
        by_team = daily.filter(teams.is_in(list(hearing))).get_column("owner").unique() if len(teams) else ()
        yield owners_without_recipient(daily, {*hearing, *gone, *by_team}, run.today)
    disputes = run.ledger.frame(
        "SELECT dispute, report, subject, says FROM main.disputes WHERE state = 'open' ORDER BY dispute"
    )
    yield disputed_costs(daily, disputes, run.today)


def _about_data(run: Run, marks: dict[str, Watermark]) -> Iterator[pl.DataFrame]:
    yield silent_sources(marks, run.as_of)
    yield unnamed_sources(marks, [source.name for source in run.workspace.sources])
    yield bills_in_two_sources(_billed(run, "billed"))
    yield notice_findings(_notices(run.ledger))


def _keep_findings(run: Run, inputs: InputFrames, found: pl.DataFrame) -> None:
    """Keep what was found, and what the configuration says of it."""
    workspace = run.workspace
    run.ledger.keep_findings(found, run.today)
    rates = rates_on(run.today, inputs.rates, workspace.currency)
    marked = finding_marks(found, workspace.severity, workspace.suppressions, run.today, rates)
    run.ledger.keep("finding_marks", marked)
    run.counts["findings"] = found.height


def _notices(kept: Kept) -> pl.DataFrame:
    """What readers and splits remarked, and what is held back for a reason of its own kind."""
    notices = kept.frame(
        """
        SELECT kind, subject, sentence, amount, BillingCurrency FROM main.notices
        UNION ALL SELECT kind, name, reason, NULL, NULL FROM main.held_back WHERE kind IS NOT NULL
        UNION ALL SELECT kind, subject, sentence, amount, BillingCurrency FROM book.split_notices
        """
    )
    return notices.select(pl.col(name).cast(dtype) for name, dtype in NOTICE_COLUMNS.items())


def _invoice_checks(run: Run, invoices: pl.DataFrame) -> pl.DataFrame:
    """Invoices against bills; charges are asked only where an invoice is named."""
    named = invoices.get_column("invoice_id").count() > 0
    billed = _billed(run, "billed_by_invoice" if named else "billed")
    return check_invoices(invoices, billed, run.workspace.invoices.tolerance, run.today)


def watermarks(kept: Kept, timezone: str, as_of: datetime) -> dict[str, Watermark]:
    """Each source's first day and last complete day before the run's clock, in the workspace's time zone."""
    zone = ZoneInfo(timezone)
    yesterday = as_of.astimezone(zone).date() - timedelta(days=1)
    rows = kept.frame(
        """
        SELECT c.source, c.first_day, c.last_day, b.watermark
        FROM (SELECT source, min(usage_date) AS first_day, max(usage_date) AS last_day
            FROM main.costs GROUP BY ALL) AS c
        LEFT JOIN (
            SELECT source, max(watermark) AS watermark FROM main.bills WHERE superseded_run IS NULL GROUP BY ALL
        ) AS b USING (source)
        ORDER BY ALL
        """
    )
    marks: dict[str, Watermark] = {}
    for source, first, last, end in rows.iter_rows():
        # An hour that ended at midnight completes the day before; without short charges the days are all there is.
        complete = end.astimezone(zone).date() - timedelta(days=1) if end else last
        if source == OWN_COSTS:  # a month of own costs is stated whole
            complete = next_month(last) - timedelta(days=1)
        marks[source] = Watermark(first, max(min(complete, yesterday), first))
    return marks


def _billed(run: Run, query: str) -> pl.DataFrame:
    return run.ledger.query(query).select(pl.col(name).cast(dtype) for name, dtype in BILLED_COLUMNS.items())
