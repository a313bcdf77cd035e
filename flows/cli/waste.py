"""The command `attribution waste`: the way of waste to action, and the plan of what is due. It never acts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import HERE, AsJson, AsOf, Folder, app, load

group = typer.Typer(rich_markup_mode=None, no_args_is_help=True)
app.add_typer(group, name="waste")


@group.callback()
def waste() -> None:
    """Lead findings of waste on their way to action, which is never taken here.

    Example: attribution waste path --workspace sample_bills
    """


@group.command()
def path(workspace: Folder = HERE, *, as_json: AsJson = False) -> None:
    """List findings of waste with their step (mark, warn, due, exempt) and its dates.

    Example: attribution waste path --workspace sample_bills
    """
    from flows.questions import show
    from flows.reclaiming import waste_path

    show(waste_path(load(workspace).store), as_json=as_json)


@group.command()
def plan(
    to: Annotated[Path, typer.Argument(help="A folder for plan.csv and policies.yml.")],
    workspace: Folder = HERE,
    as_of: AsOf = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Write a reclaim plan of what is due: a CSV, and policies for Cloud Custodian as a dry run. Nothing is done.

    Example: attribution waste plan reclaim --workspace sample_bills
    """
    from flows.plain_data import tell
    from flows.reclaiming import write_plan
    from flows.running import now
    from flows.terminal import read_instant

    moment = read_instant(as_of) or now()
    written = write_plan(load(workspace), to, moment.date())
    planned = written.plan.filter("planned").height
    left = written.plan.height - planned
    said = f"{planned} planned, {left} left out, each with its reason, in {written.folder}"
    tell(written, said, as_json=as_json)
