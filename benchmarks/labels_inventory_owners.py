"""Labels of an inventory against names, bills and people: copies, temporary names, the unlisted, owners, projects."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from label_shapes import DATASET, How, Row, ago, each, run, thing
from labels_bill import BOX, SEPTEMBER_END, VOLUME, of
from labels_inventory import VAULT

if TYPE_CHECKING:
    from label_world import Expected, World

READ: Row = {"last_used_at": ago(2), "storage_class": "archive", "state": "available"}
KEPT: Row = {"last_used_at": ago(2), "state": "active", "created_at": ago(200)}


def copies(w: World) -> None:
    """Two things of one name and size; the younger is named."""
    volume: Row = {"kind": "volume", "state": "in-use", "attached_to": "i-elsewhere"}
    cases: list[tuple[str, str, Row, How, Expected]] = [
        ("10", "10", {}, {}, "waste"), ("500", "500", {"created_at": ago(14)}, {}, "waste"),
        ("500", "500", {"end": ""}, {}, "waste"), ("20000", "20000", {}, {"october": "1.00"}, "waste"),
        ("750", "750", volume, {}, "waste"), ("88", "88", {"end": " copy"}, {"a_day": "70"}, "allowed"),
        ("9", "9", {}, {}, "near"), ("500", "501", {}, {}, "near"), ("500", "500", {"name": "other"}, {}, "near"),
        ("500", "500", {"created_at": ago(13)}, {"first": date(2026, 10, 28)}, "near"),
        ("500", "500", {}, {"october": "0.99"}, "near"), ("500", "500", {}, {"last": SEPTEMBER_END}, "near"),
        ("", "", {}, {}, "undetermined"), ("500", "", {}, {}, "undetermined"),
        ("", "500", {}, {}, "undetermined"), ("500", "", {"name": "other"}, {}, "near"),
    ]  # fmt: skip
    for size, other, how, sold, expected in cases:
        name, kind = w.new("corpus"), how.get("kind", "dataset")
        row = READ | {key: value for key, value in how.items() if key in {"state", "attached_to"}}
        meter = DATASET if kind == "dataset" else VOLUME
        first = thing(w, "data", kind, meter, row | {"created_at": ago(200), "size_gb": size, "name": name}, {})
        made, end = how.get("created_at", ago(60)), how.get("end", "-copy")
        later = row | {"created_at": made, "size_gb": other, "name": how.get("name", name + end)}
        each(w, "duplicate_data", thing(w, "data", kind, meter, later, sold), expected, (size, other, how, sold))
        each(w, "duplicate_data", first, "near" if expected == "waste" else "allowed", "the oldest of them")


def temporary(w: World) -> None:
    """Words of a temporary name, on both sides of thirty days."""
    cases: list[tuple[str, str, str, Row, How, Expected]] = [
        ("tmp-shards", "volume", ago(30), {}, {}, "waste"), ("lin-scratch", "volume", ago(90), {}, {}, "waste"),
        ("test-node", "instance", ago(31), {}, {}, "waste"), ("demo", "instance", ago(60), {}, {}, "waste"),
        ("scratch-lin", "dataset", ago(99), {}, {"a_day": "50"}, "waste"),
        ("tmp", "volume", ago(200), {}, {"october": "1.00"}, "waste"),
        ("tmp-shards", "volume", ago(29), {}, {"first": date(2026, 10, 12)}, "near"),
        ("latest-weights", "volume", ago(200), {}, {}, "near"), ("contest", "volume", ago(200), {}, {}, "near"),
        ("test-set", "dataset", ago(200), {}, {}, "near"),
        ("demo-chat", "instance", ago(200), {"stage": "serving"}, {}, "near"),
        ("tmp", "volume", ago(200), {}, {"october": "0.99"}, "near"),
        ("tmp", "volume", ago(200), {}, {"last": SEPTEMBER_END}, "near"),
        ("tmp", "volume", "", {}, {"first": date(2026, 10, 20)}, "missing"),
        ("", "volume", ago(200), {}, {}, "missing"),
    ]  # fmt: skip
    for name, kind, created, tags, how, expected in cases:
        row = {"name": name, "created_at": created} | (READ if kind == "dataset" else {"state": "in-use"})
        meter = {"volume": VOLUME, "instance": BOX, "dataset": DATASET}[kind]
        sold = {"tags": of("orion", **tags)} | (how or {})
        one = thing(w, "x", kind, meter, row | ({"attached_to": "i-elsewhere"} if kind == "volume" else {}), sold)
        each(w, "temporary_name", one, expected, (name, kind, created, tags, how))


def unlisted(w: World) -> None:
    """Services of which the inventory lists so many of so many; each service is one case."""
    cases: list[tuple[int, int, How, Expected]] = [
        (4, 1, {}, "waste"), (8, 2, {}, "waste"), (9, 1, {}, "waste"), (12, 1, {"october": "1.00"}, "waste"),
        (4, 1, {"first": date(2026, 10, 26)}, "waste"), (3, 1, {}, "near"), (7, 2, {}, "near"), (1, 1, {}, "near"),
        (4, 1, {"first": date(2026, 10, 28)}, "near"), (9, 1, {"october": "0.99"}, "near"),
        (9, 1, {"last": SEPTEMBER_END}, "near"), (0, 2, {}, "missing"),
    ]  # fmt: skip
    for listed, left_out, how, expected in cases:
        service = f"Nimbus {w.new('Service')} | Cell | Cell-Hours | Hours | Compute"
        for _ in range(listed):
            thing(w, "cell", "cell", service, {"state": "running", "created_at": ago(200)}, {})
        for _ in range(left_out):
            one = w.new("cell")
            w.bill(one, service, **{"a_day": "3", "tags": of("orion")} | (how or {}))
            each(w, "unlisted_resource", one, expected, f"{listed} listed, {left_out} not; {how}")


def owners(w: World) -> None:
    """Owners who left: `valid_to` is the first day no longer."""
    cases: list[tuple[str, list[tuple[str, str]], str, How, Expected]] = [
        ("one", [("", "2026-11-10")], "", {}, "waste"), ("one", [("", "2026-09-01")], "", {}, "waste"),
        ("one", [("", "2026-08-01"), ("2026-08-10", "2026-10-01")], "", {}, "waste"),
        ("one", [("2026-01-01", "2026-10-31")], "", {"october": "1.00"}, "waste"),
        ("one", [("", "2026-11-01")], "2026-11-11", {"a_day": "60"}, "waste"),
        ("one", [("", "2026-11-11")], "", {}, "near"), ("one", [("", "")], "", {}, "near"),
        ("one", [("", "2026-08-01"), ("2026-09-01", "")], "", {}, "near"),
        ("one", [("", "2026-09-01")], "2026-11-10", {}, "near"),
        ("one", [("", "2026-09-01")], "", {"october": "0.99"}, "near"),
        ("one", [("", "2026-09-01")], "", {"last": SEPTEMBER_END}, "near"), ("one", [], "", {}, "missing"),
    ]  # fmt: skip
    for _, spans, tag_until, how, expected in cases:
        owner = w.new("person")
        one = thing(w, "key", "secret", VAULT, KEPT, {"tags": {"project": "orion"}} | (how or {}))
        w.put("tags", resource_id=one, key="owner", value=owner, valid_from="2026-08-01", valid_to=tag_until)
        for since, until in spans:
            w.put("people", owner=owner, valid_from=since, valid_to=until)
        w.say("orphaned_tag", one, "allowed", "tagged, and billed no more")
        each(w, "tag_of_owner_who_left", one, expected, (spans, f"tag until {tag_until}", how))
    w.put("people", owner="lin", valid_from="", valid_to="")


def projects(w: World) -> None:
    """Projects whose runs ended thirty days ago: at midnight of 11 October."""
    cases: list[tuple[list[Row], How, Expected]] = [
        ([{"end": "2026-10-11"}], {}, "waste"), ([{"end": "2026-09-01"}, {"end": "2026-10-08"}], {}, "waste"),
        ([{"end": "2026-08-20"}], {}, "waste"), ([{"end": "2026-09-20"}], {"october": "1.00"}, "waste"),
        ([{"end": "2026-10-01", "status": "failed"}], {"a_day": "90"}, "waste"), ([{"end": "2026-10-12"}], {}, "near"),
        ([{"end": "2026-09-01"}, {"end": "", "status": "running"}], {}, "near"),
        ([{"end": "2026-09-01"}, {"end": "2026-11-02"}], {}, "near"),
        ([{"end": "2026-09-01"}], {"october": "0.99"}, "near"),
        ([{"end": "2026-09-01"}], {"last": SEPTEMBER_END}, "near"),
        ([{"end": "2026-09-01"}, {"end": "2026-10-31"}], {}, "near"),
        ([{"end": "", "status": "completed"}], {}, "undetermined"),
        ([{"end": "2026-09-01"}, {"end": "", "status": "failed"}], {}, "undetermined"),
    ]  # fmt: skip
    for runs, how, expected in cases:
        project = w.new("proj")
        thing(w, "key", "secret", VAULT, KEPT, {"tags": of(project)} | (how or {}))
        for n, one in enumerate(runs):
            end = f"{one['end']}T00:00:00Z" if one["end"] else ""
            name = run(w, start=f"2026-08-0{n + 2}T00:00:00Z", end=end, project=project,
                       status=one.get("status", "completed"), machine={"last": date(2026, 8, 5)})  # fmt: skip
            w.say("failed_run", name, "allowed", "runs are labelled elsewhere")
        each(w, "tag_of_ended_project", f"project={project}", expected, (runs, how))


GROUPS: tuple[Any, ...] = (copies, temporary, unlisted, owners, projects)
