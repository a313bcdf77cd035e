"""Detectors of what is listed, measured and trained: what must be found, what nearly is, and what missing data says."""

from __future__ import annotations

import pytest
from test_waste_inventory import INVENTORY
from test_waste_training import TRAINING
from test_waste_utilization import UTILIZATION
from waste_cases import Change, Compare, Near, each

ALL = (*INVENTORY, *TRAINING, *UTILIZATION)


@pytest.mark.parametrize(("cases", "change"), each(ALL, "fires"))
def test_what_must_be_found_is_found(cases: Near, change: Change, as_written_down: Compare) -> None:
    rows = cases.told(change)
    assert cases.verdicts(rows) == ["finding"]
    as_written_down(rows)


@pytest.mark.parametrize(("cases", "change"), each(ALL, "spares"))
def test_near_misses_are_not_found(cases: Near, change: Change, as_written_down: Compare) -> None:
    rows = cases.told(change)
    verdicts = cases.verdicts(rows)
    assert "finding" not in verdicts
    assert verdicts == [] or cases not in INVENTORY
    as_written_down(rows)


@pytest.mark.parametrize(("cases", "change"), each(ALL, "lacks"))
def test_missing_data_is_never_waste(cases: Near, change: Change, as_written_down: Compare) -> None:
    rows = cases.told(change)
    assert cases.verdicts(rows) in ([], ["undetermined"])
    as_written_down(rows)
