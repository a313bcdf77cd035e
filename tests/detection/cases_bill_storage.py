"""Labelled cases: volumes, snapshots and buckets that outlive what they were for."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from waste_cases import Case, billed, cases, listed

OCTOBER = date(2026, 10, 1)
SEPTEMBER_END = date(2026, 9, 30)
EBS = "Amazon Elastic Compute Cloud | Storage | USW2-EBS:VolumeUsage.gp3"
BOX = "Amazon Elastic Compute Cloud | Compute Instance | USW2-BoxUsage:m6i.large"
SNAP = "Amazon Elastic Compute Cloud | Storage Snapshot | USW2-EBS:SnapshotUsage"


def volume(a_day: str = "3", **more: Any) -> Any:  # noqa: ANN401
    return billed(EBS, a_day, 100, ConsumedUnit="GB-Mo", cost_element="storage", **more)


def machine(until: date, meter: str = BOX, **more: Any) -> Any:  # noqa: ANN401
    return billed(meter, "20", until=until, **{"ResourceId": "i-@"} | more)


LEFT_OVER = cases(
    "storage_without_compute",
    ("waste", "machines ended in August", volume(), machine(date(2026, 8, 31))),
    ("waste", "machines ended on the last day before the window", volume(), machine(SEPTEMBER_END)),
    ("waste", "Azure's disk and machine", billed("Storage | | Premium SSD Managed Disks P30", "4", 1),
     machine(SEPTEMBER_END, "Virtual Machines | Microsoft.Compute/virtualMachines | D8s v5")),
    ("waste", "Google's disk and machine", billed("Compute Engine | disks | Balanced PD Capacity", "4", 1),
     machine(SEPTEMBER_END, "Compute Engine | instances | N2 Instance Core running in Iowa")),
    ("waste", "machines of the same project in another account", volume(),
     machine(SEPTEMBER_END), machine(date(2026, 11, 8), ResourceId="i2-@", SubAccountId="other")),
    ("active", "machines run", volume(), machine(date(2026, 11, 8))),
    ("active", "a machine on the first day of the window", volume(), machine(OCTOBER)),
    ("active", "never had a machine: a project that only stores", volume()),
    ("active", "nobody knows the account", volume(SubAccountId=None), machine(SEPTEMBER_END, SubAccountId=None)),
    ("active", "the volume went with the machines", volume(until=SEPTEMBER_END), machine(SEPTEMBER_END)),
    ("active", "costs less than the minimum", volume("0.03"), machine(SEPTEMBER_END)),
    ("waste", "the volume is fourteen days old", volume(since=date(2026, 10, 26)), machine(SEPTEMBER_END)),
    ("active", "the volume is thirteen days old", volume(since=date(2026, 10, 27)), machine(SEPTEMBER_END)),
)  # fmt: skip


def stopped(state: str | None = "stopped", **more: Any) -> tuple[Any, ...]:  # noqa: ANN401
    return listed("instance", "i-@", state=state, **more), listed("volume", state="in-use", attached_to="i-@")


STANDING = cases(
    "volume_of_stopped_instance",
    ("waste", "stopped, and never billed", *stopped(), volume()),
    ("waste", "stopped in August", *stopped(), volume(), machine(date(2026, 8, 20))),
    ("waste", "billed last thirty days ago", *stopped(), volume(), machine(date(2026, 10, 9))),
    ("waste", "Azure's word for it", *stopped("Deallocated"), volume(), machine(SEPTEMBER_END)),
    ("waste", "shut off, as OpenStack spells it", *stopped("SUSPENDED"), volume()),
    ("active", "billed last twenty-nine days ago", *stopped(), volume(), machine(date(2026, 10, 10))),
    ("active", "runs", *stopped("running"), volume(), machine(date(2026, 11, 8))),
    ("active", "listed as stopped an hour ago, billed yesterday", *stopped(), volume(), machine(date(2026, 11, 8))),
    ("active", "the volume is twenty-nine days old", *stopped(), volume(since=date(2026, 10, 10))),
    ("active", "attached to nothing, which another detector judges", listed("volume", state="available"), volume(),
     {"unattached_volume"}),
    ("active", "costs less than the minimum", *stopped(), volume("0.03")),
    ("undetermined", "listed as running, and no bill has it", *stopped("running"), volume()),
    ("undetermined", "of unknown state, silent since August", *stopped(None), volume(), machine(date(2026, 8, 20))),
)  # fmt: skip


def snapshot(volume_until: date | None, *, of: str | None = "vol-@", born: date = date(2026, 6, 1),
             name: str | None = None, a_day: str = "2") -> tuple[Any, ...]:  # fmt: skip
    moment = datetime(born.year, born.month, born.day, tzinfo=UTC)
    parts = [
        listed("snapshot", attached_to=of, state="completed", created_at=moment, name=name),
        billed(SNAP, a_day, 40, since=max(born, date(2026, 8, 1)), ConsumedUnit="GB-Mo"),
        listed("image", "ami-other-@", attached_to="snap-other"),
    ]
    if volume_until is not None:
        parts.append(volume(ResourceId="vol-@", until=volume_until))
    return tuple(parts)


OUTLIVED = cases(
    "snapshot_outlives_volume",
    ("waste", "the volume ended in August", *snapshot(date(2026, 8, 20))),
    ("waste", "the volume ended thirty days ago", *snapshot(date(2026, 10, 9))),
    ("waste", "taken thirty-one days ago", *snapshot(date(2026, 9, 1), born=date(2026, 10, 10))),
    ("waste", "an image of another snapshot holds nothing here", *snapshot(SEPTEMBER_END)),
    ("waste", "named like any", *snapshot(SEPTEMBER_END, name="before-upgrade")),
    ("active", "the volume is billed", *snapshot(date(2026, 11, 8))),
    ("active", "the volume ended twenty-nine days ago", *snapshot(date(2026, 10, 10))),
    ("active", "taken thirty days ago, as a job would", *snapshot(date(2026, 9, 1), born=date(2026, 10, 11))),
    ("active", "a disabled image holds it", *snapshot(SEPTEMBER_END),
     listed("image", "ami-@", attached_to="@", state="disabled")),
    ("active", "an image that is in use holds it", *snapshot(SEPTEMBER_END),
     listed("image", "ami-@", attached_to="@", state="available")),
    ("active", "a backup plan made it", *snapshot(SEPTEMBER_END, name="AwsBackup-vol-7")),
    ("active", "of a volume that no bill ever named", *snapshot(None)),
    ("undetermined", "nobody says of which volume it is", *snapshot(None, of=None)),
)  # fmt: skip
S3 = "Amazon Simple Storage Service | Storage | USW2-TimedStorage-ByteHrs"
ASKED = "Amazon Simple Storage Service | API Request | USW2-Requests-Tier1"


def bucket(**more: Any) -> Any:  # noqa: ANN401
    return billed(S3, "9", 400, **{"ConsumedUnit": "GB-Mo", "cost_element": "storage"} | more)


def asked(quantity: float | None = 100, cost: str | None = "0.01", *, resource: str = "@", **more: Any) -> Any:  # noqa: ANN401
    return billed(ASKED, cost, quantity, ConsumedUnit="Requests", ResourceId=resource, **more)


OTHER = asked(resource="other-@")
BUCKETS = cases(
    "bucket_never_requested",
    ("waste", "never asked for", bucket(), OTHER),
    ("waste", "asked for in August", bucket(), asked(until=date(2026, 8, 31)), OTHER),
    ("waste", "sixty days old, never asked for", bucket(since=date(2026, 9, 10)), OTHER),
    ("waste", "asked for sixty days ago", bucket(), asked(until=date(2026, 9, 9)), OTHER),
    ("waste", "requests of none at no cost", bucket(), asked(0, "0", until=SEPTEMBER_END.replace(day=1)), OTHER),
    ("waste", "Azure's container", billed("Storage | Blob Storage | Hot LRS Data Stored", "9", 400), OTHER),
    ("active", "asked for every day", bucket(), asked(), OTHER),
    ("active", "one request on the last day", bucket(), asked(1, "0", since=date(2026, 11, 8)), OTHER),
    ("active", "fifty-nine days old, never asked for", bucket(since=date(2026, 9, 11)), OTHER),
    ("active", "asked for fifty-nine days ago", bucket(), asked(until=date(2026, 9, 10)), OTHER),
    ("active", "read from outside", bucket(),
     billed("Amazon Simple Storage Service | Data Transfer | USW2-DataTransfer-Out-Bytes", "1", 9), OTHER),
    ("active", "emptied in September", bucket(until=SEPTEMBER_END), OTHER),
    ("active", "a file system, whose meter has a bucket's name",
     billed("Amazon Elastic File System | File System | USW2-TimedStorage-ByteHrs", "9", 40), OTHER),
    ("active", "stored logs, likewise",
     billed("AmazonCloudWatch | Storage | USW2-TimedStorage-ByteHrs", "9", 40), OTHER),
    ("undetermined", "a line of it says not what was metered", bucket(),
     billed("Amazon Simple Storage Service | | ", "1", 9), OTHER),
    ("undetermined", "the source bills requests of no bucket", bucket(source="quiet-@")),
    ("undetermined", "sixty days old, where requests of none are billed",
     bucket(source="quiet-@", since=date(2026, 9, 10))),
    ("active", "fifty-nine days old, where requests of none are billed",
     bucket(source="quiet-@", since=date(2026, 9, 11))),
    ("active", "asked for until August by one meter, and since by another", bucket(), asked(until=date(2026, 8, 31)),
     billed("Amazon Simple Storage Service | API Request | USW2-Requests-Tier2", "0.01", 5, ConsumedUnit="Requests"),
     OTHER),
    ("waste", "asked for by one meter until June, by another until August", bucket(), asked(until=date(2026, 8, 2)),
     billed("Amazon Simple Storage Service | API Request | USW2-Requests-Tier2", "0.01", 5, ConsumedUnit="Requests",
            until=date(2026, 8, 31)), OTHER),
    ("undetermined", "the export leaves out requests altogether",
     billed("Object Storage | Bucket | Object storage, hot", "9", 40, source="mute-@")),
)  # fmt: skip
STORAGE: tuple[Case, ...] = (*LEFT_OVER, *STANDING, *OUTLIVED, *BUCKETS)
