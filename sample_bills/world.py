"""Who Quillhaven Labs is: its calendar, its machines, disks and meters, and the tags they carry.

Both bills and all input files are written from this one description, so that a volume billed on
the AWS report is the same volume that the inventory knows. Nothing here knows a file format.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

SEED = 20261105
FIRST_DAY = date(2026, 8, 1)
END_OF_DATA = date(2026, 11, 5)  # the first day without data
HOURS_A_DAY = 24
TEN_PLACES = Decimal("1E-10")

AWS_PAYER = "004418230975"
AWS_TRAINING = "012903447716"
AWS_PRODUCT = "090215568843"
AWS_PLATFORM = "073310026654"

MERIDIAN_TRAIN = "000731"
MERIDIAN_SERVE = "000732"
MERIDIAN_SANDBOX = "000745"
MERIDIAN_DATA = "000750"
STARTER = "000902"

Tags = Mapping[str, str]
NO_TAGS: Tags = {}


@dataclass(frozen=True)
class Month:
    """A billing month and the days of it that have data."""

    first: date
    end: date
    data_end: date

    def days(self) -> Iterator[date]:
        day = self.first
        while day < self.data_end:
            yield day
            day += timedelta(days=1)

    @property
    def length(self) -> int:
        return (self.end - self.first).days

    @property
    def complete(self) -> bool:
        return self.data_end == self.end

    @property
    def label(self) -> str:
        return f"{self.first:%Y-%m}"

    def until(self, day: date) -> Month:
        """The same month as it was known on the morning of `day`."""
        return Month(self.first, self.end, min(day, self.data_end))


MONTHS = (
    Month(date(2026, 8, 1), date(2026, 9, 1), date(2026, 9, 1)),
    Month(date(2026, 9, 1), date(2026, 10, 1), date(2026, 10, 1)),
    Month(date(2026, 10, 1), date(2026, 11, 1), date(2026, 11, 1)),
    Month(date(2026, 11, 1), date(2026, 12, 1), END_OF_DATA),
)


@dataclass(frozen=True)
class Lived:
    """Anything that is there from `start` up to, and not including, `end`."""

    resource_id: str
    account: str
    tags: Tags = field(default_factory=dict, kw_only=True)
    start: date = field(default=FIRST_DAY, kw_only=True)
    end: date = field(default=END_OF_DATA, kw_only=True)

    def there(self, day: date) -> bool:
        return self.start <= day < self.end


@dataclass(frozen=True)
class Node(Lived):
    """A machine. `model` is a key of a provider's price book; `load` says what the metrics show."""

    model: str
    pricing: str = "on-demand"  # on-demand | savings | reserved | spot
    load: str = "busy"  # busy | idle-since-october | cpu-only
    hourly: bool = False
    attached_to: str = ""


@dataclass(frozen=True)
class Volume(Lived):
    """A disk; `attached_to` is empty when nobody mounts it."""

    size_gb: int
    attached_to: str = ""
    created: date = date(2026, 7, 20)
    last_used: date | None = None


@dataclass(frozen=True)
class Meter(Lived):
    """Anything metered by the day: `quantity` units a day, give or take five percent."""

    product: str
    usage_type: str
    quantity: Decimal
    rate: Decimal
    a_month: bool = False  # quantity is a standing amount priced by the month (GB-months)


def tagged(project: str, stage: str, experiment: str, owner: str, environment: str, team: str) -> Tags:
    """The six tags everybody agreed on, with the keys everybody agreed on."""
    return {
        "project": project,
        "stage": stage,
        "experiment": experiment,
        "owner": owner,
        "environment": environment,
        "team": team,
    }


def renamed(tags: Tags, old: str, new: str) -> Tags:
    """The same tags with one key spelt another way."""
    return {new if key == old else key: value for key, value in tags.items()}


