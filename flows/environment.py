"""Prefect's surroundings for a run on one machine: patient start, no telemetry, nothing asked of the network.

Imported before Prefect by every flow module. What the operator has set already stays: in production the server
is long-lived, PREFECT_API_URL names it, and none of this matters.
"""

from __future__ import annotations

import os

# A cold, slow machine needs longer than the library's 20 seconds to start its own server.
DEFAULTS = {
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "true",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_CLI_PROMPT": "false",
}

for name, value in DEFAULTS.items():
    os.environ.setdefault(name, value)
