"""`attribution explore`: what it needs, where it listens, how it ends."""

from __future__ import annotations

import re
import signal
import socket
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from explorer_world import HOUSE, make, served
from small_workspace import attribution, workspace
from streamlit import config

from flows.explorer import serving

TCP = Path("/proc/net/tcp")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("serving"))


def test_it_says_how_to_install_what_it_needs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "streamlit" else find_spec(name))
    ended = attribution("explore", "-w", root)
    assert ended.code == 2
    assert "needs Streamlit, which is not installed" in ended.err
    assert re.search(rf"Install it with: .*{re.escape(sys.executable)}.* '{re.escape(serving.STREAMLIT)}'", ended.err)
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "pip" else find_spec(name))
    assert serving.install_command().startswith(f"uv pip install --python {sys.executable} ")
    stated = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["project"]["optional-dependencies"]["explore"] == [serving.STREAMLIT]
    assert serving.STREAMLIT in stated["dependency-groups"]["dev"]


def test_it_says_what_to_run_while_nothing_is_published(tmp_path: Path) -> None:
    ended = attribution("explore", "-w", workspace(tmp_path))
    assert ended.code == 2
    assert "Run `attribution run` first." in ended.err


def test_it_says_when_its_port_is_taken(root: Path) -> None:
    with socket.socket() as taken:
        taken.bind((serving.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = attribution("explore", "-w", root, "--port", port)
    assert ended.code == 2
    assert f"--port {port + 1}" in ended.err


def test_every_setting_is_one_that_streamlit_knows() -> None:
    assert [name for name in serving.SETTINGS if name not in config.get_config_options()] == []
    assert serving.SETTINGS["browser.gatherUsageStats"] is False
    assert serving.SETTINGS["server.address"] == "127.0.0.1"


@pytest.mark.skipif(not TCP.exists(), reason="asks Linux what listens")
def test_it_serves_this_machine_alone_and_ends_when_it_is_asked_to(root: Path) -> None:
    with served(root) as (started, address):
        port = address.rpartition(":")[2]
        assert [host for host, at in listening() if at == port] == ["127.0.0.1"]
        started.send_signal(signal.SIGINT)
        said, _ = started.communicate(timeout=60)
    assert started.returncode == 0
    assert said.startswith(f"Explorer of {root}: {address} ")
    assert "Traceback" not in said


def listening() -> list[tuple[str, str]]:
    """Hosts and ports that something of this machine listens on."""
    found = []
    for row in TCP.read_text(encoding="ascii").splitlines()[1:]:
        where, _, state = row.split()[1:4]
        if state == "0A":
            host, port = where.split(":")
            found.append((".".join(str(one) for one in reversed(bytes.fromhex(host))), str(int(port, 16))))
    return found
