"""The command itself, and the options that several of its commands have."""

from __future__ import annotations

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
AcceptShrink = Annotated[
    list[str] | None,
    typer.Option(help="A source, or all: its deliveries that make a bill fall are right. May be given more than once."),
]
HERE = Path()


def load(folder: Path) -> Workspace:
    """The workspace of a folder."""
    from flows.settings import load_workspace

    return load_workspace(folder)
