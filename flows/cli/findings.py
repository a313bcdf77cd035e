"""The command `attribution findings`: listed, shown, acknowledged, snoozed, resolved, exported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import HERE, AsJson, AsOf, Folder, app, load
from schemas.words import counted

if TYPE_CHECKING:
    from attribution.ledger.actions import Verb
    from schemas.workspace import Workspace

group = typer.Typer(rich_markup_mode=None)
app.add_typer(group, name="findings")


class State(StrEnum):
    """Findings by their state, or by what the last run saw of them."""

    standing = "standing"
    open = "open"
    reopened = "reopened"
    acknowledged = "acknowledged"
    snoozed = "snoozed"
    planned = "planned"
    suppressed = "suppressed"
    resolved = "resolved"
    new = "new"
    still = "still"
    gone = "gone"
    every = "every"


# What a narrow terminal does without, in this order: `findings show` tells it.
_SPARE = ("evidence", "first_seen", "state")

Kind = Annotated[str | None, typer.Option(help="Only findings of this kind.")]
InState = Annotated[State, typer.Option(help="standing is open, reopened and acknowledged.")]
Gate = Annotated[
    str | None, typer.Option(help="End with exit code 1 where one of them has more than this amount at stake.")
]
Names = Annotated[list[str], typer.Argument(help="Ids as the list shows them, or whole subjects.")]
Why = Annotated[str, typer.Option(help="The reason, for the log.")]
Who = Annotated[str | None, typer.Option(help="Who says so; whoever is logged in unless given.")]


@group.callback(invoke_without_command=True)
def findings(
    context: typer.Context,
    workspace: Folder = HERE,
    kind: Kind = None,
    state: InState = State.standing,
    gate: Gate = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List findings, most money first; acknowledge, snooze, resolve them.

    Example: attribution findings --kind unattached_volume --workspace sample_bills
    """
    if context.invoked_subcommand is None:
        _list(load(workspace), kind, state, gate, as_json=as_json)


@group.command("list")
def list_(
    context: typer.Context,
    workspace: Folder = HERE,
    kind: Kind = None,
    state: InState = State.standing,
    gate: Gate = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List findings, most money first.

    Example: attribution findings list --state snoozed --workspace sample_bills
    """
    _list(_workspace(context, workspace), kind, state, gate, as_json=as_json)


def _list(workspace: Workspace, kind: str | None, state: State, gate: str | None, *, as_json: bool) -> None:
    from flows.finding_life import in_short, list_findings, quiet_findings
    from flows.questions import fitting, read_gate, show
    from flows.terminal import ABOVE_GATE, terminal

    limit = None if gate is None else read_gate(gate)
    rows = list_findings(workspace.store, kind, state.value)
    alike = rows.get_column("BillingCurrency").drop_nulls().n_unique() <= 1
    spare = (*_SPARE, "currency") if alike else _SPARE
    show(rows if as_json else fitting(in_short(rows), spare), as_json=as_json)
    quiet = quiet_findings(workspace.store)
    if quiet and not as_json and state is State.standing:
        terminal.print(f"Not shown: {quiet} (see: attribution findings --state every)", markup=False)
    active = rows.filter(rows.get_column("state").is_in(["open", "reopened"]))
    stakes = active.get_column("cost_at_stake").drop_nulls().to_list()
    if limit is not None and max(stakes, default=limit) > limit:
        raise typer.Exit(ABOVE_GATE)


@group.command()
def show(context: typer.Context, name: str, workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """Show one finding whole, and all that was said of it.

    Example: attribution findings show mrd-gpu-17 --workspace sample_bills
    """
    from flows.finding_life import finding_and_history
    from flows.plain_data import as_json_text
    from flows.questions import as_pairs, as_table
    from flows.terminal import print_plain, wide

    found, said = finding_and_history(_workspace(context, workspace).store, name)
    if as_json:
        (row,) = found.to_dicts()
        print_plain(as_json_text({**row, "actions": said}))
        return
    wide.print(as_pairs(found))
    if said.height:
        wide.print(as_table(said))


def _command(verb: Verb, told: str) -> None:
    """Make the command of a verb that needs a reason and nothing else."""

    @group.command(verb, help=told)
    def say(
        context: typer.Context,
        names: Names,
        *,
        why: Why,
        who: Who = None,
        workspace: Folder = HERE,
        as_of: AsOf = None,
        as_json: AsJson = False,
    ) -> None:
        _say(_workspace(context, workspace), names, _Said(verb, why, who, as_of), as_json=as_json)


_command(
    "ack",
    """Say that somebody knows of findings; they stay quiet until they go and come back.

    Example: attribution findings ack mrd-gpu-17 --why "kept for the evaluation on Friday" --workspace sample_bills
    """,
)


@group.command()
def snooze(
    context: typer.Context,
    names: Names,
    *,
    until: Annotated[str, typer.Option(help="The day on which they speak again, 2026-12-01.")],
    why: Why,
    who: Who = None,
    workspace: Folder = HERE,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Let findings be quiet until a day.

    Example: attribution findings snooze mrd-gpu-17 --until 2026-12-01 --why "moves in November" -w sample_bills
    """
    _say(_workspace(context, workspace), names, _Said("snooze", why, who, as_of, until), as_json=as_json)


_command(
    "resolve",
    """Say that findings are dealt with; one that is still found 14 days later opens again.

    Example: attribution findings resolve mrd-gpu-17 --why "released on November 6" --workspace sample_bills
    """,
)
_command(
    "reopen",
    """Take back what was said of findings.

    Example: attribution findings reopen mrd-gpu-17 --why "not released after all" --workspace sample_bills
    """,
)


@group.command("export")
def export_(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(help="A file that ends in .csv, .json or .parquet.")],
    workspace: Folder = HERE,
    *,
    as_json: AsJson = False,
) -> None:
    """Write all findings to a file, with their states.

    Example: attribution findings export findings.csv --workspace sample_bills
    """
    from flows.exporting import export_table
    from flows.plain_data import tell

    rows = export_table(_workspace(context, workspace).store, "findings", to)
    tell({"rows": rows, "file": to}, f"{counted(rows, 'row')} written to {to}", as_json=as_json)


@dataclass(frozen=True)
class _Said:
    """What the words of a command say of findings."""

    verb: Verb
    why: str
    who: str | None
    as_of: str | None
    until: str = ""


def _say(workspace: Workspace, names: list[str], said: _Said, *, as_json: bool) -> None:
    from attribution.ledger import Action
    from flows.finding_life import act, read_day, somebody
    from flows.questions import show as show_rows
    from flows.running import now
    from flows.terminal import read_instant

    at = read_instant(said.as_of) or now()
    day = read_day(said.until, at.date()) if said.until else None
    action = Action(said.verb, said.who if said.who is not None else somebody(), said.why, day)
    show_rows(act(workspace, names, action, at), as_json=as_json)


def _workspace(context: typer.Context, folder: Path) -> Workspace:
    """The workspace named after the subcommand, else before it."""
    before = context.parent.params.get("workspace", HERE) if context.parent else HERE
    return load(before if folder == HERE else folder)
