"""The command `attribution`: the same steps as the flows, without Prefect, and questions to what was published.

Heavy imports come late, inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from schemas.workspace import Workspace

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Where a team's cloud money goes: exact, explained, every night.",
)

Folder = Annotated[Path, typer.Option("--workspace", "-w", help="The folder that holds attribution.toml.")]
AsOf = Annotated[str | None, typer.Option(help="The run's clock, for example 2026-11-10T06:00:00Z.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for scripts; money is text, never a float.")]
HERE = Path()


def main() -> None:
    """Run a command; a mistake of the user's ends with exit code 2 and a message, one of ours with 3."""
    from flows.terminal import ending_cleanly, leaving

    with leaving(), ending_cleanly():
        app()


def _load(folder: Path) -> Workspace:
    from flows.settings import load_workspace

    return load_workspace(folder)


@app.command()
def init(directory: Annotated[Path, typer.Argument(help="The folder to make.")]) -> None:
    """Write a new workspace with commented files.

    Example: attribution init my-costs
    """
    from flows.starter import write_starter
    from flows.terminal import terminal

    for path in write_starter(directory):
        terminal.print(str(path))
    terminal.print(f"\nNext: put bills under {directory / 'bills'}, then: attribution check --workspace {directory}")


@app.command()
def check(workspace: Folder = HERE) -> None:
    """Read the configuration alone and name every fault in it.

    Example: attribution check --workspace sample_bills
    """
    from flows.checking import check_workspace
    from flows.terminal import terminal

    for line in check_workspace(workspace):
        terminal.print(line, markup=False)


@app.command()
def ingest(workspace: Folder = HERE, as_of: AsOf = None) -> None:
    """Take in new bills, without attributing them yet.

    Example: attribution ingest --workspace sample_bills
    """
    from flows.arrival import complain
    from flows.steps import ingest_only
    from flows.terminal import read_instant, terminal, watching

    with watching() as watch:
        arrived = ingest_only(_load(workspace), read_instant(as_of), watch)
    for delivery in arrived.read:
        terminal.print(f"read       {delivery.source.name}  {delivery.name}", markup=False)
    for held in arrived.settled.held_back:
        terminal.print(f"held back  {held.source}  {held.name}: {held.reason}", markup=False)
    terminal.print(f"{len(arrived.read)} deliveries read, {len(arrived.settled.revised)} bills revised")
    complain(arrived.settled.held_back)


@app.command()
def run(workspace: Folder = HERE, as_of: AsOf = None) -> None:
    """Do what the nightly flow does: bills in, costs and findings out, costs.duckdb replaced.

    Example: attribution run --workspace sample_bills --as-of 2026-11-05T06:00:00Z
    """
    from attribution.reports.nightly import nightly_summary
    from flows.arrival import complain
    from flows.steps import nightly
    from flows.terminal import read_instant, terminal, watching

    with watching() as watch:
        summary = nightly(_load(workspace), read_instant(as_of), watch)
    terminal.print(nightly_summary(summary))
    complain(summary.held_back)


@app.command()
def backfill(first: str, last: str, workspace: Folder = HERE) -> None:
    """Look back over a range of months, so that findings have the age they would have.

    Example: attribution backfill 2026-08 2026-10 --workspace sample_bills
    """
    from attribution.reports.nightly import nightly_summary
    from flows.steps import backfill as look_back
    from flows.terminal import read_month, terminal, watching

    with watching() as watch:
        nights = look_back(_load(workspace), read_month(first), read_month(last), watch)
    terminal.print(nightly_summary(nights[-1]))


@app.command()
def weekly(workspace: Folder = HERE, as_of: AsOf = None) -> None:
    """Write the reports of the last complete week and mail them; nothing is sent twice.

    Example: attribution weekly --workspace sample_bills --as-of 2026-11-05T06:00:00Z
    """
    from flows.mailing import complain, weekly_table
    from flows.steps import weekly as write_and_mail
    from flows.terminal import read_instant, terminal, watching

    with watching() as watch:
        done = write_and_mail(_load(workspace), read_instant(as_of), watch)
    terminal.print(weekly_table(done))
    complain(done.mails)


@app.command()
def report(
    workspace: Folder = HERE,
    owner: Annotated[str | None, typer.Option(help="One owner's report; without it, the report for all.")] = None,
) -> None:
    """Show the report of the last complete week.

    Example: attribution report --workspace sample_bills --owner mira
    """
    from attribution.reports.text import render_terminal
    from flows.questions import weekly_report
    from flows.terminal import terminal

    terminal.print(render_terminal(weekly_report(_load(workspace), owner)))


