# ruff: noqa: INP001 - a script, not a package
"""Makes report.png from the product itself: a night and a week of sample_bills, drawn by headless Chromium.

Run it from anywhere with the project's interpreter: `.venv/bin/python docs/pictures/make_pictures.py`.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from flows.settings import load_workspace
from flows.steps import nightly, weekly

HERE = Path(__file__).parent
AS_OF = datetime(2026, 11, 5, 6, tzinfo=UTC)
# Wide enough for four cards in a row, and as high as the end of the budgets.
SIZE = "1000,745"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def draw(page: Path, picture: Path, scratch: Path) -> None:
    """Draw the top of a page."""
    browser = next(found for found in map(shutil.which, BROWSERS) if found)
    flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1.5".split()
    places = [f"--user-data-dir={scratch / 'browser'}", f"--window-size={SIZE}", f"--screenshot={picture}"]
    subprocess.run([browser, *flags, *places, page.as_uri()], check=True, capture_output=True)  # noqa: S603 - our page


def main() -> None:
    """Run the night and the week over a copy of the sample, and draw the report for all."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        root = scratch / "sample_bills"
        shutil.copytree(HERE.parents[1] / "sample_bills", root, ignore=shutil.ignore_patterns("ledger", "__pycache__"))
        workspace = load_workspace(root)
        nightly(workspace, AS_OF)
        (_, page), *_ = weekly(workspace, AS_OF).pages
        draw(page, HERE / "report.png", scratch)


if __name__ == "__main__":
    main()
