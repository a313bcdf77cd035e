"""The command `attribution rules`: what the rules do, and what a change of them would do. Nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import HERE, AsJson, Folder, app, load

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(group, name="rules")


@group.callback()
def rules() -> None:
    """Say what the rules do, and what a change of them would do; nothing is written.

    Example: attribution rules lint --workspace sample_bills
    """


@group.command()
def lint(
    workspace: Folder = HERE,
    *,
    strict: Annotated[bool, typer.Option("--strict", help="End with exit code 1 where there is a remark.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say which rules do nothing, come too late or contradict each other, and which splits lose something.

    Example: attribution rules lint --workspace sample_bills
    """
    from flows.plain_data import as_json_text
    from flows.reviewing import lint_rules
    from flows.rule_tables import remarks_text
    from flows.terminal import ABOVE_GATE, print_plain

    remarks = lint_rules(load(workspace))
    print_plain(as_json_text(remarks) if as_json else remarks_text(remarks))
    if remarks and strict:
        raise typer.Exit(ABOVE_GATE)


@group.command()
def diff(
    old: Annotated[Path, typer.Argument(help="A file of rules, or a folder of them.")],
    new: Annotated[Path | None, typer.Argument(help="The other one; without it, the workspace's own rules.")] = None,
    workspace: Folder = HERE,
    *,
    as_json: AsJson = False,
) -> None:
    """Say what other rules would move, by dimension and month; it sums to zero.

    Example: attribution rules diff sample_bills/rules.toml new-rules.toml --workspace sample_bills
    """
    from flows.plain_data import as_json_text
    from flows.reviewing import compare
    from flows.rule_tables import moved_tables
    from flows.terminal import print_plain, terminal

    moved = compare(load(workspace), old, new)
    if as_json:
        print_plain(as_json_text(moved))
    else:
        terminal.print(moved_tables(moved))


@group.command()
def coverage(
    workspace: Folder = HERE,
    dimension: Annotated[str, typer.Option(help="Whose answers and unallocated money to show.")] = "project",
    month: Annotated[str | None, typer.Option(help="Month of usage, for example 2026-10; without it, all.")] = None,
    top: Annotated[int, typer.Option(min=0, help="How many sources of unallocated money to show.")] = 5,
    *,
    toml: Annotated[bool, typer.Option("--toml", help="The proposed rules alone, to be appended to a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say what each rule caught, in money, and propose rules for the largest sources of unallocated money.

    Example: attribution rules coverage --dimension owner --month 2026-10 --workspace sample_bills
    """
    from flows.reviewing import cover
    from flows.rule_tables import coverage_json, coverage_tables, proposals_text
    from flows.terminal import print_plain, read_month, terminal

    found = cover(load(workspace), dimension, read_month(month) if month else None, top)
    if as_json:
        print_plain(coverage_json(found))
        return
    if not toml:
        terminal.print(coverage_tables(found, dimension))
        print_plain(f"\nProposed for the largest sources of money without {dimension}, to be appended to the rules:\n")
    print_plain(proposals_text(found.proposals, dimension))
