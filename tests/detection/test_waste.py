"""Waste detectors as a table, and volumes: each threshold from both sides, and what missing data does."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any

import polars as pl
import pytest
from detection_worlds import (
    AS_OF,
    BIRTH,
    WORLD,
    billed,
    inventory,
    mark,
    metered,
    thing,
    told,
)

from attribution.detection import WasteInputs, detect_waste, threshold_faults
from attribution.detection.waste import DETECTORS
from schemas.dimensions import DIMENSIONS
from schemas.faults import InputError
from schemas.waste import TIERS
from schemas.workspace import Waste, WasteOverride


def test_every_detector_explains_itself_and_has_a_name_of_its_own() -> None:
    assert len({one.name for one in DETECTORS}) == len(DETECTORS)
    for one in DETECTORS:
        assert all((one.title, one.meaning, one.source, one.action, one.risk, one.rollback, one.needs)), one.name
        assert all(isinstance(value, Decimal) for value in one.thresholds.values())


def test_every_detector_is_a_module_of_its_tier_with_its_name() -> None:
    for one in DETECTORS:
        assert import_module(f"attribution.detection.waste.{one.tier}.{one.name}").DETECTOR is one
        assert one.tier in TIERS


def test_a_detector_without_its_input_is_told_and_finds_nothing() -> None:
    done = detect_waste(WORLD, Waste())
    assert done.findings.is_empty()
    lacks = dict(done.detectors.select("kind", "lacks").rows())
    assert set(lacks) == {one.name for one in DETECTORS}
    assert lacks["unattached_volume"] == "resources.resource_type"
    assert lacks["idle_by_utilization"] == "resources.resource_type, utilization"
    assert lacks["untagged_resource"] is None


def test_unknown_thresholds_are_all_told_at_once() -> None:
    waste = Waste(
        detectors={"unatached_volume": {}, "orphaned_tag": {"day": Decimal(1)}},
        overrides=(WasteOverride({"projct": "x"}, {"min_age_day": Decimal(1)}), WasteOverride({})),
    )
    text = "\n".join(map(str, threshold_faults(waste, DIMENSIONS)))
    for word in ("unattached_volume", "days", "project", "min_age_days"):
        assert f'Did you mean "{word}"?' in text
    assert "number 2: names no dimension" in text
    with pytest.raises(InputError):
        detect_waste(WORLD, waste)


def test_a_project_may_have_thresholds_of_its_own() -> None:
    month = {"min_age_days": Decimal(30)}
    born = AS_OF - timedelta(days=20)
    for waste, count in (
        (Waste(), 1),
        (Waste(overrides=(WasteOverride({"project": "orion"}, month),)), 0),
        (Waste(overrides=(WasteOverride({"project": "orion", "owner": "omar"}, month),)), 1),
        (Waste(overrides=(WasteOverride({"project": "orion"}, {}, {"unattached_volume": month}),)), 0),
        (Waste(detectors={"unattached_volume": month}), 0),
        (Waste(overrides=(WasteOverride({"owner": "lin"}, {"min_age_days": Decimal(9)}),), min_age_days=30), 1),
    ):
        assert len(told(volumes(created_at=born), "unattached_volume", waste)) == count


def test_two_detectors_do_not_save_the_same_money_twice() -> None:
    gone = datetime(2026, 10, 12, tzinfo=UTC)
    world = volumes(billed("vol-1", "320", date(2026, 10, 1)), deleted_at=gone)
    world = replace(world, as_of=datetime(2026, 11, 10, tzinfo=UTC))
    (late,) = told(world, "billed_after_deletion")
    assert late["saving"] == Decimal(320)
    done = detect_waste(volumes(), Waste()).findings
    assert done.get_column("saving").sum() <= done.get_column("cost_at_stake").max()


def volumes(*bills: dict[str, Any], **more: Any) -> WasteInputs:  # noqa: ANN401
    row = thing("vol-1", "volume", **{"state": "available", "created_at": BIRTH, "size_gb": 4000.0} | more)
    return replace(WORLD, resources=inventory(row), costs=metered(*(bills or [billed("vol-1", "320")])))


def test_an_unattached_volume_is_found_with_its_cost_of_the_last_complete_month() -> None:
    bills = (billed("vol-1", "310", date(2026, 9, 1)), billed("vol-1", "320"), billed("vol-1", "80", date(2026, 11, 1)))
    (row,) = told(volumes(*bills), "unattached_volume")
    assert (row["subject"], row["cost_at_stake"], row["month"]) == ("vol-1", Decimal(320), date(2026, 10, 1))
    assert (row["verdict"], row["confidence"], row["owner"], row["project"]) == ("finding", "high", "lin", "orion")
    assert row["evidence"] == (
        "Volume of 4,000 GB attached to nothing, unused since 2026-08-01; its cost in 2026-10: 320.00 USD."
    )


@pytest.mark.parametrize("field", ["created_at", "last_used_at"])
def test_a_volume_has_fourteen_days(field: str) -> None:
    old = AS_OF - timedelta(days=14)
    assert told(volumes(**{field: old}), "unattached_volume")
    assert not told(volumes(**{field: old + timedelta(microseconds=1)}), "unattached_volume")
    longer = Waste(detectors={"unattached_volume": {"min_age_days": Decimal(15)}})
    assert not told(volumes(**{field: old}), "unattached_volume", longer)


def test_a_volume_of_unknown_birth_is_as_old_as_its_first_bill() -> None:
    for first, count in ((date(2026, 10, 27), 1), (date(2026, 10, 28), 0)):
        bill = billed("vol-1", "320", first_day=first)
        assert len(told(volumes(bill, created_at=None), "unattached_volume")) == count


@pytest.mark.parametrize(
    ("state", "attached_to", "verdict"),
    [
        ("available", None, "finding"),
        ("Unattached", None, "finding"),
        ("in-use", "i-1", None),
        ("in-use", None, None),
        (None, "i-1", None),
        (None, None, "undetermined"),
        ("available", "i-1", "undetermined"),
        ("deleted", None, None),
    ],
)
def test_states_as_inventories_word_them(state: str | None, attached_to: str | None, verdict: str | None) -> None:
    rows = told(volumes(state=state, attached_to=attached_to), "unattached_volume")
    assert [row["verdict"] for row in rows] == ([verdict] if verdict else [])


def test_an_empty_attachment_speaks_where_the_inventory_tells_others() -> None:
    world = volumes(state=None)
    assert world.resources is not None
    world = replace(world, resources=pl.concat([world.resources, inventory(thing("v", "volume", attached_to="i"))]))
    (row,) = told(world, "unattached_volume")
    assert (row["verdict"], row["confidence"]) == ("finding", "medium")


def test_a_volume_that_costs_nothing_is_no_waste_and_an_unknown_cost_stays_unknown() -> None:
    assert not told(volumes(billed("other", "1")), "unattached_volume")
    assert not told(volumes(billed("vol-1", "0")), "unattached_volume")
    assert not told(volumes(billed("vol-1", "0.999999999999")), "unattached_volume")
    assert told(volumes(billed("vol-1", "1")), "unattached_volume")
    assert not told(volumes(billed("vol-1", "320", date(2026, 9, 1))), "unattached_volume")
    (row,) = told(volumes(billed("vol-1", None)), "unattached_volume")
    assert row["cost_at_stake"] is None
    (row,) = told(volumes(billed("vol-1", "80", date(2026, 11, 1))), "unattached_volume")
    assert row["cost_at_stake"] is None


def test_a_handed_over_resource_is_its_new_owners_and_a_shared_one_is_shared() -> None:
    before = billed("vol-1", "120", owner="omar", last_day=date(2026, 10, 11))
    (row,) = told(volumes(before, billed("vol-1", "200")), "unattached_volume")
    assert (row["owner"], row["cost_at_stake"]) == ("lin", Decimal(320))
    (row,) = told(volumes(billed("vol-1", "120", owner="omar"), billed("vol-1", "200")), "unattached_volume")
    assert row["owner"] == "shared"


def test_azure_identifiers_ignore_case_and_others_do_not() -> None:
    long = "/subscriptions/0000/resourceGroups/lab/disks/"
    for inventory_id, bill_id, count in ((f"{long}A", f"{long.upper()}a", 1), ("vol-1", "VOL-1", 0)):
        world = replace(
            WORLD,
            resources=inventory(thing(inventory_id, "disk", state="Unattached", created_at=BIRTH)),
            costs=metered(billed(bill_id, "5")),
        )
        assert len(told(world, "unattached_volume")) == count


def test_the_surest_of_two_findings_that_save_alike_carries_the_saving() -> None:
    meter = {"SubAccountId": "acct", "SkuMeter": "EBS:VolumeUsage.gp3", "ServiceName": "EC2"}
    machine = {"SubAccountId": "acct", "SkuMeter": "BoxUsage:m6i.large", "ServiceName": "EC2"}
    world = volumes(
        billed("vol-1", "320", **meter),
        billed("i-1", "9", date(2026, 8, 1), **machine),
        billed("i-2", "9", project="kestrel", **machine),
    )
    savings = {
        row["kind"]: (row["confidence"], row["saving"])
        for row in detect_waste(world, Waste()).findings.filter(pl.col("subject") == "vol-1").iter_rows(named=True)
    }
    assert savings["unattached_volume"] == ("high", Decimal(320))
    assert savings["storage_without_compute"] == ("low", Decimal(0))


def test_a_project_in_two_sources_that_end_in_different_months_has_one_finding() -> None:
    moved = {"SkuMeter": "DataTransfer-Out-Bytes", "ServiceName": "Transfer", "cost_element": "network"}
    late = {"nimbus": mark(date(2026, 11, 8)), "cirrus": mark(date(2026, 10, 8))}
    months = (date(2026, 8, 1), date(2026, 9, 1), date(2026, 10, 1))
    rows = [
        billed(f"{source}-1", amount, month, source=source, **moved)
        for source, amounts in (("nimbus", ("10", "10", "900")), ("cirrus", ("10", "800", "10")))
        for month, amount in zip(months, amounts, strict=True)
    ]
    world = replace(WORLD, watermarks=late, costs=metered(*rows))
    (row,) = told(world, "transfer_out_of_line")
    assert (row["month"], row["cost_at_stake"]) == (date(2026, 10, 1), Decimal(900))
