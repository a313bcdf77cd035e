"""`attribution detect --fail-on`: each gate from both sides of its limit, and words that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_workspace import AS_OF, TOML, attribution, charge, workspace


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Atlas grew by half from September to October, to 465; i-9 is untagged, 310 in October."""
    rows = [charge(f"2026-{month:02}-{day:02}", cost) for month, cost, last in ((9, "10", 30), (10, "15", 31))
            for day in range(1, last + 1)]  # fmt: skip
    rows += [charge(f"2026-{month:02}-{day:02}", "10", project="", owner="", ResourceId="i-9")
             for month, last in ((9, 30), (10, 31)) for day in range(1, last + 1)]  # fmt: skip
    made = workspace(tmp_path_factory.mktemp("gates") / "w", rows, TOML)
    assert attribution("run", "-w", made, "--as-of", AS_OF).code == 0
    return made


def gate(root: Path, *texts: str) -> tuple[int, str, str]:
    words = [word for text in texts for word in ("--fail-on", text)]
    ended = attribution("detect", "--as-of", AS_OF, *words, "-w", root)
    return ended.code, ended.out, ended.err


def test_without_a_gate_it_only_detects(root: Path) -> None:
    code, out, _ = gate(root)
    assert code == 0
    assert "findings" in out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("growth", 1),
        ("new", 0),
        ("growth>49.999999%", 1),
        ("growth>50%", 0),
        ("growth>=50%", 1),
        ("growth>=50.000001 %", 0),
        ("untagged_resource>309.99", 1),
        ("untagged_resource>310", 0),
        ("untagged_resource >= 310", 1),
        ("budget_breached", 0),
        ("severity>=medium", 1),
        ("severity>medium", 0),
        ("severity>=high", 0),
        ("any>464.99", 1),
        ("total>1e6", 0),
        ("total>700", 1),
    ],
)
def test_each_gate_holds_up_to_its_limit(text: str, code: int, root: Path) -> None:
    found, out, _ = gate(root, text)
    assert found == code, out
    assert (f"\n{text}: " in out) == bool(code)


def test_several_gates_are_all_told(root: Path) -> None:
    code, out, _ = gate(root, "new", "growth>20%", "untagged_resource")
    assert code == 1
    assert [line.split(":")[0] for line in out.splitlines()[1:]] == ["growth>20%", "untagged_resource"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("growht>20%", 'nothing is called "growht"'),
        ("growth>lots", '"lots" is no amount'),
        ("growth=20%", "is no gate"),
        ("severity", "names no limit"),
        ("severity>=bad", "is no severity"),
        ("budget_warned>20%", "is no amount"),
        ("", "is no gate"),
    ],
)
def test_a_gate_that_is_none_ends_with_code_2(text: str, said: str, root: Path) -> None:
    code, _, err = gate(root, text)
    assert code == 2
    assert said in err


def test_what_somebody_knows_of_stops_no_script(root: Path) -> None:
    assert attribution("findings", "ack", "i-9", "--why", "ours", "--who", "mira", "-w", root).code == 0
    assert gate(root, "untagged_resource")[0] == 0


def test_before_the_first_night_there_is_nothing_to_judge(tmp_path: Path) -> None:
    code, _, err = gate(workspace(tmp_path / "w"), "growth")
    assert code == 2
    assert "attribution run" in err
