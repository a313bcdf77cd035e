"""The explorer as a person uses it, in a real browser: clicks, the address, downloads, and names that mean harm."""

from __future__ import annotations

import csv
import io
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from subprocess import Popen
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from browser_kit import started
from explorer_world import FORMULA, LINES, LONG, MARKDOWN, SCRIPT, served, summed
from small_workspace import attribution

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROW = 35
"""Pixels that a row of a table is high."""
TCP = Path("/proc/net/tcp")
DONE = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


@pytest.fixture(scope="module")
def server(explored: Path) -> Iterator[tuple[Popen[str], str]]:
    with served(explored) as started_at:
        yield started_at


@pytest.fixture
def address(server: tuple[Popen[str], str]) -> str:
    return server[1]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@contextmanager
def looking(browser: Browser, address: str, query: str = "period=2026-10", width: int = 1280) -> Iterator[Page]:
    """A page of the explorer; afterwards nothing went wrong in it, and nobody else was asked for anything."""
    context = browser.new_context(viewport={"width": width, "height": 1400}, accept_downloads=True)
    context.set_default_timeout(30_000)
    asked: list[str] = []
    wrong: list[str] = []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"error {error}"))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.goto(f"{address}/?{query}")
    ready(page)
    yield page
    context.close()
    assert not wrong, wrong
    assert {urlsplit(url).netloc for url in asked if url.startswith("http")} == {urlsplit(address).netloc}


def ready(page: Page) -> None:
    page.wait_for_selector("[data-testid=stHeading]")
    page.wait_for_function(DONE)


def choose_row(page: Page, number: int) -> None:
    """Click the box of a row; tables are drawn, so places are all there is."""
    box = page.get_by_test_id("stDataFrame").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 16, box["y"] + ROW * number + ROW // 2)
    page.wait_for_selector("text=Why")
    page.wait_for_function(DONE)


def told(page: Page) -> str:
    """The reasons that are shown."""
    text: str = page.get_by_test_id("stCode").last.locator("code").inner_text()
    return text


def test_a_click_explains_and_the_address_shows_the_same_to_others(
    browser: Browser, address: str, explored: Path
) -> None:
    with looking(browser, address) as page:
        assert page.get_by_role("heading", name="Oct 2026").is_visible()
        choose_row(page, 1)
        said, shared = told(page), page.url
        assert parse_qs(urlsplit(shared).query) == {"period": ["2026-10"], "row": ["orion"]}
        words = ("--where", "project=orion", "--where", "BillingCurrency=USD", "--month", "2026-10")
        assert said.split() == attribution("explain", *words, "-w", explored).out.split()
        page.get_by_text("Lines", exact=True).click()
        page.wait_for_url("**chart=trend**")
        page.go_back()
        page.wait_for_url(shared)
        ready(page)
        assert told(page) == said
    with looking(browser, address, urlsplit(shared).query, width=768) as page:
        page.wait_for_selector("text=Why")
        page.wait_for_function(DONE)
        assert told(page) == said
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_names_that_mean_harm_are_text_everywhere(browser: Browser, address: str) -> None:
    names = (SCRIPT, MARKDOWN, LINES, LONG)
    query = urlencode([("period", "2026-10"), *(("where", f"project={name}") for name in names), ("row", SCRIPT)])
    with looking(browser, address, query) as page:
        page.wait_for_selector("text=Why")
        page.wait_for_function(DONE)
        assert SCRIPT in told(page)
        chart = page.get_by_test_id("stVegaLiteChart")
        chart.locator(".mark-rect path").first.hover()
        shown = page.locator("#vg-tooltip-element").inner_text()
        assert re.search(r"cost\s+[\d,.]+ USD", shown)
        page.get_by_test_id("stMultiSelect").last.locator("input").click()  # every name as an option
        assert page.get_by_role("option").count() >= 1
        for harm in ("img[src=x]", "a[href*=elsewhere]", "strong:text('bold')", "code:text-is('code')", ".katex"):
            assert page.locator(harm).count() == 0, harm
        assert page.title() == "Costs"


def test_downloads_are_exact_and_safe(browser: Browser, address: str) -> None:
    with looking(browser, address) as page:
        for button in ("Download the table", "Download it by day"):
            with page.expect_download() as download:
                page.get_by_role("button", name=button).click()
            assert re.fullmatch(r"costs-2026-10(-by-day)?\.csv", download.value.suggested_filename)
            text = Path(download.value.path()).read_text(encoding="utf-8-sig")
            rows = list(csv.DictReader(io.StringIO(text)))
            amounts = [Decimal(row["EffectiveCost"]) for row in rows if row["EffectiveCost"]]
            assert sum(amounts, Decimal(0)) == summed("2026-10-01", "2026-10-31")
            assert f"'{FORMULA}" in {row["project"] for row in rows}
        page.get_by_test_id("stDataFrame").hover()  # its own download would write formulas
        bars = page.get_by_test_id("stElementToolbar").filter(has=page.get_by_role("button", name="Search"))
        assert bars.count() == 1
        assert bars.get_by_role("button", name=re.compile("download", re.IGNORECASE)).count() == 0


def test_findings_can_be_chosen_and_explained(browser: Browser, address: str) -> None:
    with looking(browser, address) as page:
        page.get_by_text("Findings", exact=True).click()
        page.wait_for_selector("text=/^[0-9]+ findings?$/")
        page.wait_for_function(DONE)
        choose_row(page, 1)
        said = parse_qs(urlsplit(page.url).query)
        assert said["view"] == ["findings"]
        assert said["finding"][0] in told(page)


@pytest.mark.skipif(not TCP.exists(), reason="asks Linux what listens")
def test_it_serves_this_machine_alone(address: str) -> None:
    port = address.rpartition(":")[2]
    assert [host for host, at in listening() if at == port] == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("name", "status"), [("localhost", "101"), ("127.0.0.1", "101"), ("costs.elsewhere.example", "403")]
)
def test_it_answers_to_its_own_names_alone(address: str, name: str, status: str) -> None:
    host, port = urlsplit(address).netloc.split(":")
    asked = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {name}:{port}\r\nOrigin: http://{name}:{port}\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=30) as line:
        line.sendall(asked.encode())
        assert line.recv(100).decode().split()[1] == status


def test_it_ends_when_it_is_asked_to(server: tuple[Popen[str], str], explored: Path) -> None:
    started, address = server
    started.send_signal(signal.SIGINT)
    said, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert said.startswith(f"Explorer of {explored}: {address} ")
    assert "Traceback" not in said


def listening() -> list[tuple[str, str]]:
    """Hosts and ports that something of this machine listens on."""
    found = []
    for row in TCP.read_text(encoding="ascii").splitlines()[1:]:
        where, _, state = row.split()[1:4]
        if state == "0A":
            host, port = where.split(":")
            found.append((".".join(str(one) for one in reversed(bytes.fromhex(host))), str(int(port, 16))))
    return found
