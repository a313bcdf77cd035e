"""Labels of the detectors that need the bill alone, or the bill and a word of the inventory."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from label_world import FIRST, LAST, OCTOBER, Expected, World

COMPUTE = "Amazon Elastic Compute Cloud"
BOX = f"{COMPUTE} | Compute Instance | USE1-BoxUsage:m6i.large | Hours | Compute"
P5 = f"{COMPUTE} | Compute Instance | USE1-BoxUsage:p5.48xlarge | Hours | Compute"
VOLUME = f"{COMPUTE} | Storage | USE1-EBS:VolumeUsage.gp3 | GB-Months | Storage"
SNAPSHOT = f"{COMPUTE} | Storage Snapshot | USE1-EBS:SnapshotUsage | GB-Months | Storage"
OUT = f"{COMPUTE} | Data Transfer | USE1-DataTransfer-Out-Bytes | GB | Networking"
NAT = f"{COMPUTE} | NAT Gateway | USE1-NatGateway-Hours | Hours | Networking"
NAT_BYTES = f"{COMPUTE} | NAT Gateway | USE1-NatGateway-Bytes | GB | Networking"
BALANCER = "Elastic Load Balancing | Load Balancer-Application | USE1-LoadBalancerUsage | Hours | Networking"
UNITS = "Elastic Load Balancing | Load Balancer-Application | USE1-LCUUsage | LCU-Hours | Networking"
IDLE = "Amazon Virtual Private Cloud | | USE1-PublicIPv4:IdleAddress | Hours | Networking"
IN_USE = "Amazon Virtual Private Cloud | | USE1-PublicIPv4:InUseAddress | Hours | Networking"
BUCKET = "Amazon Simple Storage Service | Storage | USE1-TimedStorage-ByteHrs | GB-Months | Storage"
REQUESTS = "Amazon Simple Storage Service | API Request | USE1-Requests-Tier1 | Requests | Storage"
LOGS = "AmazonCloudWatch | Data Payload | USE1-DataProcessing-Bytes | GB | Management and Governance"
RDS = "Amazon Relational Database Service | Database Instance"
DATABASE = f"{RDS} | USE1-InstanceUsage:db.r6g.large | Hours | Databases"
SEPTEMBER_END, OCTOBER_END = date(2026, 9, 30), date(2026, 10, 31)
BLANK_METER = {"SkuMeter": "", "SkuId": "", "ChargeDescription": ""}


def of(project: str, **more: str) -> dict[str, str]:
    """Tags of a resource of one project."""
    return {"project": project, "owner": "lin", "stage": "pretraining"} | more


def commitments(w: World) -> None:
    """Shares of unused commitments and reservations, on both sides of 5 % and 10 %."""
    for kind, threshold in (("unused_commitment", 5), ("unused_capacity_reservation", 10)):
        cases: list[tuple[str, str, Expected, dict[str, Any]]] = [
            (str(100 - threshold), str(threshold), "waste", {}),
            (f"{99 - threshold}.99", f"{threshold}.01", "waste", {}),
            ("80", "20", "waste", {}), ("500", "500", "waste", {}), ("1", "3000", "waste", {}),
            (f"{100 - threshold}.01", f"{threshold - 1}.99", "near", {}), ("99", "1", "near", {}),
            ("950", f"{threshold * 9}", "near", {}), ("0.49", "0.50", "near", {}), ("200", "0", "near", {}),
            ("50", "50", "missing", {"status": False}), ("60", "40", "missing", {"status": False}),
        ]  # fmt: skip
        for used, unused, expected, how in cases:
            _commitment(w, kind, used, unused, expected, status=how.get("status", True))
    _commitment(w, "unused_commitment", "70", "30", "near", until=SEPTEMBER_END)
    _commitment(w, "unused_capacity_reservation", "70", "30", "near", since=date(2026, 10, 28))
    _commitment(w, "unused_capacity_reservation", "70", "30", "waste", since=date(2026, 10, 26))


def _commitment(
    w: World, kind: str, used: str, unused: str, expected: Expected, *, status: bool = True, since: date = FIRST,
    until: date = LAST,
) -> None:  # fmt: skip
    plan, machine = w.new("plan" if kind == "unused_commitment" else "cr"), w.new("i")
    if kind == "unused_commitment":
        names = ("CommitmentDiscountId", "CommitmentDiscountStatus")
        more = {"CommitmentDiscountCategory": "Spend", "CommitmentDiscountType": "Compute Savings Plan"}
    else:
        names, more = ("CapacityReservationId", "CapacityReservationStatus"), {}
    for amount, word, resource in ((used, "Used", machine), (unused, "Unused", plan)):
        w.bill(resource, BOX, "2", october=amount, first=since, last=until,
               **more | {names[0]: plan, names[1]: word if status else ""})  # fmt: skip
    w.say(kind, plan, expected, f"October: {used} used, {unused} unused, {since} to {until}, told: {status}")


def standing(w: World) -> None:
    """Things that are billed by the hour and carry nothing."""
    for kind, word, hours, use in (
        ("nat_gateway_without_traffic", "nat", NAT, NAT_BYTES),
        ("load_balancer_without_traffic", "lb", BALANCER, UNITS),
        ("idle_public_address", "ip", IDLE, IN_USE),
    ):
        for last_use, since, october, expected in (
            (None, FIRST, None, "waste"), (SEPTEMBER_END, FIRST, None, "waste"),
            (date(2026, 8, 3), FIRST, "1.00", "waste"),
            (None, date(2026, 10, 26), None, "waste"), (None, date(2026, 9, 15), "40", "waste"),
            (OCTOBER, FIRST, None, "near"), (LAST, FIRST, None, "near"), (OCTOBER_END, FIRST, None, "near"),
            (None, FIRST, "0.99", "near"), (None, date(2026, 10, 28), None, "near"),
            (None, date(2026, 11, 2), None, "near"),
        ):  # fmt: skip
            one = w.new(word)
            w.bill(one, hours, "0.6", first=since, october=october)
            if last_use:
                w.bill(one, use, "0.02", "0.5", first=last_use, last=last_use)
            why = f"billed since {since}, October {october}, last used {last_use}"
            w.say(kind, one, expected, why)  # type: ignore[arg-type]
        ended, unknown, blank = w.new(word), w.new(word), w.new(word)
        if kind == "idle_public_address":
            w.bill(ended, hours, "0.6", last=date(2026, 10, 30))
            w.bill(ended, use, "0.6", first=OCTOBER_END)
            w.say(kind, ended, "near", "idle up to the last day but one of the month, used since")
        w.bill(unknown, hours, None)
        w.say(kind, unknown, "waste", "its use is known, its cost is not")
        w.bill(blank, hours, "0.6", **BLANK_METER)
        w.say(kind, blank, "missing", "nobody knows what was metered")


def left_over(w: World) -> None:
    """Volumes of projects whose machines are gone; each project in an account of its own."""
    cases: list[tuple[date | None, dict[str, Any], Expected]] = [
        (SEPTEMBER_END, {}, "waste"), (date(2026, 8, 9), {}, "waste"), (date(2026, 9, 2), {"october": "1.00"}, "waste"),
        (SEPTEMBER_END, {"first": date(2026, 9, 20)}, "waste"), (date(2026, 9, 29), {"a_day": "120"}, "waste"),
        (OCTOBER, {}, "near"), (LAST, {}, "near"), (None, {}, "near"), (SEPTEMBER_END, {"october": "0.99"}, "near"),
        (SEPTEMBER_END, {"last": SEPTEMBER_END}, "near"), (SEPTEMBER_END, {"first": date(2026, 10, 28)}, "near"),
        (SEPTEMBER_END, {"a_day": None}, "waste"), (SEPTEMBER_END, BLANK_METER, "missing"),
        (SEPTEMBER_END, {"account": ""}, "missing"),
    ]  # fmt: skip
    for ended, how, expected in cases:
        project, volume = w.new("proj"), w.new("vol")
        account = {"SubAccountId": how.get("account", w.new("acct"))}
        rest = {key: value for key, value in how.items() if key != "account"}
        w.bill(volume, VOLUME, tags=of(project), **account | {"a_day": "3"} | rest)
        if ended:
            w.bill(w.new("i"), BOX, last=ended, tags=of(project), **account)
        w.say("storage_without_compute", volume, expected, f"machines until {ended}; {how}")


def on_stopped(w: World) -> None:
    """Volumes of machines that stand still, by the bill's silence of 30 days."""
    cases: list[tuple[str, date | None, dict[str, Any], Expected]] = [
        ("stopped", date(2026, 10, 9), {}, "waste"), ("stopped", date(2026, 10, 5), {"october": "1.00"}, "waste"),
        ("deallocated", date(2026, 10, 8), {}, "waste"), ("stopped", None, {}, "waste"),
        ("terminated", date(2026, 10, 2), {"a_day": "50"}, "near"), ("stopped", date(2026, 10, 3), {}, "waste"),
        ("stopped", date(2026, 10, 10), {}, "near"), ("running", LAST, {}, "near"), ("stopped", LAST, {}, "near"),
        ("stopped", date(2026, 10, 9), {"october": "0.99"}, "near"),
        ("stopped", date(2026, 9, 9), {"last": SEPTEMBER_END}, "near"),
        ("", date(2026, 10, 9), {}, "missing"), ("stopped", date(2026, 10, 9), {"a_day": None}, "waste"),
    ]  # fmt: skip
    for state, ended, how, expected in cases:
        project, volume, machine = w.new("proj"), w.new("vol"), w.new("i")
        w.put("resources", resource_id=machine, resource_type="instance", state=state, created_at="2026-07-01")
        w.put("resources", resource_id=volume, resource_type="volume", state="in-use", attached_to=machine,
              created_at="2026-07-01")  # fmt: skip
        w.bill(volume, VOLUME, tags=of(project), SubAccountId=w.new("acct"), **{"a_day": "3"} | how)
        if ended:
            w.bill(machine, BOX, last=ended, tags=of(project))
        w.say("volume_of_stopped_instance", volume, expected, f"{state}, hours until {ended}; {how}",
              *(("volume_of_deallocated_machine", "stopped_long", "storage_without_compute") if state else ()),
              *(("unattached_volume",) if state == "terminated" else ()))  # fmt: skip
        w.say("stopped_long", machine, "allowed", "the bill's silence dates the stop for it as well")


