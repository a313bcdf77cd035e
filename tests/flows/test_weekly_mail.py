"""`attribution weekly` to a real SMTP server on loopback: each their own mail, nothing twice, whatever happens."""

from __future__ import annotations

import email
import shutil
import ssl
from email.policy import default
from pathlib import Path

import pytest
import trustme
from aiosmtpd.smtp import AuthResult, LoginPassword
from mail_kit import EVERYBODY, HOST, PEOPLE, Mailbox, attributed_workspace, mail_server, ready, states, weekly
from small_workspace import TOML

from flows import mailing

SECRET = "correct horse"  # noqa: S105 - of a server that lives for one test


@pytest.fixture(autouse=True)
def without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than all the rest, and is tested with the reports."""
    monkeypatch.setattr("attribution.reports.mail._charts", lambda _report: ())
    monkeypatch.setattr("flows.reporting.render_page", lambda _report: "<html></html>")


@pytest.fixture(scope="module")
def attributed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return attributed_workspace(tmp_path_factory.mktemp("mail") / "attributed")


def test_mails_go_through_starttls_and_login_and_only_once(
    attributed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("COSTS_PASSWORD", SECRET)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)

    def login(_server: object, _session: object, _envelope: object, _way: str, data: object) -> AuthResult:
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"costs", SECRET.encode())
        return AuthResult(success=right)

    box = Mailbox()
    options = {"tls_context": context, "require_starttls": True, "auth_required": True, "authenticator": login}
    with mail_server(box, **options) as port:
        root = ready(attributed, tmp_path / "w", port, 'user = "costs"\npassword_env = "COSTS_PASSWORD"\n')
        first = weekly(root, "--approve")
        second = weekly(root)
    assert (first.code, second.code) == (0, 0), first.out
    assert first.out.count("sent") == 4
    assert "skipped" in second.out
    assert "sent by an earlier run" in second.out
    assert sorted(address for address, _ in box.mails) == EVERYBODY
    assert set(states(root).values()) == {"sent"}
    told = {address: email.message_from_bytes(content, policy=default) for address, content in box.mails}
    mira = told["mira@example.com"].get_body(("plain",))
    assert mira is not None
    assert "atlas" in mira.get_content()
    assert "orion" not in mira.get_content()
    assert "tomas" not in mira.get_content()
    assert SECRET not in first.out + first.err + second.out


def test_a_refused_mail_is_tried_again_by_the_next_run(attributed: Path, tmp_path: Path) -> None:
    box = Mailbox()
    box.refused.add("mira@example.com")
    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        first = weekly(root, "--approve")
        box.refused.clear()
        second = weekly(root)
    assert (first.code, second.code) == (2, 0)
    assert "the server said 550 no such person" in " ".join(first.out.split())
    assert [address for address, _ in box.mails].count("mira@example.com") == 1
    assert len(box.mails) == 4


def test_a_mail_left_planned_by_a_crash_is_told_and_not_sent_again(
    attributed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = Mailbox()

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with mail_server(box) as port:
        root = ready(attributed, tmp_path / "w", port)
        with monkeypatch.context() as patch:
            patch.setattr(mailing, "_record", cut)
            assert weekly(root, "--approve").code == 130
        assert len(box.mails) == 1
        (first, _), *_ = box.mails
        second = weekly(root)
        third = weekly(root)
    assert sorted(address for address, _ in box.mails) == EVERYBODY
    assert (second.code, third.code) == (2, 0)
    assert "it may have arrived, so it is not sent again" in " ".join(second.out.split())
    assert "doubtful" in second.out
    assert states(root)[first] == "doubtful"


def test_a_server_that_nobody_reaches_leaves_the_reports_and_says_so(
    attributed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("attribution.reports.deliver.ATTEMPTS", 1)
    with mail_server(Mailbox()) as port:
        pass
    root = ready(attributed, tmp_path / "w", port)
    ended = weekly(root, "--approve")
    assert ended.code == 2
    assert ended.out.count("no connection") == 4
    assert len(list((root / "ledger" / "reports").rglob("report.html"))) == 4
    assert set(states(root).values()) == {"failed"}


def test_a_missing_password_is_told_before_anything_is_sent(attributed: Path, tmp_path: Path) -> None:
    root = ready(attributed, tmp_path / "w", 25, 'user = "costs"\npassword_env = "NOBODY_SET_THIS"\n')
    ended = weekly(root, "--approve")
    assert ended.code == 2
    assert "Set the variable NOBODY_SET_THIS" in ended.err


def test_without_a_server_mails_are_left_as_files(attributed: Path, tmp_path: Path) -> None:
    root = tmp_path / "w"
    shutil.copytree(attributed, root)
    (root / "attribution.toml").write_text(TOML + PEOPLE, encoding="utf-8")
    first = weekly(root)
    assert (first.code, first.out.count("filed")) == (0, 4)
    files = sorted((root / "ledger" / "reports").rglob("*.eml"))
    content = [file.read_bytes() for file in files]
    assert weekly(root).code == 0
    assert sorted((root / "ledger" / "reports").rglob("*.eml")) == files
    assert [file.read_bytes() for file in files] == content
    assert len(files) == 4
