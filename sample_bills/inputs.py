"""What Quillhaven keeps beside its bills: the tag register, the inventory, and what the machines did."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

import aws_estate
import leftovers
import meridian_estate
import tagging
import world
from aws import MACHINE_TYPES
from meridian import GPUS
from meridian_estate import CLUSTER, STARTER_NODE, STARTER_VOLUME
from world import Lived, Node, Volume

METRICS_FROM = date(2026, 9, 1)
HANDOVER_DAY = "2026-09-16"
LENDING_DAY = "2026-10-12"
LAUNCHED = date(2026, 7, 20)

# resource, day, metric, and the impossible average that stands there
BROKEN_METRICS = {
    ("mrd-gpu-03", date(2026, 10, 14), "gpu_percent"): "-4.0",
    ("mrd-gpu-04", date(2026, 10, 15), "gpu_percent"): "NaN",
}

Line = Sequence[str]


def table(header: Line, lines: Iterable[Line]) -> str:
    """Lines as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *lines])
    return text.getvalue()


def tags_long() -> str:
    """Machines that changed hands, one key a line; one line has lost its resource."""
    lent = (
        ("project", "borealis-30b", "kestrel-reward"),
        ("stage", "pretraining", "rl-alignment"),
        ("experiment", "b30-run-1", "k-ppo-1"),
        ("owner", "mira", "tomas"),
    )
    lines: list[Line] = []
    for key, before, after in lent:
        lines.append((meridian_estate.LENT, key, before, "2026-10-01", LENDING_DAY))
        lines.append((meridian_estate.LENT, key, after, LENDING_DAY, ""))
    lines.append((aws_estate.SPELT_TWICE, "project", "Aurora-7B", "2026-08-01", ""))
    lines.append((aws_estate.SPELT_TWICE, "project", "aurora_7b", "2026-08-01", ""))
    lines.append(("", "project", "aurora-7b", "2026-08-01", ""))
    return table(("resource_id", "key", "value", "valid_from", "valid_to"), lines)


def tags_wide() -> str:
    """The register that the platform team keeps, one line a resource and time."""
    corpora = ("data-processing", "", "kofi", "dev", "platform", "2026-08-01", "")
    lines: list[Line] = [
        (aws_estate.HANDOVER, *tagging.A7_PRETRAIN.values(), "2026-08-01", HANDOVER_DAY),
        (aws_estate.HANDOVER, *tagging.A7_SFT.values(), HANDOVER_DAY, ""),
        (CLUSTER, *tagging.B30.values(), "2026-08-01", ""),
        (meridian_estate.CONTESTED, "data-foundry", *corpora),
        (meridian_estate.CONTESTED, "borealis-30b", *corpora),
        (meridian_estate.NEVER_BILLED, *tagging.B30.values(), "2026-08-15", ""),
        (aws_estate.STOPPED, *tagging.A7_EVAL.values(), "2026-08-01", ""),
    ]
    return table(("resource_id", *tagging.KEYS, "valid_from", "valid_to"), lines)


_INVENTORY = (
    *("resource_id", "resource_type", "state", "attached_to", "created_at", "last_used_at", "deleted_at"),
    *("size_gb", "gpus", "region", "account_id", "name"),
)


def inventory_aws() -> str:
    """Instances, volumes, the snapshot, buckets and the database, as of the last day of data."""
    lines = [_machine(node, "instance", MACHINE_TYPES[node.model].gpus, "us-west-2") for node in aws_estate.NODES]
    stopped = Node(aws_estate.STOPPED, aws_estate.TRAINING, "g5.12xlarge")
    lines.append(_machine(stopped, "instance", 4, "us-west-2", state="stopped"))
    lines += [_disk(volume, "volume", "us-west-2") for volume in aws_estate.VOLUMES]
    lines += [_disk(snapshot, "snapshot", "us-west-2") for snapshot in aws_estate.SNAPSHOTS]
    lines += _others(aws_estate.METERS, "us-west-2")
    return table(_INVENTORY, lines)


