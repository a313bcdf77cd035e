"""Commands that tell and change nothing; all but `explain` ask the published file alone."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import HERE, AsJson, Folder, app, load
from schemas.words import counted


@app.command()
def report(
    workspace: Folder = HERE,
    owner: Annotated[str | None, typer.Option(help="One owner's report; without it, the report for all.")] = None,
    team: Annotated[str | None, typer.Option(help="One team's report.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show the report of the last complete week.

    Example: attribution report --workspace sample_bills --owner mira
    """
    from attribution.reports.text import render_terminal
    from flows.plain_data import tell
    from flows.questions import weekly_report

    found = weekly_report(load(workspace), owner, team)
    tell(found, render_terminal(found), as_json=as_json)


@app.command()
def explain(
    resource: Annotated[
        str | None, typer.Argument(help="A ResourceId as billed, or the reference that a mail names.")
    ] = None,
    *,
    month: Annotated[str | None, typer.Option(help="Month of usage, for example 2026-10; without it, all.")] = None,
    days: Annotated[
        str | None, typer.Option(help="Days of usage of a figure, for example 2026-10-03..2026-10-09.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="A figure: COLUMN=VALUE, for example project=aurora-7b. May be given more than once; "
            "of a column given twice, either value counts, and a blank one stands for none."
        ),
    ] = None,
    finding: Annotated[str | None, typer.Option(help="A finding, by its fingerprint or the beginning of it.")] = None,
    experiment: Annotated[str | None, typer.Option(help="An experiment: --where experiment=NAME.")] = None,
    charge: Annotated[
        str | None, typer.Option(help="A charge, FILE:ROW or BILL_ID:ROW as in charges: who pays for it.")
    ] = None,
    cost: Annotated[str | None, typer.Option(help="A row of costs, by its cost_id.")] = None,
    workspace: Folder = HERE,
    as_json: AsJson = False,
) -> None:
    """Say whose money is and why: from a figure, a finding or a resource down to the charges, or from a charge up.

    Of a resource: all that was tried, what won, where splits moved it. Of the reference of a mail: what stood in it,
    and who said that it belongs there.

    Example: attribution explain mrd-gpu-12 --month 2026-10 --workspace sample_bills

    Example: attribution explain --where project=aurora-7b --where stage=sft --month 2026-10 -w sample_bills
    """
    from flows.explaining.asked import told_of
    from flows.terminal import print_plain, read_month

    told = told_of(
        load(workspace),
        resource=resource,
        month=read_month(month) if month else None,
        days=days,
        where=[*(where or ()), *([f"experiment={experiment}"] if experiment else ())],
        finding=finding,
        charge=charge,
        cost=cost,
    )
    print_plain(told.as_json() if as_json else told.as_text())


class By(StrEnum):
    """What refused values are counted by."""

    file = "file"
    column = "column"
    check = "check"
    source = "source"


@app.command()
def rejects(
    workspace: Folder = HERE,
    source: Annotated[
        str | None, typer.Option(help="Only of this source, or of this input: tags, resources, ...")
    ] = None,
    by: Annotated[By | None, typer.Option(help="Count by this alone; without it, by file, column and check.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write each value with the text of its row to this file.")] = None,
    *,
    each: Annotated[bool, typer.Option("--each", help="Every value, not counted together.")] = False,
    held_back: Annotated[bool, typer.Option("--held-back", help="Of deliveries that are held back instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """List refused values: file, line, column, check, value; to a file or as JSON with the text of the row.

    Example: attribution rejects --each --workspace sample_bills
    """
    from flows.exporting import write_rows
    from flows.plain_data import tell
    from flows.questions import show
    from flows.refusals import count_rejects, list_rejects

    rows = list_rejects(load(workspace).store, source, held_back=held_back)
    if csv is not None:
        write_rows(rows, csv)
        tell({"rows": rows.height, "file": csv}, f"{counted(rows.height, 'row')} written to {csv}", as_json=as_json)
    elif each:
        show(rows if as_json else rows.drop("delivery", "raw"), as_json=as_json)
    else:
        show(count_rejects(rows, by), as_json=as_json)


@app.command()
def sql(query: str, workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Ask the published file in SQL, read-only, also while a run is writing.

    Example: attribution sql "SELECT project, sum(EffectiveCost) FROM costs GROUP BY project" -w sample_bills
    """
    from flows.questions import ask, show

    show(ask(load(workspace).store, query), as_json=as_json)


@app.command()
def export(
    table: Annotated[
        str, typer.Argument(help="A table or view (costs, findings, ...), focus for a FOCUS file, or journal.")
    ],
    to: Annotated[Path, typer.Argument(help="A file that ends in .csv, .json or .parquet.")],
    workspace: Folder = HERE,
    *,
    focus_version: Annotated[
        str, typer.Option("--focus-version", "--version", help="Of the FOCUS file: 1.0 to 1.4.")
    ] = "1.4",
    month: Annotated[
        str | None, typer.Option("--month", help="Of a FOCUS file or journal: one billing month, YYYY-MM.")
    ] = None,
    source: Annotated[str | None, typer.Option("--source", help="Of the FOCUS file: one source.")] = None,
    attributed: Annotated[
        bool, typer.Option("--attributed", help="Of the FOCUS file: costs and whose they are, in place of charges.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a table to a file (CSV is safe for spreadsheets), all charges as a FOCUS file, or a closed month's journal.

    Example: attribution export monthly_costs monthly.csv --workspace sample_bills

    Example: attribution export focus october.parquet --focus-version 1.2 --month 2026-10 --workspace sample_bills

    Example: attribution export focus october.parquet --attributed --version 1.3 --workspace sample_bills

    Example: attribution export journal september.csv --month 2026-09 --workspace sample_bills
    """
    from flows.exporting import export_focus, export_table
    from flows.journal import export_journal
    from flows.plain_data import tell
    from flows.terminal import read_month

    stated = load(workspace)
    if table == "journal":
        rows = export_journal(stated, to, read_month(month or ""))
    elif table == "focus":
        rows = export_focus(stated.store, to, focus_version, month, source, attributed=attributed)
    else:
        rows = export_table(stated.store, table, to)
    tell({"rows": rows, "file": to}, f"{counted(rows, 'row')} written to {to}", as_json=as_json)


@app.command()
def status(workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Say how things stand: last runs, how far each source reaches, what is held back.

    Example: attribution status --workspace sample_bills
    """
    from flows.questions import show_status

    show_status(load(workspace).store, as_json=as_json)


@app.command()
def doctor(workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Say what would make the figures better: money without a project, inputs that are missing, sources in trouble.

    Example: attribution doctor --workspace sample_bills
    """
    from flows.doctor import advise, told
    from flows.plain_data import tell

    advice = advise(load(workspace))
    tell(advice, told(advice), as_json=as_json)
