"""What no longer costs is no waste, and what is not told is no idleness: one rule each for every detector."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest
from cases_bill_hours import ALB, IDLE, INUSE, LCU, NAT, NAT_BYTES
from cases_bill_storage import BOX, EBS
from cases_bill_work import GPU, OTHER
from detection_worlds import LAST, metered, noon
from detection_worlds import billed as billed_row
from firing_worlds import Firing, firing
from waste_cases import Case, around, billed, cases, listed, result_of

from attribution.detection import WasteInputs
from attribution.detection.waste import DETECTORS
from attribution.detection.waste.judging import judge_all
from schemas.inputs import RESOURCE_COLUMNS
from schemas.workspace import Waste

WORLDS, VOLUME = tuple(firing()), "unattached_volume"
LOOK_BACK = {"billed_after_deletion", "untagged_resource"}
WORK = {one.name for one in DETECTORS if one.tier == "training"}
"""Detectors of runs and jobs tell what was spent; those that judge things in it are looked at like all others."""
THINGS = {
    "node_idle_after_last_job", "empty_partition", "waiting_queue", "checkpoints_beyond_retention",
    "checkpoints_of_superseded_run", "unread_data", "cold_data", "superseded_endpoint",
}  # fmt: skip


def told(kind: str, world: WasteInputs, waste: Waste | None = None) -> list[dict[str, Any]]:
    """Findings with money of one detector, but of those that look back."""
    (detector,) = (one for one in DETECTORS if one.name == kind)
    rows = judge_all((detector,), world, waste or Waste()).findings.iter_rows(named=True)
    kept = [row for row in rows if row["verdict"] == "finding" and row["cost_at_stake"] is not None]
    return [row for row in kept if row["kind"] not in LOOK_BACK | (WORK - THINGS)]


def later(world: WasteInputs, day: date) -> WasteInputs:
    """The same bills, inventory and metrics, looked at when their sources are complete up to a later day."""
    marks = {name: replace(old, last_day=day) for name, old in world.watermarks.items()}
    return replace(world, as_of=noon(day + timedelta(days=2)), watermarks=marks)


def test_there_is_a_world_for_every_detector() -> None:
    assert {one.kind for one in WORLDS} == {one.name for one in DETECTORS}


@pytest.mark.parametrize("one", WORLDS, ids=str)
def test_what_was_billed_last_weeks_ago_is_no_waste(one: Firing) -> None:
    assert not told(one.kind, later(one.world, date(2026, 11, 29)))


@pytest.mark.parametrize("one", WORLDS, ids=str)
def test_of_what_is_deleted_billing_after_deletion_alone_speaks(one: Firing) -> None:
    bills = one.world.costs.get_column("ResourceId").drop_nulls().unique().to_list()
    known = one.world.resources if one.world.resources is not None else pl.DataFrame(schema=RESOURCE_COLUMNS)
    kinds = dict(known.select("resource_id", "resource_type").iter_rows())
    blank = dict.fromkeys(RESOURCE_COLUMNS) | {"state": "deleted"}
    rows = [blank | {"resource_id": name, "resource_type": kinds.get(name, "thing")} for name in bills]
    gone = replace(one.world, resources=pl.DataFrame(rows, schema=RESOURCE_COLUMNS))
    subjects = {row["subject"] for row in told(one.kind, gone)}
    assert not subjects & set(bills)


@pytest.mark.parametrize(("days", "fired"), [(14, True), (15, False)])
def test_the_rule_from_both_sides(days: int, *, fired: bool) -> None:
    world = around("volume", state="available")()
    (last,) = world.costs.get_column("last_day")
    assert bool(told(VOLUME, later(world, last + timedelta(days=days)))) is fired
    assert told(VOLUME, later(world, last + timedelta(days=days)), Waste(silent_days=15))


def test_a_line_a_month_stands_for_the_whole_month_where_that_is_its_rhythm() -> None:
    october, november = date(2026, 10, 1), date(2026, 11, 1)
    once = [billed_row("r-1", "320", month, last_day=month, days=1) for month in (october, november)]
    daily = billed_row("r-1", "320", october, last_day=date(2026, 10, 31), days=31)
    for rows, day, fired in (
        (once, date(2026, 11, 29), True),
        (once[:1], date(2026, 11, 14), True),
        (once[:1], date(2026, 11, 15), False),
        ([daily, once[1]], date(2026, 11, 15), True),
        ([daily, once[1]], date(2026, 11, 16), False),
    ):
        world = replace(around("volume", state="available")(), costs=metered(*rows))
        assert bool(told(VOLUME, later(world, day))) is fired, (rows, day)


def check(stated: tuple[Case, ...]) -> None:
    assert {str(case): result_of(case) for case in stated} == {str(case): case.label for case in stated}


HOURS = {
    "nat_gateway_without_traffic": (NAT, NAT_BYTES, "Amazon Virtual Private Cloud | NAT Gateway | "),
    "load_balancer_without_traffic": (ALB, LCU, "Elastic Load Balancing | Load Balancer-Application | "),
    "idle_public_address": (IDLE, INUSE, "Amazon Virtual Private Cloud | VpcPublicIPv4Address | "),
}


@pytest.mark.parametrize(("kind", "also"), HOURS.items(), ids=list(HOURS))
def test_use_that_is_billed_without_a_quantity_is_unknown(kind: str, also: tuple[str, str, str]) -> None:
    hours, use, blank = also
    stated = cases(
        kind,
        ("waste", "no use billed", billed(hours, "2")),
        ("waste", "none used, at no cost", billed(hours, "2"), billed(use, "0", 0)),
        ("undetermined", "use without a quantity, at no cost", billed(hours, "2"), billed(use, "0", None)),
        ("undetermined", "use without a quantity or cost", billed(hours, "2"), billed(use, None, None)),
        ("undetermined", "use without a quantity on one day", billed(hours, "2"), billed(use, "0", 0),
         billed(use, "0", None, since=LAST)),
        ("undetermined", "a line without a meter", billed(hours, "2"), billed(blank, "0", None)),
        ("undetermined", "a line without a meter but a quantity", billed(hours, "2"), billed(blank, "0", 7)),
        ("active", "use on one day, and no quantity on others", billed(hours, "2"), billed(use, "0", None),
         billed(use, "0", 1, since=LAST)),
        ("active", "use that costs", billed(hours, "2"), billed(use, "0.1", None)),
    )  # fmt: skip
    check(stated)


def test_a_gpu_machine_whose_traffic_tells_no_quantity_is_unknown() -> None:
    moved = "AWS Data Transfer | Data Transfer | USW2-DataTransfer-Regional-Bytes"
    stated = cases(
        "gpu_node_without_trace",
        ("waste", "no traffic", billed(GPU, "90"), *OTHER),
        ("waste", "none moved", billed(GPU, "90"), billed(moved, "0", 0), *OTHER),
        ("undetermined", "traffic without a quantity", billed(GPU, "90"), billed(moved, "0", None), *OTHER),
        ("undetermined", "a line without a meter", billed(GPU, "90"), billed("AWS Data Transfer | | ", "0", 0), *OTHER),
        ("undetermined", "hours without a quantity", billed(GPU, "90", None), *OTHER),
        ("active", "traffic", billed(GPU, "90"), billed(moved, "0", 3), *OTHER),
    )
    check(stated)


def test_machines_behind_lines_without_a_meter_are_unknown() -> None:
    ended = {"until": date(2026, 9, 30)}
    disk, stopped = listed("volume", attached_to="i-@"), listed("instance", "i-@", state="stopped")
    blank = "Amazon Elastic Compute Cloud | | "
    for kind, machine, things in (
        ("storage_without_compute", billed(BOX, "9", ResourceId="i-@", **ended), ()),
        ("volume_of_stopped_instance", billed(BOX, "9", ResourceId="i-@", **ended), (disk, stopped)),
    ):
        stated = cases(
            kind,
            ("waste", "no machine since September", billed(EBS), machine, *things),
            ("undetermined", "a line says not what it is", billed(EBS), machine, *things,
             billed(blank, "1", 5, ResourceId="i-@")),
        )  # fmt: skip
        check(stated)


def test_a_last_day_of_support_that_is_not_told_is_unknown() -> None:
    old = "Amazon RDS | | ExtendedSupport:Yr1-Yr2:MySQL5.7"
    stated = cases(
        "extended_support",
        ("waste", "charged to the end", billed(old, "3")),
        ("undetermined", "no day of usage", billed(old, "3", first_day=None, last_day=None)),
        ("active", "upgraded on the first", billed(old, "3", until=date(2026, 11, 1)), billed("Amazon RDS | | x", "9")),
    )
    check(stated)


def test_costs_that_are_not_told_compare_to_nothing() -> None:
    out = "AWS Data Transfer | | USW2-DataTransfer-Out-Bytes"
    logs = "AmazonCloudWatch | | USW2-DataProcessing-Bytes"
    before = {"until": date(2026, 9, 30), "cost_element": "network"}
    now = {"since": date(2026, 10, 1), "cost_element": "network"}
    seen = {"cost_element": "observability"}
    work = billed(BOX, "9", ResourceId="i-@")
    stated = (
        *cases(
            "transfer_out_of_line",
            ("waste", "ten times", billed(out, "1", **before), billed(out, "10", **now)),
            ("undetermined", "September is not told", billed(out, "1", until=date(2026, 8, 31), cost_element="network"),
             billed(out, None, since=date(2026, 9, 1), **before), billed(out, "10", **now)),
            ("active", "none in October", billed(out, "10", **before)),
        ),
        *cases(
            "logs_outgrow_compute",
            ("waste", "ten times", billed(logs, "1", **before | seen), billed(logs, "10", **now | seen), work),
            ("undetermined", "a part of September is not told", billed(logs, "1", **before | seen),
             billed(logs, None, since=date(2026, 9, 1), **before | seen), billed(logs, "10", **now | seen), work),
        ),
    )  # fmt: skip
    check(stated)


def test_a_commitment_is_missed_in_no_inventory() -> None:
    (one,) = (one for one in WORLDS if one.kind == "unlisted_resource")
    assert told(one.kind, one.world)
    contract = one.world.costs.with_columns(
        pl.when(pl.col("ResourceId") == one.subject).then("ResourceId").alias("CommitmentDiscountId")
    )
    assert not told(one.kind, replace(one.world, costs=contract))
