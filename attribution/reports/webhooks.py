"""Findings as a webhook takes them, signed where a secret is given, sent with retries.

An attempt that surely did not arrive is made again; one that broke off after the request went out is `doubtful`,
because a second one could arrive twice.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit

from attribution.reports.figures import label, with_currency
from schemas.workspace import Webhook

ATTEMPTS = 4
_PAUSE = 2.0  # seconds before the second attempt, doubled before each further one
_LINES = 20
_TOLD = ("kind", "subject", "owner", "project", "severity", "state", "verdict", "confidence", "evidence")
_GREAT = 500
_TOO_MANY = 429


@dataclass(frozen=True)
class Sent:
    """What became of a request."""

    outcome: Literal["sent", "failed", "doubtful"]
    attempts: int
    error: str = ""


def body_of(hook: Webhook, findings: Sequence[Mapping[str, Any]], as_of: datetime) -> bytes:
    """What is sent: findings as JSON with money as text, or one message as Slack takes it."""
    if hook.format == "slack":
        return json.dumps({"text": _message(findings, as_of)}, ensure_ascii=False).encode()
    told = [
        {
            "id": row["fingerprint"],
            **{name: row[name] for name in _TOLD},
            "cost_at_stake": None if row["cost_at_stake"] is None else f"{row['cost_at_stake']:f}",
            "currency": row["BillingCurrency"],
            "first_seen": row["first_seen"].isoformat(),
        }
        for row in findings
    ]
    return json.dumps({"version": 1, "as_of": as_of.isoformat(), "findings": told}, ensure_ascii=False).encode()


def _message(findings: Sequence[Mapping[str, Any]], as_of: datetime) -> str:
    lines = [f"*{len(findings)} new findings, {as_of:%Y-%m-%d}*"]
    for row in findings[:_LINES]:
        cost: Decimal | None = row["cost_at_stake"]
        money = (
            f", {with_currency(cost, row['BillingCurrency'])}" if cost is not None and row["BillingCurrency"] else ""
        )
        lines.append(f"• {row['severity']}: {row['kind'].replace('_', ' ')}, {row['owner']}{money}: {row['evidence']}")
    if len(findings) > _LINES:
        lines.append(f"... and {len(findings) - _LINES} more (attribution findings)")
    return "\n".join(_escaped(label(line, 1000)) for line in lines)


def _escaped(text: str) -> str:
    """A tag is text: `<` would begin a link or mention."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def headers_of(body: bytes, secret: str | None, at: datetime) -> dict[str, str]:
    """Headers: what it is, a name by which a receiver knows the same again, and the signature of time and body."""
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "cost-attribution",
        "X-Attribution-Delivery": hashlib.sha256(body).hexdigest()[:32],
    }
    if secret:
        stamp = str(int(at.timestamp()))
        digest = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        headers |= {"X-Attribution-Timestamp": stamp, "X-Attribution-Signature": f"sha256={digest}"}
    return headers


def send(
    url: str, body: bytes, headers: Mapping[str, str], timeout: float, pause: Callable[[float], None] = time.sleep
) -> Sent:
    """Post a body; a server that is away, or asks for patience (429, 5xx), is tried again with growing pauses."""
    wait = _PAUSE
    for attempt in range(1, ATTEMPTS + 1):
        again, done = _attempt(url, body, headers, timeout, attempt)
        if not again or attempt == ATTEMPTS:
            return done
        pause(wait)
        wait *= 2
    raise AssertionError  # every way out of the last attempt returns


def _attempt(url: str, body: bytes, headers: Mapping[str, str], timeout: float, attempt: int) -> tuple[bool, Sent]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return False, Sent("failed", attempt, "the address is no http or https address")
    client: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        client = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=context)
    else:
        client = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    try:
        try:
            client.connect()
        except ssl.SSLCertVerificationError as error:
            return False, Sent("failed", attempt, f"the server's certificate is not trusted: {error.verify_message}")
        except OSError as error:
            return True, Sent("failed", attempt, f"no connection: {error.strerror or error}")
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            client.request("POST", path, body, dict(headers))
            status = client.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            reason = f"the connection broke after the request went out; it may have arrived ({type(error).__name__})"
            return False, Sent("doubtful", attempt, reason)
    finally:
        client.close()
    if http.client.OK <= status < http.client.MULTIPLE_CHOICES:
        return False, Sent("sent", attempt)
    return status == _TOO_MANY or status >= _GREAT, Sent("failed", attempt, f"the server said {status}")
