"""`python -m flows.cli`, where the command is not installed."""

from __future__ import annotations

from flows.cli import main

main()
