"""A store of one test, and its ledger open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from attribution.ledger import Ledger, open_ledger


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def ledger(store: Path) -> Iterator[Ledger]:
    with open_ledger(store) as opened:
        yield opened
