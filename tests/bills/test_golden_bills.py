"""A small bill of each provider reads as it was written down; `UPDATE_GOLDENS=1` writes it down anew."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from bills_kit import put, read_only, told

from attribution.bills import READERS

GOLDEN = Path(__file__).parent / "golden"
BILLS = sorted(path for path in GOLDEN.iterdir() if path.is_file() and path.suffix not in (".json", ".toml"))
# What only the source can state, by the bill's file.
STATED: dict[str, dict[str, object]] = tomllib.loads((GOLDEN / "stated.toml").read_text(encoding="utf-8"))


def deliver(root: Path, path: Path) -> None:
    """The bill, and what lies beside it under the same name: a price list."""
    put(root, path.name, path.read_bytes())
    for other in (GOLDEN / "beside").glob(f"{path.stem}.*"):
        put(root, f"beside/{other.name}", other.read_bytes())


@pytest.mark.parametrize("path", BILLS, ids=lambda path: path.name)
def test_a_golden_bill_reads_as_written(tmp_path: Path, path: Path) -> None:
    deliver(tmp_path, path)
    bill = read_only(tmp_path, **STATED.get(path.name, {}))
    kept = path.with_name(f"{path.name.split('.', 1)[0]}.json")
    if os.environ.get("UPDATE_GOLDENS"):
        kept.write_text(json.dumps(told(bill), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert told(bill) == json.loads(kept.read_text(encoding="utf-8"))


def test_every_reader_has_a_golden_bill(tmp_path: Path) -> None:
    read = set()
    for path in BILLS:
        deliver(tmp_path / path.name, path)
        read.add(read_only(tmp_path / path.name, **STATED.get(path.name, {})).delivery.reader)
    assert read == set(READERS)
