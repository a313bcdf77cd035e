"""Tags without bills, bills without tags, bills after deletion: each threshold from both sides."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from detection_worlds import (
    AS_OF,
    LAST,
    WORLD,
    billed,
    inventory,
    mark,
    metered,
    tag,
    tags,
    thing,
    told,
)

from attribution.detection import WasteInputs
from schemas.workspace import Waste


def tagged(*rows: dict[str, Any], **more: Any) -> WasteInputs:  # noqa: ANN401
    return replace(WORLD, tags=tags(*rows), **more)


@pytest.mark.parametrize(("since", "count"), [(date(2026, 10, 10), 1), (date(2026, 10, 11), 0), (None, 1)])
def test_a_tag_has_thirty_days(since: date | None, count: int) -> None:
    world = tagged(tag("ghost", "owner", "lin", since), tag("ghost", "project", "orion", since))
    rows = told(world, "orphaned_tag")
    assert len(rows) == count
    for row in rows:
        assert (row["cost_at_stake"], row["owner"], row["project"]) == (None, "lin", "orion")
        assert "no bill ever named it" in row["evidence"]


def test_a_tag_whose_value_changed_was_in_force_before() -> None:
    change = date(2026, 11, 1)
    rows = (tag("ghost", "owner", "omar", None, change), tag("ghost", "owner", "lin", change))
    (row,) = told(tagged(*rows), "orphaned_tag")
    assert row["owner"] == "lin"


def test_a_tag_that_ended_is_not_orphaned() -> None:
    assert not told(tagged(tag("ghost", "owner", "lin", None, AS_OF.date())), "orphaned_tag")
    assert told(tagged(tag("ghost", "owner", "lin", None, AS_OF.date() + timedelta(days=1))), "orphaned_tag")


@pytest.mark.parametrize(("last", "count"), [(date(2026, 10, 9), 1), (date(2026, 10, 10), 0)])
def test_a_charge_within_thirty_days_is_life(last: date, count: int) -> None:
    bills = metered(billed("ghost", "5", last_day=last))
    assert len(told(tagged(tag("ghost", "owner", "lin"), costs=bills), "orphaned_tag")) == count


def test_stopped_resources_and_parents_need_no_bill_and_deleted_ones_are_orphans() -> None:
    rows = [tag(name, "owner", "lin") for name in ("stopped", "cluster", "deleted", "running")]
    things = inventory(
        thing("stopped", "instance", state="stopped"), thing("node", "node", attached_to="cluster"),
        thing("deleted", "instance", state="deleted"), thing("running", "bucket", state="active"),
    )  # fmt: skip
    found = told(tagged(*rows, resources=things), "orphaned_tag")
    assert [row["subject"] for row in found] == ["deleted", "running"]
    assert "says it is deleted" in found[0]["evidence"]


def test_thirty_days_of_data_are_needed_to_miss_a_charge() -> None:
    for first, count in ((date(2026, 10, 10), 1), (date(2026, 10, 11), 0)):
        world = tagged(tag("ghost", "owner", "lin"), watermarks={"nimbus": mark(LAST, first)})
        assert len(told(world, "orphaned_tag")) == count


def test_a_source_that_fell_silent_orphans_nothing_of_its_own() -> None:
    marks = {"nimbus": mark(LAST), "cirrus": mark(date(2026, 9, 15))}
    bills = metered(billed("old", "5", date(2026, 9, 1), source="cirrus", last_day=date(2026, 9, 15)))
    assert not told(tagged(tag("old", "owner", "lin"), watermarks=marks, costs=bills), "orphaned_tag")


def test_the_dearest_untagged_resources_are_found() -> None:
    nobody: dict[str, Any] = {"project": "unallocated", "owner": "unallocated"}
    bills = metered(
        billed("a", "5", **nobody), billed("b", "7", **nobody), billed("c", "0.99", **nobody),
        billed("d", "9", project="unallocated"), billed("e", "9", owner="unallocated"),
        billed("f", "9", **nobody), billed("f", "1"), billed("g", "9", date(2026, 9, 1), **nobody),
        billed("a", "6", BillingCurrency="EUR", **nobody),
    )  # fmt: skip
    rows = told(replace(WORLD, costs=bills), "untagged_resource")
    assert [(row["subject"], row["BillingCurrency"], row["cost_at_stake"]) for row in rows] == [
        ("a", "EUR", Decimal(6)), ("a", "USD", Decimal(5)), ("b", "USD", Decimal(7)),
    ]  # fmt: skip
    one = Waste(detectors={"untagged_resource": {"top": Decimal(1)}})
    rows = told(replace(WORLD, costs=bills), "untagged_resource", one)
    assert [(row["subject"], row["BillingCurrency"]) for row in rows] == [("a", "EUR"), ("b", "USD")]


@pytest.mark.parametrize(("last", "count"), [(date(2026, 10, 12), 0), (date(2026, 10, 13), 1)])
def test_the_day_of_deletion_is_billed_rightly_and_the_day_after_is_not(last: date, count: int) -> None:
    row = thing("r", "volume", state="deleted", deleted_at=datetime(2026, 10, 12, 1, tzinfo=UTC))
    bills = metered(billed("r", "40", last_day=last))
    rows = told(replace(WORLD, resources=inventory(row), costs=bills), "billed_after_deletion")
    assert [found["cost_at_stake"] for found in rows] == [Decimal(40)] * count


def test_deleted_without_a_day_counts_from_the_day_of_the_inventory() -> None:
    world = replace(
        WORLD,
        resources=inventory(thing("r", "volume", state="deleted")),
        costs=metered(billed("r", "4")),
    )
    assert not told(world, "billed_after_deletion")
    for day, count in ((date(2026, 10, 27), 1), (date(2026, 10, 28), 0)):
        assert len(told(replace(world, inventory_day=day), "billed_after_deletion")) == count
