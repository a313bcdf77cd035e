"""The command `attribution`: the same steps as the flows, without Prefect, and questions to what was published.

Heavy imports come late, inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

from flows.cli import changing as changing
from flows.cli import exploring as exploring
from flows.cli import findings as findings
from flows.cli import rules as rules
from flows.cli import telling as telling
from flows.cli import waste as waste
from flows.cli.options import app as app


def main() -> None:
    """Run a command; a mistake of the user's ends with exit code 2 and a message, one of ours with 3."""
    from flows.terminal import ending_cleanly, leaving

    with leaving(), ending_cleanly():
        app()
