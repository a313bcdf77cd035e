"""The weekly reports as files: a page, CSV files and a spreadsheet for each owner and for all."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import polars as pl

from attribution.reports.build import build_report
from attribution.reports.frames import ReportFrames
from attribution.reports.page import render_page
from attribution.reports.period import Period
from attribution.reports.report import Report
from attribution.reports.tables_csv import write_tables
from flows.people import recipients_of
from flows.running import Run
from flows.summary import report_frames, restatement_rows, week_of
from schemas.dimensions import NOBODY
from schemas.workspace import ALL


def write_reports(run: Run, *, dry_run: bool = False) -> tuple[Report, ...]:
    """Write the pages and tables of the last complete week; the report for all comes first.

    Args:
        run: the run in progress.
        dry_run: the same reports, with no files and nothing noted.
    """
    frames = report_frames(run.ledger, run.workspace, run.as_of)
    period = week_of(frames)
    owners = _owners(run, frames, period)
    reports = []
    for number, owner in enumerate((None, *owners)):
        run.watch(f"report for {owner or ALL}", number, len(owners) + 1)
        report = build_report(replace(frames, restatements=restatement_rows(run.ledger, owner)), period, owner)
        if not dry_run:
            run.ledger.note_reported(run.number, report.spans.months)
            folder = folder_of(run, report)
            write_tables(report, folder)
            _write(folder / "report.html", render_page(report))
        reports.append(report)
    return tuple(reports)


def _owners(run: Run, frames: ReportFrames, period: Period) -> tuple[str, ...]:
    """Owners with money in the weeks that the report compares, and whoever is to receive one."""
    recent = pl.col("usage_date").is_between(period.before().first, run.today)
    named = frames.daily.filter(recent).get_column("owner").unique().to_list()
    recipients = [owner for owner in recipients_of(run) if owner != ALL]
    return tuple(sorted({*named, *recipients} - set(NOBODY)))


def week_folder(run: Run, period: Period) -> Path:
    """Where the files of a week lie."""
    return run.workspace.store / "reports" / f"{period.first}_{period.last}"


def folder_of(run: Run, report: Report) -> Path:
    """Folder of a report; a name that is no plain file name is told apart by its digest."""
    name = report.owner or ALL
    if (report.owner is not None and not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,60}", name)) or report.owner == ALL:
        name = f"owner-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    return week_folder(run, report.period) / name


def _write(path: Path, text: str) -> None:
    unfinished = path.with_suffix(".partial")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
