"""Detectors of the inventory: five cases that fire, five near misses, and missing data, of each."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from detection_worlds import AS_OF, BIRTH, billed, tag, tags, thing
from waste_cases import (
    ALWAYS_FIRES,
    ALWAYS_SPARED,
    FEWEST,
    SECOND,
    Change,
    Near,
    around,
    days_ago,
    people,
)

TODAY = AS_OF.date()
HANGING = thing("v", "volume", attached_to="i", state="in-use")
YOUNG = days_ago(14) + SECOND


def aged(*more: Change, days: int = 14) -> tuple[Change, ...]:
    return (*ALWAYS_FIRES, {"created_at": days_ago(days)}, *more)


def spared(*more: Change, days: int = 14) -> tuple[Change, ...]:
    return (*ALWAYS_SPARED, {"created_at": days_ago(days) + SECOND}, *more)


def serving(kind: str, detector: str) -> Near:
    return Near(
        detector,
        around(kind, targets=0.0),
        aged({"last_used_at": days_ago(14)}),
        spared({"targets": 1.0}, {"last_used_at": YOUNG}),
        ({"targets": None, "others": [thing("o", kind, targets=3.0)]},),
    )


def seven(last: date) -> Any:  # noqa: ANN401
    return {"bills": [billed("vol-9", "4", last_day=last)]}


def machine(**more: Any) -> list[Any]:  # noqa: ANN401
    return [thing("m-1", "instance", **{"state": "stopped", "last_used_at": days_ago(60)} | more)]


SNAPSHOT = {"source_id": "vol-9", "created_at": days_ago(31)}
OTHER_VOLUME = thing("vol-2", "volume", state="in-use")
NEWER = thing("s-2", "snapshot", source_id="vol-9", created_at=days_ago(1))
SOURCE = thing("vol-9", "volume", state="in-use", attached_to="m-1")
ON_MACHINE = {"attached_to": "m-1", "state": "in-use"}
IMAGE_KNOWN = thing("m", "instance", image_id="ami-2", state="running")
TEN = [thing(f"known-{n}", "instance") for n in range(4)]
TEN_BILLS = [billed(f"known-{n}", "5", ResourceType="vm") for n in range(4)]
LEFT = people(("lin", TODAY), ("omar", None))
RUN = {"run_id": "a", "experiment": "x", "project": "orion", "status": "completed"}

INVENTORY = (
    Near(
        "detached_address",
        around("elastic-ip", state="unassociated"),
        aged({"state": "RESERVED"}, {"state": None, "others": [HANGING]}, {"last_used_at": days_ago(14)}),
        spared({"attached_to": "i-1", "state": None}, {"state": "in-use"}, {"last_used_at": YOUNG}),
        ({"state": None}, {"attached_to": "i-1"}),
    ),
    Near(
        "orphaned_interface",
        around("network interface", state="available", cost="none"),
        (
            {},
            {"created_at": days_ago(14)},
            {"cost": "5"},
            {"state": None, "others": [HANGING]},
            {"state": "in-use", "attached_to": "i-1", "others": [thing("i-1", "instance", state="terminated")]},
        ),
        (
            {"state": "deleted"},
            {"created_at": YOUNG},
            {"state": "in-use"},
            {"kind": "spaceship"},
            {"state": "in-use", "attached_to": "i-1", "others": [thing("i-1", "instance", state="running")]},
        ),
        ({"state": None}, {"created_at": None}),
    ),
    Near(
        "orphaned_snapshot",
        around("snapshot", others=[OTHER_VOLUME], **SNAPSHOT),
        (
            *ALWAYS_FIRES,
            {"others": [thing("vol-9", "volume", state="deleted")]},
            {"source_id": None, "attached_to": "vol-9"},
            {"others": [OTHER_VOLUME, thing("ami", "image", state="deleted")], "image_id": "ami"},
        ),
        (
            *ALWAYS_SPARED,
            {"created_at": days_ago(31) + SECOND},
            {"others": [thing("vol-9", "volume", state="available")]},
            {"others": [OTHER_VOLUME, thing("ami", "image", state="disabled")], "image_id": "ami"},
            {"others": [OTHER_VOLUME, thing("ami", "image", state="disabled", source_id="r-1")]},
            {"managed_by": "nightly-backup"},
            seven(date(2026, 11, 8)),
        ),
        ({"source_id": None}, {"others": []}, {"created_at": None}),
    ),
    Near(
        "old_snapshot",
        around("snapshot", source_id="vol-9", created_at=days_ago(90), others=[SOURCE, NEWER]),
        (*ALWAYS_FIRES, {"created_at": days_ago(400)}, {"source_id": None, "attached_to": "vol-9"}),
        (
            *ALWAYS_SPARED,
            {"created_at": days_ago(90) + SECOND},
            {"others": [SOURCE]},
            {"managed_by": "nightly-backup"},
            {"others": [SOURCE, NEWER, thing("ami", "image", source_id="r-1")]},
            {"others": [OTHER_VOLUME, NEWER]},
        ),
        ({"source_id": None}, {"created_at": None}),
    ),
    Near(
        "volume_of_deallocated_machine",
        around("disk", others=machine(), **ON_MACHINE),
        (
            *ALWAYS_FIRES,
            {"others": machine(last_used_at=days_ago(30))},
            {"others": machine(state="Deallocated")},
            {
                "others": machine(last_used_at=None),
                "bills": [billed("m-1", "9", date(2026, 10, 1), last_day=date(2026, 10, 11))],
            },
        ),
        (
            *ALWAYS_SPARED,
            {"others": machine(last_used_at=days_ago(29))},
            {"others": machine(state="running")},
            {"others": machine(state="terminated")},
            {"attached_to": "m-2"},
        ),
        ({"others": machine(state=None)}, {"attached_to": None, "state": None}),
    ),
    Near(
        "stopped_long",
        around("instance", state="stopped", last_used_at=days_ago(30)),
        (
            *ALWAYS_FIRES,
            {"state": "DEALLOCATED"},
            {"cost": "none", "bills": [billed("v", "7")], "others": [thing("v", "volume", attached_to="r-1")]},
            {
                "last_used_at": None,
                "bill": {"last_day": date(2026, 10, 11)},
                "bills": [billed("v", "7")],
                "others": [thing("v", "volume", attached_to="r-1")],
            },
            {
                "last_used_at": None,
                "cost": "none",
                "bills": [billed("v", "7")],
                "others": [thing("v", "volume", attached_to="r-1")],
            },
        ),
        (
            *ALWAYS_SPARED,
            {"last_used_at": days_ago(29)},
            {"state": "running"},
            {"cost": "none"},
            {"last_used_at": None, "bill": {"last_day": date(2026, 10, 12)}},
        ),
        ({"state": None},),
    ),
    serving("application load-balancer", "empty_load_balancer"),
    serving("nat-gateway", "empty_gateway"),
    serving("endpoint", "empty_endpoint"),
    Near(
        "empty_cluster",
        around("cluster", targets=0.0),
        aged({"last_used_at": days_ago(14)}),
        spared(
            {"targets": 1.0},
            {"targets": None, "others": [thing("n", "node", attached_to="r-1"), thing("c", "cluster", targets=0.0)]},
        ),
        ({"targets": None, "others": [thing("o", "cluster", targets=3.0)]},),
    ),
    Near(
        "unused_image",
        around("ami", created_at=days_ago(400), others=[IMAGE_KNOWN]),
        ({}, {"created_at": days_ago(90)}, {"cost": "none"}, {"state": "disabled"}, {"last_used_at": days_ago(90)}),
        (
            {"others": [thing("t", "launch-template", image_id="r-1")]},
            {"others": [thing("m", "instance", state="terminated", image_id="r-1")]},
            {"created_at": days_ago(90) + SECOND},
            {"last_used_at": days_ago(90) + SECOND},
            {"managed_by": "image-pipeline"},
            {"state": "deleted"},
        ),
        ({"created_at": None, "cost": "none"}, {"others": []}),
    ),
    Near(
        "oversized_volume",
        around("volume", size_gb=1000.0, used_gb=300.0),
        aged({"used_gb": 0.0}, {"size_gb": 100.0, "used_gb": 30.0}),
        spared({"used_gb": 300.1}, {"size_gb": 99.9, "used_gb": 1.0}),
        ({"used_gb": None, "others": [thing("v", "volume", used_gb=1.0)]},),
    ),
    Near(
        "duplicate_data",
        around(
            "dataset",
            name="corpus-v1-copy",
            size_gb=10.0,
            others=[thing("r-0", "dataset", name="s3://other/corpus-v1", size_gb=10.0, created_at=days_ago(500))],
            bills=[billed("r-0", "9")],
        ),
        aged({"name": "corpus-v1"}, {"region": "here"}),
        spared({"name": "corpus-v2"}, {"size_gb": 10.1}, {"created_at": days_ago(600)}),
        ({"size_gb": None}, {"created_at": None, "bill": {"first_day": None}}),
    ),
    Near(
        "disused_service",
        around("container registry", last_used_at=days_ago(90)),
        (*ALWAYS_FIRES, {"kind": "secret"}, {"kind": "log_group"}, {"last_used_at": days_ago(400)}),
        (*ALWAYS_SPARED, {"last_used_at": days_ago(90) + SECOND}),
        ({"last_used_at": None}, {"last_used_at": None, "others": [thing("s", "secret", last_used_at=BIRTH)]}),
    ),
    Near(
        "expired_tag",
        around("instance", tags=tags(tag("r-1", "Expires-On", "2026-11-02"))),
        (
            *ALWAYS_FIRES,
            {"tags": tags(tag("r-1", "delete_after", "2026-01-31T00:00:00Z"))},
            {"listed": False},
        ),
        (
            {"cost": "0.99"},
            {"cost": "0"},
            {"tags": tags(tag("r-1", "expiry", "2026-11-03"))},
            {"tags": tags(tag("r-1", "expiry", "2027-11-03"))},
            {"tags": tags(tag("r-1", "expiry", "2026-01-01", None, TODAY))},
            {"tags": tags(tag("r-1", "experiment", "2026-01-01"))},
        ),
        ({"tags": tags(tag("r-1", "expiry", "31.12.2026"))},),
    ),
    Near(
        "temporary_name",
        around("instance", name="omar-tmp-2", created_at=days_ago(30)),
        (*ALWAYS_FIRES, {"name": "TEST"}, {"name": "a/demo_1"}, {"name": "x.scratch", "kind": "bucket"}),
        (
            {"state": "deleted"},
            {"cost": "0.99"},
            {"created_at": days_ago(30) + SECOND},
            {"name": "latest"},
            {"name": "attempt-3"},
            {"name": "test-set", "kind": "dataset"},
            {"bill": {"stage": "serving"}},
        ),
        ({"created_at": None, "bill": {"first_day": None}},),
    ),
    Near(
        "no_lifecycle_policy",
        around("bucket", lifecycle_policy="none", cost="50"),
        (
            {},
            {"bill": {"owner": "omar"}},
            {"created_at": days_ago(14)},
            {"lifecycle_policy": "No"},
            {"kind": "log group"},
        ),
        (
            {"state": "deleted"},
            {"cost": "49.99"},
            {"created_at": YOUNG},
            {"lifecycle_policy": "30 days"},
            {"lifecycle_policy": "yes"},
            {"kind": "spaceship"},
        ),
        ({"lifecycle_policy": None, "others": [thing("b", "bucket", lifecycle_policy="yes")]},),
    ),
    Near(
        "unlisted_resource",
        around(
            "instance",
            listed=False,
            others=TEN,
            bills=TEN_BILLS,
            bill={"ResourceType": "vm", "first_day": TODAY - timedelta(days=14)},
        ),
        (
            {},
            {"cost": "1"},
            {"bill": {"ResourceType": "vm"}},
            {"cost": None},
            {"bills": [*TEN_BILLS, billed("other", "5", ResourceType="lamp")]},
        ),
        (
            {"listed": True},
            {"cost": "0.99"},
            {"cost": "0"},
            {"bill": {"ResourceType": "vm", "first_day": TODAY - timedelta(days=13)}},
            {"bill": {"ResourceType": "lamp"}},
        ),
        ({"bill": {"ResourceType": None}}, {"others": TEN[:3], "bills": TEN_BILLS[:3]}),
    ),
    Near(
        "tag_of_owner_who_left",
        around("instance", tags=tags(tag("r-1", "Owner", "Lin")), people=LEFT),
        (
            {},
            {"cost": "1"},
            {"people": people(("LIN", TODAY - timedelta(days=9)))},
            {"listed": False},
            {"people": people(("lin", date(2026, 1, 1)), ("lin", TODAY))},
        ),
        (
            {"people": people(("lin", TODAY + timedelta(days=1)))},
            {"people": people(("lin", TODAY), ("lin", None))},
            {"tags": tags(tag("r-1", "owner", "omar"))},
            {"tags": tags(tag("r-1", "owner", "lin", None, TODAY), tag("r-1", "owner", "omar", TODAY))},
            {"cost": "0.99"},
        ),
        ({"people": people(("lin", None))}, {"tags": tags(tag("r-1", "owner", "kim"))}),
    ),
)


def test_every_detector_has_its_cases() -> None:
    for one in INVENTORY:
        assert min(len(one.fires), len(one.spares)) >= FEWEST, one.kind
        assert one.lacks, one.kind
