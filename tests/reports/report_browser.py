"""A real browser for pages: Debian's Chromium, driven by Playwright; what a page asks for is counted and refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
SITE = "http://report.test/"


@contextmanager
def shown(
    browser: Browser,
    html: str,
    *,
    width: int = 1280,
    wrong: list[str] | None = None,
    **options: Any,  # noqa: ANN401 - the browser's
) -> Iterator[Page]:
    """A page in a window of its own. Afterwards: it asked for nothing, and `wrong` has its errors, else had it none."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    asked: list[str] = []
    expected, wrong = wrong is not None, [] if wrong is None else wrong

    def answer(route: Any) -> None:  # noqa: ANN401 - the browser's
        if route.request.url == SITE:
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        else:
            asked.append(route.request.url)
            route.abort()

    context.route("**", answer)
    context.set_default_timeout(5_000)
    page = context.new_page()
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"error {error}"))
    page.on("console", lambda said: wrong.append(f"console {said.text}"))
    page.goto(SITE)
    yield page
    context.close()
    assert not asked, asked
    assert expected or not wrong, wrong


def complaints(page: Page, *rules: str) -> list[str]:
    """What axe-core finds serious or critical, with the places; all rules unless some are named."""
    # The page's own policy forbids added scripts, so the checker comes in through the debugger.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    asked = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = page.evaluate("(asked) => axe.run(document, asked)", asked)["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