def snapshots(w: World) -> None:
    """Snapshots of volumes that went."""
    cases: list[tuple[date | None, str, dict[str, Any], Expected]] = [
        (date(2026, 10, 9), "2026-08-02", {}, "waste"), (date(2026, 8, 20), "2026-08-01", {"october": "1.00"}, "waste"),
        (date(2026, 9, 9), "2026-10-09", {"first": date(2026, 10, 9)}, "waste"),
        (date(2026, 9, 1), "2026-08-20", {"a_day": "70"}, "waste"),
        (SEPTEMBER_END, "2026-09-30", {}, "waste"), (date(2026, 10, 10), "2026-08-02", {}, "near"),
        (LAST, "2026-08-02", {}, "near"), (date(2026, 9, 9), "2026-10-12", {"first": date(2026, 10, 12)}, "near"),
        (date(2026, 9, 9), "2026-08-02", {"october": "0.99"}, "near"),
        (date(2026, 9, 9), "2026-08-02", {"name": "weekly-backup"}, "near"),
        (date(2026, 9, 9), "2026-08-02", {"image": True}, "near"), (None, "2026-08-02", {}, "missing"),
        (date(2026, 9, 9), "2026-08-02", {"a_day": None}, "waste"),
        (date(2026, 9, 9), "2026-08-02", {"parent": False}, "missing"),
    ]  # fmt: skip
    for ended, created, how, expected in cases:
        volume, snapshot = w.new("vol"), w.new("snap")
        beside = {key: how.get(key) for key in ("name", "image", "parent")}
        w.put("resources", resource_id=snapshot, resource_type="snapshot", state="completed", created_at=created,
              attached_to="" if beside["parent"] is False else volume, name=beside["name"] or "")  # fmt: skip
        if beside["image"]:
            w.put("resources", resource_id=w.new("ami"), resource_type="image", state="available", attached_to=snapshot,
                  created_at="2026-10-20")  # fmt: skip
        w.bill(snapshot, SNAPSHOT, **{"a_day": "2"} | {k: v for k, v in how.items() if k not in beside})
        if ended:
            w.bill(volume, VOLUME, "3", last=ended, tags=of(w.new("proj")))
        w.say("snapshot_outlives_volume", snapshot, expected, f"volume until {ended}, made {created}; {how}",
              "orphaned_snapshot", "old_snapshot")  # fmt: skip


