"""Sending, against a real SMTP server on loopback: AUTH, STARTTLS, refusals, broken connections, no second mail."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from email.message import EmailMessage
from typing import Any

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from attribution.reports.deliver import DeliveryResult, Letter, deliver
from attribution.reports.period import Period
from schemas.faults import InputError
from schemas.workspace import Smtp

HOST = "127.0.0.1"
WEEK = Period(date(2026, 10, 26), date(2026, 11, 1))
PASSWORD = "correct horse"  # noqa: S105 - of a server that lives for one test


class Box:
    """Keeps what was taken; refuses one recipient for ever and another one once."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, str, bytes]] = []
        self.busy = 1

    async def handle_RCPT(self, _server, _session, envelope, address, _options) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001, N802
        if address.startswith("gone"):
            return "550 no such person"
        if address.startswith("busy") and self.busy:
            self.busy -= 1
            return "450 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001, N802
        if envelope.rcpt_tos[0].startswith("slow"):
            await asyncio.sleep(1)
        self.mails += [(envelope.mail_from, address, envelope.content) for address in envelope.rcpt_tos]
        return "250 taken"


def letter(recipient: str) -> Letter:
    message = EmailMessage()
    message["From"] = "costs@example.com"
    message["To"] = recipient
    message["Message-ID"] = f"<{recipient}>"
    message.set_content("Hello\n.\nstill the same mail\n")
    return Letter("owner=mira", WEEK, recipient, message)


