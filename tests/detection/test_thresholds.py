"""Every number that decides a finding stands here a second time: one that is changed, or new, must be meant.

Which side of a number a day or an amount falls on is held where it decides, one unit on either side.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from detection_worlds import mark

import attribution.detection
from attribution.detection import silent_sources
from attribution.detection.waste import DETECTORS
from schemas.plans import Budget
from schemas.workspace import OWN_COSTS, Anomaly, Growth, Invoices, Progress, Retention, Severity

ROOM = Path(attribution.detection.__file__).parent
NUMBER = (int, float, Fraction, Decimal, timedelta)
NUMBERS: dict[str, Any] = {
    "budgets.foresight": {"BASE": 14, "WINDOW": 28, "SETTLED": 3},
    "budgets.lines": {"WINDOW": 62, "FEE": Fraction(1, 4)},
    "budgets.rate": {
        "NEWEST": 3, "BAND": Fraction(1, 4), "ODD": 2, "LONGEST": 14, "WEEKS": 3, "Z": Fraction(329, 200),
        "_FLAT": (Fraction(1),) * 7,
    },
    "budgets.rows": {"SOON": 2, "FAR": 8, "AHEAD": 30, "SILENT": 31, "HORIZON": 92},
    "causes": {"EXPLAINS": Fraction(4, 5), "PARTS": 3},
    "contributors": {"LARGEST": 5},
    "daily.baseline": {
        "WARM_UP": 14, "LEVEL": 14, "SPREAD": 28, "WEEKDAYS": 8, "DEVIATIONS": 4.5, "FLOOR": 0.15, "TREND": 0.01,
        "FEE_DAYS": 3, "FEE_MONTHS": (1, 2), "FEE": 0.2, "SILENT_SHARE": 0.02, "_TO_DEVIATION": 1.4826, "_WEEK": 7,
        "_LEVEL_AGE": 7.5,
    },
    "daily.episodes": {
        "GAP": 2, "SHIFT_DAYS": 4, "LEAK_WEEKS": 4, "LEAK_RISE": 0.25, "LEAK_STEP": 0.02, "LEAK_JUMP": 0.6,
        "LEAK_DAYS": 3, "SILENT_DAYS": 2, "PROVISIONAL": 2, "_WEEK": 7,
    },
    "daily.judge": {"SHOWN": 100, "RECENT": 14, "TOGETHER": timedelta(days=3)},
    "daily.series": {"HISTORY": 400, "_RECENT": 28},
    "doubles": {"ALIKE": Decimal("0.01")},
    "growth": {"_WIDEST": 10**29},
    "growth_findings": {"_NAMED": 5},
    "progress": {"GAPS": 2},
    "silence": {"DAYS": 3, "BY_MONTH": 31},
    "sums": {"_LARGEST": 1e20},
    "weekdays": {"PATTERN": Fraction(5, 4), "LEAST_DAYS": 21, "_WEEK": 7},
    "weekly": {"WEEKS": 13, "_WEEK": timedelta(days=7), "_WIDEST": 10**29},
}  # fmt: skip
DEFAULTS = {
    Growth: {"threshold": Decimal("0.30"), "minimum": Decimal(100), "weekly": False},
    Anomaly: {"minimum": Decimal(100)},
    Severity: {"critical": Decimal(10_000), "high": Decimal(1_000), "medium": Decimal(100)},
    Progress: {"days": 3, "minimum": Decimal(100)},
    Invoices: {"tolerance": Decimal("0.01")},
    Retention: {"revisions": 7},
    Budget: {"warn_at": Decimal("0.8")},
}

WASTE = {
    "bucket_never_requested": "days=60",
    "cancelled_run": "window_days=31",
    "checkpoints_beyond_retention": "keep_best=1 keep_last=3 min_age_days=14",
    "checkpoints_of_superseded_run": "keep_best=1 keep_last=3 min_age_days=14",
    "cold_data": "days=30 unread_days=90",
    "data_work_repeated": "window_days=92",
    "debug_logging": "hours=24 window_days=31",
    "detached_address": "min_age_days=14",
    "dev_nights_and_weekends": "busy_percent=10 hours_a_day=20 office_hours=60 weekend_days=6",
    "disused_service": "days=90",
    "duplicate_data": "min_age_days=14 size_gb=10",
    "duplicate_run": "window_days=92",
    "empty_cluster": "min_age_days=14",
    "empty_endpoint": "min_age_days=14",
    "empty_gateway": "min_age_days=14",
    "empty_load_balancer": "min_age_days=14",
    "empty_partition": "days=7",
    "experiment_without_evaluation": "days=14 window_days=92",
    "expired_tag": "grace_days=7",
    "failed_job": "window_days=31",
    "failed_run": "window_days=31",
    "gpu_node_without_trace": "busy_percent=5 min_age_days=14 run_share=0.95",
    "idle_by_utilization": "coverage=0.80 cpu_percent=5 gpu_memory_percent=5 gpu_percent=5 min_age_days=14 "
    "network_bytes=5000000 peak_percent=15 window_days=14",
    "idle_cluster": "coverage=0.80 cpu_percent=5 gpu_memory_percent=5 gpu_percent=5 min_age_days=14 "
    "network_bytes=5000000 peak_percent=15 window_days=14",
    "idle_database": "connections=1 coverage=0.80 min_age_days=14 window_days=14",
    "idle_endpoint": "coverage=0.80 min_age_days=14 requests=1 window_days=14",
    "idle_gateway": "coverage=0.80 min_age_days=14 network_bytes=1000000 window_days=14",
    "idle_load_balancer": "coverage=0.80 min_age_days=14 requests=1 window_days=14",
    "idle_notebook": "connections=1 coverage=0.80 cpu_percent=5 gpu_percent=5 min_age_days=14 window_days=14",
    "idle_public_address": "min_age_days=14",
    "idle_reservation": "coverage=0.80 cpu_percent=5 gpu_memory_percent=5 gpu_percent=5 min_age_days=14 "
    "network_bytes=5000000 peak_percent=15 window_days=14",
    "idle_volume": "coverage=0.80 disk_ops=1 min_age_days=14 window_days=14",
    "job_without_use": "coverage=0.80 gpu_percent=5 window_days=31",
    "load_balancer_without_traffic": "min_age_days=14",
    "logs_outgrow_compute": "minimum_increase=100 threshold=0.30",
    "low_mfu": "days=1 mfu=0.30 target=0.40 window_days=31",
    "nat_gateway_without_traffic": "min_age_days=14",
    "no_lifecycle_policy": "least_cost=50 min_age_days=14",
    "node_idle_after_last_job": "days=7",
    "old_snapshot": "retention_days=90",
    "orphaned_interface": "min_age_days=14",
    "orphaned_snapshot": "days=31",
    "orphaned_tag": "days=30",
    "oversized_cluster": "days=1 share=0.75 window_days=31",
    "oversized_database": "connections=1 coverage=0.80 fit_percent=80 idle_percent=5 min_age_days=14 window_days=14",
    "oversized_machine": "coverage=0.80 fit_percent=80 idle_percent=5 min_age_days=14 network_bytes=5000000 "
    "window_days=14",
    "oversized_volume": "headroom=0.30 min_age_days=14 size_gb=100 used_share=0.30",
    "previous_generation": "min_age_days=14",
    "restart_loop": "attempts=3 short_hours=1 window_days=31 within_hours=24",
    "snapshot_outlives_volume": "days=30",
    "stopped_long": "days=30",
    "storage_without_compute": "min_age_days=14",
    "superseded_endpoint": "min_age_days=14",
    "tag_of_ended_project": "days=30",
    "tag_of_owner_who_left": "days=0",
    "temporary_name": "days=30",
    "timed_out_run": "window_days=31",
    "transfer_out_of_line": "minimum_increase=100 ratio=2",
    "unattached_volume": "min_age_days=14",
    "underused_gpu": "coverage=0.80 cpu_percent=5 gpu_memory_percent=5 gpu_percent=5 min_age_days=14 "
    "network_bytes=5000000 peak_percent=15 used_memory_percent=50 used_percent=30 "
    "window_days=14",
    "underused_machine": "coverage=0.80 cpu_percent=5 gpu_memory_percent=5 gpu_percent=5 min_age_days=14 "
    "network_bytes=5000000 peak_percent=15 used_percent=20 window_days=14",
    "unlisted_resource": "coverage=0.80 min_age_days=14",
    "unread_data": "days=90",
    "untagged_resource": "top=20",
    "unused_capacity_reservation": "min_age_days=14 unused_share=0.10",
    "unused_commitment": "unused_share=0.05",
    "unused_image": "days=90",
    "volume_of_deallocated_machine": "days=30",
    "volume_of_stopped_instance": "days=30",
    "waiting_queue": "hours=24 window_days=31",
}


def _is_number(value: object) -> bool:
    return all(isinstance(one, NUMBER) for one in value) if isinstance(value, tuple) and value else isinstance(
        value, NUMBER
    )  # fmt: skip


def test_every_number_of_the_detectors_is_the_one_that_is_meant() -> None:
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(ROOM.rglob("*.py")):
        name = ".".join(path.relative_to(ROOM).with_suffix("").parts)
        if name.startswith("waste") or name.endswith("__init__"):
            continue  # those of waste have documented defaults of their own
        own = path.read_text(encoding="utf-8")
        for key, value in vars(import_module(f"attribution.detection.{name}")).items():
            if key.isupper() and _is_number(value) and f"\n{key} = " in own:
                found.setdefault(name, {})[key] = value
    assert found == NUMBERS


@pytest.mark.parametrize("record", DEFAULTS, ids=lambda record: record.__name__)
def test_every_default_is_the_one_that_is_documented(record: Any) -> None:  # noqa: ANN401 - a dataclass
    stated = {one.name: one.default for one in fields(record) if isinstance(one.default, NUMBER)}
    assert stated == DEFAULTS[record]


@pytest.mark.parametrize(
    ("source", "behind", "told"), [("nimbus", 3, 0), ("nimbus", 4, 1), (OWN_COSTS, 34, 0), (OWN_COSTS, 35, 1)]
)
def test_a_source_may_be_three_days_behind_and_own_costs_a_month_more(source: str, behind: int, told: int) -> None:
    today = date(2026, 11, 10)
    assert silent_sources({source: mark(today - timedelta(days=behind))}, today).height == told


def test_every_threshold_of_waste_is_the_one_that_is_meant() -> None:
    stated = {one.name: one.thresholds for one in DETECTORS if one.thresholds}
    told = {name: " ".join(f"{key}={values[key]}" for key in sorted(values)) for name, values in stated.items()}
    assert told == WASTE