B30 = tagged("borealis-30b", "pretraining", "b30-run-1", "mira", "research", "foundation")
B30_CASE = renamed(tagged("Borealis-30B", "pretrain", "b30-run-1", "Mira", "research", "foundation"), "project", "Project")
B30_UPPER = renamed(tagged("borealis_30b", "pretraining", "b30-run-1", "mira@example.com", "research", "foundation"), "project", "PROJECT")
A7_PRETRAIN = tagged("Aurora-7B", "continued-pretraining", "a7-cpt-2", "tomas", "research", "foundation")
A7_SPACED = tagged(" aurora_7b ", "continued-pretraining", "a7-cpt-2", "tomas", "research", "foundation")
A7_SFT = tagged("aurora-7b", "sft", "a7-sft-4", "ines", "dev", "product")
A7_EVAL = tagged("aurora-7b", "evaluation", "eval-a7-suite", "tomas", "research", "foundation")
A7_SERVE = tagged("aurora-7b", "serving", "a7-chat", "ines", "prod", "product")
KESTREL = tagged("kestrel-reward", "rl-alignment", "k-ppo-1", "tomas", "research", "foundation")
HERON = tagged("heron-embed", "distillation", "heron-3", "ines", "dev", "product")
DATA = tagged("data-foundry", "data-processing", "crawl-26b", "kofi", "dev", "platform")
DATA_PROJ = renamed(tagged("data-foundry", "data-prep", "crawl-26b", "kofi", "dev", "platform"), "project", "proj")
HUB: Tags = {"pool": "network-hub"}

OCTOBER = date(2026, 10, 1)
HANDOVER = "i-0a41c7de93b25f601"  # changes stage, experiment, owner, environment and team on 2026-09-16
CPU_ONLY = "i-0d82e6a14c9730b54"
UNTAGGED_NODE = "i-07be3390fd51c8a26"
STOPPED_NODE = "i-0f6620b1ad8847c93"
NEVER_BILLED = "mrd-gpu-99"
ORPHAN_VOLUME = "vol-0c5d1177e8aa43f90"
INHERITING_VOLUME = "vol-03e9b6d2c4f815a77"
SNAPSHOT = f"arn:aws:ec2:us-west-2:{AWS_TRAINING}:snapshot/snap-05b8e2c1790d6fa34"
LENT_NODE = "mrd-gpu-12"
IDLE_NODE = "mrd-gpu-17"
DEV_NODE = "mrd-dev-01"
CLUSTER = "mrd-cluster-borealis"
CONTESTED_BUCKET = "mrd-bucket-corpora"

AWS_NODES = (
    Node(HANDOVER, AWS_TRAINING, "p4d.24xlarge", "savings", hourly=True, tags=A7_PRETRAIN),
    Node("i-0b93f5a207c1e8d45", AWS_TRAINING, "p4d.24xlarge", "savings", hourly=True,
         tags=renamed(tagged("Aurora-7B", "sft", "a7-sft-4", "ines", "dev", "product"), "project", "Project")),
    Node("i-0c1588d94ea6b2f73", AWS_TRAINING, "p4d.24xlarge", "savings", hourly=True,
         tags=renamed(tagged(" aurora_7b ", "finetune", "a7-sft-4", "ines", "dev", "product"), "project", "PROJECT")),
    Node(CPU_ONLY, AWS_TRAINING, "p4d.24xlarge", load="cpu-only", hourly=True, tags=A7_EVAL),
    Node("i-0e47b20c6d9f1a388", AWS_TRAINING, "p4d.24xlarge", hourly=True, start=OCTOBER, tags=KESTREL),
    Node("i-01d6a8f3b7240ce95", AWS_PRODUCT, "g5.48xlarge", tags=A7_SERVE),
    Node("i-02f9c4e1850ab7d36", AWS_PRODUCT, "g5.48xlarge",
         tags=tagged("aurora-7b", "inference", "a7-chat", "ines", "production", "product")),
    Node("i-04a7d15c92eb3f860", AWS_PRODUCT, "g5.12xlarge", end=OCTOBER, tags=HERON),
    Node("i-05c2e8b6f103d9a74", AWS_PRODUCT, "g5.12xlarge", end=OCTOBER, tags=HERON),
    Node(UNTAGGED_NODE, AWS_TRAINING, "g5.12xlarge"),
    Node("i-06d3f9a7e214cb085", AWS_PLATFORM, "m6i.8xlarge", "reserved"),
    Node("i-08e4a0b8f325dc196", AWS_PLATFORM, "m6i.8xlarge", "reserved"),
    Node("i-09f5b1c90436ed2a7", AWS_PLATFORM, "m6i.8xlarge", "reserved"),
    Node("i-0aa6c2da1547fe3b8", AWS_TRAINING, "c6i.16xlarge", tags=DATA),
    Node("i-0bb7d3eb26580f4c9", AWS_TRAINING, "c6i.16xlarge", tags=DATA),
    Node("i-0cc8e4fc3769105da", AWS_TRAINING, "c6i.16xlarge", tags=DATA_PROJ),
    Node("i-0dd9f50d487a216eb", AWS_TRAINING, "c6i.16xlarge", "spot"),
    Node("i-0eea061e598b327fc", AWS_TRAINING, "c6i.16xlarge", "spot"),
)

