"""`attribution explore`: what it needs, and what it says where that is not there."""

from __future__ import annotations

import re
import shlex
import socket
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from explorer_world import HOUSE
from small_workspace import attribution, workspace
from streamlit import config

from flows.explorer import serving

if TYPE_CHECKING:
    import pytest


def test_it_says_how_to_install_what_it_needs(explored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "streamlit" else find_spec(name))
    ended = attribution("explore", "-w", explored)
    assert ended.code == 2
    assert "needs Streamlit, which is not installed" in ended.err
    assert re.search(rf"Install it with: .*{re.escape(sys.executable)}.* '{re.escape(serving.STREAMLIT)}'", ended.err)
    monkeypatch.setattr(serving, "find_spec", lambda name: None if name == "pip" else find_spec(name))
    assert serving.install_command().startswith(f"uv pip install --python {shlex.quote(sys.executable)} ")
    stated = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["project"]["optional-dependencies"]["explore"] == [serving.STREAMLIT]
    assert serving.STREAMLIT in stated["dependency-groups"]["dev"]


def test_it_says_what_to_run_while_nothing_is_published(tmp_path: Path) -> None:
    ended = attribution("explore", "-w", workspace(tmp_path))
    assert ended.code == 2
    assert "Run `attribution run` first." in ended.err


def test_it_says_when_its_port_is_taken(explored: Path) -> None:
    with socket.socket() as taken:
        taken.bind((serving.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = attribution("explore", "-w", explored, "--port", port)
    assert ended.code == 2
    assert f"--port {port + 1}" in ended.err


def test_every_setting_is_one_that_streamlit_knows() -> None:
    assert [name for name in serving.SETTINGS if name not in config.get_config_options()] == []
    assert serving.SETTINGS["browser.gatherUsageStats"] is False
    assert serving.SETTINGS["server.address"] == "127.0.0.1"
