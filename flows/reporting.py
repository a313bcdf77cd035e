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
from attribution.reports.report import Report, Whose
from attribution.reports.tables_csv import write_tables
from attribution.reports.workbook import render_workbook
from flows.people import recipients_of
from flows.running import Run
from flows.summary import report_frames, resource_rows, restatement_rows, week_of
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
    frames = replace(frames, resources=resource_rows(run.ledger, period, frames.as_of))
    readers = (None, *_readers(run, frames, period))
    reports = []
    for number, whose in enumerate(readers):
        run.watch(f"report for {whose.name if whose else ALL}", number, len(readers))
        changed = restatement_rows(run.ledger, (whose.dimension, whose.name) if whose else None)
        owner, team = (whose.name if whose and whose.dimension == one else None for one in ("owner", "team"))
        report = build_report(replace(frames, restatements=changed), period, owner, team=team)
        if not dry_run:
            run.ledger.note_reported(run.number, report.spans.months)
            folder = folder_of(run, report)
            write_tables(report, folder)
            _write(folder / "report.html", render_page(report).encode())
            _write(folder / "report.xlsx", render_workbook(report))
        reports.append(report)
    return tuple(reports)


def _readers(run: Run, frames: ReportFrames, period: Period) -> tuple[Whose, ...]:
    """Owners with money in the weeks that the report compares, and whoever is to receive one.

    A recipient is a team where no cost has an owner of that name and some cost has such a team, else an owner.
    """
    recent = pl.col("usage_date").is_between(period.before().first, run.today)
    owners = set(frames.daily.get_column("owner").unique())
    teams = set(frames.daily.get_column("team").unique()) if "team" in frames.daily.columns else set()
    named = {Whose("owner", name) for name in frames.daily.filter(recent).get_column("owner").unique()}
    for name in recipients_of(run):
        named.add(Whose("team" if name in teams - owners else "owner", name))
    told = (one for one in named if one.name not in (*NOBODY, ALL))
    return tuple(sorted(told, key=lambda one: (one.dimension, one.name)))


def week_folder(run: Run, period: Period) -> Path:
    """Where the files of a week lie."""
    return run.workspace.store / "reports" / f"{period.first}_{period.last}"


def folder_of(run: Run, report: Report) -> Path:
    """Folder of a report; a name that is no plain file name is told apart by its digest."""
    whose = report.whose
    if whose is None:
        return week_folder(run, report.period) / ALL
    name = whose.name
    if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,60}", name) or name == ALL:
        name = f"{whose.dimension}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    elif whose.dimension == "team":
        name = f"team-{name}"
    return week_folder(run, report.period) / name


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_suffix(".partial")
    unfinished.write_bytes(content)
    unfinished.replace(path)
