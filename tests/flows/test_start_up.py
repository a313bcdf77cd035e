"""What a command loads before it does anything: the libraries that it needs, and no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = str(ROOT / "sample_bills")
DEAR = {"polars", "duckdb", "pandera", "pyarrow", "pandas", "prefect", "altair", "vl_convert", "streamlit", "obstore"}
ASKED = """
import json, sys
sys.argv = ["attribution", *sys.argv[1:]]
from flows.cli import main
try:
    main()
except SystemExit:
    pass
print("LOADED", json.dumps(sorted(name for name in sys.modules if "." not in name)))
"""


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--help"], set()),
        (["run", "--help"], set()),
        (["check", "--workspace", SAMPLE], {"polars", "duckdb", "pandera", "pyarrow"}),
        (["findings", "--help"], set()),
    ],
)
def test_a_command_loads_what_it_needs(arguments: list[str], needed: set[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", ASKED, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    (told,) = [line for line in ran.stdout.splitlines() if line.startswith("LOADED ")]
    loaded = set(json.loads(told.removeprefix("LOADED ")))
    assert loaded & DEAR == needed
    assert "flows" in loaded


def test_pandas_can_be_loaded_after_pandera_was_kept_from_it() -> None:
    pytest.importorskip("pandas")
    code = "import schemas.check, sys; assert 'pandas' not in sys.modules; import pandas; pandas.DataFrame({'a': [1]})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
