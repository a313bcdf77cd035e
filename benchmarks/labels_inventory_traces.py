"""Labels of what an inventory shows to be left behind: tags, interfaces, snapshots, stopped machines, images."""

from __future__ import annotations

from datetime import date
from typing import Any

from label_shapes import How, Row, ago, each, thing
from label_world import LAST, Expected, World
from labels_bill import BOX, SEPTEMBER_END, SNAPSHOT, VOLUME, of

OLD: Row = {"created_at": ago(200)}
NIC = "Nimbus Network | Network Interface | Interface-Hours | Hours | Networking"
IMAGE = "Nimbus Images | Machine Image | Image-Storage | GB-Months | Storage"
MOUNT = OLD | {"state": "in-use", "attached_to": "i-elsewhere"}


def tags_of_nothing(w: World) -> None:
    """Tags in force for thirty days of bills: the last thirty are 10 October up to 8 November."""
    for since, until, billed, state, expected in (
        ("2026-10-10", "", None, "", "waste"), ("", "", None, "", "waste"), ("2026-08-01", "", None, "", "waste"),
        ("2026-08-01", "", date(2026, 10, 9), "", "waste"), ("2026-08-01", "", None, "running", "waste"),
        ("2026-10-11", "", None, "", "near"), ("2026-11-02", "", None, "", "near"),
        ("2026-08-01", "2026-11-01", None, "", "near"), ("2026-08-01", "", date(2026, 10, 10), "", "near"),
        ("2026-08-01", "", LAST, "", "near"), ("2026-08-01", "", None, "stopped", "near"),
    ):  # fmt: skip
        one = w.new("gone")
        w.put("tags", resource_id=one, key="project", value="orion", valid_from=since, valid_to=until)
        if billed:
            w.bill(one, NIC, "3", last=billed, tags=of("orion"))
            w.say("unlisted_resource", one, "allowed", "it stands in the bill alone")
        if state:
            w.put("resources", resource_id=one, resource_type="instance", state=state, last_used_at=ago(3))
        each(w, "orphaned_tag", one, expected, f"tag {since} to {until}, billed to {billed}, {state}")  # type: ignore[arg-type]


def interfaces(w: World) -> None:
    """Network interfaces; most cost nothing, and the words do not ask for a bill."""
    ended = thing(w, "i", "instance", BOX, OLD | {"state": "terminated", "deleted_at": "2026-08-20"})
    lives = thing(w, "i", "instance", BOX, OLD | {"state": "running"}, {})
    loose, at = {"state": "available"}, {"state": "in-use", "attached_to": lives}
    for row, how, expected in (
        (OLD | loose, None, "waste"), ({"created_at": ago(14)} | loose, None, "waste"),
        (OLD | {"state": "in-use", "attached_to": ended}, None, "waste"), (OLD | loose, {"october": "1.00"}, "waste"),
        (OLD | loose, {"a_day": "40"}, "waste"), ({"created_at": ago(13)} | loose, None, "near"),
        ({"created_at": ago(0)} | loose, {"first": LAST}, "near"), (OLD | at, None, "near"), (OLD | at, {}, "near"),
        (OLD | loose, {"october": "0.99"}, "near"), ({"created_at": ""} | loose, None, "missing"),
    ):  # fmt: skip
        each(w, "orphaned_interface", thing(w, "nic", "network interface", NIC, row, how), expected, (row, how))  # type: ignore[arg-type]


def snapshots(w: World) -> None:
    """Snapshots whose source is gone, on both sides of 31 days, and what spares them."""
    here = thing(w, "vol", "volume", VOLUME, MOUNT, {})
    billed, removed = w.new("vol"), thing(w, "vol", "volume", VOLUME, OLD | {"state": "deleted"})
    left = thing(w, "vol", "volume", VOLUME, OLD | {"state": "", "deleted_at": "2026-08-30"})
    w.bill(billed, VOLUME, "3", tags=of("orion"))
    w.say("unlisted_resource", billed, "allowed", "it stands in the bill alone")
    month: How = {"first": date(2026, 10, 12)}
    cases: list[tuple[str, str, Row, How, Expected]] = [
        (w.new("vol"), ago(31), {}, {}, "waste"), (removed, ago(90), {}, {}, "waste"), (left, ago(60), {}, {}, "waste"),
        (w.new("vol"), ago(200), {}, {"october": "1.00"}, "waste"),
        (w.new("vol"), ago(45), {}, {"a_day": "60"}, "waste"),
        (w.new("vol"), ago(30), {}, month, "near"), (here, ago(200), {}, {}, "near"),
        (billed, ago(200), {}, {}, "near"),
        (w.new("vol"), ago(200), {"managed_by": "aws-backup"}, {}, "near"),
        (w.new("vol"), ago(200), {"image": "names"}, {}, "near"),
        (w.new("vol"), ago(200), {"image": "made"}, {}, "near"),
        (w.new("vol"), ago(200), {}, {"october": "0.99"}, "near"), ("", ago(200), {}, {}, "missing"),
        (w.new("vol"), "", {}, month, "missing"),
    ]  # fmt: skip
    for source, created, how, sold, expected in cases:
        image = w.new("ami") if "image" in how else ""
        row = {"state": "completed", "created_at": created, "source_id": source, "managed_by": how.get("managed_by",
         ""),
               "image_id": image if how.get("image") == "names" else ""}  # fmt: skip
        one = thing(w, "snap", "snapshot", SNAPSHOT, row, sold)
        if image:
            w.put("resources", resource_id=image, resource_type="image", state="available", created_at=ago(20),
                  source_id=one if how["image"] == "made" else "")  # fmt: skip
        each(w, "orphaned_snapshot", one, expected, (row, sold), "snapshot_outlives_volume")
        w.say("old_snapshot", one, "allowed" if source in {here, billed} else "near", "no newer one of its source")


