"""A small company whose names try to be something else than names; for tests of the explorer."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

from small_workspace import AS_OF, attribution, charge, workspace

from flows.explorer.serving import HOST

HOUSE = Path(__file__).parents[2]

SCRIPT = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
MARKDOWN = "**bold** [link](http://elsewhere.example) `code` | # :smile: :red[red] $x^2$"
FORMULA = '=HYPERLINK("http://elsewhere.example")'
LINES = "two\nlines\tand \u202eright to left"
LONG = "long-" + "x" * 300
PROJECTS = (SCRIPT, MARKDOWN, FORMULA, LINES, LONG, "atlas", "orion", "gone")

Row = tuple[str, str, str, str, str]
"""Day, amount, project, currency, resource; a blank amount is unknown, a blank resource none."""
ROWS: list[Row] = [
    *((f"2026-10-{day:02d}", f"{100 * number}.{day:02d}0000000001", name, "USD", f"i-{number}")
      for number, name in enumerate(PROJECTS[:7], 1) for day in (3, 4, 20)),
    ("2026-09-03", "5.5", "atlas", "USD", "i-6"),
    ("2026-09-10", "7.25", "gone", "USD", "i-8"),
    ("2026-10-05", "", "orion", "USD", "i-7"),
    ("2026-10-31", "-12.000000000003", "atlas", "USD", ""),
    ("2026-10-31", "900", "atlas", "CNY", "i-6"),
    ("2026-11-01", "3", "orion", "USD", "i-7"),
    ("2026-11-02", "4", "orion", "USD", "i-7"),
]  # fmt: skip


def make(root: Path) -> Path:
    """A workspace of these rows after one night."""
    rows = [
        charge(day, amount, project=name, BillingCurrency=code, ResourceId=resource, EffectiveCost=amount,
               BilledCost=amount or "0")
        for day, amount, name, code, resource in ROWS
    ]  # fmt: skip
    assert attribution("run", "-w", workspace(root, rows), "--as-of", AS_OF).code == 0
    return root


def summed(first: str, last: str, code: str = "USD", **having: str) -> Decimal:
    """The sum of ROWS of some days, of a currency, and of a project or resource, by itself."""
    return sum(
        (Decimal(amount) for day, amount, name, currency, resource in ROWS
         if amount and first <= day <= last and currency == code
         and having.get("project", name) == name and having.get("resource", resource) == resource),
        Decimal(0),
    )  # fmt: skip


@contextmanager
def served(root: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, serving: its process, and its address once it answers there."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "flows.cli", "explore", "-w", str(root), "--port", str(port)]
    with subprocess.Popen(words, cwd=HOUSE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as started:
        try:
            address = f"http://{HOST}:{port}"
            _wait_for(started, address)
            yield started, address
        finally:
            started.kill()


def _wait_for(started: subprocess.Popen[str], address: str) -> None:
    for _ in range(600):
        assert started.poll() is None, started.stdout and started.stdout.read()
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):  # noqa: S310 - our own address
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(address)
