"""`attribution findings` as people and scripts use it, and what attribution.toml says of findings."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from small_workspace import AS_OF, TOML, attribution, charge, workspace

from flows.finding_life import in_short
from flows.questions import fitting
from flows.terminal import wide

LAST = "2026-11-05T09:00:00Z"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rows = [charge(f"2026-10-{day:02}", "200", project="", owner="", ResourceId=one) for day in range(1, 32)
            for one in ("i-1", "i-22")]  # fmt: skip
    made = workspace(tmp_path / "w", rows)
    assert attribution("run", "-w", made, "--as-of", AS_OF).code == 0
    return made


def listed(root: Path, *words: str) -> list[dict[str, Any]]:
    ended = attribution("findings", *words, "--json", "-w", root)
    assert ended.code == 0
    rows: list[dict[str, Any]] = json.loads(ended.out)
    return rows


def test_the_plain_command_lists_as_list_does(root: Path) -> None:
    assert listed(root) == listed(root, "list")
    assert {row["subject"] for row in listed(root)} >= {"i-1", "i-22"}
    assert {row["severity"] for row in listed(root, "--kind", "untagged_resource")} == {"high"}


def test_what_is_said_is_seen_at_once_and_stays_over_nights(root: Path) -> None:
    said = attribution("findings", "ack", "i-1", "--why", "ours", "--who", "mira", "--as-of", LAST, "-w", root)
    assert said.code == 0
    assert "acknowledged" in said.out
    told = attribution("findings", "-w", root, "snooze", "i-22", "--until", "2026-11-20", "--why", "later",
                       "--who", "mira", "--as-of", LAST)  # fmt: skip
    assert told.code == 0
    for _ in range(2):
        states = {row["subject"]: row["state"] for row in listed(root, "--state", "every")}
        assert (states["i-1"], states["i-22"]) == ("acknowledged", "snoozed")
        assert "i-22" not in {row["subject"] for row in listed(root)}
        assert "1 snoozed" in attribution("findings", "-w", root).out
        assert attribution("run", "-w", root, "--as-of", "2026-11-06T06:00:00Z").code == 0
    shown = json.loads(attribution("findings", "show", "i-1", "--json", "-w", root).out)
    assert [(one["action"], one["who"], one["why"]) for one in shown["actions"]] == [("ack", "mira", "ours")]


def test_the_gate_counts_what_nobody_knows_of_yet(root: Path) -> None:
    assert attribution("findings", "--kind", "untagged_resource", "--gate", "6199.99", "-w", root).code == 1
    assert attribution("findings", "--kind", "untagged_resource", "--gate", "6200", "-w", root).code == 0
    attribution("findings", "ack", "i-1", "i-22", "--why", "ours", "--who", "mira", "-w", root)
    assert attribution("findings", "--kind", "untagged_resource", "--gate", "0", "-w", root).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ack", "i-3", "--why", "x"], 'no finding "i-3"'),
        (["ack", "i-1", "nobody", "--why", "x"], 'no finding "nobody"'),
        (["ack", "i-1", "--why", " "], "--why: is blank"),
        (["ack", "i-1", "--why", "x", "--who", ""], "--who: is blank"),
        (["snooze", "i-1", "--why", "x", "--until", "soon"], '"soon" is no day'),
        (["snooze", "i-1", "--why", "x", "--until", "2026-11-05"], "is not after 2026-11-05"),
        (["--kind", "untaged_resource"], 'Did you mean "untagged_resource"?'),
    ],
    ids=str,
)
def test_a_wrong_word_changes_nothing_and_ends_with_code_2(words: list[str], said: str, root: Path) -> None:
    clock = ["--as-of", LAST] if len(words) > 2 else []
    ended = attribution("findings", *words, *clock, "-w", root)
    assert ended.code == 2
    assert said in ended.err
    assert attribution("sql", "SELECT count(*) AS n FROM finding_actions", "--json", "-w", root).out.split() == [
        "[", "{", '"n":', "0", "}", "]",
    ]  # fmt: skip


def test_an_id_names_a_finding_by_its_first_letters(root: Path) -> None:
    (one,) = (row for row in listed(root) if row["subject"] == "i-1")
    assert attribution("findings", "show", one["id"][:5], "-w", root).code == 0
    assert attribution("findings", "show", one["id"][:3], "-w", root).code == 2


def test_a_suppression_of_the_settings_expires(tmp_path: Path) -> None:
    rule = '[[suppress]]\nkind = "untagged_resource"\nsubject = "i-*"\nuntil = 2026-11-07\nbecause = "moving"\n'
    rows = [charge(f"2026-10-{day:02}", "200", project="", owner="") for day in range(1, 32)]
    root = workspace(tmp_path / "w", rows, TOML + rule)
    states = []
    for day in (5, 6, 7):
        assert attribution("run", "-w", root, "--as-of", f"2026-11-0{day}T06:00:00Z").code == 0
        (one,) = listed(root, "--kind", "untagged_resource", "--state", "every")
        states.append((one["state"], one["until"]))
    assert states == [("suppressed", "2026-11-07"), ("suppressed", "2026-11-07"), ("open", None)]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[suppress]]\nuntil = 2026-11-07\nbecause = "x"\n', "would suppress everything"),
        ('[[suppress]]\nkind = "x"\nbecause = "x"\n', '"until" is missing'),
        ('[[suppress]]\nkind = "x"\nuntil = 2026-11-07\n', '"because" is missing'),
        ('[[suppress]]\nkinds = "x"\nuntil = 2026-11-07\nbecause = "x"\n', 'unknown setting "kinds"'),
        ("[severity]\nhigh = 20_000\n", "must fall from critical over high to medium"),
    ],
    ids=str,
)
def test_wrong_settings_are_told_in_their_place(toml: str, said: str, tmp_path: Path) -> None:
    ended = attribution("check", "-w", workspace(tmp_path / "w", toml=TOML + toml))
    assert ended.code == 2
    assert said in ended.err


def test_reports_leave_out_what_is_snoozed_and_keep_what_is_acknowledged(root: Path) -> None:
    attribution("findings", "snooze", "i-22", "--until", "2026-12-24", "--why", "later", "--who", "mira", "-w", root)
    attribution("findings", "ack", "i-1", "--why", "ours", "--who", "mira", "-w", root)
    shown = attribution("report", "-w", root).out
    assert "untagged resource: i-1" in shown
    assert "untagged resource: i-22" not in shown


def test_what_could_not_be_judged_is_not_called_severe() -> None:
    rows = pl.DataFrame(
        [row("i-1", "finding"), row("i-2", "undetermined"), row("growth", None)], schema=list(row("", None))
    )
    shown = in_short(rows)
    assert shown.get_column("severity").to_list() == ["critical", "undetermined", "critical"]


def test_a_narrow_terminal_does_without_words_and_never_without_money(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = in_short(pl.DataFrame([row("i-1", "finding")]))
    for width in range(40, 260, 20):
        monkeypatch.setattr(wide, "width", width)
        names = fitting(shown, ("evidence", "first_seen", "state")).columns
        assert names == [name for name in shown.columns if name in names]
        assert {"id", "kind", "subject", "owner", "cost_at_stake", "currency", "severity"} <= set(names)
        assert ("evidence" in names) <= ("first_seen" in names) <= ("state" in names)
    assert names == shown.columns


def row(subject: str, verdict: str | None) -> dict[str, Any]:
    return {
        "id": "0123abcd", "kind": "idle_by_utilization", "subject": subject, "owner": "mira",
        "cost_at_stake": Decimal("17909.894"), "BillingCurrency": "USD", "severity": "critical", "state": "open",
        "first_seen": date(2026, 11, 5), "verdict": verdict, "evidence": "A long sentence. " * 9,
    }  # fmt: skip
