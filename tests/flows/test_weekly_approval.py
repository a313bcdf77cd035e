"""Who may be sent mail, how many at once, once more on purpose, and what a SIGKILL between the two notes leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mail_kit import EVERYBODY, PEOPLE, Mailbox, attributed_workspace, mail_server, ready, states, weekly
from small_workspace import AS_OF

from attribution.ledger import query

WITHOUT_DRAWING = """
import sys
import attribution.reports.mail, flows.reporting
attribution.reports.mail._charts = lambda _report: ()
flows.reporting.render_page = lambda _report: ""
"""
DIES_BEFORE_THE_SECOND_NOTE = """
import os, signal, flows.mailing
flows.mailing._record = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""
RUN = """
from flows.cli import main
main()
"""


@pytest.fixture(autouse=True)
def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attribution.reports.mail._charts", lambda _report: ())
    monkeypatch.setattr("flows.reporting.render_page", lambda _report: "<html></html>")


@pytest.fixture(scope="module")
def attributed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return attributed_workspace(tmp_path_factory.mktemp("approval") / "attributed")


def eml(root: Path, folder: str) -> list[Path]:
    return sorted((root / "ledger" / "reports").rglob(f"{folder}/*.eml"))


def said(text: str) -> str:
    return " ".join(text.split())


def test_the_first_run_is_a_preview_until_somebody_approves(attributed: Path, tmp_path: Path) -> None:
    box = Mailbox()
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        first = weekly(root)
        assert box.mails == []
        assert states(root) == dict.fromkeys(EVERYBODY, "preview")
        approved = weekly(root, "--approve")
        again = weekly(root)
    assert (first.code, approved.code, again.code) == (2, 0, 0)
    assert "Nobody has approved the recipients yet" in said(first.out)
    assert "attribution weekly --approve" in said(first.out)
    assert len(eml(root, "preview")) == 4
    assert box.addresses == EVERYBODY
    assert set(states(root).values()) == {"sent"}


@pytest.mark.parametrize(
    ("people", "told"),
    [
        (PEOPLE + '"orion" = ["new@example.com"]\n', "owner=orion now also goes to new@example.com"),
        (PEOPLE.replace("tomas@", "thomas@"), "owner=tomas now also goes to thomas@example.com"),
        (PEOPLE.replace('"ghost" = ["ghost@example.com"]\n', ""), "owner=ghost no longer goes to ghost@example.com"),
    ],
)
def test_a_run_after_recipients_changed_is_a_preview(attributed: Path, tmp_path: Path, people: str, told: str) -> None:
    box = Mailbox()
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        assert weekly(root, "--approve").code == 0
        settings = root / "attribution.toml"
        settings.write_text(settings.read_text().replace(PEOPLE, people), encoding="utf-8")
        changed = weekly(root)
        assert box.addresses == EVERYBODY
        assert (changed.code, weekly(root, "--approve").code, weekly(root).code) == (2, 0, 0)
    assert told in said(changed.out)
    assert set(box.addresses) - set(EVERYBODY) == {
        address for address in ("new@example.com", "thomas@example.com") if address in people
    }
    assert len(box.addresses) == len(set(box.addresses))


def test_a_dry_run_writes_files_and_changes_nothing(attributed: Path, tmp_path: Path) -> None:
    box = Mailbox()
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        assert weekly(root, "--dry-run").code == 0
        first = [file.read_bytes() for file in eml(root, "preview")]
        assert weekly(root, "--dry-run").code == 0
    assert (len(first), box.mails, states(root)) == (4, [], {})
    assert [file.read_bytes() for file in eml(root, "preview")] == first
    assert weekly(root, "--dry-run", "--approve").code == 2


def test_a_run_sends_so_many_mails_and_the_next_one_goes_on(attributed: Path, tmp_path: Path) -> None:
    box = Mailbox()
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port, people="[report]\nmax_mails = 3\n" + PEOPLE)
        first = weekly(root, "--approve")
        assert (first.code, len(box.mails)) == (2, 3)
        assert sorted(states(root).values()) == ["sent", "sent", "sent", "waiting"]
        assert weekly(root).code == 0
    assert box.addresses == EVERYBODY


def test_a_mail_goes_once_more_on_purpose_and_as_the_same_one(attributed: Path, tmp_path: Path) -> None:
    box = Mailbox()
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        assert weekly(root, "--approve").code == 0
        assert weekly(root, "--again", "mira@example.com").code == 0
        stranger = weekly(root, "--again", "nobody@example.com")
    assert box.addresses == sorted([*EVERYBODY, "mira@example.com"])
    assert len({mail for address, mail in box.mails if address == "mira@example.com"}) == 1
    assert stranger.code == 2
    assert "nobody receives a report at nobody@example.com" in stranger.err


@contextmanager
def subprocess_weekly(root: Path, code: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    words = ["weekly", "-w", str(root), "--as-of", AS_OF, *more]
    with subprocess.Popen(
        [sys.executable, "-c", WITHOUT_DRAWING + code + RUN, *words],
        cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as child:  # fmt: skip
        yield child


def test_a_kill_while_the_server_takes_a_mail_neither_repeats_nor_forgets_one(attributed: Path, tmp_path: Path) -> None:
    children: list[subprocess.Popen[str]] = []
    box = Mailbox(lambda: os.kill(children[0].pid, signal.SIGKILL) if len(box.mails) == 2 else None)
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        with subprocess_weekly(root, "", "--approve") as child:
            children.append(child)
            assert child.wait(60) == -signal.SIGKILL
        killed_at = box.mails[1][0]
        second = weekly(root)
    assert box.addresses == EVERYBODY
    assert second.code == 2
    assert f"attribution weekly --again {killed_at}" in said(second.out)
    assert states(root) == dict.fromkeys(EVERYBODY, "sent") | {killed_at: "doubtful"}


def test_a_kill_between_the_two_notes_leaves_a_doubt_also_where_an_earlier_try_failed(
    attributed: Path, tmp_path: Path
) -> None:
    box = Mailbox()
    box.refused = set(EVERYBODY)
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        assert weekly(root, "--approve").code == 2
        assert set(states(root).values()) == {"failed"}
        box.refused.clear()
        with subprocess_weekly(root, DIES_BEFORE_THE_SECOND_NOTE) as child:
            assert child.wait(60) == -signal.SIGKILL
        assert len(box.mails) == 1
        (taken, _), *_ = box.mails
        assert weekly(root).code == 2
        assert box.addresses == EVERYBODY
        assert states(root)[taken] == "doubtful"
        assert weekly(root, "--again", taken).code == 0
    assert box.addresses.count(taken) == 2
    assert set(states(root).values()) == {"sent"}


def test_what_became_of_a_mail_is_published_with_reason_and_tries(attributed: Path, tmp_path: Path) -> None:
    box = Mailbox()
    box.refused.add("mira@example.com")
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        weekly(root, "--approve")
    rows = query(root / "ledger", "SELECT recipient, state, attempts, error, reference FROM deliveries ORDER BY 1")
    told = {row[0]: row[1:] for row in rows.rows()}
    assert told["mira@example.com"][:3] == ("failed", 1, "the server said 550 no such person")
    assert told["tomas@example.com"][:3] == ("sent", 1, None)
    assert len({row[3] for row in told.values()}) == 4