def beyond_retention(w: World) -> None:
    """Snapshots that have a newer one beside them, on both sides of ninety days."""
    listed = w.new("ami")
    w.put("resources", resource_id=listed, resource_type="image", state="available", created_at=ago(20))
    cases: list[tuple[str, str, Row, How, Expected]] = [
        (ago(90), ago(9), {}, {}, "waste"), (ago(200), ago(80), {}, {}, "waste"), (ago(91), ago(20), {}, {}, "waste"),
        (ago(120), ago(1), {}, {"october": "1.00"}, "waste"), (ago(150), ago(91), {}, {"a_day": "60"}, "waste"),
        (ago(89), ago(9), {}, {}, "near"), (ago(200), "", {}, {}, "near"), (ago(200), ago(201), {}, {}, "near"),
        (ago(200), ago(9), {"managed_by": "veeam"}, {}, "near"), (ago(200), ago(9), {"image_id": listed}, {}, "near"),
        (ago(200), ago(9), {"image_id": "ami-unlisted"}, {}, "allowed"),
        (ago(200), ago(9), {}, {"october": "0.99"}, "near"), (ago(200), ago(9), {"source_id": ""}, {}, "missing"),
        ("", ago(9), {}, {"first": date(2026, 10, 1)}, "missing"),
    ]  # fmt: skip
    for created, newer, how, sold, expected in cases:
        source = thing(w, "vol", "volume", VOLUME, MOUNT, {})
        row = {"state": "completed", "created_at": created, "source_id": source} | how
        one = thing(w, "snap", "snapshot", SNAPSHOT, row, sold)
        if newer:
            other = thing(w, "snap", "snapshot", SNAPSHOT, row | {"created_at": newer, "source_id": source}, sold)
            old = "near" if created else "allowed"
            w.say("old_snapshot", other, "allowed" if newer == ago(201) else old, "the newest of its source")  # type: ignore[arg-type]
        each(w, "old_snapshot", one, expected, (row, newer, sold))


def stopped(w: World) -> None:
    """Machines that stand still for thirty days, and the volumes on them."""
    cases: list[tuple[str, str, How, Expected]] = [
        ("stopped", ago(30), {}, "waste"), ("deallocated", ago(31), {}, "waste"), ("stopped", ago(100), {}, "waste"),
        ("deallocated", ago(60), {"october": "1.00"}, "waste"), ("stopped", ago(45), {"a_day": "70"}, "waste"),
        ("stopped", ago(29), {}, "near"), ("deallocated", ago(2), {}, "near"), ("running", ago(60), {}, "near"),
        ("stopped", ago(60), {"october": "0.99"}, "near"), ("stopped", ago(60), {"last": SEPTEMBER_END}, "near"),
        ("stopped", ago(60), None, "near"), ("", ago(60), {}, "undetermined"), ("", "", {}, "undetermined"),
        ("", ago(29), {}, "near"), ("", ago(60), None, "near"),
    ]  # fmt: skip
    for kind in ("volume_of_deallocated_machine", "stopped_long"):
        for state, used, how, expected in cases:
            machine = thing(w, "i", "instance", BOX, OLD | {"state": state, "last_used_at": used})
            row = OLD | {"state": "in-use", "attached_to": machine}
            volume = thing(w, "vol", "volume", VOLUME, row, how)
            subjects = {"stopped_long": machine, "volume_of_deallocated_machine": volume}
            w.say("volume_of_stopped_instance", volume, "allowed", "the bill's silence dates the stop as well")
            for other, subject in subjects.items():
                w.say(other, subject, "allowed", "the same words of a machine and of its volume")
            each(w, kind, subjects[kind], expected, (state, used, how))


def images(w: World) -> None:
    """Images on both sides of ninety days; the words do not ask for a bill."""
    cases: list[tuple[str, str, Row, How, Expected]] = [
        (ago(90), ago(90), {}, None, "waste"), (ago(200), ago(91), {}, None, "waste"),
        (ago(300), ago(200), {}, {}, "waste"), (ago(200), ago(120), {}, {"october": "1.00"}, "waste"),
        (ago(400), ago(95), {}, {"a_day": "30"}, "waste"), (ago(200), ago(89), {}, None, "near"),
        (ago(89), ago(89), {}, None, "near"),
        (ago(200), ago(91), {"by": "instance", "state": "terminated"}, None, "near"),
        (ago(200), ago(91), {"by": "launch template", "state": ""}, None, "near"),
        (ago(200), ago(91), {"by": "instance", "state": "running"}, {}, "near"),
        (ago(200), ago(91), {}, {"october": "0.99"}, "near"), ("", "", {}, None, "missing"),
    ]  # fmt: skip
    for created, used, by, how, expected in cases:
        row = {"state": "available", "created_at": created, "last_used_at": used}
        one = thing(w, "ami", "image", IMAGE, row, how)
        if by:
            w.put("resources", resource_id=w.new("x"), resource_type=by["by"], state=by["state"], image_id=one,
                  created_at=ago(200))  # fmt: skip
        each(w, "unused_image", one, expected, (row, by, how))


GROUPS: tuple[Any, ...] = (tags_of_nothing, interfaces, snapshots, beyond_retention, stopped, images)
