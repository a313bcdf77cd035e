"""Crash anywhere, run again: what is published is as if nothing had happened. Real kills, no mocks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_workspace import AS_OF, RULES, TOML, attribution, bill_text, charge, published, workspace

from attribution.ledger import read_published

RUNNER = Path(__file__).with_name("crash_runner.py")
HOUSE = Path(__file__).parents[2]
SPLIT = '\n[[split]]\nname = "s"\nwhen = { project = "shared" }\nacross = ["project"]\nby = "cost"\n'
REROLLED = '\n[[rule]]\nname = "r"\nwhen = { PricingUnit = "x" }\nassign = { project = "p" }\n'
# Where in a night it is cut, as parts of a whole.
MOMENTS = (0.45, 0.9)


def night(folder: Path, step: int, *function: str) -> tuple[int, int]:
    """Exit code of a night killed before a step, of all or of one function, and how many steps it had if none."""
    ended = subprocess.run(
        [sys.executable, str(RUNNER), str(folder), AS_OF, str(step), *function],
        env=os.environ | {"PYTHONPATH": str(HOUSE)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.returncode, int(ended.stdout) if ended.stdout else 0


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that ran once, then got a newer delivery of its month and rules that need another roll-up."""
    root = workspace(tmp_path_factory.mktemp("crash") / "before", toml=TOML + 'delivery = "snapshot"\n')
    september = [charge("2026-09-03"), charge("2026-09-04", "7", project="shared", owner="")]
    (root / "bills" / "september.csv").write_text(bill_text(september), encoding="utf-8")
    (root / "rules.toml").write_text(RULES + SPLIT, encoding="utf-8")
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    (root / "bills" / "october-20261104.csv").write_text(
        bill_text([charge(cost="11"), charge("2026-10-04", "7", project="new")]), encoding="utf-8"
    )
    (root / "rules.toml").write_text(RULES + SPLIT + REROLLED, encoding="utf-8")
    return root


def test_a_night_killed_at_any_moment_is_made_good_by_the_next(before: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    shutil.copytree(before, whole)
    code, steps = night(whole, 0)
    assert code == 0
    assert steps > 50
    expected = published(whole)
    for moment in MOMENTS:
        cut = tmp_path / f"cut-{moment}"
        shutil.copytree(before, cut)
        assert night(cut, int(steps * moment))[0] == -9
        ended = attribution("run", "-w", cut, "--as-of", AS_OF)
        assert ended.code in (0, 2), ended.err
        told = published(cut)
        assert [name for name in expected if told[name] != expected[name]] == [], moment
        with read_published(cut / "ledger") as file:
            messages = file.frame("SELECT message FROM runs WHERE status = 'failed'").to_series().to_list()
        assert set(messages) <= {"cut off before its end"}  # none where the run had not begun, or had ended
        assert not list((cut / "ledger").rglob("*.writing*"))


def test_pruning_killed_at_any_moment_is_made_good_by_the_next(tmp_path: Path) -> None:
    root = workspace(tmp_path / "before", toml=TOML + 'delivery = "snapshot"\nshrink = 1\n')
    for cost in ("1", "2", "3", "4"):  # October is over, so the two in between may go once nobody reads them
        (root / "bills" / "october.csv").write_text(bill_text([charge(cost=cost)]), encoding="utf-8")
        if cost != "4":
            assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    whole = tmp_path / "whole"
    shutil.copytree(root, whole)
    steps = night(whole, 0, "prune")[1]
    assert steps > 10
    expected = published(whole)
    kept = len(list((whole / "ledger" / "charges").iterdir()))
    assert kept == 3  # the first, the one that the file published before counts, the last
    for moment in (0.4, 0.7, 0.95):
        cut = tmp_path / f"cut-{moment}"
        shutil.copytree(root, cut)
        assert night(cut, int(steps * moment), "prune")[0] == -9
        with read_published(cut / "ledger") as file:  # as readers have it who saw nothing of this night
            read = file.frame(
                "SELECT part_id FROM book.parts JOIN book.bill_parts USING (part_no) JOIN book.bills USING (bill_no) "
                "WHERE superseded_run IS NULL"
            )
        assert all((cut / "ledger" / "charges" / part).is_dir() for (part,) in read.rows())
        assert attribution("run", "-w", cut, "--as-of", AS_OF).code == 0
        told = published(cut)
        assert [name for name in expected if told[name] != expected[name]] == [], moment
        assert len(list((cut / "ledger" / "charges").iterdir())) == kept
