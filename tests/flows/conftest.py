"""What several test modules of flows share."""

from __future__ import annotations

from pathlib import Path

import pytest
from explorer_world import make


@pytest.fixture(scope="session")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The world of the explorer after one night; tests only read it."""
    return make(tmp_path_factory.mktemp("explored"))
