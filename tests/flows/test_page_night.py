"""The page of a real night: down to the resource, with the week's sums, and no lead's resources in another's."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from small_workspace import AS_OF, attribution, charge, workspace


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, str]:
    rows = [
        *(charge(f"2026-10-{day}", "1.25", ResourceId="i-mira") for day in range(26, 32)),
        charge("2026-10-20", "3", ResourceId="i-mira"),
        charge("2026-10-27", "40.10", ResourceId="vol-mira", ServiceName="Volumes"),
        charge("2026-10-27", "2.05", ResourceId="", ServiceName="Support"),
        charge("2026-10-28", "200", ResourceId="i-tomas", project="orion", owner="tomas"),
        charge("2026-10-02", "999", ResourceId="i-before", owner="tomas"),
    ]
    root = workspace(tmp_path, rows)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert attribution("weekly", "-w", root, "--as-of", AS_OF).code == 0
    return {page.parent.name: page.read_text(encoding="utf-8") for page in tmp_path.rglob("report.html")}


def leaves(page: str) -> dict[str, list[Decimal]]:
    """Cost and cost before of each resource, in the words of the page."""
    told = re.findall(r'class="line leaf">(.*?)\n</div>', page, flags=re.DOTALL)
    names = [re.findall(r"<bdi[^>]*>(.*?)</bdi>", line) for line in told]
    amounts = [re.findall(r'<span class="n(?: mid)?">(?:<span.*?</span>)?([0-9.,]+)</span>', line) for line in told]
    return {" ".join(name): [Decimal(one) for one in cost[:2]] for name, cost in zip(names, amounts, strict=True)}


def test_the_page_goes_down_to_the_resource_of_the_week(pages: dict[str, str]) -> None:
    mine = {
        "vol-mira Volumes": [Decimal("40.10"), Decimal(0)],
        "i-mira Nodes": [Decimal("7.50"), Decimal(3)],
        "Support billed without a resource": [Decimal("2.05"), Decimal(0)],
    }
    assert leaves(pages["mira"]) == mine
    assert leaves(pages["all"]) == {**mine, "i-tomas Nodes": [Decimal(200), Decimal(0)]}
    assert "49.65" in pages["mira"]
    assert "249.65" in pages["all"]


def test_a_leads_page_names_no_resource_of_others(pages: dict[str, str]) -> None:
    assert "i-tomas" not in pages["mira"]
    assert "orion" not in pages["mira"]
    assert "mira" not in pages["tomas"]
