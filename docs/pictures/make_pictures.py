# ruff: noqa: INP001 - a script, not a package
"""Makes the pictures from the product itself: a night and a week of sample_bills, drawn by headless Chromium.

`report.png` is the top of the page for all, `resources.png` its drill-down, opened as far as it goes; `explore.png` is
the explorer with a row that is chosen. `prefect.png` is a page of Prefect's own, taken by hand of a run as
`docs/operations.md` sets it up.

Run it from anywhere with the project's interpreter: `.venv/bin/python docs/pictures/make_pictures.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, Error, sync_playwright

from flows.explorer.serving import HOST
from flows.settings import load_workspace
from flows.steps import nightly, weekly

HERE = Path(__file__).parent
AS_OF = datetime(2026, 11, 5, 6, tzinfo=UTC)
# Wide enough for four cards in a row, and as high as the end of the budgets.
SIZE = {"width": 1000, "height": 745}
EXPLORED = "period=2026-10&by=project&by=stage&row=aurora-7b&row=sft"
EXPLORER_SIZE = {"width": 1180, "height": 1400}
PORT = 8599
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def draw(page: Path, root: Path) -> None:
    """Draw the top of a page, the part that goes down to the resource, and the explorer of a workspace."""
    browser = next(found for found in map(shutil.which, BROWSERS) if found)
    with sync_playwright() as play:
        window = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        explore(window, root)
        shown = window.new_page(viewport=SIZE, device_scale_factor=1.5)
        shown.goto(page.as_uri())
        shown.screenshot(path=HERE / "report.png")
        tree = shown.locator(".block", has=shown.locator(".tree"))
        tree.get_by_role("combobox", name="Project").select_option("aurora-7b")
        tree.locator("details.experiment:visible > summary").first.click()
        shown.mouse.move(0, 0)
        tree.screenshot(path=HERE / "resources.png")
        window.close()


def explore(window: Browser, root: Path) -> None:
    """Draw the explorer."""
    words = [sys.executable, "-m", "flows.cli", "explore", "-w", root.name, "--port", str(PORT)]
    paths = os.environ | {"PYTHONPATH": str(HERE.parents[1])}
    with subprocess.Popen(words, cwd=root.parent, env=paths) as served:  # noqa: S603 - our own command
        shown = window.new_page(viewport=EXPLORER_SIZE, device_scale_factor=1.25)
        for _ in range(100):
            with suppress(Error):
                shown.goto(f"http://{HOST}:{PORT}/?{EXPLORED}")
                break
            shown.wait_for_timeout(200)
        shown.wait_for_selector("text=attribution explain")
        shown.wait_for_timeout(3_000)  # the table and the chart are drawn after all else
        shown.screenshot(path=HERE / "explore.png")
        served.terminate()


def main() -> None:
    """Run the night and the week over a copy of the sample, and draw the report for all."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        root = scratch / "sample_bills"
        shutil.copytree(HERE.parents[1] / "sample_bills", root, ignore=shutil.ignore_patterns("ledger", "__pycache__"))
        workspace = load_workspace(root)
        nightly(workspace, AS_OF)
        (_, page), *_ = weekly(workspace, AS_OF).pages
        draw(page, root)


if __name__ == "__main__":
    main()
