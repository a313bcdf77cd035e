"""A small company whose names try to be something else than names; for tests of the explorer."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from small_workspace import AS_OF, attribution, charge, workspace

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