AWS_VOLUMES = (
    Volume(INHERITING_VOLUME, AWS_TRAINING, 8000, HANDOVER),
    Volume("vol-014fa7c3e5d6b2986", AWS_TRAINING, 8000, "i-0b93f5a207c1e8d45", tags=A7_SFT),
    Volume("vol-0250b8d4f6e7c3a97", AWS_TRAINING, 8000, "i-0c1588d94ea6b2f73", tags=A7_SFT),
    Volume("vol-0461cae607f9d4bb8", AWS_TRAINING, 4000, CPU_ONLY, tags=A7_EVAL),
    Volume("vol-0572dbf7180ae5cc9", AWS_TRAINING, 8000, "i-0e47b20c6d9f1a388", start=OCTOBER,
           created=OCTOBER, tags=KESTREL),
    Volume("vol-0683ec08291bf6dda", AWS_PRODUCT, 2000, "i-01d6a8f3b7240ce95", tags=A7_SERVE),
    Volume("vol-0794fd193a2c07eeb", AWS_PRODUCT, 2000, "i-02f9c4e1850ab7d36", tags=A7_SERVE),
    Volume("vol-08a50e2a4b3d18ffc", AWS_TRAINING, 1000, UNTAGGED_NODE),
    Volume(ORPHAN_VOLUME, AWS_TRAINING, 4000, created=date(2026, 8, 3), last_used=date(2026, 9, 2),
           start=date(2026, 8, 3), tags=A7_PRETRAIN),
)

AWS_SNAPSHOTS = (
    Volume(SNAPSHOT, AWS_TRAINING, 6000, INHERITING_VOLUME, created=date(2026, 8, 20), start=date(2026, 8, 20)),
)

_D = Decimal
AWS_METERS = (
    Meter("quillhaven-checkpoints", AWS_TRAINING, "s3", "TimedStorage-ByteHrs", _D(210_000), _D("0.023"), True, tags=A7_PRETRAIN),
    Meter("quillhaven-raw-text", AWS_TRAINING, "s3", "TimedStorage-ByteHrs", _D(160_000), _D("0.023"), True, tags=DATA),
    Meter("quillhaven-landing-zone", AWS_TRAINING, "s3", "TimedStorage-ByteHrs", _D(38_000), _D("0.023"), True),
    Meter("quillhaven-raw-text", AWS_TRAINING, "s3", "Requests-Tier1", _D(2_400_000), _D("0.000005"), tags=DATA),
    Meter("i-01d6a8f3b7240ce95", AWS_PRODUCT, "transfer", "DataTransfer-Out-Bytes", _D(640), _D("0.09"), tags=A7_SERVE),
    Meter("i-02f9c4e1850ab7d36", AWS_PRODUCT, "transfer", "DataTransfer-Out-Bytes", _D(610), _D("0.09"), tags=A7_SERVE),
    Meter(HANDOVER, AWS_TRAINING, "transfer", "DataTransfer-Regional-Bytes", _D(5200), _D("0.01"), tags=A7_PRETRAIN),
    Meter("nat-0a9f4c2d81e7b6350", AWS_PLATFORM, "nat", "NatGateway-Hours", _D(24), _D("0.045"), tags=HUB),
    Meter("nat-0a9f4c2d81e7b6350", AWS_PLATFORM, "nat", "NatGateway-Bytes", _D(2600), _D("0.045"), tags=HUB),
    Meter(f"arn:aws:rds:us-west-2:{AWS_TRAINING}:db:experiment-tracker", AWS_TRAINING, "rds", "InstanceUsage:db.r6g.2xlarge", _D(24), _D("0.956")),
    Meter(f"arn:aws:logs:us-west-2:{AWS_TRAINING}:log-group:/training/all", AWS_TRAINING, "cloudwatch", "DataProcessing-Bytes", _D(96), _D("0.50")),
    Meter("", AWS_PRODUCT, "cloudwatch", "CW:MetricMonitorUsage", _D(110), _D("0.30")),
    Meter("", AWS_PRODUCT, "bedrock", "judge-large-input-tokens", _D(31_000), _D("0.003"),
          tags={"project": "aurora-7b", "experiment": "eval-judge-01", "owner": "ines", "environment": "dev", "team": "product"}),
    Meter(f"arn:aws:kms:us-west-2:{AWS_PLATFORM}:key/5d1c7a30-0000-4000-8000-2f9e6b48aa01", AWS_PLATFORM, "kms", "KMS-Requests", _D(2), _D("0.0000002")),
)


