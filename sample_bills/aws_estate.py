"""What Quillhaven runs at AWS, in three accounts below the payer."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import tagging
from world import OCTOBER, Meter, Node, Tags, Volume

PAYER = "004418230975"
TRAINING = "012903447716"
PRODUCT = "090215568843"
PLATFORM = "073310026654"

HANDOVER = "i-0a41c7de93b25f601"  # changes all but its project on 2026-09-16
SPELT_TWICE = "i-0b93f5a207c1e8d45"
CPU_ONLY = "i-0d82e6a14c9730b54"
UNTAGGED = "i-07be3390fd51c8a26"
STOPPED = "i-0f6620b1ad8847c93"
CHAT = ("i-01d6a8f3b7240ce95", "i-02f9c4e1850ab7d36")
REWARD = "i-0e47b20c6d9f1a388"
ORPHAN = "vol-0c5d1177e8aa43f90"
INHERITING = "vol-03e9b6d2c4f815a77"
SNAPSHOT = f"arn:aws:ec2:us-west-2:{TRAINING}:snapshot/snap-05b8e2c1790d6fa34"
DATABASE = f"arn:aws:rds:us-west-2:{TRAINING}:db:experiment-tracker"
LOGS = f"arn:aws:logs:us-west-2:{TRAINING}:log-group:/training/all"
KEY = f"arn:aws:kms:us-west-2:{PLATFORM}:key/5d1c7a30-0000-4000-8000-2f9e6b48aa01"
GATEWAY = "nat-0a9f4c2d81e7b6350"

NODES = (
    Node(HANDOVER, TRAINING, "p4d.24xlarge", "savings", hourly=True, tags=tagging.A7_PRETRAIN),
    Node(SPELT_TWICE, TRAINING, "p4d.24xlarge", "savings", hourly=True, tags=tagging.A7_SFT_TITLE),
    Node("i-0c1588d94ea6b2f73", TRAINING, "p4d.24xlarge", "savings", hourly=True, tags=tagging.A7_SFT_UPPER),
    Node(CPU_ONLY, TRAINING, "p4d.24xlarge", load="cpu-only", hourly=True, tags=tagging.A7_RED_TEAM),
    Node(REWARD, TRAINING, "p4d.24xlarge", hourly=True, start=OCTOBER, tags=tagging.KESTREL),
    Node(CHAT[0], PRODUCT, "g5.48xlarge", tags=tagging.A7_SERVE),
    Node(CHAT[1], PRODUCT, "g5.48xlarge", tags=tagging.A7_SERVE_ALIAS),
    Node("i-04a7d15c92eb3f860", PRODUCT, "g5.12xlarge", end=OCTOBER, tags=tagging.HERON),
    Node("i-05c2e8b6f103d9a74", PRODUCT, "g5.12xlarge", end=OCTOBER, tags=tagging.HERON),
    Node(UNTAGGED, TRAINING, "g5.12xlarge"),
    Node("i-06d3f9a7e214cb085", PLATFORM, "m6i.8xlarge", "reserved"),
    Node("i-08e4a0b8f325dc196", PLATFORM, "m6i.8xlarge", "reserved"),
    Node("i-09f5b1c90436ed2a7", PLATFORM, "m6i.8xlarge", "reserved"),
    Node("i-0aa6c2da1547fe3b8", TRAINING, "c6i.16xlarge", tags=tagging.DATA),
    Node("i-0bb7d3eb26580f4c9", TRAINING, "c6i.16xlarge", tags=tagging.DATA),
    Node("i-0cc8e4fc3769105da", TRAINING, "c6i.16xlarge", tags=tagging.DATA_PROJ),
    Node("i-0dd9f50d487a216eb", TRAINING, "c6i.16xlarge", "spot"),
    Node("i-0eea061e598b327fc", TRAINING, "c6i.16xlarge", "spot"),
)

VOLUMES = (
    Volume(INHERITING, TRAINING, 8000, HANDOVER),
    Volume("vol-014fa7c3e5d6b2986", TRAINING, 8000, SPELT_TWICE, tags=tagging.A7_SFT),
    Volume("vol-0250b8d4f6e7c3a97", TRAINING, 8000, "i-0c1588d94ea6b2f73", tags=tagging.A7_SFT),
    Volume("vol-0461cae607f9d4bb8", TRAINING, 4000, CPU_ONLY, tags=tagging.A7_RED_TEAM),
    Volume("vol-0572dbf7180ae5cc9", TRAINING, 8000, REWARD, created=OCTOBER, start=OCTOBER, tags=tagging.KESTREL),
    Volume("vol-0683ec08291bf6dda", PRODUCT, 2000, CHAT[0], tags=tagging.A7_SERVE),
    Volume("vol-0794fd193a2c07eeb", PRODUCT, 2000, CHAT[1], tags=tagging.A7_SERVE),
    Volume("vol-08a50e2a4b3d18ffc", TRAINING, 1000, UNTAGGED),
    Volume(
        ORPHAN,
        TRAINING,
        4000,
        created=date(2026, 8, 3),
        last_used=date(2026, 9, 2),
        start=date(2026, 8, 3),
        tags=tagging.A7_PRETRAIN,
    ),
)

SNAPSHOTS = (Volume(SNAPSHOT, TRAINING, 6000, INHERITING, created=date(2026, 8, 20), start=date(2026, 8, 20)),)


def _bucket(name: str, gigabytes: int, tags: Tags) -> Meter:
    rate = Decimal("0.023")
    return Meter(name, TRAINING, "s3", "TimedStorage-ByteHrs", Decimal(gigabytes), rate, standing=True, tags=tags)


def _metered(thing: str, account: str, what: str, price: str, tags: Tags = tagging.NONE) -> Meter:
    """A meter written short: "product usage-type" and "units a day at rate"."""
    product, usage_type = what.split()
    quantity, rate = price.split(" at ")
    return Meter(thing, account, product, usage_type, Decimal(quantity), Decimal(rate), tags=tags)


METERS = (
    _bucket("quillhaven-checkpoints", 210_000, tagging.A7_PRETRAIN),
    _bucket("quillhaven-raw-text", 160_000, tagging.DATA),
    _bucket("quillhaven-landing-zone", 38_000, tagging.NONE),
    _metered("quillhaven-raw-text", TRAINING, "s3 Requests-Tier1", "2_400_000 at 0.000005", tagging.DATA),
    _metered(CHAT[0], PRODUCT, "transfer DataTransfer-Out-Bytes", "640 at 0.09", tagging.A7_SERVE),
    _metered(CHAT[1], PRODUCT, "transfer DataTransfer-Out-Bytes", "610 at 0.09", tagging.A7_SERVE),
    _metered(HANDOVER, TRAINING, "transfer DataTransfer-Regional-Bytes", "5200 at 0.01", tagging.A7_PRETRAIN),
    _metered(GATEWAY, PLATFORM, "nat NatGateway-Hours", "24 at 0.045", tagging.HUB),
    _metered(GATEWAY, PLATFORM, "nat NatGateway-Bytes", "2600 at 0.045", tagging.HUB),
    _metered(DATABASE, TRAINING, "rds InstanceUsage:db.r6g.2xlarge", "24 at 0.956"),
    _metered(LOGS, TRAINING, "cloudwatch DataProcessing-Bytes", "96 at 0.50"),
    _metered("", PRODUCT, "cloudwatch CW:MetricMonitorUsage", "110 at 0.30"),
    _metered("", PRODUCT, "bedrock judge-large-input-tokens", "31_000 at 0.003", tagging.JUDGE),
    _metered(KEY, PLATFORM, "kms KMS-Requests", "2 at 0.0000002"),
)
