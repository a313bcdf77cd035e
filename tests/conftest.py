"""What holds for every test: how long one example may take is never judged, for machines are not alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell the house's figures where its laws were tested."""
    if any("test_house" in report.nodeid for report in terminalreporter.stats.get("passed", ())):
        import test_house  # noqa: PLC0415 - known once pytest has found it

        terminalreporter.write_line(f"the house: {test_house.figures()}")