class Ledger:
    """The two-phase table of deliveries, as the caller keeps it."""

    def __init__(self) -> None:
        self.sent: set[tuple[str, Period, str]] = set()
        self.log: list[str] = []

    def before(self, one: Letter) -> bool:
        self.log.append(f"before {one.recipient}")
        return (one.report, one.period, one.recipient) not in self.sent

    def after(self, result: DeliveryResult) -> None:
        self.log.append(f"after {result.recipient} {result.outcome}")
        if result.outcome == "sent":
            self.sent.add((result.report, result.period, result.recipient))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(box: Box, **options: Any) -> Iterator[int]:  # noqa: ANN401 - options of aiosmtpd
    port = free_port()
    controller = Controller(box, hostname=HOST, port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def guarded(authority: trustme.CA) -> dict[str, Any]:
    """Options of a server that asks for STARTTLS, then for a password."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)

    def check(_server: object, _session: object, _envelope: object, _way: str, login: object) -> AuthResult:
        right = isinstance(login, LoginPassword) and (login.login, login.password) == (b"costs", PASSWORD.encode())
        return AuthResult(success=right, handled=False)

    return {"tls_context": context, "require_starttls": True, "authenticator": check, "auth_required": True}


def test_a_mail_goes_out_over_starttls_with_a_password(authority: trustme.CA) -> None:
    box, ledger = Box(), Ledger()
    with server(box, **guarded(authority)) as port:
        smtp = Smtp(HOST, port, user="costs", password_env="MAIL_PASSWORD", timeout=5)  # noqa: S106 - a name
        [result] = deliver(
            [letter("mira@example.com")], smtp, ledger.before, ledger.after, password=PASSWORD, tls=trusting(authority)
        )
    assert (result.outcome, result.attempts, result.error) == ("sent", 1, "")
    [(sender, recipient, content)] = box.mails
    assert (sender, recipient) == ("costs@example.com", "mira@example.com")
    assert b"still the same mail" in content
    assert ledger.log == ["before mira@example.com", "after mira@example.com sent"]


def test_a_wrong_password_fails_at_once_and_is_not_told(authority: trustme.CA) -> None:
    box, ledger = Box(), Ledger()
    with server(box, **guarded(authority)) as port:
        smtp = Smtp(HOST, port, user="costs", timeout=5)
        [result] = deliver(
            [letter("mira@example.com")], smtp, ledger.before, ledger.after, password="hunter2", tls=trusting(authority)  # noqa: S106
        )  # fmt: skip
    assert (result.outcome, result.attempts) == ("failed", 1)
    assert "535" in result.error
    assert "hunter2" not in repr(result)
    assert box.mails == []


def test_a_stranger_with_another_certificate_gets_nothing(authority: trustme.CA) -> None:
    box, ledger = Box(), Ledger()
    with server(box, **guarded(authority)) as port:
        smtp = Smtp(HOST, port, user="costs", timeout=5)
        [result] = deliver(
            [letter("a@example.com")], smtp, ledger.before, ledger.after, password=PASSWORD, tls=trusting(trustme.CA())
        )
    assert (result.outcome, result.attempts) == ("failed", 1)
    assert "certificate is not trusted" in result.error


def test_a_server_without_starttls_is_not_spoken_to_in_the_clear() -> None:
    box, ledger = Box(), Ledger()
    with server(box) as port:
        [result] = deliver([letter("a@example.com")], Smtp(HOST, port, timeout=5), ledger.before, ledger.after)
    assert result.outcome == "failed"
    assert "STARTTLS" in result.error
    assert box.mails == []


def test_mail_over_tls_from_the_first_byte(authority: trustme.CA) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    box, ledger = Box(), Ledger()
    with server(box, ssl_context=context) as port:
        smtp = Smtp(HOST, port, security="tls", timeout=5)
        [result] = deliver(
            [letter("a@example.com")], smtp, ledger.before, ledger.after, tls=trusting(authority)
        )  # fmt: skip
    assert result.outcome == "sent"


def test_a_second_run_sends_nothing_twice_and_one_failure_stops_nobody_else() -> None:
    box, ledger = Box(), Ledger()
    waits: list[float] = []
    people = [letter(name) for name in ("gone@example.com", "busy@example.com", "mira@example.com")]
    with server(box) as port:
        smtp = Smtp(HOST, port, security="none", timeout=5)
        first = deliver(people, smtp, ledger.before, ledger.after, pause=waits.append)
        second = deliver(people, smtp, ledger.before, ledger.after, pause=waits.append)
    assert [(one.outcome, one.attempts) for one in first] == [("failed", 1), ("sent", 2), ("sent", 1)]
    assert "550 no such person" in first[0].error
    assert [one.outcome for one in second] == ["failed", "skipped", "skipped"]
    assert [recipient for _, recipient, _ in box.mails] == ["busy@example.com", "mira@example.com"]
    assert waits == [2.0]
    assert not any(line.startswith("after") and "skipped" in line for line in ledger.log)


def test_nobody_listening_is_tried_again_with_longer_waits_once() -> None:
    ledger = Ledger()
    waits: list[float] = []
    smtp = Smtp(HOST, free_port(), security="none", timeout=5)
    results = deliver(
        [letter("a@example.com"), letter("b@example.com")], smtp, ledger.before, ledger.after, pause=waits.append
    )
    assert [(one.outcome, one.attempts) for one in results] == [("failed", 4), ("failed", 1)]
    assert waits == [2.0, 4.0, 8.0]
    assert "no connection" in results[0].error


class Rude(threading.Thread):
    """A server that hangs up: at its `rounds` first connections when it hears `word`, then it takes mail."""

    def __init__(self, word: bytes, rounds: int) -> None:
        super().__init__(daemon=True)
        self.word, self.rounds, self.taken, self.connections = word, rounds, 0, 0
        self.socket = socket.create_server((HOST, 0))
        self.port = int(self.socket.getsockname()[1])

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection, connection.makefile("rwb") as stream:
                self.talk(stream, rude=self.connections <= self.rounds)

    def talk(self, stream, *, rude: bool) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        stream.write(b"220 here\r\n")
        stream.flush()
        inside = False  # of the message
        for line in stream:
            word = line.strip().upper()[:4]
            if inside and word != b".":
                continue
            if rude and word == self.word:
                return
            self.taken += inside
            inside = word == b"DATA"
            stream.write({b"DATA": b"354 go on", b"QUIT": b"221 bye"}.get(word, b"250 OK") + b"\r\n")
            stream.flush()


@contextmanager
def rude(word: bytes, rounds: int) -> Iterator[Rude]:
    thread = Rude(word, rounds)
    thread.start()
    try:
        yield thread
    finally:
        thread.socket.shutdown(socket.SHUT_RDWR)
        thread.socket.close()
        thread.join(5)


def test_a_connection_dropped_before_the_mail_was_handed_over_is_tried_again() -> None:
    ledger = Ledger()
    waits: list[float] = []
    with rude(b"RCPT", 2) as there:
        smtp = Smtp(HOST, there.port, security="none", timeout=5)
        [result] = deliver([letter("a@example.com")], smtp, ledger.before, ledger.after, pause=waits.append)
    assert (result.outcome, result.attempts) == ("sent", 3)
    assert there.taken == 1


def test_a_connection_dropped_after_the_mail_was_handed_over_is_doubtful_and_never_repeated() -> None:
    ledger = Ledger()
    waits: list[float] = []
    with rude(b".", 1) as there:
        smtp = Smtp(HOST, there.port, security="none", timeout=5)
        [result] = deliver([letter("a@example.com")], smtp, ledger.before, ledger.after, pause=waits.append)
    assert (result.outcome, result.attempts) == ("doubtful", 1)
    assert "may have arrived" in result.error
    assert there.connections == 1


def test_a_silent_server_does_not_hold_the_run_for_ever() -> None:
    with socket.create_server((HOST, 0)) as silent:
        smtp = Smtp(HOST, int(silent.getsockname()[1]), security="none", timeout=0.2)
        [result] = deliver([letter("a@example.com")], smtp, Ledger().before, Ledger().after, pause=lambda _: None)
    assert result.outcome == "failed"


def test_a_server_that_falls_silent_with_the_mail_in_hand_leaves_a_doubt_and_the_next_mail_goes() -> None:
    box, ledger = Box(), Ledger()
    with server(box) as port:
        smtp = Smtp(HOST, port, security="none", timeout=0.2)
        people = [letter("slow@example.com"), letter("mira@example.com")]
        results = deliver(people, smtp, ledger.before, ledger.after)
    assert [(one.outcome, one.attempts) for one in results] == [("doubtful", 1), ("sent", 1)]
    assert "may have arrived" in results[0].error


def test_a_password_is_asked_for_and_never_sent_in_the_clear() -> None:
    one = [letter("a@example.com")]
    with pytest.raises(InputError, match="MAIL_PASSWORD"):
        deliver(one, Smtp("mail.example.com", user="x", password_env="MAIL_PASSWORD"), bool, print)  # noqa: S106
    with pytest.raises(InputError, match="unprotected"):
        deliver(one, Smtp("mail.example.com", security="none", user="x"), bool, print, password=PASSWORD)
