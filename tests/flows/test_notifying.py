"""New findings to webhooks over nights: each once, none twice after a crash, and a failing hook fails no night."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_workspace import AS_OF, TOML, attribution, charge, workspace

from attribution.reports.webhooks import Sent
from flows import notifying

HOOK = '[[webhook]]\nname = "ops"\nurl = "http://127.0.0.1:9/"\nkinds = ["untagged_resource"]\n'
NEXT = "2026-11-06T06:00:00Z"


class Wire:
    """In the place of `send`: remembers what goes, and answers as it is told."""

    def __init__(self) -> None:
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.answer = Sent("sent", 1)

    def __call__(self, _url: str, body: bytes, headers: dict[str, str], _timeout: float) -> Sent:
        self.bodies.append(json.loads(body))
        self.headers.append(headers)
        return self.answer

    def subjects(self) -> list[list[str]]:
        return [sorted(one["subject"] for one in body["findings"]) for body in self.bodies]


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    made = Wire()
    monkeypatch.setattr(notifying, "send", made)
    return made


def company(root: Path, toml: str = HOOK, names: tuple[str, ...] = ("i-1",)) -> Path:
    rows = [charge(f"2026-10-{day:02}", "200", project="", owner="", ResourceId=one) for day in range(1, 32)
            for one in names]  # fmt: skip
    return workspace(root / "w", rows, TOML + toml)


def states(root: Path) -> list[Any]:
    sql = "SELECT subject, state, error FROM webhook_deliveries ORDER BY subject"
    return [tuple(one.values()) for one in json.loads(attribution("sql", sql, "--json", "-w", root).out)]


def test_a_finding_goes_once_and_again_only_when_it_reopens(tmp_path: Path, wire: Wire) -> None:
    root = company(tmp_path)
    for night in (AS_OF, AS_OF, NEXT):
        assert attribution("run", "-w", root, "--as-of", night).code == 0
    assert wire.subjects() == [["i-1"]]
    company(tmp_path, names=("i-1", "i-2"))
    assert attribution("run", "-w", root, "--as-of", NEXT).code == 0
    assert wire.subjects()[1:] == [["i-2"]]
    assert [row[:2] for row in states(root)] == [("i-1", "sent"), ("i-2", "sent")]
    attribution("findings", "reopen", "i-1", "--why", "again", "--who", "mira", "-w", root)
    assert attribution("run", "-w", root, "--as-of", NEXT).code == 0
    assert wire.subjects()[2:] == [["i-1"]]


def test_a_failed_hook_fails_no_night_is_told_and_tried_again(tmp_path: Path, wire: Wire) -> None:
    root = company(tmp_path)
    wire.answer = Sent("failed", 4, "the server said 500")
    ended = attribution("run", "-w", root, "--as-of", AS_OF)
    assert ended.code == 0
    assert "webhook ops: 1 findings, failed: the server said 500" in " ".join(ended.err.split())
    assert states(root) == [("i-1", "failed", "the server said 500")]
    wire.answer = Sent("sent", 1)
    assert attribution("run", "-w", root, "--as-of", NEXT).code == 0
    assert states(root) == [("i-1", "sent", None)]


def test_what_may_have_arrived_is_not_sent_again(tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    root = company(tmp_path)

    def die(*_: Any) -> Sent:  # noqa: ANN401
        raise KeyboardInterrupt

    monkeypatch.setattr(notifying, "send", die)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code != 0
    monkeypatch.setattr(notifying, "send", wire)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert wire.bodies == []
    ((subject, state, error),) = states(root)
    assert (subject, state) == ("i-1", "doubtful")
    assert "may have arrived" in error


def test_hooks_choose_and_secrets_come_from_the_environment(
    tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = HOOK + 'secret_env = "HOOK_SECRET"\n'
    root = company(tmp_path, signed + HOOK.replace("ops", "dear") + 'severity = "critical"\n')
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    assert wire.bodies == []  # the one has no secret yet, the other asks for more money
    monkeypatch.setenv("HOOK_SECRET", "s3cret")
    assert attribution("run", "-w", root, "--as-of", NEXT).code == 0
    assert wire.subjects() == [["i-1"]]
    assert wire.headers[0]["X-Attribution-Signature"].startswith("sha256=")
    assert "s3cret" not in "".join(path.read_text("utf-8", "ignore") for path in root.rglob("*.toml"))


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[webhook]]\nname = "a"\n', "needs either url or url_env"),
        ('[[webhook]]\nname = "a"\nurl = "ftp://x"\n', "is no http or https address"),
        (HOOK + HOOK, "holds two called ops"),
        (HOOK + 'severity = "bad"\n', "is not known"),
    ],
    ids=str,
)
def test_wrong_hooks_are_told_in_their_place(toml: str, said: str, tmp_path: Path) -> None:
    ended = attribution("check", "-w", workspace(tmp_path / "w", toml=TOML + toml))
    assert ended.code == 2
    assert said in ended.err
