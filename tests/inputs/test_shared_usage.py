"""Metering of a real shape against sums that the standard library makes of the raw files."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from decimal import Context, Decimal
from pathlib import Path

import polars as pl
import pytest

from attribution.inputs import read_usage

SHARED = Path(__file__).resolve().parents[3] / "shared" / "bills" / "ocp-k8s"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the shared bills are not beside this repository")
EXACT = Context(prec=100)
GIB_HOUR = Decimal(3600 * 2**30)
MEASURED = (
    ("gpu_usage", "gpu_hours", ("gpu_pod_uptime",), Decimal(3600)),
    ("pod_usage", "cpu_core_hours", ("pod_usage_cpu_core_seconds", "pod_request_cpu_core_seconds"), Decimal(3600)),
    (
        "pod_usage",
        "memory_gib_hours",
        ("pod_usage_memory_byte_seconds", "pod_request_memory_byte_seconds"),
        GIB_HOUR,
    ),
    (
        "storage_usage",
        "storage_gib_hours",
        ("persistentvolumeclaim_usage_byte_seconds", "volume_request_storage_byte_seconds"),
        GIB_HOUR,
    ),
)


def test_a_month_is_what_the_raw_files_sum_to() -> None:
    found = read_usage(sorted(SHARED.glob("*.csv.gz")), SHARED.parent)
    assert found.rejects.is_empty()
    expected: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for table, measure, columns, unit in MEASURED:
        for path in SHARED.glob(f"October-*-{table}.csv.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    most = max(Decimal(row[column]) for column in columns)
                    key = (row["namespace"], measure)
                    expected[key] = EXACT.add(expected[key], EXACT.divide(most, unit))
    month = found.frame.filter(pl.col("usage_date").dt.month() == 10)
    sums = month.group_by("namespace", "measure").agg(pl.col("quantity").sum())
    told = {(namespace, measure): value for namespace, measure, value in sums.rows()}
    assert told.keys() == expected.keys()
    assert max(abs(told[key] - value) for key, value in expected.items()) < Decimal("1e-9")
