"""Bills that need the source's word, from the settings to what analysts read: mapped columns, and clocks."""

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


def test_a_day_of_beijing_stays_that_day_in_a_workspace_of_another_zone(tmp_path: Path) -> None:
    head = "账期,账号ID,产品Code,产品,消费类型,账单开始时间,账单结束时间,实例ID,应付金额"
    day = "202609,0019,ecs,云服务器 ECS,后付费,2026-09-01 00:00:00,2026-09-02 00:00:00,i-1,24.5"
    hour = "202609,0019,ecs,云服务器 ECS,后付费,2026-09-01 05:00:00,2026-09-01 06:00:00,i-1,1"
    (tmp_path / "bill.csv").write_text(f"{head}\n{day}\n{hour}\n", encoding="utf-8")
    source = '[[source]]\nname = "aliyun"\npath = "*.csv"\n'
    (tmp_path / "attribution.toml").write_text(f'currency = "CNY"\n{source}', encoding="utf-8")
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    asked = attribution("run", "-w", tmp_path, "--as-of", AS_OF)
    assert asked.code == 2
    assert 'format = "alibaba"' in asked.err
    (tmp_path / "attribution.toml").write_text(f'currency = "CNY"\n{source}format = "alibaba"\n', encoding="utf-8")
    assert attribution("run", "-w", tmp_path, "--as-of", AS_OF).code == 0
    sql = "SELECT usage_date::VARCHAR, billing_month::VARCHAR, EffectiveCost FROM costs ORDER BY usage_date"
    assert rows(tmp_path, sql) == [
        ("2026-08-31", "2026-09-01", Decimal(1)),  # an hour is an instant: 21:00 of the day before in UTC
        ("2026-09-01", "2026-09-01", Decimal("24.5")),
    ]


def rows(root: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(root / "ledger" / "costs.duckdb"), read_only=True) as con:
        return con.execute(sql).fetchall()