def buckets(w: World) -> None:
    """Sixty days without a request: 10 September up to 8 November."""
    cases: list[tuple[date | None, dict[str, Any], Expected]] = [
        (date(2026, 9, 9), {}, "waste"), (None, {}, "waste"), (date(2026, 8, 2), {"october": "1.00"}, "waste"),
        (None, {"first": date(2026, 9, 8)}, "waste"), (date(2026, 9, 1), {"a_day": "400"}, "waste"),
        (date(2026, 9, 10), {}, "near"), (LAST, {}, "near"), (OCTOBER, {}, "near"), (None, {"october": "0.99"}, "near"),
        (None, {"first": date(2026, 9, 11)}, "near"), (None, {"last": SEPTEMBER_END}, "near"),
        (None, {"a_day": None}, "waste"), (None, BLANK_METER, "missing"),
    ]  # fmt: skip
    for asked, how, expected in cases:
        bucket = w.new("bkt")
        w.bill(bucket, BUCKET, **{"a_day": "2"} | how)
        if asked:
            w.bill(bucket, REQUESTS, "0.01", "3", first=asked, last=asked)
        w.say("bucket_never_requested", bucket, expected, f"last asked for {asked}; {how}", "unread_data", "cold_data")


def gpu_nodes(w: World) -> None:
    """GPU machines that leave no trace."""
    cases: list[tuple[str, str, dict[str, Any], Expected]] = [
        ("24", "", {}, "waste"), ("22.81", "", {}, "waste"), ("24", "", {"october": "1.00"}, "waste"),
        ("24", "", {"first": date(2026, 10, 26)}, "near"), ("24", "load 4.9", {}, "waste"),
        ("23.5", "", {"a_day": "900"}, "waste"),
        ("22.79", "", {}, "near"), ("24", "transfer", {}, "near"), ("24", "volume", {}, "near"),
        ("24", "job", {}, "near"),
        ("24", "load 5.0", {}, "near"), ("24", "", {"october": "0.99"}, "near"),
        ("24", "", {"last": date(2026, 11, 4)}, "near"),
        ("24", "", {"a_day": None}, "waste"), ("24", "", BLANK_METER, "missing"),
    ]  # fmt: skip
    for hours, trace, how, expected in cases:
        node = w.new("gpu")
        w.bill(node, P5, quantity=hours, **{"a_day": "800"} | how)
        if trace == "transfer":
            w.bill(node, OUT, "0.1", "1", first=date(2026, 10, 20), last=date(2026, 10, 20))
        elif trace == "volume":
            volume = w.new("vol")
            w.put("resources", resource_id=volume, resource_type="volume", state="in-use", attached_to=node)
            w.bill(volume, VOLUME, "3")
        elif trace == "job":
            w.put("jobs", job_id=w.new("job"), resource_id=node, submit="2026-10-02T00:00:00Z",
                  start="2026-10-02T00:00:00Z", end="2026-11-08T00:00:00Z", gpus="8", state="COMPLETED",
                  project="orion", user="lin")  # fmt: skip
        elif trace:
            for n in range(39):
                for metric in ("gpu_percent", "cpu_percent"):
                    w.put("utilization", resource_id=node, date=str(OCTOBER + timedelta(days=n)), metric=metric,
                          average=trace[5:], maximum=trace[5:])  # fmt: skip
        w.say("gpu_node_without_trace", node, expected, f"{hours} h a day; trace: {trace or 'none'}; {how}",
              "idle_by_utilization", "underused_gpu", "node_idle_after_last_job", "job_without_use")  # fmt: skip


GROUPS = (commitments, standing, left_over, on_stopped, snapshots, buckets, gpu_nodes)
