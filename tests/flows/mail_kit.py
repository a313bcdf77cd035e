"""A real SMTP server on loopback that keeps what it took, and a workspace whose owners get mail from it."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from small_workspace import AS_OF, TOML, attribution, charge, workspace

from attribution.ledger import query

HOST = "127.0.0.1"
PEOPLE = """
[report.recipients]
"mira" = ["mira@example.com"]
"tomas" = ["tomas@example.com"]
"ghost" = ["ghost@example.com"]
"all" = ["boss@example.com"]
"""
EVERYBODY = [f"{name}@example.com" for name in ("boss", "ghost", "mira", "tomas")]


class Mailbox:
    """Keeps what was taken; refuses whom it is told to; tells `on_taken` before it answers."""

    def __init__(self, on_taken: Callable[[], None] = lambda: None) -> None:
        self.mails: list[tuple[str, bytes]] = []
        self.refused: set[str] = set()
        self.on_taken = on_taken

    @property
    def addresses(self) -> list[str]:
        return sorted(address for address, _ in self.mails)

    async def handle_RCPT(self, _server, _session, envelope, address, _options) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001, N802
        if address in self.refused:
            return "550 no such person"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server, _session, envelope) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001, N802
        self.mails += [(address, envelope.content) for address in envelope.rcpt_tos]
        self.on_taken()
        return "250 taken"


@contextmanager
def mail_server(box: Mailbox, **options: Any) -> Iterator[int]:  # noqa: ANN401 - options of aiosmtpd
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    controller = Controller(box, hostname=HOST, port=port, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


def attributed_workspace(folder: Path) -> Path:
    """A workspace with a whole week of two owners' money, after its night."""
    rows = [charge(f"2026-10-{day:02}") for day in range(1, 32)]
    rows += [charge(f"2026-10-{day:02}", "200", ResourceId="i-2", project="orion", owner="tomas") for day in (27, 28)]
    root = workspace(folder, rows)
    assert attribution("run", "-w", root, "--as-of", AS_OF).code == 0
    return root


def ready(attributed: Path, folder: Path, port: int, more: str = 'security = "none"\n', people: str = PEOPLE) -> Path:
    shutil.copytree(attributed, folder)
    smtp = f'[report.smtp]\nhost = "{HOST}"\nport = {port}\ntimeout = 5\n{more}'
    (folder / "attribution.toml").write_text(TOML + people + smtp, encoding="utf-8")
    return folder


def states(root: Path) -> dict[str, str]:
    attribution("publish", "-w", root)
    return dict(query(root / "ledger", "SELECT recipient, state FROM deliveries").rows())


def weekly(root: Path, *more: str) -> Any:  # noqa: ANN401 - how a command ended
    return attribution("weekly", "-w", root, "--as-of", AS_OF, *more)
