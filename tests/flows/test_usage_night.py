"""Usage through the night: published by day, replaced each run, its rejects told, and no cent moved by it."""

from __future__ import annotations

import json
from pathlib import Path

from small_workspace import AS_OF, TOML, attribution, charge, published, workspace

from attribution.ledger import query

USAGE = f'{TOML}\n[inputs]\nusage = "usage/*"\n'
ASKED = "SELECT usage_date::VARCHAR, resource_id, namespace, pod, measure, quantity::VARCHAR FROM usage ORDER BY ALL"


def say(root: Path, gpu_hours: object) -> None:
    window = {"start": "2026-10-03T00:00:00Z", "end": "2026-10-04T00:00:00Z"}
    said = {"node": "i-1", "namespace": "ns", "pod": "p-0"}
    one = {"properties": said, "window": window, "gpuHours": gpu_hours, "totalCost": 1000}
    (root / "usage").mkdir(exist_ok=True)
    (root / "usage/day.json").write_text(json.dumps([{"p": one}]), encoding="utf-8")


def test_usage_is_published_and_replaced_and_costs_stay_as_they_are(tmp_path: Path) -> None:
    root = workspace(tmp_path, [charge(), charge("2026-10-04", "7.25")])
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    without = published(root)
    assert without["usage"] == []
    (root / "attribution.toml").write_text(USAGE, encoding="utf-8")
    say(root, 7.5)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert query(root / "ledger", ASKED).rows() == [("2026-10-03", "i-1", "ns", "p-0", "gpu_hours", "7.500000000000")]
    assert published(root, "usage") == {name: rows for name, rows in without.items() if name != "usage"}
    say(root, "lots")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert query(root / "ledger", ASKED).is_empty()
    assert "gpuHours" in attribution("rejects", "-w", root).out


def test_a_wrong_file_stops_the_run_and_says_what_it_needs(tmp_path: Path) -> None:
    root = workspace(tmp_path, [charge()], USAGE)
    (root / "usage").mkdir()
    (root / "usage/export.csv").write_text("Date,Namespace,Pod,GPUs\n2026-10-03,ns,p,1\n", encoding="utf-8")
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 2
    assert "usage/export.csv" in ended.err
    assert "names no node" in ended.err
