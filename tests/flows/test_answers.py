"""Answers to a mail: its reference is understood, what is disputed is recorded, shown and settled."""

from __future__ import annotations

import json
from decimal import Decimal
from email import message_from_bytes
from pathlib import Path

import pytest
from mail_kit import PEOPLE, attributed_workspace, weekly
from small_workspace import AS_OF, TOML, attribution

from attribution.ledger import query
from attribution.reports.mail import as_reference, reference_of


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attribution.reports.mail._charts", lambda _report: ())
        patch.setattr("flows.reporting.render_page", lambda _report: "")
        root = attributed_workspace(tmp_path_factory.mktemp("answers") / "w")
        (root / "attribution.toml").write_text(TOML + PEOPLE.replace('"tomas" = ["tomas@example.com"]\n', ""))
        assert weekly(root).code == 0
    return root


@pytest.fixture(scope="module")
def reference(root: Path) -> str:
    return str(query(root / "ledger", "SELECT reference FROM deliveries WHERE report = 'owner=mira'").item())


def test_a_reference_survives_how_people_type_it() -> None:
    reference = reference_of("<0123456789abcdef@example.com>")
    assert as_reference(f" {reference.lower().replace('-', '')} ") == reference
    assert as_reference(reference.replace("0", "O").replace("1", "l")) == reference
    assert [as_reference(text) for text in ("i-1", "mrd-gpu-12", "", "K3QF7-MZX2U")] == [None] * 4


def test_the_mail_names_its_reference_and_where_to_answer(root: Path, reference: str) -> None:
    (file,) = (root / "ledger" / "reports").rglob("mira*.eml")
    mail = message_from_bytes(file.read_bytes())
    assert mail["Reply-To"] == "cost-attribution@localhost"
    told = [
        part.get_payload(decode=True) for part in mail.walk() if part.get_content_type() in ("text/plain", "text/html")
    ]
    assert all(reference.encode() in body for body in told if isinstance(body, bytes))


def test_explain_understands_the_reference(root: Path, reference: str) -> None:
    told = attribution("explain", reference.lower(), "-w", root)
    assert told.code == 0, told.err
    assert f"{reference}: report for owner=mira, 2026-10-26..2026-11-01" in told.out
    assert "63.00 USD  i-1  project=atlas" in told.out
    assert "(bill-tag: tag:owner)" in told.out
    assert "orion" not in told.out
    data = json.loads(attribution("explain", reference, "-w", root, "--json").out)
    assert [Decimal(row["EffectiveCost"]) for row in data["costs"]] == [63]


def test_an_answer_is_recorded_shown_and_settled(root: Path, reference: str) -> None:
    wrong = attribution("dispute", reference, "project=orion", "-w", root)
    assert (wrong.code, "nothing of project=orion stood" in wrong.err) == (2, True)
    assert attribution("dispute", "AAAAA-AAAAA", "project=atlas", "-w", root).code == 2
    for _ in range(2):  # the same answer twice is one
        done = attribution("dispute", reference, "project=atlas", "--says", "moved to tomas", "-w", root)
        assert (done.code, "dispute 1" in done.out) == (0, True), done.err
    (open_one,) = json.loads(attribution("dispute", "--json", "-w", root).out)
    assert (open_one["subject"], open_one["says"]) == ("project=atlas", "moved to tomas")

    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    found = query(root / "ledger", "SELECT subject, owner, cost_at_stake, evidence FROM findings "
                                   "WHERE kind = 'disputed_cost'").rows()  # fmt: skip
    assert found == [("project=atlas", "mira", Decimal("325.5"),
                      "Dispute 1: the reader of the report for owner=mira says: moved to tomas")]  # fmt: skip

    assert attribution("dispute", "--settle", "1", "-w", root).code == 2  # without what was done
    assert attribution("dispute", "--settle", "1", "--says", "rule added", "-w", root).code == 0
    assert attribution("dispute", "--settle", "1", "--says", "again", "-w", root).code == 2
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    states = query(root / "ledger", "SELECT state FROM findings WHERE kind = 'disputed_cost'").to_series().to_list()
    assert states == ["resolved"]
    assert query(root / "ledger", "SELECT state, answer FROM disputes").rows() == [("settled", "rule added")]


def test_an_owner_whom_nobody_writes_to_is_a_finding(root: Path) -> None:
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    found = query(root / "ledger", "SELECT subject, cost_at_stake, evidence FROM findings "
                                   "WHERE kind = 'owner_without_recipient'").rows()  # fmt: skip
    assert [row[:2] for row in found] == [("owner=tomas", Decimal(400))]
    assert "Nobody receives the report of tomas" in found[0][2]
