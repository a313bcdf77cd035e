"""Webhooks against a real HTTP server on loopback: what arrives, what is signed, what is tried again."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from attribution.reports.webhooks import ATTEMPTS, body_of, headers_of, send
from schemas.workspace import Webhook

AT = datetime(2026, 11, 5, 6, tzinfo=UTC)


class Receiver:
    """A server that answers with the statuses it is given, one after the other; 0 breaks off without an answer."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        receiver = self

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, dict(self.headers), body))
                status = receiver.statuses.pop(0) if receiver.statuses else 204
                if status:
                    self.send_response(status)
                    self.end_headers()

            def log_message(self, *_: Any) -> None:  # noqa: ANN401
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?team=a"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


def finding(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    row: dict[str, Any] = dict.fromkeys(
        ("project", "state", "verdict", "confidence"), "x"
    ) | {"fingerprint": "f1", "kind": "idle_by_utilization", "subject": "i-1", "owner": "mira", "severity": "high",
         "evidence": "idle <!channel> & dear", "cost_at_stake": Decimal("1234.560000000001"), "BillingCurrency": "USD",
         "first_seen": date(2026, 11, 4)}  # fmt: skip
    return row | more


def test_json_arrives_with_exact_money_and_a_signature_that_holds(receiver: Receiver) -> None:
    body = body_of(Webhook("ops"), [finding(), finding(cost_at_stake=None)], AT)
    headers = headers_of(body, "s3cret", AT)
    done = send(receiver.url, body, headers, 5)
    assert (done.outcome, done.attempts) == ("sent", 1)
    ((path, got, arrived),) = receiver.got
    assert path == "/hook?team=a"
    told = json.loads(arrived)
    assert [one["cost_at_stake"] for one in told["findings"]] == ["1234.560000000001", None]
    assert told["findings"][0]["first_seen"] == "2026-11-04"
    signed = f"{got['X-Attribution-Timestamp']}.".encode() + arrived
    expected = hmac.new(b"s3cret", signed, hashlib.sha256).hexdigest()
    assert got["X-Attribution-Signature"] == f"sha256={expected}"


def test_without_a_secret_there_is_no_signature_and_the_same_body_has_the_same_name() -> None:
    body = body_of(Webhook("ops"), [finding()], AT)
    assert "X-Attribution-Signature" not in headers_of(body, None, AT)
    assert headers_of(body, None, AT) == headers_of(body, None, datetime(2026, 12, 1, tzinfo=UTC))


def test_slack_gets_one_text_in_which_tags_are_text() -> None:
    body = json.loads(body_of(Webhook("ops", format="slack"), [finding()] * 22, AT))
    assert set(body) == {"text"}
    first, second, *_, last = body["text"].split("\n")
    assert first == "*22 new findings, 2026-11-05*"
    assert second == "• high: idle by utilization, mira, 1,234.56 USD: idle &lt;!channel&gt; &amp; dear"
    assert last == "... and 2 more (attribution findings)"


@pytest.mark.parametrize(
    ("statuses", "outcome", "attempts", "error"),
    [
        ([200], "sent", 1, ""),
        ([503, 429, 204], "sent", 3, ""),
        ([500] * ATTEMPTS, "failed", ATTEMPTS, "the server said 500"),
        ([400], "failed", 1, "the server said 400"),
        ([302], "failed", 1, "the server said 302"),
        ([0], "doubtful", 1, "it may have arrived"),
    ],
)
def test_what_may_help_is_tried_again_and_what_may_have_arrived_is_not(
    statuses: list[int], outcome: str, attempts: int, error: str, receiver: Receiver
) -> None:
    receiver.statuses = list(statuses)
    waited: list[float] = []
    done = send(receiver.url, b"{}", {}, 5, waited.append)
    assert (done.outcome, done.attempts, len(receiver.got)) == (outcome, attempts, attempts)
    assert error in done.error
    assert waited == [2.0 * 2**number for number in range(attempts - 1)]


def test_a_server_that_is_away_is_asked_again_and_then_given_up() -> None:
    waited: list[float] = []
    done = send("http://127.0.0.1:9/", b"{}", {}, 2, waited.append)
    assert (done.outcome, done.attempts, len(waited)) == ("failed", ATTEMPTS, ATTEMPTS - 1)
    assert "no connection" in done.error
