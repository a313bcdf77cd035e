"""docs/detectors.md is written from the table of detectors. `UPDATE_DOCS=1` renews it."""

from __future__ import annotations

import os
from pathlib import Path

from attribution.detection.waste import DETECTORS
from attribution.detection.waste.page import as_page

PAGE = Path(__file__).parents[2] / "docs" / "detectors.md"


def test_the_page_says_what_the_table_says() -> None:
    text = as_page(DETECTORS)
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text
