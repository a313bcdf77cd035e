"""What Quillhaven forgot at AWS, one thing for each way of forgetting; the detectors of waste find each of them.

All of it is small. It is billed with random numbers of its own, so that nothing else of the sample moves with it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import tagging
from aws_estate import DATABASE, PLATFORM, PRODUCT, STOPPED, TRAINING
from world import OCTOBER, Meter, Node, Tags, Volume

SEPTEMBER = date(2026, 9, 1)
DEMO = "i-0d91b7c3fa5e26480"
CRAWLER = "i-0f4b8d2c6a9e17350"  # data-foundry's only machine in this account; it ended with September
STAGED = "vol-0d2a9c41f7b6e8035"
VANISHED = "vol-0b7f3e92c1d8a4560"
OLD_VOLUME = "vol-0e58d1b3a9f7c2461"
DELETED = "vol-06c3b9f2e7d1a8054"
STANDING = "vol-0c91e5d7b2a3f8460"
OLD_SNAPSHOT = f"arn:aws:ec2:us-west-2:{PRODUCT}:snapshot/snap-0f3b7a91c5d2e8064"
RESERVED = f"arn:aws:ec2:us-west-2:{TRAINING}:capacity-reservation/cr-0a5d9e3b7c1f28640"
SPARE_GATEWAY = "nat-0e7b3d91a5c2f8046"
BALANCER = f"arn:aws:elasticloadbalancing:us-west-2:{PRODUCT}:loadbalancer/app/chat-demo/8c1d5e7f9a2b3c40"
ADDRESS = f"arn:aws:ec2:us-west-2:{PRODUCT}:elastic-ip/eipalloc-0b6e2d9f7a1c38450"
NOTEBOOK = "i-0a2e6c9d4b8f71350"
DELETED_ON = date(2026, 10, 12)

NODES = (
    Node(DEMO, PRODUCT, "g4dn.xlarge", load="idle-since-october", tags=tagging.A7_EVAL),
    Node(CRAWLER, PRODUCT, "t3.large", load="cpu-only", end=OCTOBER, tags=tagging.DATA),
    Node(NOTEBOOK, TRAINING, "t3.large", load="cpu-only", tags=tagging.DATA),
)
VOLUMES = (
    Volume(STAGED, PRODUCT, 500, last_used=OCTOBER, tags=tagging.DATA),
    Volume(VANISHED, PRODUCT, 300, CRAWLER, end=SEPTEMBER, tags=tagging.DATA),
    Volume(STANDING, TRAINING, 250, STOPPED, tags=tagging.A7_EVAL),
    Volume(DELETED, TRAINING, 400, last_used=DELETED_ON, tags=tagging.DATA),
)
SNAPSHOTS = (
    Volume(OLD_SNAPSHOT, PRODUCT, 300, VANISHED, created=date(2026, 8, 25), start=date(2026, 8, 25), tags=tagging.DATA),
)


def _hourly(thing: str, account: str, what: str, rate: str, tags: Tags = tagging.NONE) -> Meter:
    product, usage_type = what.split()
    return Meter(thing, account, product, usage_type, Decimal(24), Decimal(rate), tags=tags)


def _doubled(what: str, before: int, now: int, rate: str, tags: Tags) -> tuple[Meter, Meter]:
    """A meter that goes from one daily quantity to another with October."""
    product, usage_type = what.split()
    return (
        Meter("", TRAINING, product, usage_type, Decimal(before), Decimal(rate), end=OCTOBER, tags=tags),
        Meter("", TRAINING, product, usage_type, Decimal(now), Decimal(rate), start=OCTOBER, tags=tags),
    )


METERS = (
    _hourly(RESERVED, TRAINING, "ec2 UnusedBox:g4dn.xlarge", "0.526", tagging.A7_SFT),
    _hourly(SPARE_GATEWAY, PLATFORM, "nat NatGateway-Hours", "0.045", tagging.HUB),
    _hourly(BALANCER, PRODUCT, "elb LoadBalancerUsage", "0.0225", tagging.A7_SERVE),
    _hourly(ADDRESS, PRODUCT, "vpc PublicIPv4:IdleAddress", "0.005", tagging.DATA),
    _hourly(DATABASE, TRAINING, "rds ExtendedSupport:Yr1-Yr2:PostgreSQL12", "0.80"),
    Meter(
        OLD_VOLUME,
        TRAINING,
        "ebs",
        "EBS:VolumeUsage.gp2",
        Decimal(400),
        Decimal("0.10"),
        standing=True,
        tags=tagging.DATA,
    ),
    Meter(
        "quillhaven-checkpoints",
        TRAINING,
        "s3",
        "Requests-Tier1",
        Decimal(90_000),
        Decimal("0.000005"),
        tags=tagging.A7_PRETRAIN,
    ),
    *_doubled("transfer EUN1-AWS-Out-Bytes", 60, 420, "0.02", tagging.DATA),
    *_doubled("cloudwatch DataProcessing-Bytes", 9, 60, "0.50", tagging.DATA),
)
