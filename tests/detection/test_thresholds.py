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
