"""What waste tells of the labelled worlds, to the last word and decimal, as it was written down before.

UPDATE_GOLDENS=1 python -m pytest tests/detection/test_waste_*.py -n 0
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

KEPT = Path(__file__).parent / "golden" / "waste_told.json"
COLUMNS = (
    "kind", "subject", "verdict", "confidence", "month", "cost_at_stake", "saving", "BillingCurrency", "owner",
    "project", "evidence",
)  # fmt: skip
Told = dict[str, list[str]]


@pytest.fixture
def as_written_down(request: pytest.FixtureRequest) -> Callable[[Iterable[dict[str, Any]]], None]:
    """Compares rows of findings with those that a test of this name had, figures, names and sentences."""

    def compare(rows: Iterable[dict[str, Any]]) -> None:
        lines = sorted(" | ".join("" if row[name] is None else f"{row[name]}" for name in COLUMNS) for row in rows)
        name = request.node.name
        if os.environ.get("UPDATE_GOLDENS"):
            written = _read() | {name: lines}
            kept = {key: written[key] for key in sorted(written) if written[key]}
            KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            _kept.cache_clear()
        assert lines == _kept().get(name, [])

    return compare


@cache
def _kept() -> Told:
    return _read()


def _read() -> Told:
    found: Told = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return found