def inventory_leftovers() -> str:
    """What was forgotten at AWS; one volume was deleted, says the inventory, and is billed on."""
    lines = [_machine(node, "instance", MACHINE_TYPES[node.model].gpus, "us-west-2") for node in leftovers.NODES]
    for volume in leftovers.VOLUMES:
        if volume.end == world.END_OF_DATA:
            line = list(_disk(volume, "volume", "us-west-2"))
            if volume.resource_id == leftovers.DELETED:
                line[2], line[6] = "deleted", _stamp(leftovers.DELETED_ON)
            lines.append(line)
    lines += [_disk(snapshot, "snapshot", "us-west-2") for snapshot in leftovers.SNAPSHOTS]
    return table(_INVENTORY, lines)


def inventory_meridian() -> str:
    """Nodes, volumes, buckets, the cluster and the database, as of the last day of data."""
    nodes = (*meridian_estate.NODES, STARTER_NODE)
    lines = [_machine(node, "node", GPUS[node.model], "no-north-1") for node in nodes]
    lines += [_disk(volume, "volume", "no-north-1") for volume in (*meridian_estate.VOLUMES, STARTER_VOLUME)]
    lines += _others(meridian_estate.METERS, "no-north-1")
    return table(_INVENTORY, lines)


def _born(thing: Lived) -> str:
    return _stamp(LAUNCHED if thing.start == world.FIRST_DAY else thing.start)


def _stamp(day: date | None) -> str:
    return f"{day}T00:00:00Z" if day else ""


def _machine(node: Node, kind: str, gpus: int, region: str, state: str = "running") -> Line:
    gone = node.end < world.END_OF_DATA
    return (
        *(node.resource_id, kind, "deleted" if gone else state, node.attached_to, _born(node), ""),
        *(_stamp(node.end) if gone else "", "", str(gpus), region, node.account, node.resource_id),
    )


def _disk(volume: Volume, kind: str, region: str) -> Line:
    state = "completed" if kind == "snapshot" else "in-use" if volume.attached_to else "available"
    return (
        *(volume.resource_id, kind, state, volume.attached_to, _stamp(volume.created), _stamp(volume.last_used)),
        *("", str(volume.size_gb), "", region, volume.account, volume.resource_id.rpartition("/")[2]),
    )


_KINDS = {"s3": "bucket", "object": "bucket", "rds": "database", "postgres": "database", "kubernetes": "cluster"}


def _others(meters: Iterable[world.Meter], region: str) -> list[Line]:
    """Buckets, databases and clusters; what is metered on a machine is in the list already."""
    seen: dict[str, Line] = {}
    for meter in meters:
        if meter.product in _KINDS:
            size = str(meter.quantity) if meter.standing else ""
            row = (meter.resource_id, _KINDS[meter.product], "active", "", _born(meter), "", "", size, "", region)
            seen.setdefault(meter.resource_id, (*row, meter.account, meter.resource_id.rpartition(":")[2]))
    return list(seen.values())


def utilization(nodes: Iterable[Node], database: str | None, rng: random.Random) -> str:
    """One line a resource, day and metric, from the first of September on."""
    header = ("resource_id", "date", "metric", "average", "maximum", "samples")
    lines = [line for node in nodes for day in _days(node) for line in _load(node, day, rng)]
    if database:
        lines += [_metric(database, day, "connections", (90, 260), rng) for day in _days(Lived(database, ""))]
    return table(header, lines)


def _days(thing: Lived) -> Iterator[date]:
    day = max(thing.start, METRICS_FROM)
    while thing.there(day):
        yield day
        day += timedelta(days=1)


def _load(node: Node, day: date, rng: random.Random) -> Iterator[Line]:
    gpus = GPUS[node.model] if node.model in GPUS else MACHINE_TYPES[node.model].gpus
    idle = node.load == "idle-since-october" and day >= world.OCTOBER
    quiet = idle or node.load == "cpu-only"
    yield _metric(node.resource_id, day, "cpu_percent", (12, 39) if quiet else (340, 820), rng)
    if gpus and node.load != "cpu-only":
        yield _metric(node.resource_id, day, "gpu_percent", (0, 3) if idle else (640, 970), rng)


def _metric(resource: str, day: date, metric: str, tenths: tuple[int, int], rng: random.Random) -> Line:
    average = Decimal(rng.randint(*tenths)) / 10
    maximum = average + Decimal(rng.randint(0, 29)) / 10
    printed = BROKEN_METRICS.get((resource, day, metric), f"{average:.1f}")
    return (resource, day.isoformat(), metric, printed, f"{maximum:.1f}", "288")
