"""Starts the explorer on this machine's own address, and says where it is."""

from __future__ import annotations

import shlex
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from attribution.ledger import read_published
from flows.terminal import print_plain
from schemas.faults import Fault, InputError
from schemas.workspace import Workspace

STREAMLIT = "streamlit>=1.67,<2"
"""The extra `explore` of pyproject.toml."""
HOST = "127.0.0.1"
PAGE = Path(__file__).with_name("page.py")
_PINS = Path(__file__).parents[2] / "constraints.txt"

SETTINGS: dict[str, str | int | bool | list[str]] = {
    "server.address": HOST,
    # A page of another origin may name this machine by a name of its own; those names are not answered.
    "server.allowedHosts": [HOST, "localhost"],
    "server.headless": True,  # it opens no browser and asks for no address
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.enableStaticServing": False,
    "server.maxUploadSize": 1,
    "browser.gatherUsageStats": False,
    "logger.hideWelcomeMessage": True,  # it would name the address a second time
    "logger.level": "error",
    "global.developmentMode": False,
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    # The table's own download writes cells as they are, formulas included.
    "client.disableDataExport": True,
    "theme.base": "light",
    "theme.primaryColor": "#4477AA",
    "theme.textColor": "#1F2933",
    "theme.backgroundColor": "#FFFFFF",
    "theme.secondaryBackgroundColor": "#F4F6F8",
    "theme.baseRadius": "small",
}
"""Settings of Streamlit; given as flags, they win over any file of its own."""


def serve(workspace: Workspace, port: int) -> None:
    """Serve the explorer until it is interrupted.

    Args:
        workspace: whose published file.
        port: on 127.0.0.1.

    Raises:
        InputError: Streamlit is not installed, nothing is published, or the port is taken.
    """
    require_streamlit()
    with read_published(workspace.store):
        pass
    _require_free(port)
    from streamlit.web import bootstrap  # noqa: PLC0415 - it takes a second, and may not be there

    print_plain(f"Explorer of {workspace.root}: http://{HOST}:{port}  (Ctrl-C ends it)")
    sys.stdout.flush()
    settings = {**SETTINGS, "server.port": port}
    bootstrap.load_config_options(settings)
    bootstrap.run(str(PAGE), False, [str(workspace.root)], settings)  # noqa: FBT003 - no name is given to it


def require_streamlit() -> None:
    """See that the extra is there.

    Raises:
        InputError: it is not; says how to install it for the Python that runs.
    """
    if find_spec("streamlit") is None:
        hint = f"Install it with: {install_command()}"
        raise InputError(Fault("explore", "needs Streamlit, which is not installed", hint=hint))


def install_command() -> str:
    """What installs the extra beside what runs, at the pinned version where the pins are there."""
    words = [sys.executable, "-m", "pip", "install"]
    if find_spec("pip") is None:
        words = ["uv", "pip", "install", "--python", sys.executable]
    pins = ["-c", str(_PINS)] if _PINS.is_file() else []
    return shlex.join([*words, *pins, STREAMLIT])


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            hint = f"Name another: attribution explore --port {port + 1}"
            raise InputError(Fault("explore", f"port {port} cannot be used: {error.strerror}", hint=hint)) from error