def _meridian_nodes() -> Iterator[Node]:
    spelt = {5: B30_CASE, 6: B30_CASE, 7: B30_UPPER, 8: NO_TAGS}
    joined = {8: date(2026, 9, 1), 9: OCTOBER, 10: OCTOBER, 11: OCTOBER, 12: OCTOBER}
    for number in range(1, 13):
        yield Node(f"mrd-gpu-{number:02d}", MERIDIAN_TRAIN, "h100-8x", hourly=True, attached_to=CLUSTER,
                   tags=spelt.get(number, B30), start=joined.get(number, FIRST_DAY))
    yield Node("mrd-gpu-13", MERIDIAN_TRAIN, "h100-8x", hourly=True, tags=A7_PRETRAIN)
    yield Node("mrd-gpu-14", MERIDIAN_TRAIN, "h100-8x", hourly=True, tags=A7_SPACED)
    yield Node(IDLE_NODE, MERIDIAN_TRAIN, "h100-8x", hourly=True, load="idle-since-october", tags=A7_EVAL)
    yield Node("mrd-serve-01", MERIDIAN_SERVE, "l40s-4x", hourly=True, tags=A7_SERVE)
    yield Node("mrd-serve-02", MERIDIAN_SERVE, "l40s-4x", hourly=True, tags=A7_SERVE)
    yield Node("mrd-serve-03", MERIDIAN_SERVE, "l40s-4x", hourly=True, tags=renamed(A7_SERVE, "environment", "env"))
    yield Node("mrd-data-01", MERIDIAN_DATA, "l40s-8x", tags=DATA)
    yield Node("mrd-data-02", MERIDIAN_DATA, "l40s-8x", tags=DATA_PROJ)
    yield Node("mrd-spot-01", MERIDIAN_DATA, "l40s-4x", "spot")
    yield Node("mrd-sandbox-01", MERIDIAN_SANDBOX, "l40s-4x")
    yield Node("mrd-hack-01", MERIDIAN_TRAIN, "l40s-8x", start=date(2026, 8, 10), end=date(2026, 8, 18))


MERIDIAN_NODES = tuple(_meridian_nodes())

MERIDIAN_VOLUMES = (
    *(Volume(f"mrd-vol-{number:02d}", MERIDIAN_TRAIN, 15_000, f"mrd-gpu-{number:02d}",
             start=node.start, created=max(node.start, date(2026, 7, 20)))
      for number, node in enumerate(MERIDIAN_NODES[:14], start=1)),
    Volume("mrd-vol-17", MERIDIAN_TRAIN, 4000, IDLE_NODE, tags=A7_EVAL),
)

MERIDIAN_METERS = (
    Meter("mrd-bucket-checkpoints", MERIDIAN_TRAIN, "object", "Object storage, hot", _D(420_000), _D("0.018"), True, tags=B30),
    Meter(CONTESTED_BUCKET, MERIDIAN_DATA, "object", "Object storage, hot", _D(95_000), _D("0.018"), True, tags=DATA),
    Meter("mrd-bucket-curated", MERIDIAN_DATA, "object", "Object storage, hot", _D(140_000), _D("0.018"), True, tags=DATA),
    Meter(CLUSTER, MERIDIAN_TRAIN, "kubernetes", "Managed control plane", _D(24), _D("0.10")),
    Meter("", MERIDIAN_SERVE, "egress", "Internet egress", _D(1900), _D("0.04"), tags=A7_SERVE),
    Meter("mrd-backbone", MERIDIAN_TRAIN, "egress", "Inter-region transfer", _D(2800), _D("0.02"), tags=HUB),
    Meter("mrd-pg-features", MERIDIAN_DATA, "postgres", "Postgres, 16 vCPU", _D(24), _D("1.15")),
    Meter("", MERIDIAN_TRAIN, "insight", "Metrics and logs ingested", _D(310), _D("0.12")),
)


def instant(day: date, hour: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=hour)


def metered(meter: Meter, month: Month, rng: random.Random) -> Decimal:
    """A day's quantity: steady for what runs by the hour, give or take five percent for the rest."""
    if meter.quantity == HOURS_A_DAY:
        return meter.quantity
    jitter = Decimal(rng.randint(950, 1050)) / 1000
    days = month.length if meter.a_month else 1
    return (meter.quantity * jitter / days).quantize(TEN_PLACES)
