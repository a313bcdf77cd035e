"""What Quillhaven runs at Meridian Cloud, in four projects of its account, and in the old starter account."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import tagging
from world import FIRST_DAY, OCTOBER, Meter, Node, Tags, Volume

TRAIN = "000731"
SERVE = "000732"
SANDBOX = "000745"
DATA = "000750"
STARTER = "000902"

NEVER_BILLED = "mrd-gpu-99"
LENT = "mrd-gpu-12"
IDLE = "mrd-gpu-17"
CLUSTER = "mrd-cluster-borealis"
CONTESTED = "mrd-bucket-corpora"
DATABASE = "mrd-pg-features"


def _nodes() -> Iterator[Node]:
    """Six nodes pretrain the 30B in August and September, twelve in October."""
    spelt = {4: tagging.B30_UPPER, 5: tagging.B30_TITLE, 6: tagging.B30_TITLE, 8: tagging.NONE}
    joined = dict.fromkeys((6, 7, 9, 10, 11, 12), OCTOBER)
    for number in range(1, 13):
        tags, start = spelt.get(number, tagging.B30), joined.get(number, FIRST_DAY)
        name = f"mrd-gpu-{number:02d}"
        yield Node(name, TRAIN, "h100-8x", hourly=True, attached_to=CLUSTER, tags=tags, start=start)
    yield Node("mrd-gpu-13", TRAIN, "h100-8x", hourly=True, tags=tagging.A7_PRETRAIN)
    yield Node("mrd-gpu-14", TRAIN, "h100-8x", hourly=True, tags=tagging.A7_SPACED)
    yield Node(IDLE, TRAIN, "h100-8x", hourly=True, load="idle-since-october", tags=tagging.A7_EVAL)
    yield Node("mrd-sft-01", TRAIN, "l40s-4x", hourly=True, tags=tagging.A7_SFT)
    yield Node("mrd-serve-01", SERVE, "l40s-4x", hourly=True, tags=tagging.A7_SERVE)
    yield Node("mrd-serve-02", SERVE, "l40s-4x", hourly=True, tags=tagging.A7_SERVE)
    yield Node("mrd-serve-03", SERVE, "l40s-4x", hourly=True, tags=tagging.A7_SERVE_ENV)
    yield Node("mrd-data-01", DATA, "l40s-8x", tags=tagging.DATA)
    yield Node("mrd-data-02", DATA, "l40s-8x", tags=tagging.DATA_PROJ)
    yield Node("mrd-spot-01", DATA, "l40s-4x", "spot")
    yield Node("mrd-sandbox-01", SANDBOX, "l40s-4x")
    yield Node("mrd-hack-01", TRAIN, "l40s-8x", start=date(2026, 8, 10), end=date(2026, 8, 18))


NODES = tuple(_nodes())


def _volumes() -> Iterator[Volume]:
    """A scratch disk for each training node, without a tag; the idle node's has its own."""
    for node in NODES:
        if node.model == "h100-8x" and node.resource_id != IDLE:
            name = node.resource_id.replace("gpu", "vol")
            born = date(2026, 7, 20) if node.start == FIRST_DAY else node.start
            yield Volume(name, TRAIN, 15_000, node.resource_id, start=node.start, created=born)
    yield Volume("mrd-vol-17", TRAIN, 4000, IDLE, tags=tagging.A7_EVAL)


VOLUMES = tuple(_volumes())


def _bucket(name: str, account: str, gigabytes: int, tags: Tags) -> Meter:
    rate = Decimal("0.018")
    return Meter(name, account, "object", "Object storage, hot", Decimal(gigabytes), rate, standing=True, tags=tags)


METERS = (
    _bucket("mrd-bucket-checkpoints", TRAIN, 420_000, tagging.B30),
    _bucket(CONTESTED, DATA, 95_000, tagging.DATA),
    _bucket("mrd-bucket-curated", DATA, 140_000, tagging.DATA),
    Meter(CLUSTER, TRAIN, "kubernetes", "Managed control plane", Decimal(24), Decimal("0.10")),
    Meter("", SERVE, "egress", "Internet egress", Decimal(1900), Decimal("0.04"), tags=tagging.A7_SERVE),
    Meter("mrd-backbone", TRAIN, "egress", "Inter-region transfer", Decimal(2800), Decimal("0.02"), tags=tagging.HUB),
    Meter(DATABASE, DATA, "postgres", "Postgres, 16 vCPU", Decimal(24), Decimal("1.15")),
    Meter("", TRAIN, "insight", "Metrics and logs ingested", Decimal(310), Decimal("0.12")),
)

STARTER_NODE = Node("mrd-dev-01", STARTER, "a10-1x", tags=tagging.STARTER)
STARTER_VOLUME = Volume("mrd-dev-vol-01", STARTER, 200, STARTER_NODE.resource_id, tags=tagging.STARTER)
