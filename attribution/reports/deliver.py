"""Sending mails one by one. A mail whose fate is unknown is never sent again by itself.

A connection that breaks before the message was handed over is tried again; one that breaks while the server
should say "taken" leaves the mail `doubtful`, because a second try could deliver it twice.
"""

from __future__ import annotations

import smtplib
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Literal

from attribution.reports.period import Period
from schemas.faults import Fault, InputError
from schemas.workspace import Smtp

ATTEMPTS = 4
_PAUSE = 2.0  # seconds before the second attempt, doubled before each further one
_TEMPORARY = range(400, 500)
_READY, _TAKEN = 354, 250
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Letter:
    """One mail to one recipient; (report, period, recipient) is what is never sent twice."""

    report: str
    period: Period
    recipient: str
    message: EmailMessage


@dataclass(frozen=True)
class DeliveryResult:
    """What became of a letter. `doubtful`: it may have arrived; `skipped`: `before` said it was sent already."""

    report: str
    period: Period
    recipient: str
    message_id: str
    outcome: Literal["sent", "failed", "doubtful", "skipped"]
    attempts: int
    error: str = ""


@dataclass(frozen=True, repr=False)
class _Server:
    """Where to, and with what; not printed, since it holds the password."""

    smtp: Smtp
    password: str
    tls: ssl.SSLContext


class _NotTakenError(Exception):
    """The letter was surely not taken; `again` says whether another attempt may help."""

    def __init__(self, reason: str, *, again: bool, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.again = again
        self.unreachable = unreachable


class _DoubtfulError(Exception):
    """The connection broke after the letter was handed over and before the answer."""


def deliver(
    letters: Iterable[Letter],
    smtp: Smtp,
    before: Callable[[Letter], bool],
    after: Callable[[DeliveryResult], None],
    *,
    password: str | None = None,
    tls: ssl.SSLContext | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> list[DeliveryResult]:
    """Send letters, each on a connection of its own, and report on each.

    Args:
        letters: one recipient each.
        smtp: the server.
        before: called ahead of each; it notes the intent and returns False if the letter was sent already.
        after: called with each result, before the next letter is begun.
        password: of `smtp.user`; the caller reads it from the environment.
        tls: certificates to trust; by default those of the machine.
        pause: waits between attempts, in seconds.

    Raises:
        InputError: a password is missing, or would cross a network unprotected. Nothing was sent then.
    """
    _check(smtp, password)
    server = _Server(smtp, password or "", tls or ssl.create_default_context())
    results = []
    attempts = ATTEMPTS
    for letter in letters:
        if before(letter):
            result, unreachable = _send_with_retries(letter, server, pause, attempts)
            # A server that nobody could reach is asked once a letter, so that a dead one does not hold up the run.
            attempts = 1 if unreachable else ATTEMPTS
            after(result)
        else:
            result = _result(letter, "skipped", 0)
        results.append(result)
    return results


def _check(smtp: Smtp, password: str | None) -> None:
    where = f"mail server {smtp.host}"
    if smtp.user and not password:
        hint = f"Set the variable {smtp.password_env}." if smtp.password_env else "State password_env."
        raise InputError(Fault(where, f"user {smtp.user!r} without a password", hint=hint))
    if smtp.user and smtp.security == "none" and smtp.host not in _LOOPBACK:
        hint = 'Set security to "starttls" or "tls".'
        raise InputError(Fault(where, "the password would cross the network unprotected", hint=hint))


def _send_with_retries(
    letter: Letter, server: _Server, pause: Callable[[float], None], attempts: int
) -> tuple[DeliveryResult, bool]:
    wait = _PAUSE
    for attempt in range(1, attempts + 1):
        try:
            _send(letter, server)
        except _NotTakenError as error:
            if not error.again or attempt == attempts:
                return _result(letter, "failed", attempt, str(error)), error.unreachable
            pause(wait)
            wait *= 2
        except _DoubtfulError as error:
            return _result(letter, "doubtful", attempt, str(error)), False
        else:
            return _result(letter, "sent", attempt), False
    raise AssertionError  # every way out of the last attempt returns


def _result(
    letter: Letter, outcome: Literal["sent", "failed", "doubtful", "skipped"], attempts: int, error: str = ""
) -> DeliveryResult:
    message_id = str(letter.message["Message-ID"])
    return DeliveryResult(letter.report, letter.period, letter.recipient, message_id, outcome, attempts, error)


def _send(letter: Letter, server: _Server) -> None:
    """One attempt. Everything up to DATA may be repeated, what comes after may not."""
    try:
        client = _connect(server.smtp, server.tls)
    except OSError as error:  # smtplib's own exceptions are OSErrors too
        raise _refused(error, unreachable=True) from error
    try:
        try:
            if server.smtp.user:
                client.login(server.smtp.user, server.password)
            _expect(client.mail(letter.message["From"].addresses[0].addr_spec))
            _expect(client.rcpt(letter.recipient))
        except OSError as error:
            raise _refused(error) from error
        except UnicodeError as error:  # its text would quote the password
            reason = "user, password and address must be ASCII for this way of sending"
            raise _NotTakenError(reason, again=False) from error
        _hand_over(client, letter.message)
        _leave(client)
    finally:
        client.close()


def _connect(smtp: Smtp, context: ssl.SSLContext) -> smtplib.SMTP:
    client: smtplib.SMTP
    if smtp.security == "tls":
        client = smtplib.SMTP_SSL(smtp.host, smtp.port, timeout=smtp.timeout, context=context)
    else:
        client = smtplib.SMTP(smtp.host, smtp.port, timeout=smtp.timeout)
    try:
        if smtp.security == "starttls":
            client.starttls(context=context)
        client.ehlo_or_helo_if_needed()
    except BaseException:
        client.close()
        raise
    return client


def _hand_over(client: smtplib.SMTP, message: EmailMessage) -> None:
    try:
        code, answer = client.data(message.as_bytes())
    except smtplib.SMTPDataError as error:  # the server would not even begin to listen
        raise _refused(error) from error
    except OSError as error:
        reason = f"the connection broke while the mail was handed over; it may have arrived ({error})"
        raise _DoubtfulError(reason) from error
    if code != _TAKEN:
        raise _refused(smtplib.SMTPResponseException(code, answer))


def _leave(client: smtplib.SMTP) -> None:
    """Say goodbye; the mail is taken whatever the server answers."""
    try:
        client.quit()
    except OSError:
        return


def _expect(answer: tuple[int, bytes]) -> None:
    code, text = answer
    if code not in (_TAKEN, 251):
        raise smtplib.SMTPResponseException(code, text)


def _refused(error: Exception, *, unreachable: bool = False) -> _NotTakenError:
    """A failure before the letter was taken, in words; certificates and final answers are not tried again."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _NotTakenError(f"the server's certificate is not trusted: {error.verify_message}", again=False)
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error
        said = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
        return _NotTakenError(f"the server said {error.smtp_code} {said}", again=error.smtp_code in _TEMPORARY)
    if isinstance(error, smtplib.SMTPServerDisconnected) or not isinstance(error, smtplib.SMTPException):
        return _NotTakenError(f"no connection: {error}", again=True, unreachable=unreachable)
    return _NotTakenError(str(error), again=False)
