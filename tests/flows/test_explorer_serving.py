"""`attribution explore`: what it needs, where it listens, how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from explorer_world import make
from small_workspace import attribution, workspace
from streamlit import config

from flows.explorer import serving

HOUSE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("serving"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((serving.HOST, 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    port = free_port()
    words = [sys.executable, "-m", "flows.cli", "explore", "-w", str(root), "--port", str(port)]
    with subprocess.Popen(words, cwd=HOUSE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as started:
        try:
            yield started, port
        finally:
            started.kill()


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


def test_it_serves_this_machine_alone_and_ends_when_it_is_asked_to(
    server: tuple[subprocess.Popen[str], int],
) -> None:
    started, port = server
    assert started.stdout is not None
    assert f"http://127.0.0.1:{port} " in started.stdout.readline()
    _wait_for(port)
    listening = {line.split()[3] for line in _tcp() if line.split()[3].endswith(f":{port}")}
    assert listening == {f"127.0.0.1:{port}"}
    started.send_signal(signal.SIGINT)
    said, _ = started.communicate(timeout=20)
    assert started.returncode == 0
    assert "Traceback" not in said


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"http://{serving.HOST}:{port}/_stcore/health", timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the explorer does not answer")


def _tcp() -> list[str]:
    """Listening sockets of this machine, address in the fourth place."""
    rows = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    found = []
    for row in rows:
        where, _, state = row.split()[1:4]
        if state == "0A":
            host, port = where.split(":")
            octets = ".".join(str(one) for one in reversed(bytes.fromhex(host)))
            found.append(f"_ _ _ {octets}:{int(port, 16)}")
    return found


if not os.path.exists("/proc/net/tcp"):  # noqa: PTH110 - another system
    pytestmark = pytest.mark.skip(reason="needs /proc")
