"""The committed sample files are what generate.py writes, and its README states their true totals."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

SAMPLE = Path(__file__).resolve().parent.parent / "sample_bills"
DATA = ("bills", "tags", "inventory", "utilization", "own_costs", "usage", "jobs", "runs", "checkpoints")
ALONE = ("invoices.csv", "people.csv", "planned.csv")
LIMIT = 5_000_000


def _generate(*arguments: str) -> str:
    command = [sys.executable, str(SAMPLE / "generate.py"), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def _files(folder: Path) -> list[str]:
    found = [path for name in DATA for path in (folder / name).rglob("*.*")] + [folder / name for name in ALONE]
    return sorted(path.relative_to(folder).as_posix() for path in found)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    _generate("--out", str(folder))
    return folder


def test_the_generator_writes_the_committed_files_and_no_others(written: Path) -> None:
    assert _files(written) == _files(SAMPLE)


@pytest.mark.parametrize("name", _files(SAMPLE))
def test_a_committed_file_is_what_the_generator_writes(name: str, written: Path) -> None:
    committed, again = SAMPLE / name, written / name
    if name.endswith(".parquet"):
        assert_frame_equal(pl.read_parquet(committed), pl.read_parquet(again))
    elif name.endswith(".gz"):
        # zlib may pack differently from one machine to the next; the text inside may not, nor may a time stand in it
        assert gzip.decompress(committed.read_bytes()) == gzip.decompress(again.read_bytes())
        assert committed.read_bytes()[4:8] == bytes(4)
    else:
        assert committed.read_bytes() == again.read_bytes()


def test_the_sample_stays_small() -> None:
    assert sum((SAMPLE / name).stat().st_size for name in _files(SAMPLE)) < LIMIT


def test_costs_are_exact_decimals() -> None:
    for path in (SAMPLE / "bills/meridian").glob("*.parquet"):
        schema = pl.read_parquet_schema(path)
        for column in ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"):
            assert schema[column] == pl.Decimal(38, 12)


def test_every_pattern_of_the_workspace_finds_files() -> None:
    workspace = tomllib.loads((SAMPLE / "attribution.toml").read_text(encoding="utf-8"))
    patterns = [source["path"] for source in workspace["source"]] + list(workspace["inputs"].values())
    assert all(list(SAMPLE.glob(pattern)) for pattern in patterns)


def test_the_readme_states_the_totals_of_the_files() -> None:
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    totals = [
        line
        for line in _generate("--figures").splitlines()
        if re.match(r"  (total|BilledCost |Savings\w+Fee|RIFee)", line)
    ]
    figures = [figure for line in totals for figure in re.findall(r"-?\d+\.\d+", line)]
    assert figures
    assert [figure for figure in figures if figure not in readme] == []