@app.command()
def explain(
    resource: Annotated[str | None, typer.Argument(help="A ResourceId as billed.")] = None,
    month: Annotated[str | None, typer.Option(help="Month of usage, for example 2026-10; without it, all.")] = None,
    cost: Annotated[str | None, typer.Option(help="A row of costs, by its cost_id.")] = None,
    workspace: Folder = HERE,
    *,
    as_json: AsJson = False,
) -> None:
    """Say whose a resource's money is and why: the charges, all that was tried, what won, where splits moved it.

    Example: attribution explain mrd-gpu-12 --month 2026-10 --workspace sample_bills
    """
    from flows.explaining import explain_cost, explain_resource
    from flows.terminal import print_plain, read_month
    from schemas.faults import Fault, InputError

    stated = _load(workspace)
    if (resource is None) == (cost is None):
        raise InputError(Fault("explain", "name either a resource or a cost", hint="See attribution explain --help."))
    if resource is not None:
        told = explain_resource(stated, resource, read_month(month) if month else None)
    else:
        told = explain_cost(stated, str(cost))
    print_plain(told.as_json() if as_json else told.as_text())


class State(StrEnum):
    """Findings by their state."""

    new = "new"
    still = "still"
    gone = "gone"
    standing = "standing"
    every = "every"


@app.command()
def findings(
    workspace: Folder = HERE,
    kind: Annotated[str | None, typer.Option(help="Only findings of this kind.")] = None,
    state: Annotated[State, typer.Option(help="standing is new and still.")] = State.standing,
    gate: Annotated[
        str | None, typer.Option(help="End with exit code 1 where one of them has more than this amount at stake.")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List findings, most money first.

    Example: attribution findings --kind unattached_volume --workspace sample_bills
    """
    from flows.questions import list_findings, read_gate, show
    from flows.terminal import ABOVE_GATE

    limit = None if gate is None else read_gate(gate)
    rows = list_findings(_load(workspace).store, kind, state.value)
    show(rows, as_json=as_json)
    stakes = rows.get_column("cost_at_stake").drop_nulls().to_list()
    if limit is not None and max(stakes, default=limit) > limit:
        raise typer.Exit(ABOVE_GATE)


@app.command()
def rejects(
    workspace: Folder = HERE,
    *,
    each: Annotated[bool, typer.Option("--each", help="Every value, not grouped by file and check.")] = False,
    as_json: AsJson = False,
) -> None:
    """List refused values: file, line, column, check, value.

    Example: attribution rejects --each --workspace sample_bills
    """
    from flows.questions import list_rejects, show

    show(list_rejects(_load(workspace).store, each=each), as_json=as_json)


@app.command()
def sql(query: str, workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Ask the published file in SQL, read-only, also while a run is writing.

    Example: attribution sql "SELECT project, sum(EffectiveCost) FROM costs GROUP BY project" -w sample_bills
    """
    from flows.questions import ask, show

    show(ask(_load(workspace).store, query), as_json=as_json)


@app.command()
def export(
    table: Annotated[str, typer.Argument(help="A table or view (costs, findings, ...), or focus for a FOCUS file.")],
    to: Annotated[Path, typer.Argument(help="A file that ends in .csv, .json or .parquet.")],
    workspace: Folder = HERE,
    *,
    focus_version: Annotated[str, typer.Option("--focus-version", help="Of the FOCUS file: 1.0 to 1.4.")] = "1.4",
    month: Annotated[str | None, typer.Option("--month", help="Of the FOCUS file: one billing month, YYYY-MM.")] = None,
    source: Annotated[str | None, typer.Option("--source", help="Of the FOCUS file: one source.")] = None,
) -> None:
    """Write a table to a file (CSV is safe for spreadsheets), or all charges as a FOCUS file.

    Example: attribution export monthly_costs monthly.csv --workspace sample_bills

    Example: attribution export focus october.parquet --focus-version 1.2 --month 2026-10 --workspace sample_bills
    """
    from flows.exporting import export_focus, export_table
    from flows.terminal import terminal

    store = _load(workspace).store
    focus = table == "focus"
    rows = export_focus(store, to, focus_version, month, source) if focus else export_table(store, table, to)
    terminal.print(f"{rows} rows written to {to}", markup=False)


@app.command()
def publish(
    workspace: Folder = HERE,
    *,
    with_charges: Annotated[bool, typer.Option("--with-charges", help="Put the charges inside the file too.")] = False,
) -> None:
    """Write costs.duckdb anew from the ledger.

    Example: attribution publish --with-charges --workspace sample_bills
    """
    from attribution.ledger import open_ledger
    from attribution.ledger import publish as publish_ledger
    from flows.terminal import terminal, watching

    with watching() as watch, open_ledger(_load(workspace).store, on_wait=lambda said: watch(said, 0, 0)) as ledger:
        path = publish_ledger(ledger, with_charges=with_charges)
    terminal.print(str(path), markup=False)


@app.command()
def status(workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Say how things stand: last runs, how far each source reaches, what is held back.

    Example: attribution status --workspace sample_bills
    """
    from flows.questions import show_status

    show_status(_load(workspace).store, as_json=as_json)
