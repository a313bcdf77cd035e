"""Labelled cases: machines that do nothing, money that grows beside the work, old versions, things without an owner."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from waste_cases import Case, billed, cases, listed, measured, ran

OCTOBER, LAST = date(2026, 10, 1), date(2026, 11, 8)
GPU = "Amazon Elastic Compute Cloud | Compute Instance | USW2-BoxUsage:p5.48xlarge"
CPU = "Amazon Elastic Compute Cloud | Compute Instance | USW2-BoxUsage:m6i.large"
MOVED = "AWS Data Transfer | Data Transfer | USW2-DataTransfer-Regional-Bytes"


def node(hours: float | None = 24, meter: str = GPU, **more: Any) -> Any:  # noqa: ANN401
    return billed(meter, "700", hours, **more)


def traffic(resource: str = "@", quantity: float = 5, **more: Any) -> Any:  # noqa: ANN401
    return billed(MOVED, "0.1", quantity, ConsumedUnit="GB", ResourceId=resource, cost_element="network", **more)


OTHER = (node(ResourceId="other-@"), traffic("other-@"))
NODES = cases(
    "gpu_node_without_trace",
    ("waste", "runs all hours, beside one whose traffic is billed", node(), *OTHER),
    ("waste", "runs 95 % of all hours", node(22.8), *OTHER),
    ("waste", "no job on it, while others have some", node(), ran(OCTOBER, LAST, "elsewhere")),
    ("waste", "its last job ended in September", node(), ran(date(2026, 9, 1), date(2026, 9, 30))),
    ("waste", "metrics below five percent", node(), *OTHER, measured("gpu_percent", 4.9)),
    ("waste", "a node of another provider", node(24, "Meridian GPU Nodes | GPU node | node h100-8x"), *OTHER),
    ("active", "runs 94 % of all hours", node(22.5), *OTHER),
    ("active", "has traffic of its own", node(), traffic()),
    ("active", "a job in the window", node(), ran(date(2026, 10, 9), date(2026, 10, 10))),
    ("active", "a job of which the list names the machine's name", node(), listed("node", name="gpu-@"),
     ran(date(2026, 10, 9), date(2026, 10, 10), "gpu-@")),
    ("active", "a billed volume attached", node(), *OTHER, listed("volume", "vol-@", attached_to="@"),
     billed("EBS | Storage | EBS:VolumeUsage.gp3", "3", 9, ResourceId="vol-@")),
    ("active", "a day at five percent", node(), *OTHER, measured("gpu_percent", 5.0, LAST, LAST)),
    ("active", "thirteen days old", node(since=date(2026, 10, 27)), *OTHER),
    ("active", "no GPU", node(24, CPU), *OTHER),
    ("active", "half a GB of traffic", node(), traffic(quantity=0.5)),
    ("active", "traffic of which one line tells no quantity", node(), traffic(),
     billed("AWS Data Transfer | | Other-Bytes", "0.1", None, cost_element="network")),
    ("undetermined", "nothing would show its work", node(source="mute-@"), "alone"),
    ("undetermined", "the bill does not count hours", node(None), *OTHER),
)  # fmt: skip
DEV = {"environment": "dev"}
MONTH_END = date(2026, 10, 31)
SCHEDULES = cases(
    "dev_nights_and_weekends",
    ("waste", "development, day and night", node(24, CPU, **DEV)),
    ("waste", "test, twenty hours a day", node(20, CPU, environment="test")),
    ("waste", "staging with a suffix", node(24, CPU, environment="staging-eu")),
    ("waste", "开发", node(24, CPU, environment="开发")),
    ("waste", "six days of weekends", node(24, CPU, since=date(2026, 10, 11), until=MONTH_END, **DEV)),
    ("waste", "quiet on weekends by its metrics", node(24, CPU, **DEV),
     measured("cpu_percent", 9.9, date(2026, 10, 3), date(2026, 10, 4))),
    ("waste", "a second meter on a few of its days", node(24, CPU, **DEV),
     node(1, f"{CPU}:burst", since=date(2026, 10, 20), until=date(2026, 10, 22), **DEV)),
    ("undetermined", "GPUs on one of its meters", node(24, CPU, **DEV), node(0, **DEV)),
    ("active", "nineteen hours a day", node(19, CPU, **DEV)),
    ("active", "production", node(24, CPU, environment="prod")),
    ("active", "research, where runs last for weeks", node(24, CPU, environment="research")),
    ("active", "five days of weekends", node(24, CPU, since=date(2026, 10, 12), until=MONTH_END, **DEV)),
    ("active", "works on a Saturday", node(24, CPU, **DEV),
     measured("cpu_percent", 10.0, date(2026, 10, 3), date(2026, 10, 3))),
    ("active", "environment unknown", node(24, CPU, environment="unallocated"),
     node(24, CPU, environment="dev", ResourceId="elsewhere", project="q")),
    ("waste", "GPUs that are measured, and at rest", node(24, **DEV), measured("gpu_percent", 1.0)),
    ("undetermined", "the bill does not count hours", node(None, CPU, **DEV)),
    ("undetermined", "GPUs that nobody measured, behind a quiet processor", node(24, **DEV),
     measured("cpu_percent", 1.0)),
)  # fmt: skip


def past(meter: str, before: str | None, now: str | None, since: date = date(2026, 8, 1), **more: Any) -> Any:  # noqa: ANN401
    """A meter at one price a day until September, at another from October on."""
    parts = billed(meter, before, 9, since=since, until=date(2026, 9, 30), ResourceId=None, **more)[1]
    return "costs", parts + billed(meter, now, 9, since=OCTOBER, ResourceId=None, **more)[1]


def once(meter: str, cost: str, **more: Any) -> Any:  # noqa: ANN401
    return billed(meter, cost, 9, since=MONTH_END, until=MONTH_END, ResourceId=None, **more)


OUT = "AWS Data Transfer | | USW2-DataTransfer-Out-Bytes"
REGIONS = "AWS Data Transfer | | USW2-USE1-AWS-Out-Bytes"


def work(before: str = "100", now: str = "100") -> Any:  # noqa: ANN401
    return past(CPU, before, now)


NETWORK = {"cost_element": "network"}
TRANSFERS = cases(
    "transfer_out_of_line",
    ("waste", "three times as much", past(OUT, "10", "30", **NETWORK), work()),
    ("waste", "exactly twice as much", past(OUT, "10", "20", **NETWORK), work()),
    ("waste", "to another region", past(REGIONS, "10", "30", **NETWORK), work()),
    ("waste", "of a provider with plain words", past("Meridian Network | | Internet egress", "10", "30", **NETWORK),
     work()),
    ("waste", "more than compute, which grew as well", past(OUT, "10", "30", **NETWORK), work("100", "250")),
    ("active", "just below twice as much", past(OUT, "10", "19.99", **NETWORK), work()),
    ("active", "the work grew as much", past(OUT, "10", "30", **NETWORK), work("100", "300")),
    ("active", "three times a little", past(OUT, "1", "3", **NETWORK), work()),
    ("active", "as ever", past(OUT, "30", "30", **NETWORK), work()),
    ("active", "less than before", past(OUT, "30", "10", **NETWORK), work()),
    ("active", "new, so there is no past", billed(OUT, "30", 9, since=OCTOBER, ResourceId=None, **NETWORK), work()),
    ("waste", "a hundred more to the cent", past(OUT, "3", "3", **NETWORK), once(OUT, "100", **NETWORK), work()),
    ("active", "a cent less than that", past(OUT, "3", "3", **NETWORK), once(OUT, "99.99", **NETWORK), work()),
    ("undetermined", "October's cost is unknown", past(OUT, "10", None, **NETWORK), work()),
)  # fmt: skip
LOGS = "AmazonCloudWatch | | USW2-DataProcessing-Bytes"
SEEN = {"cost_element": "observability"}
OBSERVED = cases(
    "logs_outgrow_compute",
    ("waste", "twice as much, compute as before", past(LOGS, "20", "40", **SEEN), work()),
    ("waste", "thirty percent more", past(LOGS, "20", "26", **SEEN), work()),
    ("waste", "compute grew too, and less", past(LOGS, "20", "40", **SEEN), work("100", "150")),
    ("waste", "compute fell and logs grew", past(LOGS, "20", "30", **SEEN), work("100", "50")),
    ("waste", "logs of another provider", past("Meridian Insight | | Metrics and logs ingested", "20", "40", **SEEN),
     work()),
    ("active", "twenty-nine percent more", past(LOGS, "20", "25.8", **SEEN), work()),
    ("active", "compute grew as much", past(LOGS, "20", "40", **SEEN), work("100", "200")),
    ("active", "as before, while compute fell", past(LOGS, "20", "20", **SEEN), work("100", "50")),
    ("active", "twice a little", past(LOGS, "3", "6", **SEEN), work()),
    ("active", "new", billed(LOGS, "40", 9, since=OCTOBER, ResourceId=None, **SEEN), work()),
    ("waste", "a hundred more to the cent", past(LOGS, "10", "10", **SEEN), once(LOGS, "100", **SEEN), work()),
    ("active", "a cent less than a hundred more", past(LOGS, "10", "10", **SEEN), once(LOGS, "99.99", **SEEN), work()),
    ("active", "money back in September", past(LOGS, "-20", "40", **SEEN), work()),
    ("active", "for nothing in September", past(LOGS, "0", "40", **SEEN), work()),
    ("undetermined", "compute cost nothing in September", past(LOGS, "20", "40", **SEEN), work("0", "100")),
    ("undetermined", "no compute to set them against", past(LOGS, "20", "40", **SEEN)),
)  # fmt: skip
RDS = "Amazon Relational Database Service | Database Instance | USW2-InstanceUsage:db.r6g.large"
OLD = "Amazon Relational Database Service | Extended Support | USW2-ExtendedSupport:Yr1-Yr2:MySQL5.7"


def surcharge(meter: str = OLD, a_day: str | None = "5", **more: Any) -> Any:  # noqa: ANN401
    return billed(meter, a_day, 48, cost_element="database", **more)


SUPPORT = cases(
    "extended_support",
    ("waste", "a database out of support", billed(RDS, "20"), surcharge()),
    ("waste", "a cluster", surcharge("Amazon Elastic Kubernetes Service | | USE1-AmazonEKS-Hours:extendedSupport")),
    ("waste", "Azure's security updates", surcharge("Extended Security Updates | | SQL Server 2014 Year 1")),
    ("waste", "Google's extended support", surcharge("Cloud SQL | | Cloud SQL for MySQL: Extended Support")),
    ("waste", "up to the day before the watermark", surcharge(until=date(2026, 11, 7))),
    ("waste", "two surcharges, of which one has ended", surcharge(until=date(2026, 10, 20)),
     surcharge(OLD.replace("MySQL5.7", "MySQL8.0"))),
    ("active", "upgraded two days before", surcharge(until=date(2026, 11, 6))),
    ("active", "in standard support", billed(RDS, "20")),
    ("active", "upgraded in September", billed(RDS, "20"), surcharge(until=date(2026, 9, 30))),
    ("active", "a support plan is none", billed("AWS Support (Business) | | Dollar", "90")),
    ("active", "less than the minimum", billed(RDS, "20"), surcharge(a_day="0.03")),
)  # fmt: skip


def former(meter: str, a_day: str = "9", **more: Any) -> Any:  # noqa: ANN401
    return billed(f"Amazon Elastic Compute Cloud | Compute Instance | {meter}", a_day, **more)


FORMER = cases(
    "previous_generation",
    ("waste", "an m4", former("USW2-BoxUsage:m4.xlarge")),
    ("waste", "a spot p2", former("SpotUsage:p2.8xlarge")),
    ("waste", "a gp2 volume", former("EU-EBS:VolumeUsage.gp2")),
    ("waste", "a magnetic volume", former("EBS:VolumeUsage")),
    ("waste", "a database", billed("Amazon RDS | Database Instance | InstanceUsage:db.m3.large", "9")),
    ("waste", "fourteen days old", former("BoxUsage:c4.large", since=date(2026, 10, 26))),
    ("waste", "still there the day before the watermark", former("BoxUsage:m4.large", until=date(2026, 11, 7))),
    ("waste", "two former volumes' meters", former("EBS:VolumeUsage.gp2"), former("EBS:VolumeUsage", "2")),
    ("active", "an m6i", former("BoxUsage:m6i.xlarge")),
    ("active", "a gp3 volume", former("EBS:VolumeUsage.gp3")),
    ("active", "an io2 volume", former("EBS:VolumeUsage.io2")),
    ("active", "changed two days before", former("BoxUsage:m4.xlarge", until=date(2026, 11, 6))),
    ("active", "thirteen days old", former("BoxUsage:c4.large", since=date(2026, 10, 27))),
    ("active", "an m40 is no m4", former("BoxUsage:m40.large")),
)  # fmt: skip
NOBODY = {"project": "unallocated", "owner": "unallocated"}
UNOWNED = cases(
    "untagged_resource",
    *(("waste", f"nobody's, {amount} a day", billed(CPU, amount, **NOBODY)) for amount in ("0.04", "3", "9", "70")),
    ("waste", "nobody's since October", billed(CPU, "9", until=date(2026, 9, 30)),
     billed(CPU, "9", since=OCTOBER, **NOBODY)),
    ("active", "a project is known", billed(CPU, "9", owner="unallocated")),
    ("active", "an owner is known", billed(CPU, "9", project="unallocated")),
    ("active", "nobody's until September", billed(CPU, "9", until=date(2026, 9, 30), **NOBODY),
     billed(CPU, "9", since=OCTOBER)),
    ("active", "next to nothing", billed(CPU, "0.03", **NOBODY)),
    ("active", "its cost is unknown", billed(CPU, None, **NOBODY)),
)  # fmt: skip


def deleted(day: int | None, month: int = 10, **more: Any) -> Any:  # noqa: ANN401
    moment = None if day is None else datetime(2026, month, day, 12, tzinfo=UTC)
    return listed("instance", deleted_at=moment, **{"state": "deleted"} | more)


AFTERWARDS = cases(
    "billed_after_deletion",
    ("waste", "billed for weeks more", deleted(1), billed(CPU, "9")),
    ("waste", "billed one day more", deleted(7, 11), billed(CPU, "9")),
    ("waste", "deleted in August, billed until October", deleted(5, 8), billed(CPU, "9", until=date(2026, 10, 20))),
    ("waste", "listed as running by mistake", deleted(1, state="running"), billed(CPU, "9")),
    ("waste", "a volume", deleted(1, resource_type="volume"), billed("EBS | Storage | EBS:VolumeUsage.gp3", "9", 1)),
    ("active", "billed on the day itself", deleted(8, 11), billed(CPU, "9")),
    ("active", "deleted and silent", deleted(20), billed(CPU, "9", until=date(2026, 10, 20))),
    ("active", "deleted in September, charged a day more, and silent since", deleted(5, 9),
     billed(CPU, "9", until=date(2026, 9, 6))),
    ("active", "less than the minimum", deleted(1), billed(CPU, "0.03")),
    ("active", "says deleted without a day, and nobody knows the inventory's", deleted(None), billed(CPU, "9")),
)  # fmt: skip
WORK: tuple[Case, ...] = (
    *NODES, *SCHEDULES, *TRANSFERS, *OBSERVED, *SUPPORT, *FORMER, *UNOWNED, *AFTERWARDS,
)  # fmt: skip
