"""docs/extending.md is followed in a copy of the package, and what it adds is used on a workspace."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STEP = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, at `(?P<line>[^`]+)`):\n\n```\w+\n(?P<text>.*?)```",
    re.MULTILINE | re.DOTALL,
)
WORKSPACE = {
    "attribution.toml": """
currency = "USD"
[inputs]
resources = "resources.csv"
[[source]]
name = "nodes"
path = "bills/*.csv"
""",
    "rules.toml": """
[dimension.project]
tags = ["project"]
[dimension.owner]
tags = ["owner"]
[[rule]]
name = "nodes of atlas"
assign = { project = "atlas" }
when = { ResourceId = { ends_with = "-a" } }
[[rule]]
name = "nodes of orion"
assign = { project = "orion" }
when = { ResourceId = { ends_with = "-o" } }
[[rule]]
name = "fees"
assign = { project = "shared" }
when = { ChargeCategory = "Purchase" }
[[split]]
name = "fees to the largest"
when = { project = "shared" }
across = "project"
by = "largest"
""",
    "bills/2026-10.csv": """customer,node,gpu_model,kind,from,until,gpu_hours,amount_usd
77,gn-1-a,H200,use,2026-10-03T00:00:00Z,2026-10-04T00:00:00Z,192,614.40
77,gn-2-o,H200,use,2026-10-03T00:00:00Z,2026-10-04T00:00:00Z,96,307.2000000001
77,,,fee,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,,100
""",
    "resources.csv": """resource_id,resource_type,image_id,created_at
gn-1-a,instance,,2026-08-01T00:00:00Z
gn-2-o,instance,image-7,2026-08-01T00:00:00Z
""",
}


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with every step of the page done, and a workspace beside it that was run."""
    root = tmp_path_factory.mktemp("extended")
    for room in ("schemas", "attribution", "flows"):
        shutil.copytree(ROOT / room, root / room, ignore=shutil.ignore_patterns("__pycache__"))
    steps = list(STEP.finditer((ROOT / "docs" / "extending.md").read_text(encoding="utf-8")))
    assert len(steps) == 9
    for step in steps:
        if step["new"]:
            (root / step["new"]).write_text(step["text"], encoding="utf-8")
            continue
        file = root / step["old"]
        text = file.read_text(encoding="utf-8")
        assert text.count(f"{step['line']}\n") == 1, f"{step['old']} has no single line {step['line']!r}"
        file.write_text(text.replace(f"{step['line']}\n", step["text"]), encoding="utf-8")
    for name, text in WORKSPACE.items():
        file = root / "costs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    attribution(root, "run", "--as-of", "2026-11-05T06:00:00Z")
    return root


def attribution(root: Path, *words: str) -> str:
    program = "from flows.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words, "-w", "costs"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def asked(root: Path, query: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(attribution(root, "sql", query, "--json"))
    return rows


def test_the_reader_the_condition_and_the_split_of_the_page_work_together(extended: Path) -> None:
    rows = asked(extended, "SELECT project, sum(EffectiveCost) AS cost FROM costs GROUP BY ALL ORDER BY ALL")
    assert [(row["project"], row["cost"]) for row in rows] == [
        ("atlas", "714.400000000000"),
        ("orion", "307.200000000100"),
        ("shared", "0.000000000000"),
    ]


def test_the_detector_of_the_page_tells_its_machine_alone(extended: Path) -> None:
    rows = asked(extended, "SELECT subject, verdict FROM findings WHERE kind = 'machine_without_image'")
    assert rows == [{"subject": "gn-1-a", "verdict": "finding"}]
