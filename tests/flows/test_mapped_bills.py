"""A bill of a provider that nobody knows: the page's own example, from the settings to what analysts read."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import duckdb
from small_workspace import AS_OF, RULES, attribution

PAGE = (Path(__file__).parents[2] / "docs/providers/generic-csv.md").read_text(encoding="utf-8")


def test_the_pages_example_runs_and_costs_land_on_its_tags(tmp_path: Path) -> None:
    settings, bill, *_ = re.findall(r"^```(?:toml)?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "gpu-cloud").mkdir()
    (tmp_path / "gpu-cloud" / "september.csv").write_text(bill, encoding="utf-8")
    (tmp_path / "attribution.toml").write_text(f'currency = "USD"\n{settings}', encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    ended = attribution("run", "-w", tmp_path, "--as-of", AS_OF)
    assert ended.code == 0, ended.err
    sql = "SELECT project, owner, billing_month::VARCHAR AS month, EffectiveCost FROM costs"
    assert rows(tmp_path, sql) == [("Atlas-7B", "mira", "2026-09-01", Decimal("13248.00"))]
    # Another mapping reads the same file anew, and only the new reading counts.
    (tmp_path / "attribution.toml").write_text(
        f'currency = "USD"\n{settings.replace("Requested by", "Project")}', encoding="utf-8"
    )
    assert attribution("run", "-w", tmp_path, "--as-of", AS_OF).code == 0
    assert rows(tmp_path, sql) == [("Atlas-7B", "Atlas-7B", "2026-09-01", Decimal("13248.00"))]


def rows(root: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(root / "ledger" / "costs.duckdb"), read_only=True) as con:
        return con.execute(sql).fetchall()
