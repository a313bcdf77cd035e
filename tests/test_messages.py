"""Every message that a user can get is listed in docs/messages.md, with the situation that causes it."""

from __future__ import annotations

import re

from message_sites import ROOT, plain, sites

PAGE = ROOT / "docs" / "messages.md"
ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
HEADS = {("message", "it comes when"), ("---", "---")}
INSIDE_WORDS = re.compile(
    r"(?i)\b(null|none type|dataframe|traceback|exception|polars|pandera|lazyframe|schema|dtype)\b"
)


def listed() -> list[tuple[str, str]]:
    rows = [(plain(message), when) for message, when in ROW.findall(PAGE.read_text(encoding="utf-8"))]
    return [row for row in rows if row not in HEADS]


def test_each_message_is_listed_with_its_cause_and_no_other_is() -> None:
    said = {text for text in sites() if re.search(r"[^\W\d_]{2}", text) or text == "…: …"}
    messages = {message for message, _ in listed()}
    assert sorted(said - messages) == [], "say in docs/messages.md when they come"
    assert sorted(messages - said) == [], "nothing says them any more"
    assert all(len(when.split()) > 1 for _, when in listed())


def test_messages_are_in_plain_words() -> None:
    broken = PAGE.read_text(encoding="utf-8").partition("## Broken laws")[2]
    ours = {plain(message) for message, _ in ROW.findall(broken)}
    jargon = [message for message, _ in listed() if message not in ours and INSIDE_WORDS.search(message)]
    shouting = [message for message, _ in listed() if message.endswith("!") or re.match(r"[A-Z][a-z]+ [a-z]", message)]
    assert (jargon, shouting) == ([], [])
