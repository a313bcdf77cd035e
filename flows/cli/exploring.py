"""The command `attribution explore`."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import HERE, Folder, app, load


@app.command()
def explore(
    workspace: Folder = HERE,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; no other address is served.", min=1, max=65535)] = 8501,
) -> None:
    """Explore the published file in a browser: choose days, dimensions and filters, chart, table, findings, reasons.

    It reads only, and never waits for a run. It needs the extra `explore`, and says how to install it.

    Example: attribution explore --workspace sample_bills
    """
    from flows.explorer.serving import serve

    serve(load(workspace), port)
